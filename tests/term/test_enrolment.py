"""What `byhand grade` makes of the class list: nbgrader's own tables, late penalties, who is left out."""

import pytest
from collecting import UNIT, course, work
from marked import PEOPLE, hand_in, marked
from small_class import mark_class, rows

from helpers.grading.enrolment import read_enrolment


@pytest.fixture
def root(tmp_path):
    return marked(tmp_path / "course")


def test_nbgraders_tables_have_the_class(root):
    assert rows(root, "select id, first_name, last_name, email, lms_user_id from student order by id") == [
        ("ada", "Ada", "Lovelace", "ada@example.org", "501"),
        ("bruno", "Bruno", "Müller", "bruno@example.org", "502"),
        ("carla", "=cmd|' /C", "calc'!A0", "carla@example.org", "503"),
        ("dora", "Dora", "Díaz", "dora@example.org", "504"),
        ("zoe", "Zoë", "Núñez", "zoe@example.org", "505"),
    ]
    assert rows(root, "select name, duedate from assignment") == [(UNIT, "2027-03-01 22:59:00.000000")]
    held = rows(root, "select student_id, timestamp, extension from submitted_assignment order by student_id")
    assert held == [
        ("ada", "2027-03-01 10:00:00.000000", None),
        ("bruno", "2027-03-03 10:00:00.000000", "1970-01-02 00:00:00.000000"),
        ("carla", "2027-03-01 10:00:00.000000", None),
    ]


def test_late_penalties_know_extensions_and_follow_them(root):
    assert rows(root, "select late, student from byhand_graded order by student") == [
        (0.0, "ada"), (11 * 3600 + 60.0, "bruno"), (0.0, "carla"),
    ]  # fmt: skip
    (root / "class.csv").write_text(PEOPLE.replace("1 d", "2 d"), encoding="utf-8")
    report = mark_class(root)
    assert {line.student for line in report.lines.values() if not line.again} == {"bruno"}
    assert report.lines["bruno"].mark.penalty == 0
    (root / "class.csv").write_text(PEOPLE.replace("1 d", ""), encoding="utf-8")
    assert mark_class(root).lines["bruno"].mark.late == (24 + 11) * 3600 + 60.0


def test_who_has_withdrawn_is_not_marked_unless_named(root):
    report = mark_class(root)
    assert set(report.lines) == {"ada", "bruno", "carla"}
    assert report.listed == ["zoe: has withdrawn, and was not marked"]
    assert "The class list\n  zoe: has withdrawn, and was not marked\n" in report.text()
    assert set(mark_class(root, students=["zoe"]).lines) == {"zoe"}


def test_strangers_are_marked_and_told(root):
    hand_in(root, "eve", work("return x + x"))
    report = mark_class(root)
    assert report.lines["eve"].status == "marked"
    assert "eve: is not in class.csv" in report.listed


def test_without_a_list_and_dates_the_gradebooks_own_stand(tmp_path):
    root = course(tmp_path, people="", settings="")
    hand_in(root, "ada", work("return x + x"), "2027-03-02 10:00:00 UTC")
    assert mark_class(root).listed == []
    import sqlite3

    with sqlite3.connect(root / "gradebook.db") as db:
        db.execute("update assignment set duedate = '2027-03-01 10:00:00.000000'")
        db.execute("update submitted_assignment set extension = '1970-01-01 12:00:00.000000'")
        db.execute("update student set first_name = 'Ada'")
    db.close()
    assert mark_class(root).lines["ada"].mark.late == 12 * 3600
    (root / "class.csv").write_text("id,email\nada,a@b.c\n")
    assert mark_class(root).lines["ada"].mark.late == 12 * 3600
    assert rows(root, "select first_name, email from student") == [("Ada", "a@b.c")]
    # Only a list with a column for extensions takes one away.
    (root / "class.csv").write_text("id,extension tiny\nada,2027-03-01 22:00 +00:00\n")
    assert read_enrolment(root, UNIT, [UNIT], None).problems[0].startswith("ada: The extension")
    assert mark_class(root).lines["ada"].mark.late == 12 * 3600
    (root / "class.csv").write_text("id,extension tiny\nada,\n")
    assert mark_class(root).lines["ada"].mark.late == 24 * 3600
