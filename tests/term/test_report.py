"""The class report: exact counts on a small class, made-up names, the class before."""

import csv
import io
import json
import sqlite3
from dataclasses import replace

import pytest
from pages import Page, unharmed
from pen_class import UNIT

from helpers.errors import PlainError
from helpers.term.before import TOTAL, Before, read_before
from helpers.term.pictures import bar, histogram
from helpers.term.report import class_report, write_report
from helpers.term.report_page import report_page
from helpers.term.tally import BARE, FULL, NONE, PART, deviation, kind_of, kinds_of, median

STUDENTS = ("ada", "bob", "cyd", "eve", "gus", "ivy", "kim", "leo", "mal")


@pytest.fixture(scope="module")
def report(marked_class):
    return class_report(marked_class, UNIT)


@pytest.fixture(scope="module")
def page(report):
    return Page(report_page(report))


def step(report, key):
    return next(one for one in report.tally.steps if one.step.key == key)


# Counts


@pytest.mark.parametrize(("number", "s"), [(1, ""), (2, "s")])
def test_the_line_for_the_screen_counts_one_as_one(report, number, s):
    whole = report.tally
    assert min(len(whole.mistakes), len(STUDENTS)) >= 2
    few = replace(whole, mistakes=whole.mistakes[:number], unseen=list(STUDENTS[:number]))
    line = replace(report, tally=few, groups=[None] * number).line()
    assert f"; {number} mistake{s} named; {number} group{s} of submissions that are alike; " in line
    assert line.endswith(f"; {number} marked notebook{s} could not be read.")


def test_marks_of_each_step(report):
    a0 = step(report, "A0")
    # Right: ada, eve, mal. Off: bob, cyd, ivy and leo with Ada's. Not filled in: gus, kim.
    assert a0.kinds[BARE] == 2
    assert a0.kinds[FULL] + a0.kinds[PART] + a0.kinds[NONE] == 7
    k0 = step(report, "K0")
    # Five of six entries of eve's and mal's are right, which is worth half of it.
    assert sorted(score for score in k0.scores if 0 < score < 2) == [0.83, 0.83]
    assert step(report, "prose-1").waiting == 3
    assert step(report, "prose-1").kinds[BARE] == 6
    assert sum(len(one.scores) + one.waiting for one in report.tally.steps) == len(STUDENTS) * len(report.tally.steps)


def test_mistakes_by_label(report):
    found = {one.label: (one.students, dict(one.keys)) for one in report.tally.mistakes}
    assert found["softmax.columns"] == (["bob", "cyd"], {"A0": 2})
    assert found["entry.typo"][0][:2] == ["eve", "mal"]


def test_where_it_first_went_wrong(report):
    first = {one.step.key: (one.first, one.lost_here) for one in report.tally.first_wrong}
    assert first["A0"] == (2, 4.0)
    assert first["K0"] == (2, pytest.approx(2.34))
    # What is Ada's is off from the first box on, which reads the personal numbers.
    assert first["ids"][0] == 2
    assert sum(count for count, _ in first.values()) == 6
    lost = [one.lost for one in report.tally.first_wrong]
    assert lost == sorted(lost, reverse=True)


def test_the_page_says_it(page):
    named = [row[:4] for row in page.rows if row and row[0] == "2 of 9"]
    assert ["2 of 9", "Normalises over columns.", "A0 2", "softmax.columns"] in named
    assert page.row("A0")[:3] == ["A0", "2 students", "4"]
    assert "9 students with marks" in page.text
    unharmed(page)


def test_every_picture_has_its_numbers_beside_it(report, page):
    a0 = next(row for row in page.rows if row and row[0] == "A0 attention weights, head 0")
    kinds = step(report, "A0").kinds
    assert a0[3:7] == [str(kinds[kind]) for kind in (FULL, PART, NONE, BARE)]
    spread = [int(row[2]) for row in page.rows if len(row) == 3 and row[0].endswith(" %")]
    assert sum(spread) == len(STUDENTS)
    drawn = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert all(one.get("aria-hidden") or one.get("aria-labelledby") for one in drawn)


def test_the_table(report):
    rows = list(csv.DictReader(io.StringIO(report.table())))
    assert len(rows) == len(report.tally.steps) + 1
    a0 = next(row for row in rows if row["step"] == "A0")
    assert (a0["of"], a0["students"], a0["not_filled_in"], a0["first_off"]) == ("2", "9", "2", "2")
    assert a0["mistakes"].startswith("softmax.columns 2")
    assert float(a0["mean"]) == pytest.approx(step(report, "A0").mean, abs=1e-4)
    assert rows[-1]["step"] == TOTAL
    assert float(rows[-1]["mean"]) == pytest.approx(report.tally.mean, abs=1e-4)


# What is alike


def test_numbers_of_another_are_a_strong_sign(report):
    ((group, besides),) = report.groups
    assert group.students == ("ada", "ivy", "leo")
    assert group.strong
    kinds = {(sign.kind, sign.students) for sign in group.signs}
    assert ("id", ("ada", "leo")) in kinds
    assert any(kind == "numbers" and {"ada", "ivy"} <= set(students) for kind, students in kinds)
    assert besides[0].wrote["ada"] == besides[0].wrote["ivy"] or not besides[0].wrote


def test_it_is_said_as_a_sign(page):
    assert "It is a sign and no verdict" in page.text
    assert "ada and ivy and leo: a strong sign" in page.text


# Names


def test_an_anonymous_report_holds_nothing_that_tells_who(marked_class):
    made = class_report(marked_class, UNIT, anonymous=True)
    html = report_page(made)
    for student in STUDENTS:
        assert f">{student}<" not in html
        assert not [word for word in Page(html).text.replace(",", " ").split() if word.strip("():.;'\"") == student]
    assert "S-" in html
    assert "harmed" not in html
    again = report_page(class_report(marked_class, UNIT, anonymous=True))
    assert again == html


# The class before


def test_compared_with_the_report_of_the_class_before(marked_class, report, tmp_path):
    files = write_report(report, tmp_path / "reports")
    rows = list(csv.DictReader(files[1].read_text().splitlines()))
    for row in rows:
        if row["step"] == "A0":
            row |= {"mean": "2", "deviation": "0", "students": "40"}
    earlier = tmp_path / "earlier.csv"
    with earlier.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    made = class_report(marked_class, UNIT, before=earlier)
    changes = {one.key: one for one in made.changes}
    assert changes["A0"].before == 1
    assert changes["A0"].by == pytest.approx(step(report, "A0").mean / 2 - 1)
    assert changes["A0"].notable
    assert abs(changes["Q0"].by) < 1e-4
    assert not changes["Q0"].notable
    assert "prose-1" not in changes
    page = Page(report_page(made))
    assert page.row("All together")[1] == page.row("All together")[2]
    unharmed(page)


def test_the_marking_s_table_and_a_gradebook_serve_as_well(marked_class, report):
    book = read_before(marked_class / "gradebook.db", UNIT)
    assert book["A0"].mean == pytest.approx(step(report, "A0").mean / 2)
    assert book[TOTAL].count == len(STUDENTS)
    assert book["A0"].deviation == pytest.approx(step(report, "A0").deviation / 2)


def test_a_table_of_marks(tmp_path):
    file = tmp_path / "encoder.csv"
    file.write_text("student,status,score,of,check-a,prose-1\nx,marked,3,5,2,1\ny,marked,2,5,1,\nz,unreadable,,,,\n")
    found = read_before(file, UNIT)
    assert found["a"] == Before(2, 0.75, pytest.approx(0.5**0.5 / 2))
    assert found[TOTAL].mean == pytest.approx(0.5)


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "step,of,students,mean,deviation\nA0,two,3,1,1\n", "\x00\x01"])
def test_what_is_no_report_is_told(tmp_path, content):
    file = tmp_path / "x.csv"
    file.write_text(content)
    with pytest.raises(PlainError, match="report"):
        read_before(file, UNIT)
    with pytest.raises(PlainError, match="There is no file"):
        read_before(tmp_path / "none.csv", UNIT)


# Limits, repairs, broken notebooks


def test_limits_and_repairs_are_counted_by_kind(own_class):
    with sqlite3.connect(own_class / "gradebook.db") as db:
        for student in ("ada", "bob"):
            line = json.loads(db.execute("select line from byhand_graded where student = ?", [student]).fetchone()[0])
            line["limits"] = ["cell 14 (A0) ran longer than 10 s", "cell 15 (S0) ran longer than 10 s"]
            line["repairs"] = [f"The notebook asked for the kernel '{student}'; it was run with python3."]
            db.execute("update byhand_graded set line = ? where student = ?", [json.dumps(line), student])
    db.close()
    (own_class / "autograded" / "eve" / UNIT / f"{UNIT}.ipynb").unlink()
    made = class_report(own_class, UNIT)
    page = Page(report_page(made))
    assert page.row("Ran longer than 10 s") == ["Ran longer than 10 s", "2", "ada, bob"]
    assert page.row("The notebook asked for the kernel …; it was run with python3")[1] == "2"
    assert made.tally.unseen == ["eve"]
    assert "The marked notebooks of eve cannot be read" in page.text
    assert "eve" in made.tally.students


def test_kinds_of_sentences():
    assert kind_of("softmax took longer than 5 s") == "took longer than 5 s"
    assert kind_of("cell 3 asked for more than 9 MB of memory") == "asked for more than 9 MB of memory"
    assert kind_of("Missing and put back as released: X, Y.") == "Missing and put back as released"
    assert kind_of("The notebook works with the numbers of 'bo: b'; it was handed in by cy.").endswith(
        "the numbers of …; it was handed in by another"
    )
    assert kinds_of({"a": ["x", "x"], "b": ["x", "y"]}) == [("x", ["a", "b"]), ("y", ["b"])]


def test_small_numbers():
    assert deviation([1, 3]) == pytest.approx(2**0.5)
    assert deviation([1]) == 0
    assert median([3, 1, 2]) == 2
    assert median([4, 1, 2, 3]) == 2.5


def test_pictures_have_the_sizes_of_their_numbers():
    assert 'width="80.0"' in bar({FULL: 1, NONE: 1}, 2)
    assert bar({}, 0).count("<rect") == 0
    drawn = histogram("t", ["a", "b"], [1, 3])
    assert 'height="40.0"' in drawn
    assert 'height="120.0"' in drawn
    assert "a: 1; b: 3" in drawn
