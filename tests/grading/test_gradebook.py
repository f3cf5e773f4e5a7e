"""The gradebook after a class run is the one that nbgrader's own autograde writes; what a person wrote in it stays."""

import shutil
import subprocess
import sys

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.nbgraderformat import read as read_checked
from round_trip import run_nbgrader
from small_class import RIGHT, WRONG, content, hand_in, mark_class, rows, scores, small_class, submission
from small_course import UNIT

from helpers.errors import PlainError
from helpers.grading import database
from helpers.grading.classroom import open_course
from helpers.grading.gradebook import Entry, Writer

DUE = "2024-03-01 12:00:00.000000"
LATE = "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """The same class twice: marked by nbgrader, and marked by the class run in a fresh folder."""
    by_nbgrader, by_us = tmp_path_factory.mktemp("nbgrader"), tmp_path_factory.mktemp("ours")
    small_class(by_nbgrader)
    hand_in(by_nbgrader, "timed", submission(by_nbgrader, RIGHT, "So."), time="2024-03-01 12:00:00 CET")
    shutil.copytree(by_nbgrader, by_us, dirs_exist_ok=True)
    run_nbgrader(by_nbgrader, "generate_assignment", UNIT)
    run_nbgrader(by_nbgrader, "autograde", UNIT)
    mark_class(by_us)
    return by_nbgrader, by_us


def test_the_gradebook_is_that_of_nbgrader(classes):
    theirs, ours = map(content, classes)
    for table in theirs:
        assert ours[table] == theirs[table], table
    assert ours["grades"]
    assert {row[4] for row in ours["comments"]} | {row[3] for row in ours["comments"]} == {None, "No response."}


def test_the_folders_are_those_of_nbgrader(classes):
    def files(root):
        found = (root / "autograded").rglob("*")
        return {path.relative_to(root): path.stat().st_mode for path in found if path.is_file()}

    theirs, ours = map(files, classes)
    assert ours == theirs


def test_nbgraders_own_reader_takes_the_notebooks(classes):
    for path in (classes[1] / "autograded").rglob("*.ipynb"):
        assert read_checked(str(path), as_version=4).cells


def test_formgraders_questions_are_answered(classes):
    for root in classes:
        with Gradebook(f"sqlite:///{root}/gradebook.db", "transformer-by-hand") as book:
            dicts = book.submission_dicts(UNIT)
            notebooks = book.notebook_submission_dicts(UNIT, UNIT)
            students = book.student_dicts()
        for one in (*dicts, *notebooks):
            one.pop("id")
        answers = [sorted(found, key=repr) for found in (dicts, notebooks, students)]
        if root == classes[0]:
            expected = answers
    assert answers == expected


def test_feedback_is_made_and_shows_no_hidden_test(classes):
    root = classes[1]
    run_nbgrader(root, "generate_feedback", UNIT)
    pages = list((root / "feedback").rglob("*.html"))
    assert len(pages) == 5
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "HIDDEN" not in text
        assert "-14" not in text
        assert "Twice x." in text


def test_an_assignment_that_nbgrader_registered_is_left_as_it_is(tmp_path):
    small_class(tmp_path)
    run_nbgrader(tmp_path, "generate_assignment", UNIT)
    before = [
        rows(tmp_path, f"select * from {table} order by id") for table in ("base_cell", "source_cell", "notebook")
    ]
    mark_class(tmp_path)
    after = [rows(tmp_path, f"select * from {table} order by id") for table in ("base_cell", "source_cell", "notebook")]
    assert after == before


def test_nbgrader_may_autograde_after_us(classes, tmp_path):
    root = shutil.copytree(classes[1], tmp_path / "both")
    database = content(root)
    run_nbgrader(root, "autograde", UNIT, "--force")
    assert content(root)["grades"] == database["grades"]


# What a person wrote


def edit(root, student="right"):
    """An instructor's marks, extra credit, comments, names and a flag; returns what must stay."""
    with Gradebook(f"sqlite:///{root}/gradebook.db", "transformer-by-hand") as book:
        grade = book.find_grade("prose-1", UNIT, UNIT, student)
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 2.5, 0.5, False
        book.find_grade("check-double", UNIT, UNIT, student).manual_score = 1.25
        book.find_comment("prose-1", UNIT, UNIT, student).manual_comment = "Nearly."
        book.update_or_create_student(student, first_name="Ada", last_name="L", email="ada@example.org")
        book.find_submission_notebook(UNIT, UNIT, student).flagged = True
        book.db.commit()
    return by_hand(root)


def by_hand(root):
    return (
        rows(root, "select id, manual_score, extra_credit from grade order by id"),
        rows(root, "select id, manual_comment from comment order by id"),
        rows(root, "select * from student order by id"),
        rows(root, "select id, flagged from submitted_notebook order by id"),
    )


def test_what_a_person_wrote_stays_and_is_to_be_looked_at_again(classes, tmp_path):
    ours = shutil.copytree(classes[1], tmp_path / "ours")
    theirs = shutil.copytree(classes[0], tmp_path / "theirs")
    for root in (ours, theirs):
        kept = edit(root)
        for student, code in (("right", WRONG), ("empty", RIGHT)):
            hand_in(root, student, submission(root, code, "Other words."))
        mark_class(root) if root == ours else run_nbgrader(root, "autograde", UNIT, "--force")
        assert by_hand(root) == kept
    assert content(ours)["grades"] == content(theirs)["grades"]
    assert content(ours)["comments"] == content(theirs)["comments"]
    assert scores(ours)["right"] == 0
    report = mark_class(ours)
    assert report.lines["right"].mark.score == 1.25 + 2.5 + 0.5
    assert report.lines["right"].mark.by_hand == 2


# Late


def late_class(root, method=LATE):
    small_class(root, {})
    with (root / "nbgrader_config.py").open("a") as config:
        config.write(method)
    with Gradebook(f"sqlite:///{root}/gradebook.db", "transformer-by-hand") as book:
        book.add_assignment(UNIT, duedate="2024-03-01 12:00:00")
    times = {"early": "2024-03-01 11:59:59 UTC", "late": "2024-03-01 13:30:00 UTC", "odd": "soon"}
    for student, time in times.items():
        hand_in(root, student, submission(root, RIGHT), time=time)
    return root


def penalties(root):
    query = (
        "select s.student_id, n.late_submission_penalty from submitted_notebook n "
        "join submitted_assignment s on n.assignment_id = s.id"
    )
    return dict(rows(root, query))


def test_who_is_late_gets_the_penalty_of_nbgraders_plugin(tmp_path):
    report = mark_class(late_class(tmp_path))
    assert penalties(tmp_path) == {"early": None, "late": 2.0, "odd": None}
    assert report.lines["late"].mark.late == 1.5 * 3600
    assert "late: 1 h 30 min, penalty 2" in report.text()
    assert "odd: timestamp.txt says 'soon', which is no time" in report.text()


def test_an_extension_takes_the_penalty_back_without_force(tmp_path):
    mark_class(late_class(tmp_path))
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db", "transformer-by-hand") as book:
        book.grant_extension(UNIT, "late", hours=2)
    report = mark_class(tmp_path)
    assert not report.lines["late"].again
    assert report.lines["early"].again
    assert penalties(tmp_path) == {"early": None, "late": None, "odd": None}


def test_no_penalty_without_a_method(tmp_path):
    mark_class(late_class(tmp_path, ""))
    assert set(penalties(tmp_path).values()) == {None}


PLUGIN = """
from nbgrader.plugins import LateSubmissionPlugin
class Broken(LateSubmissionPlugin):
    def late_submission_penalty(self, student, score, seconds):
        raise RuntimeError("no idea")
c.AssignLatePenalties.plugin_class = Broken
"""


def test_a_plugin_that_fails_costs_its_student_alone(tmp_path):
    report = mark_class(late_class(tmp_path, PLUGIN))
    assert report.code() == 4
    assert "late: it could not be written to the gradebook: RuntimeError: no idea" in report.text()
    assert set(scores(tmp_path)) == {"early", "odd"}


# The unit's cells


def test_another_set_of_cells_is_refused_once_there_are_submissions(tmp_path):
    mark_class(small_class(tmp_path))
    path = tmp_path / "solutions" / UNIT / f"{UNIT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].metadata.nbgrader.grade_id = "triple"
    nbformat.write(notebook, path)
    before = content(tmp_path)
    with pytest.raises(PlainError, match="another version of tiny: double, triple came or went"):
        mark_class(tmp_path)
    assert content(tmp_path) == before


def test_a_mended_test_is_registered_and_marks_again(tmp_path):
    mark_class(small_class(tmp_path))
    path = tmp_path / "solutions" / UNIT / f"{UNIT}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[3].source = notebook.cells[3].source.replace("[6, -14]", "[6, 14]")
    nbformat.write(notebook, path)
    assert scores(tmp_path)["half"] == 1
    mark_class(tmp_path)
    assert scores(tmp_path)["half"] == 2
    assert any("[6, 14]" in source for (source,) in rows(tmp_path, "select source from source_cell"))


# The file


def writer(root, url=None):
    classroom = open_course(root, UNIT)
    return Writer(url or classroom.course.db_url, "c", UNIT, classroom.config, lambda student, reason: None)


def hold_locked(root):
    """Another program that keeps the gradebook locked until it reads a line."""
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('begin exclusive'); "
        "print('held', flush=True); input()"
    )
    command = [sys.executable, "-c", code, root / "gradebook.db"]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    other.stdout.readline()
    return other


def test_a_locked_gradebook_is_waited_for_and_then_named(tmp_path, monkeypatch):
    small_class(tmp_path)
    monkeypatch.setattr(database, "PATIENCE", 0.5)
    with writer(tmp_path) as book:
        book.register(open_course(tmp_path, UNIT).registered)
    other = hold_locked(tmp_path)
    quick = f"sqlite:///{tmp_path}/gradebook.db?timeout=0.1"
    with pytest.raises(PlainError, match="Another program keeps the gradebook locked"):
        writer(tmp_path, quick)
    other.communicate(b"\n")
    with writer(tmp_path, quick) as book:
        other = hold_locked(tmp_path)
        book.add(Entry("ada", {"check-double": 2.0}))
        with pytest.raises(PlainError, match="Another program keeps the gradebook locked"):
            book.flush()
        other.communicate(b"\n")
        book.flush()
        assert book.marks()["ada"].score == 2
    assert scores(tmp_path) == {"ada": 2.0}


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("grades.db", "is no address of a database"),
        ("sqlite:////nowhere/at/all/grades.db", "cannot be opened"),
        ("delphi://grades", "cannot be opened"),
    ],
)
def test_a_gradebook_that_cannot_be_opened_is_one_sentence(tmp_path, url, sentence):
    with pytest.raises(PlainError, match=sentence):
        mark_class(small_class(tmp_path), db=url)


def test_another_gradebook_by_its_address(tmp_path):
    mark_class(small_class(tmp_path), db=f"sqlite:///{tmp_path}/elsewhere.db")
    assert not (tmp_path / "gradebook.db").exists()
    assert len(content(tmp_path, "elsewhere.db")["submitted"]) == 4


def test_twenty_are_written_at_once(tmp_path):
    small_class(tmp_path, {})
    with writer(tmp_path) as book:
        book.register(open_course(tmp_path, UNIT).registered)
        for number in range(45):
            book.add(Entry(f"student {number}", {"check-double": 1.0}))
            assert len(scores(tmp_path)) == (number + 1) // 20 * 20
        book.flush()
    assert len(scores(tmp_path)) == 45
