"""What `byhand try` prints, from a marking that is given."""

import pytest
from handing_in import answered, cell, raw, unit
from support import plain_error

from helpers.grading.marking import Marked
from helpers.term.try_marks import Row, Tried, _tried, as_text, try_marks

ROWS = (
    Row("double", 1.5, 2, "One entry is off."),
    Row("prose-1", None, 3, "a person marks it; 4 words"),
    Row("x", 0, 1, ""),
)


def test_the_plain_table():
    tried = Tried("tiny", ROWS, repairs=["The cell x was there 2 times."], limits=["cell 3 ran longer than 10 s"])
    assert as_text(tried, rich=False) == (
        "step     points  of\n"
        "double      1.5   2  One entry is off.\n"
        "prose-1       –   3  a person marks it; 4 words\n"
        "x             0   1\n"
        "\n"
        "tiny: 1.5 of 3 points, and 3 that a person gives, as far as the checks in your notebook tell; "
        "marking tries more.\n"
        "\n"
        "What would be repaired\n"
        "  The cell x was there 2 times.\n"
        "\n"
        "Limits that were reached\n"
        "  cell 3 ran longer than 10 s\n"
    )


def test_the_drawn_table_says_the_same():
    drawn = as_text(Tried("tiny", ROWS, hidden=True, remarks=["Look here."]), rich=True)
    assert [line.split() for line in drawn.splitlines()[:4]] == [
        ["step", "points", "of"],
        ["double", "1.5", "2", "One", "entry", "is", "off."],
        ["prose-1", "–", "3", "a", "person", "marks", "it;", "4", "words"],
        ["x", "0", "1"],
    ]
    assert drawn.endswith(
        "\n\ntiny: 1.5 of 3 points, and 3 that a person gives.\n\nWhat a marker would see\n  Look here.\n"
    )


@pytest.mark.parametrize("rich", [False, True])
def test_nothing_that_a_student_wrote_steers_the_terminal(rich):
    text = as_text(Tried("tiny", [Row("x", 0, 1, "a\x1b[31m[red]b[/red]")], remarks=["c\x1b]0;d\x07"]), rich=rich)
    assert "\x1b" not in text
    assert "a?[31m[red]b[/red]" in text


def test_verdicts_are_told_without_the_step_and_its_points():
    release = unit("encoder").release
    one = cell(release, "check-softmax") | {
        "outputs": [
            {"output_type": "display_data", "data": {"text/plain": "softmax(s): Right.  (2 of 2 points)\nTried on"}}
        ]
    }
    cells = [one if other["id"] == one["id"] else other for other in release["cells"]]
    marked = Marked({"cells": cells}, dict.fromkeys(unit("encoder").points, 0.0) | {"check-softmax": 2.0})
    rows = {row.name: row for row in _tried(marked, unit("encoder"), "", False, "").rows}
    assert rows["softmax"] == Row("softmax", 2.0, 2.0, "Right.")
    assert rows["prose-1"] == Row("prose-1", 0.0, 3.0, "left as released")


@pytest.fixture
def salted(tmp_path):
    """A student's folder of a course with a salt."""
    (tmp_path / "pyproject.toml").write_text('[tool.byhand]\nsalt = "autumn"\n')
    folder = tmp_path / "notebooks" / "homework_encoder"
    folder.mkdir(parents=True)
    (folder / "homework_encoder.ipynb").write_bytes(raw(unit("homework_encoder").release))
    return tmp_path


def test_salted_numbers_need_an_id(salted):
    release = salted / "notebooks" / "homework_encoder" / "homework_encoder.ipynb"
    with plain_error("write your id into the notebook's first cell, or give --student"):
        try_marks(raw(answered("homework_encoder")), release, project=salted)
    tried = try_marks(raw(answered("homework_encoder")), release, student="ada", project=salted)
    assert tried.of == 57
    # Right for the pinned numbers, which are not ada's.
    assert tried.points < 57
    assert tried.remarks == ["The notebook works with the pinned numbers; those of ada count."]
