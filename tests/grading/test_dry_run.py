"""`byhand grade --dry-run`: everybody is marked and nothing is written."""

import pytest
from small_class import mark_class, small_class
from small_course import UNIT
from test_grade_command import byhand  # noqa: F401 (a fixture)


def everything(root):
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_nothing_is_written(byhand, tmp_path, capsys):  # noqa: F811
    root = small_class(tmp_path)
    before = everything(root)
    assert byhand(UNIT, "--course", root, "--workers", 1, "--dry-run") == 0
    printed = capsys.readouterr().out
    assert everything(root) == before
    first, *rest = printed.splitlines()
    assert first.startswith("tiny: 4 of 4 marked in ")
    assert first.endswith("0.8 of 5 points on average; 2 wait for a person's marks.")
    assert rest == [
        "",
        "Would earn",
        "  empty: 0 of 5",
        "  half: 1 of 5",
        "  right: 2 of 5, 1 to mark by hand",
        "  wrong: 0 of 5, 1 to mark by hand",
        "Nothing was written.",
    ]


@pytest.mark.parametrize("wishes", [{}, {"force": True}])
def test_marks_that_are_there_stay_and_are_marked_again_for_the_eye(tmp_path, wishes):
    root = small_class(tmp_path)
    written = mark_class(root)
    before = everything(root)
    report = mark_class(root, dry=True, **wishes)
    assert everything(root) == before
    assert {name: line.mark.score for name, line in report.lines.items()} == {
        name: line.mark.score for name, line in written.lines.items()
    }
    assert not any(line.again for line in report.lines.values())
