"""What the end of a run says, on the screen and in its files."""

import csv
import io

import pytest

from helpers.grading.marker import FAILED, MARKED, UNREADABLE
from helpers.grading.report import Line, Mark, Report


def report(*lines, **wishes):
    return Report("encoder", {"check-a": 2.0, "prose-1": 3.0}, {line.student: line for line in lines}, **wishes)


def marked(student, points=2.0, **wishes):
    wishes = {"mark": Mark(points, 1)} | wishes
    return Line(student, MARKED, points={"check-a": points}, **wishes)


@pytest.mark.parametrize(
    ("lines", "wishes", "code"),
    [
        ([marked("a")], {}, 0),
        ([marked("a"), Line("b", UNREADABLE, "broken")], {}, 3),
        ([Line("a", FAILED, "died"), Line("b", UNREADABLE, "broken")], {}, 4),
        ([marked("a")], {"left": 2}, 130),
    ],
)
def test_exit_codes_mean_something(lines, wishes, code):
    assert report(*lines, **wishes).code() == code


def test_the_page_says_everything_by_name():
    page = report(
        marked("ada", labels={"check-a": ["softmax.columns"]}, repairs=["check-a was there twice"]),
        marked("bob", 1.0, labels={"check-a": ["softmax.columns", "mask.flipped"]}, again=True,
            mark=Mark(1.0, 0, 90_000, 0.5)),
        marked("carl", limits=["cell 14 ran longer than 10 s"], remarks=["look"], notes=["the notebook was called x"]),
        Line("dora", UNREADABLE, "it is no notebook"),
        Line("eve", FAILED, "its worker was lost", mark=Mark(1, 0)),
        seconds=12.34, retried=1,
    ).text()  # fmt: skip
    assert page.splitlines()[0] == (
        "encoder: 3 of 5 marked (2 now, 1 before) in 12.3 s, 1.7 of 5 points on average; "
        "2 wait for a person's marks; 1 tried twice."
    )
    for line in (
        "  dora: it is no notebook",
        "  eve: its worker was lost; the marks of an earlier version stay",
        "  bob: 1 d 1 h, penalty 0.5",
        "  carl: cell 14 ran longer than 10 s",
        "  ada: check-a was there twice",
        "  carl: look",
        "  carl: the notebook was called x",
        "  softmax.columns: 2 students",
        "  mask.flipped: 1 student",
    ):
        assert line in page.splitlines(), line


def test_the_screen_gets_the_first_lines_of_each_section_and_the_file_all(tmp_path):
    whole = report(*(Line(f"s{number:02}", UNREADABLE, "broken") for number in range(30)))
    assert whole.text(12).splitlines()[-1] == "  … and 18 more"
    text, table = whole.write(tmp_path / "reports")
    assert text.read_text(encoding="utf-8") == whole.text()
    assert len(table.read_text().splitlines()) == 31
    assert sorted(path.name for path in text.parent.iterdir()) == ["encoder.csv", "encoder.txt"]


def test_the_table_has_a_row_for_everyone_and_a_column_for_every_cell():
    rows = list(csv.DictReader(io.StringIO(report(marked("ada"), Line("bob", UNREADABLE, "broken")).table())))
    assert [row["student"] for row in rows] == ["ada", "bob"]
    assert (rows[0]["score"], rows[0]["of"], rows[0]["check-a"], rows[0]["prose-1"]) == ("2.0", "5.0", "2.0", "")
    assert (rows[1]["score"], rows[1]["reason"]) == ("", "broken")


def test_words_of_students_steer_neither_terminal_nor_spreadsheet():
    evil = report(marked("=1+1", notes=["the notebook was called \x1b]0;owned\x07.ipynb"], mark=None))
    assert "\x1b" not in evil.text() + evil.table()
    assert next(csv.reader(evil.table().splitlines()[1:]))[0] == "'=1+1"


def test_a_line_comes_back_at_the_next_run():
    line = marked("ada", labels={"check-a": ["x"]}, repairs=["r"], limits=["l"], remarks=["m"], notes=["n"])
    back = Line.restored("ada", line.kept())
    assert back.again
    assert (back.points, back.labels, back.repairs, back.limits, back.remarks, back.notes) == (
        line.points, line.labels, line.repairs, line.limits, line.remarks, line.notes,
    )  # fmt: skip
