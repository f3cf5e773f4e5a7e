"""`byhand release`: what goes out, what is registered, and that no mark is ever touched."""

import json
import os
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from small_class import RIGHT, content, hand_in, mark_class, rows, small_class, submission
from small_course import UNIT, make_course, nbgrader, tiny_notebook
from support import plain_error

from helpers.course import environment
from helpers.course.commands import run
from helpers.course.execute import read, to_bytes
from helpers.term.commands import add_to
from helpers.term.history import KEY, read_history
from helpers.term.release import Order, release
from helpers.term.release_book import due_date, look
from helpers.term.release_changes import Changes, Held, compare, points_of, refuse
from helpers.term.release_solutions import bare, why_wait


@pytest.fixture(autouse=True)
def _nbgraders_surroundings(monkeypatch):
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def byhand(monkeypatch, tmp_path):
    """The command line, standing in a course of one tiny unit."""
    monkeypatch.setattr(environment, "enter", lambda extra, argv: None)
    monkeypatch.chdir(tmp_path)
    return lambda *argv: run(["release", *map(str, argv)], [add_to])


@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path).parents[2]


@pytest.fixture
def marked(tmp_path, byhand, a_marked_class):
    """A class that was given the release, handed in, was marked, and by hand too."""
    shutil.copytree(a_marked_class, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture(scope="module")
def a_marked_class(tmp_path_factory):
    root = small_class(tmp_path_factory.mktemp("class"))
    (root / "submitted").rename(root / "waiting")
    release(Order(root), UNIT)
    (root / "waiting").rename(root / "submitted")
    mark_class(root, sandbox="none")
    with Gradebook(f"sqlite:///{root}/gradebook.db") as book:
        grade = book.find_grade("prose-1", UNIT, UNIT, "right")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 2.5, 1, False
        book.find_comment("prose-1", UNIT, UNIT, "right").manual_comment = "Well said."
        book.db.commit()
    return root


@pytest.fixture
def released(tmp_path, byhand, a_marked_class):
    """A course whose unit went out; nobody handed in yet."""
    shutil.copytree(a_marked_class, tmp_path, dirs_exist_ok=True)
    for name in ("submitted", "autograded"):
        shutil.rmtree(tmp_path / name)
    for table in ("comment", "grade", "submitted_notebook", "submitted_assignment", "student", "byhand_graded"):
        rows(tmp_path, f"delete from {table}")
    return tmp_path


def mend(root, **sources):
    """Change cells of the source, by id; `points` of a check as `check_double_points`."""
    path = root / "solutions" / UNIT / f"{UNIT}.ipynb"
    notebook = read(path)
    for cell in notebook.cells:
        if cell.id.replace("-", "_") in sources:
            cell.source = sources[cell.id.replace("-", "_")]
        if f"{cell.id.replace('-', '_')}_points" in sources:
            cell.metadata.nbgrader.points = sources[f"{cell.id.replace('-', '_')}_points"]
    path.write_bytes(to_bytes(notebook))


def everything(root):
    return {
        path.relative_to(root): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def told(capsys, root):
    return capsys.readouterr().out.replace(f"{root}/", "").splitlines()


# The first release


def test_a_unit_goes_out_and_is_registered(byhand, course, capsys):
    assert byhand(UNIT, "--due", "2027-05-01") == 0
    assert told(capsys, course) == [
        "tiny is released: notebooks/tiny.",
        "tiny is registered in the gradebook with 5 points.",
        "tiny is due on 2027-05-01 at 23:59 UTC.",
    ]
    assert rows(course, "select name, duedate from assignment") == [("tiny", "2027-05-01 23:59:00.000000")]
    assert rows(course, "select max_score from grade_cells order by 1") == [(2.0,), (3.0,)]


def test_release_and_gradebook_are_what_nbgrader_makes_of_the_source(byhand, tmp_path):
    ours, theirs = (make_course(tmp_path / name).parents[2] for name in ("ours", "theirs"))
    assert byhand(UNIT, "--course", ours) == 0
    command = [sys.executable, "-m", "nbgrader", "generate_assignment", UNIT]
    subprocess.run(command, cwd=theirs, check=True, capture_output=True)
    one, other = (read(root / "notebooks" / UNIT / f"{UNIT}.ipynb") for root in (ours, theirs))
    assert to_bytes(one) == to_bytes(other)
    assert (ours / "notebooks" / UNIT / "words.txt").read_bytes() == (theirs / "notebooks/tiny/words.txt").read_bytes()
    assert content(ours) == content(theirs)


def test_again_nothing_changes(byhand, released, capsys):
    assert byhand(UNIT, "--due", "2027-05-01") == 0
    before = everything(released)
    capsys.readouterr()
    assert byhand(UNIT) == 0
    assert byhand(UNIT, "--due", "2027-05-01", "--update") == 0
    assert told(capsys, released) == ["tiny: nothing changed; it was released already."] * 2
    assert everything(released) == before


def test_a_dry_run_writes_nothing(byhand, course, capsys):
    before = everything(course)
    assert byhand(UNIT, "--due", "2027-05-01", "--dry-run") == 0
    assert told(capsys, course) == [
        "tiny would be released: notebooks/tiny.",
        "tiny would be registered in the gradebook with 5 points.",
        "tiny would be due on 2027-05-01 at 23:59 UTC.",
    ]
    assert everything(course) == before


def test_what_was_lost_of_a_release_is_put_back(byhand, released, capsys):
    (released / "notebooks" / UNIT / f"{UNIT}.ipynb").write_text("{}")
    (released / "notebooks" / UNIT / "mine.txt").write_text("kept")
    assert byhand(UNIT) == 0
    assert told(capsys, released) == [
        "tiny: 1 file of the release is put back: notebooks/tiny.",
        "  notebooks/tiny/mine.txt belongs to no source any more; it stays until you remove it.",
    ]
    assert read(released / "notebooks" / UNIT / f"{UNIT}.ipynb").cells


def test_units_that_are_not_there(byhand, course, capsys):
    assert byhand("nothing") == 1
    assert byhand(UNIT, "nothing") == 3
    assert capsys.readouterr().err == "byhand: There is no unit nothing; the units are: tiny.\n" * 2


@pytest.mark.parametrize("argv", [["--early"], ["--solutions", "--points"], ["--solutions", "--due", "2027-05-01"]])
def test_wishes_that_do_not_go_together(byhand, course, capsys, argv):
    assert byhand(UNIT, *argv) == 2
    assert capsys.readouterr().err.startswith("byhand release: error: --")


def test_due_dates():
    assert due_date("2027-05-01") == datetime(2027, 5, 1, 23, 59)
    assert due_date("2027-05-01 18:00") == datetime(2027, 5, 1, 18)
    assert due_date("2027-05-01T18:00+02:00") == datetime(2027, 5, 1, 16)
    with plain_error("The due date 'soon' cannot be read"):
        due_date("soon")


# After marks exist


def test_a_mended_lesson_needs_to_be_told(byhand, marked, capsys):
    mend(marked, title="# Tiny, mended")
    before = everything(marked)
    assert byhand(UNIT) == 1
    assert capsys.readouterr().err == (
        "byhand: tiny was given out already and is another now (cell 1 (title) says something else): "
        "give --update to let a mended release follow.\n"
    )
    assert everything(marked) == before


def test_a_mended_lesson_goes_out_and_every_mark_stays(byhand, marked, capsys):
    before = content(marked)
    mend(marked, title="# Tiny, mended", double=tiny_notebook().cells[2].source.replace("Twice x.", "Two times x."))
    capsys.readouterr()
    assert byhand(UNIT, "--update") == 0
    assert told(capsys, marked) == [
        "tiny is released anew: notebooks/tiny.",
        "  cell 1 (title) says something else",
        "  cell 3 (double) says something else",
        "  This list is in reports/tiny-changes.md. Students type byhand update, and keep their answers.",
        "tiny is registered in the gradebook with 5 points; 4 submissions and 1 mark by hand stay as they are.",
    ]
    after = content(marked)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"source"}
    assert ("right", "prose-1", "GradeCell", None, 2.5, 1.0, 0) in after["grades"]
    goes_out = json.loads((marked / "notebooks" / UNIT / f"{UNIT}.ipynb").read_text("utf-8"))
    assert read_history(goes_out).number == 2
    assert set(read_history(goes_out).earlier) == {"title", "double"}
    assert goes_out["metadata"][KEY] == read(marked / "solutions" / UNIT / f"{UNIT}.ipynb").metadata[KEY]
    assert (marked / "reports" / "tiny-changes.md").read_text("utf-8").startswith("# What changed in tiny\n\n## 20")
    capsys.readouterr()
    assert byhand(UNIT, "--update") == byhand(UNIT) == 0
    assert told(capsys, marked) == ["tiny: nothing changed; it was released already."] * 2


def test_outputs_of_the_source_stay(byhand, marked):
    path = marked / "solutions" / UNIT / f"{UNIT}.ipynb"
    notebook = read(path)
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text="the cat sat\n")]
    path.write_bytes(to_bytes(notebook))
    mend(marked, title="# Tiny, mended")
    assert byhand(UNIT, "--update") == 0
    assert read(path).cells[1].outputs[0].text == "the cat sat\n"


def test_points_change_only_when_it_is_said(byhand, marked, capsys):
    mend(marked, check_double_points=4)
    before = everything(marked)
    assert byhand(UNIT, "--update") == 1
    assert capsys.readouterr().err == (
        "byhand: Points would change in tiny: check-double 2 before, 4 now. Give --points if that is meant.\n"
    )
    assert everything(marked) == before
    grades = content(marked)["grades"]
    assert byhand(UNIT, "--update", "--points") == 0
    assert content(marked)["grades"] == grades
    assert rows(marked, "select max_score from grade_cells order by 1") == [(3.0,), (4.0,)]


def test_marked_cells_cannot_come_and_go_once_there_are_submissions(byhand, marked, capsys):
    path = marked / "solutions" / UNIT / f"{UNIT}.ipynb"
    notebook = read(path)
    notebook.cells[-1].metadata = nbgrader("prose-2", grade=True, solution=True, points=3, cell_type="markdown")
    path.write_bytes(to_bytes(notebook))
    before = everything(marked)
    for wishes in (["--update"], ["--update", "--points"], ["--update", "--dry-run"]):
        assert byhand(UNIT, *wishes) == 1
        assert capsys.readouterr().err == (
            "byhand: The gradebook holds 4 submissions for tiny, and its marked cells cannot come and go any more: "
            "prose-1, prose-2. Keep them, or make a new unit.\n"
        )
    assert everything(marked) == before


def test_a_course_that_was_released_without_us_is_known_by_what_was_handed_in(byhand, tmp_path, capsys):
    root = small_class(tmp_path)
    mark_class(root, sandbox="none")
    assert byhand(UNIT) == 0
    mend(root, title="# Tiny, mended")
    assert byhand(UNIT) == 1
    assert "give --update" in capsys.readouterr().err


def test_a_late_file_is_marked_after_a_mended_release(byhand, marked):
    mend(marked, title="# Tiny, mended")
    old = submission(marked, RIGHT, "One is too few.")
    assert byhand(UNIT, "--update") == 0
    hand_in(marked, "zoe", old)
    report = mark_class(marked, sandbox="none")
    assert report.lines["zoe"].points["check-double"] == 2
    grades = content(marked)["grades"]
    assert ("right", "prose-1", "GradeCell", None, 2.5, 1.0, 1) in grades


# The exchange


def test_to_the_exchange_once_and_again(byhand, released, capsys, tmp_path_factory):
    exchange = tmp_path_factory.mktemp("exchange")
    exchange.chmod(0o777)
    with (released / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.Exchange.root = {str(exchange)!r}\n")
    place = exchange / "transformer-by-hand" / "outbound" / UNIT
    assert byhand(UNIT, "--to", "exchange", "--dry-run") == 0
    assert not place.exists()
    assert byhand(UNIT, "--to", "exchange") == 0
    assert told(capsys, released)[-1] == f"tiny is in the exchange: {place}."
    assert (place / f"{UNIT}.ipynb").read_bytes() == (released / "notebooks" / UNIT / f"{UNIT}.ipynb").read_bytes()
    assert byhand(UNIT, "--to", "exchange") == 0
    assert told(capsys, released) == ["tiny: nothing changed; it was released already."]
    (place / "words.txt").chmod(0o644)
    (place / "words.txt").write_text("another")
    assert byhand(UNIT, "--to", "exchange") == 1
    assert "The exchange holds another release of tiny" in capsys.readouterr().err
    mend(released, title="# Tiny, mended")
    assert byhand(UNIT, "--to", "exchange", "--update") == 0
    assert "mended" in (place / f"{UNIT}.ipynb").read_text("utf-8")
    assert (place / "words.txt").read_text() == "the cat sat\n"


def test_an_exchange_that_cannot_be_used_is_told_in_nbgraders_words(byhand, released, capsys):
    (released / "taken").write_text("a file")
    with (released / "nbgrader_config.py").open("a") as file:
        file.write(f"\nc.Exchange.root = {str(released / 'taken')!r}\n")
    assert byhand(UNIT, "--to", "exchange") == 1
    said = capsys.readouterr().err
    assert said.startswith("byhand: nbgrader cannot put tiny into the exchange: ")
    assert len(said.splitlines()) == 1


# The solutions


def test_solutions_wait_for_the_deadline(byhand, released, capsys):
    assert byhand(UNIT, "--solutions") == 1
    assert "The solutions of tiny stay here: no due date is known. Give --early" in capsys.readouterr().err
    assert byhand(UNIT, "--due", "2999-05-01") == 0
    assert byhand(UNIT, "--solutions") == 1
    assert "it is due on 2999-05-01 at 23:59 UTC" in capsys.readouterr().err
    assert not (released / "solutions-for-students").exists()
    assert byhand(UNIT, "--due", "2020-05-01") == 0
    assert byhand(UNIT, "--solutions", "--dry-run") == 0
    assert not (released / "solutions-for-students").exists()
    assert byhand(UNIT, "--solutions") == 0
    capsys.readouterr()
    assert byhand(UNIT, "--solutions") == 0
    assert told(capsys, released) == ["tiny: solutions-for-students/tiny.ipynb has the solutions already."]


def test_solutions_have_answers_and_outputs_and_nothing_hidden(byhand, course):
    assert byhand(UNIT, "--solutions", "--early") == 0
    text = (course / "solutions-for-students" / f"{UNIT}.ipynb").read_text("utf-8")
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    assert not any(word in text for word in ("HIDDEN", "BEGIN", "nbgrader", "[6, -14]", "deletable", "editable"))
    by_id = {cell.id: cell for cell in notebook.cells}
    assert by_id["double"].source == 'def double(x):\n    """Twice x."""\n    return x + x'
    assert by_id["check-double"].outputs[-1].data["text/plain"] == "2.0"
    assert by_id["setup"].outputs[0].text == "the cat sat\n"
    assert by_id["prose-1"].source == "Because one is too few."


def test_an_extension_keeps_the_solutions_back(marked, byhand, capsys):
    due = datetime(2020, 5, 1, 12)
    with Gradebook(f"sqlite:///{marked}/gradebook.db") as book:
        book.update_or_create_assignment(UNIT, duedate=due)
        book.find_submission(UNIT, "wrong").extension = timedelta(days=365 * 900)
        book.db.commit()
    held = look(f"sqlite:///{marked}/gradebook.db", UNIT)
    assert (held.due, held.submissions, held.by_hand) == (due, 4, 1)
    assert byhand(UNIT, "--solutions") == 1
    assert "an extension lasts until 2919-" in capsys.readouterr().err


def test_reasons_to_wait():
    due = datetime(2027, 5, 1, 12)
    held = Held(due=due, extended=due + timedelta(days=2))
    assert why_wait(Held(), due) == "no due date is known"
    assert why_wait(held, due) == "it is due on 2027-05-01 at 12:00 UTC"
    assert why_wait(held, due + timedelta(seconds=1)) == "an extension lasts until 2027-05-03 at 12:00 UTC"
    assert why_wait(held, due + timedelta(days=2, seconds=1)) == ""


def test_markers_that_do_not_fit_stop_the_solutions():
    notebook = tiny_notebook()
    notebook.cells[3].source = notebook.cells[3].source.replace("### END HIDDEN TESTS", "")
    with plain_error("The cell check-double still says HIDDEN TESTS"):
        bare(notebook)


# Changes


def test_changes_are_named():
    old, new = (json.loads(nbformat.writes(tiny_notebook())) for _ in range(2))
    for notebook in (old, new):
        for cell in notebook["cells"]:
            cell["source"] = "".join(cell["source"])
    new["cells"][0]["source"] = "# Other"
    new["cells"][3]["metadata"]["nbgrader"]["points"] = 5
    new["cells"][5]["metadata"]["tags"] = ["x"]
    del new["cells"][4]
    found = compare(old, new, {"a": b"1", "b": b"2"}, {"a": b"2", "c": b"3"})
    assert found.lines() == [
        "check-double: 2 points before, 5 now",
        "cell 1 (title) says something else",
        "cell 5 (question) has other settings",
        "the cell picture is gone",
        "a: the file changed",
        "b: the file is gone",
        "c: the file is new",
    ]
    assert not compare(old, old, {}, {})
    assert points_of(new) == {"check-double": 5, "prose-1": 3}
    refuse("tiny", Changes(), Held(), new, False)
    with plain_error("check-double 2 before, 5 now"):
        refuse("tiny", found, Held(), new, False)
