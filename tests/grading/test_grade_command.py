"""`byhand grade` as an instructor meets it."""

import functools

import pytest
from small_class import RIGHT, Quiet, hand_in, scores, small_class, submission
from small_course import UNIT

from helpers.course import environment
from helpers.course.commands import run as run_command
from helpers.grading import run
from helpers.grading.commands import add_to


@pytest.fixture
def byhand(monkeypatch):
    """The command line in this Python, with the toy marker."""
    monkeypatch.setattr(environment, "enter", lambda extra, argv: None)
    toy = functools.partial(run.Order, how="toy_marking:mark")
    monkeypatch.setattr(run, "Order", lambda **wishes: toy(**wishes | {"sandbox": "none"}))

    def call(*argv):
        return run_command(["grade", *map(str, argv)], [add_to])

    return call


def test_a_class_is_marked_and_the_report_written(byhand, tmp_path, capsys):
    root = small_class(tmp_path)
    assert byhand(UNIT, "--course", root, "--workers", 1) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("tiny: 4 of 4 marked in ")
    assert printed.endswith(f"All of it is in {root}/reports/tiny.txt and {root}/reports/tiny.csv.\n")
    assert scores(root)["right"] == 2
    (root / "submitted" / "right" / UNIT / f"{UNIT}.ipynb").write_text("{")
    hand_in(root, "new", submission(root, RIGHT))
    assert byhand(UNIT, "--course", root, "--students", "right", "n*") == 3
    printed = capsys.readouterr().out
    assert printed.startswith("tiny: 1 of 2 marked in ")
    assert "  right: it is no notebook" in printed


def test_the_course_is_the_folder_one_stands_in(byhand, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(small_class(tmp_path))
    assert byhand(UNIT) == 0
    assert (tmp_path / "reports" / "tiny.txt").exists()


@pytest.mark.parametrize(
    ("argv", "code", "sentence"),
    [
        (["--limit", "cell_second=2"], 1, "There is no limit 'cell_second'; the limits are cell_seconds"),
        (["--limit", "cell_seconds=soon"], 1, "The limit cell_seconds is 'soon'; a number is expected."),
        (["--workers", "0"], 2, "--workers is 1 or more"),
        (["--course", "/nowhere"], 1, "There is no course in /nowhere"),
        (["--students", "nobody"], 1, "tiny was not handed in by nobody."),
        (["--db", "grades.db"], 1, "'grades.db' is no address of a database"),
    ],
)
def test_a_wrong_wish_is_one_plain_sentence(byhand, tmp_path, monkeypatch, capsys, argv, code, sentence):
    monkeypatch.chdir(small_class(tmp_path))
    assert byhand(UNIT, *argv) == code
    said = capsys.readouterr().err
    assert said.startswith("byhand")
    assert sentence in said
    assert len(said.splitlines()) == 1


def test_no_sandbox_warns_and_an_interrupt_has_its_own_code(byhand, tmp_path, monkeypatch, capsys):
    root = small_class(tmp_path)

    def stop(order, watch):
        raise run.Stopped(run.Report(UNIT, {}, left=3))

    monkeypatch.setattr(run, "grade", stop)
    assert byhand(UNIT, "--course", root, "--no-sandbox") == 130
    said = capsys.readouterr()
    assert said.err == "byhand: without a sandbox students' code can read and change all that you can.\n"
    assert "3 left: give the same command to go on." in said.out


def test_without_a_sandbox_nothing_is_marked(tmp_path, monkeypatch):
    """The refusal of the real marker, on a system where the warm process cannot make its namespaces."""
    root = small_class(tmp_path)
    order = run.Order(UNIT, root, how="no_sandbox:mark", sandbox="none")
    with pytest.raises(run.PlainError, match=r"This system offers no sandbox: change that\."):
        run.grade(order, Quiet())
    assert not (root / "autograded").exists()
