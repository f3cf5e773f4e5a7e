"""The gradebook in a real PostgreSQL server: the same rows as in SQLite, whatever happens in between."""

from datetime import datetime

import pytest
from nbgrader.api import Gradebook
from postgres import running_postgres
from small_class import ANSWERS, QUERIES, UNIT, Quiet, content, hand_in, mark_class, small_class, submission
from sqlalchemy import create_engine, text
from support import plain_error

from helpers.__main__ import main
from helpers.errors import PlainError
from helpers.grading.classroom import open_course
from helpers.grading.database import with_driver
from helpers.grading.gradebook import Writer

pytestmark = pytest.mark.slow
ALL = sorted(ANSWERS)


@pytest.fixture(scope="module")
def server():
    with running_postgres() as server:
        yield server


@pytest.fixture
def url(server, request):
    number = abs(hash(request.node.name)) % 10**12
    return server.new_database(f"grades_{number}")


def held(url):
    """All of nbgrader's tables, as `content` reads them from SQLite."""
    engine = create_engine(with_driver(url))
    with engine.connect() as connection:
        found = {
            name: sorted((tuple(map(plain, row)) for row in connection.execute(text(query))), key=repr)
            for name, query in QUERIES.items()
        }
    engine.dispose()
    return found


def plain(value):
    """A value as SQLite keeps it."""
    if isinstance(value, datetime):
        return value.isoformat(" ", "microseconds")
    return int(value) if isinstance(value, bool) else value


def marked(root, url, **wishes):
    """Mark; returns who was marked now."""
    watch = Quiet()
    report = mark_class(root, watch, db=url, **wishes)
    assert report.code() == 0
    return sorted(watch.students)


def a_class(root):
    small_class(root)
    hand_in(root, "right", submission(root, *ANSWERS["right"]), time="2027-01-05 08:30:00 UTC")
    return root


def test_the_same_class_gives_the_same_rows(tmp_path, url):
    root = a_class(tmp_path)
    mark_class(root)
    assert marked(root, url) == ALL
    assert held(url) == content(root)
    # The second time there is nothing to do, and nothing changes.
    assert marked(root, url) == []
    assert held(url) == content(root)


def test_what_a_person_marked_survives(tmp_path, url):
    root = a_class(tmp_path)
    marked(root, url)
    with Gradebook(with_driver(url), "transformer-by-hand") as book:
        book.find_grade("prose-1", UNIT, UNIT, "right").manual_score = 2.5
        book.find_comment("prose-1", UNIT, UNIT, "right").manual_comment = "Which? “Those”; ½ is fine."
        book.db.commit()
    hand_in(root, "right", submission(root, "return x", "Other words."))
    hand_in(root, "late", submission(root, *ANSWERS["wrong"]))
    assert marked(root, url) == ["late", "right"]
    assert marked(root, url, force=True) == sorted([*ALL, "late"])
    with Gradebook(with_driver(url), "transformer-by-hand") as book:
        assert book.find_grade("prose-1", UNIT, UNIT, "right").score == 2.5
        assert book.find_comment("prose-1", UNIT, UNIT, "right").comment == "Which? “Those”; ½ is fine."
        assert book.find_grade("check-double", UNIT, UNIT, "right").score < 2


class SwitchedOff(Quiet):
    """Stops the server once somebody was marked."""

    def __init__(self, server):
        super().__init__()
        self.server = server

    def step(self, student):
        super().step(student)
        self.server.stop()


def test_a_server_that_goes_away_is_one_sentence_and_the_run_goes_on_later(tmp_path, server, url, capsys):
    root = a_class(tmp_path)
    mark_class(root)
    try:
        with pytest.raises(PlainError) as caught:
            mark_class(root, SwitchedOff(server), db=url)
        # Not there from the start.
        assert main(["grade", UNIT, "--course", str(root), "--db", url]) == 1
    finally:
        server.stop()
        server.start()
    for sentence in (str(caught.value), capsys.readouterr().err.strip()):
        assert "gradebook" in sentence
        assert "cannot be" in sentence
        assert len(sentence.splitlines()) == 1, sentence
    assert marked(root, url) == ALL
    assert held(url) == content(root)


def test_what_cannot_be_read_any_more_is_one_sentence(tmp_path, server, url):
    root = small_class(tmp_path, {})
    course = open_course(root, UNIT)
    with Writer(url, "transformer-by-hand", UNIT, course.config, pytest.fail) as writer:
        writer.register(course.registered)
        assert writer.marks() == writer.known() == {}
        try:
            server.stop()
            for ask in (writer.known, writer.marks):
                with plain_error("The gradebook cannot be read"):
                    ask()
        finally:
            server.start()
