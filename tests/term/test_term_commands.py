"""`byhand feedback` and `byhand report` as an instructor meets them."""

import pytest
from pen_class import UNIT

from helpers.course import environment
from helpers.course.commands import run as run_command
from helpers.term.commands import add_to


@pytest.fixture
def byhand(monkeypatch):
    """The command line in this Python."""
    monkeypatch.setattr(environment, "enter", lambda extra, argv: None)
    return lambda *argv: run_command([*map(str, argv)], [add_to])


@pytest.mark.parametrize("command", ["feedback", "report"])
def test_help_ends_with_examples_and_exit_codes(byhand, capsys, command):
    with pytest.raises(SystemExit) as ended:
        byhand(command, "--help")
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert f"byhand {command} encoder" in said
    assert "Exit codes: 0 " in said
    assert "--dry-run" in said


def test_feedback_and_report_of_a_class(byhand, own_class, monkeypatch, capsys):
    monkeypatch.chdir(own_class)
    assert byhand("feedback", UNIT, "--dry-run") == 0
    assert byhand("report", UNIT, "--dry-run") == 0
    assert not (own_class / "feedback").exists()
    assert not (own_class / "reports").exists()
    assert byhand("feedback", UNIT) == 0
    assert byhand("report", UNIT, "--anonymous") == 0
    said = capsys.readouterr().out
    assert f"{UNIT}: 9 pages written, 0 unchanged, in feedback/." in said
    assert f"is in {own_class}/reports/{UNIT}.html and {own_class}/reports/{UNIT}-steps.csv." in said
    assert sorted(path.name for path in (own_class / "reports").iterdir()) == [f"{UNIT}-steps.csv", f"{UNIT}.html"]


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["feedback", UNIT, "--students", "nobody"], "There are no marks for homework_encoder of nobody."),
        (["feedback", UNIT, "--course", "/nowhere"], "There is no course in /nowhere"),
        (["feedback", UNIT, "--db", "grades.db"], "'grades.db' is no address of a database"),
        (["report", UNIT, "--before", "none.csv"], "There is no file none.csv to compare with."),
        (["report", "unit"], "There is no unit unit"),
    ],
)
def test_a_wrong_wish_is_one_plain_sentence(byhand, own_class, monkeypatch, capsys, argv, sentence):
    monkeypatch.chdir(own_class)
    assert byhand(*argv) == 1
    said = capsys.readouterr().err
    assert said.startswith("byhand: ")
    assert sentence in said
    assert len(said.splitlines()) == 1
