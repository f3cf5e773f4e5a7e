"""`byhand export`: what Canvas and Moodle get, in their own columns, and whose grades are not final."""

import csv
import io

import pytest
from collecting import UNIT, byhand, course, everything, work
from marked import PEOPLE, by_hand, hand_in, marked
from small_class import mark_class

from helpers.term.export_formats import number

WORKSHEET = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
)


@pytest.fixture
def root(tmp_path):
    """ada 2 + 3 by hand, bruno 1 taken away for lateness, carla 0, dora nothing, zoe withdrawn; 5 points in all."""
    root = marked(tmp_path / "course")
    by_hand(root, "ada", 3.0)
    return root


@pytest.fixture
def export(root, monkeypatch, capsys):
    def call(*argv, units=(UNIT,)):
        code = byhand(monkeypatch, "export", *units, "--course", root, *argv)
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def table(file):
    return list(csv.reader(io.StringIO(file.read_text(encoding="utf-8"), newline="")))


def test_a_new_file_for_canvas(root, export):
    code, said = export("--format", "canvas")
    file = root / "exports" / "canvas-tiny.csv"
    assert table(file) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "tiny"],
        ["    Points Possible", "", "", "", "", "5"],
        ["Lovelace, Ada", "501", "S1001", "ada", "Group 1", "5"],
        ["Müller, Bruno", "502", "", "", "Group 1", "0"],
        ["calc'!A0, =cmd|' /C", "503", "", "", "", "0"],
        ["Díaz, Dora", "504", "", "", "", ""],
    ]
    assert code == 0
    assert said == f"{file} has 3 grades.\n\nNot handed in\n  tiny: dora\n"


def test_a_column_is_called_as_the_settings_say(root, export):
    with (root / "pyproject.toml").open("a") as file:
        file.write('\n[tool.byhand.canvas]\ntiny = "The tiny one (4711)"\n')
    export("--format", "canvas", "--missing", "zero")
    rows = table(root / "exports" / "canvas-tiny.csv")
    assert rows[0][-1] == "The tiny one (4711)"
    assert rows[-1] == ["Díaz, Dora", "504", "", "", "", "0"]


def test_what_is_not_final_is_listed_and_left_empty(root, export):
    by_hand(root, "ada", None)
    import sqlite3

    with sqlite3.connect(root / "gradebook.db") as db:
        db.execute("update grade set needs_manual_grade = 1 where auto_score is null")
    db.close()
    hand_in(root, "carla", work("return x + x"), "2027-03-01 10:00:00 UTC")
    hand_in(root, "dora", work("return x + x"))
    code, said = export("--format", "canvas")
    assert code == 3
    assert (
        "Not final, left empty; --unfinished exports them as they are\n"
        "  tiny, ada: 1 answer waits for marks by hand\n"
        "  tiny, carla: was handed in again since it was marked: byhand grade tiny\n"
        "  tiny, dora: was handed in and is not marked: byhand grade tiny\n"
    ) in said
    assert [row[-1] for row in table(root / "exports" / "canvas-tiny.csv")[2:]] == ["", "0", "", ""]
    code, said = export("--format", "canvas", "--unfinished", "--force")
    assert code == 0
    assert "Not final, exported as they are" in said
    assert [row[-1] for row in table(root / "exports" / "canvas-tiny.csv")[2:]] == ["2", "0", "0", ""]


def test_marks_by_hand_that_are_older_than_the_last_marking_are_told(root, export):
    mark_class(root, force=True)
    code, said = export("--format", "csv")
    assert code == 0
    assert "To be looked at\n  tiny, ada: 1 answer was marked by hand before the notebook was marked last\n" in said


CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Essay (12),Tiny (13),Final Score
,,,,,,Manual Posting,
    Points Possible,,,,,20,{of},(read only)
"Lovelace, Ada",501,S1001,ada,Group 1,17,,0
"Mueller, Bruno",,,,Group 1,16,3,0
"Somebody, Else",777,X,else,Group 1,,2,0
"Student, Test",999,,,Group 1,,,0
"""


def test_canvas_own_file_is_filled_in(root, export, tmp_path):
    into = tmp_path / "Grades.csv"
    into.write_text(CANVAS.format(of="5"), encoding="utf-8-sig")
    code, said = export("--format", "canvas", "--into", into)
    assert table(root / "exports" / "canvas-tiny.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Tiny (13)"],
        ["", "", "", "", "", "Manual Posting"],
        ["    Points Possible", "", "", "", "", "5"],
        ["Lovelace, Ada", "501", "S1001", "ada", "Group 1", "5"],
        ["Mueller, Bruno", "", "", "", "Group 1", "0"],
        ["Somebody, Else", "777", "X", "else", "Group 1", ""],
        ["Student, Test", "999", "", "", "Group 1", ""],
    ]
    assert code == 3
    assert "carla: has points, and no row in Grades.csv" in said
    assert "Somebody, Else: is in Grades.csv, and not in class.csv" in said
    assert into.read_text(encoding="utf-8-sig") == CANVAS.format(of="5")


def test_points_that_count_otherwise_there_are_converted_when_asked(root, export, tmp_path):
    into = tmp_path / "Grades.csv"
    into.write_text(CANVAS.format(of="100"), encoding="utf-8")
    by_hand(root, "ada", 1.5)
    _, said = export("--format", "canvas", "--into", into)
    assert "tiny counts 100 points there, and 5 here: add --scale to convert, or change it there" in said
    export("--format", "canvas", "--into", into, "--scale", "--force")
    assert table(root / "exports" / "canvas-tiny.csv")[3][-1] == "70"


def test_a_file_without_the_column_is_told(root, export, tmp_path):
    into = tmp_path / "Grades.csv"
    into.write_text(CANVAS.format(of="5").replace("Tiny (13)", "Quiz (13)"))
    code, said = export("--format", "canvas", "--into", into)
    assert code == 1
    assert said.startswith(f"byhand: {into} has no column for tiny; name the one that is meant in pyproject.toml")
    assert "There are: Essay (12), Quiz (13), Final Score." in said
    into.write_text("a,b\n1,2\n")
    assert "is no gradebook of Canvas" in export("--format", "canvas", "--into", into)[1]


def test_a_new_file_for_moodle(root, export):
    code, said = export("--format", "moodle")
    assert table(root / "exports" / "moodle-tiny.csv") == [
        ["First name", "Last name", "ID number", "Email address", "Assignment: tiny (Real)"],
        ["Ada", "Lovelace", "1001", "ada@example.org", "5"],
        ["Bruno", "Müller", "1002", "bruno@example.org", "0"],
        # A name that a spreadsheet would run is none any more.
        ["'=cmd|' /C", "calc'!A0", "1003", "carla@example.org", "0"],
    ]
    assert code == 0
    assert "Not handed in\n  tiny: dora" in said


def test_moodles_worksheet_is_filled_in_and_stays_as_it_is_otherwise(root, export, tmp_path):
    into = tmp_path / "Grades.csv"
    rows = [
        'Participant 91,Ada Lovelace,1001,ada@example.org,Submitted,,5.00,Yes,"Monday, 1 March 2027, 6:05 PM",-,- good',
        'Participant 92,Somebody,,bruno@example.org,Submitted,,5.00,Yes,"Wednesday, 3 March 2027, 9:30 AM",-,=1+1',
        "Participant 93,Participant 93,,,Submitted,,5.00,Yes,-,-,",
        "Participant 94,Dora Díaz,,dora@example.org,No submission,1.00,5.00,Yes,-,-,",
        "Participant 95,Nobody Known,,,No submission,,5.00,Yes,-,-,",
    ]
    into.write_text(WORKSHEET + "\n".join(rows) + "\n", encoding="utf-8-sig")
    (root / "collected.csv").write_text(
        "unit,label,student,how,platform,number,time,late\ntiny,Participant_93,carla,as,moodle,93,,\n"
    )
    code, said = export("--format", "moodle", "--into", into)
    found = table(root / "exports" / "moodle-tiny.csv")
    assert [row[5] for row in found] == ["Grade", "5", "0", "0", "1.00", ""]
    before = list(csv.reader(io.StringIO(into.read_text(encoding="utf-8-sig"), newline="")))
    assert [row[:5] + row[6:] for row in found] == [row[:5] + row[6:] for row in before]
    assert code == 0
    assert "Nobody Known: is in Grades.csv, and not in class.csv" in said
    into.write_text("Bezeichner,Bewertung\nx,1\n")
    assert "has no columns Identifier and Grade" in export("--format", "moodle", "--into", into)[1]


def test_a_plain_table(root, export, tmp_path):
    out = tmp_path / "grades.csv"
    code, _ = export("--format", "csv", "--out", out)
    assert code == 0
    head = [
        "student",
        "name",
        "email",
        "unit",
        "status",
        "points",
        "penalty",
        "final",
        "of",
        "handed_in",
        "seconds_late",
    ]
    assert table(out) == [
        head,
        ["ada", "Ada Lovelace", "ada@example.org", "tiny", "final", "5", "0", "5", "5", "2027-03-01 11:00", "0"],
        [
            "bruno",
            "Bruno Müller",
            "bruno@example.org",
            "tiny",
            "final",
            "1",
            "1",
            "0",
            "5",
            "2027-03-03 11:00",
            "39660",
        ],
        [
            "carla",
            "'=cmd|' /C calc'!A0",
            "carla@example.org",
            "tiny",
            "final",
            "0",
            "0",
            "0",
            "5",
            "2027-03-01 11:00",
            "0",
        ],
        ["dora", "Dora Díaz", "dora@example.org", "tiny", "missing", "", "", "", "5", "", ""],
    ]


def test_two_units_stand_in_one_file(root, export):
    code, _ = export("--format", "canvas", units=("tiny", "other"))
    assert code == 0
    rows = table(root / "exports" / "canvas-tiny-other.csv")
    assert rows[0][-2:] == ["tiny", "other"]
    assert rows[1][-2:] == ["5", "5"]
    assert rows[2][-2:] == ["5", ""]


def test_strangers_and_people_without_ids_are_listed(root, export):
    text = PEOPLE.replace("carla@example.org,503", "carla@example.org,").replace("bruno,Bruno", "bruna,Bruna")
    (root / "class.csv").write_text(text, encoding="utf-8")
    code, said = export("--format", "canvas")
    assert code == 3
    assert "tiny, bruno: is not in class.csv" in said
    assert (
        "carla: class.csv has no canvas_id, sis_user_id or sis_login_id, so the platform would go by the name" in said
    )


def test_nothing_is_overwritten_or_made_without_being_asked(root, export):
    before = everything(root)
    code, said = export("--format", "csv", "--dry-run")
    assert said.startswith(f"{root}/exports/csv-tiny.csv would get 3 grades.")
    assert everything(root) == before
    export("--format", "csv")
    assert export("--format", "csv")[0] == 0
    by_hand(root, "ada", 1.0)
    code, said = export("--format", "csv")
    assert code == 1
    assert "is there already, with other grades; --force replaces it." in said
    assert export("--format", "csv", "--force")[0] == 0


def test_before_anything_is_marked_no_gradebook_is_made(tmp_path, monkeypatch, capsys):
    root = course(tmp_path / "course")
    hand_in(root, "ada", work())
    assert byhand(monkeypatch, "export", UNIT, "--course", root, "--format", "csv") == 3
    assert "tiny, ada: was handed in and is not marked: byhand grade tiny" in capsys.readouterr().out
    assert not (root / "gradebook.db").exists()


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--format", "csv", "--into", "x.csv"], "--into goes with --format canvas or moodle"),
        (["--format", "canvas", "--into", "x.csv"], "The gradebook x.csv cannot be read"),
        (["--format", "canvas", "--db", "grades.db"], "'grades.db' is no address of a database"),
    ],
)
def test_a_wrong_wish_is_one_plain_sentence(root, export, argv, sentence):
    code, said = export(*argv)
    assert code == 1
    assert said.startswith(f"byhand: {sentence}")


def test_a_platform_needs_a_class_list(root, export):
    (root / "class.csv").unlink()
    code, said = export("--format", "moodle")
    assert (code, said) == (
        1,
        f"byhand: There is no class.csv in {root}, which says who everybody is on the platform.\n",
    )
    assert export("--format", "csv")[0] == 3


def test_numbers_have_two_decimals_at_most():
    assert [number(points) for points in (0.0, 5.0, 2.5, 1 / 3, 100.0, 12.345)] == [
        "0",
        "5",
        "2.5",
        "0.33",
        "100",
        "12.35",
    ]
