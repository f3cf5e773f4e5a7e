"""Three sample students and what they handed in: python tests/data/three_students.py FOLDER [UNIT].

Writes a class list, Moodle's zip and grading worksheet, and Canvas's zip and gradebook file, as those platforms name
and order things. Ada has all answers, Bruno half of them and is late, Çiğdem the first one; Bruno handed in twice.
"""

import copy
import csv
import io
import json
import sys
import zipfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
UNIT = "encoder"
CLASS = """\
id,name,email,canvas_id,sis_user_id,sis_login_id,section,id_number,withdrawn,extension encoder
ada,Ada Lovelace,ada@example.org,501,S1001,ada,Group 1,1001,,
bruno,Bruno Müller,bruno@example.org,502,S1002,bruno,Group 1,1002,,3 d
cigdem,Çiğdem Yılmaz,cigdem@example.org,503,S1003,cigdem,Group 1,1003,,
"""
# Name on the platforms, Moodle's number in this assignment, Canvas's, share of the answers, when (Moodle's way).
STUDENTS = (
    ("Ada Lovelace", "lovelaceada", 90101, 501, 1.0, (2027, 3, 1, 18, 5), "Monday, 1 March 2027, 6:05 PM"),
    ("Bruno Müller", "müllerbruno", 90102, 502, 0.5, (2027, 3, 3, 9, 30), "Wednesday, 3 March 2027, 9:30 AM"),
    ("Çiğdem Yılmaz", "yılmazçiğdem", 90103, 503, 0.0, (2027, 3, 1, 23, 10), "Monday, 1 March 2027, 11:10 PM"),
)
WORKSHEET = ["Identifier", "Full name", "ID number", "Email address", "Status", "Grade", "Maximum grade"]
WORKSHEET += ["Grade can be changed", "Last modified (submission)", "Last modified (grade)", "Feedback comments"]


def notebook(unit=UNIT, share=1.0, project=PROJECT):
    """The unit's release with a share of its answers, the first ones, and at least one."""
    release = json.loads((project / "notebooks" / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))
    source = json.loads((project / "solutions" / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))
    answers = {_name(cell): cell["source"] for cell in source["cells"] if _is_answer(cell)}
    made = copy.deepcopy(release)
    cells = [cell for cell in made["cells"] if _name(cell) in answers]
    for cell in cells[: max(1, round(share * len(cells)))]:
        cell["source"] = answers[_name(cell)]
    return json.dumps(made, ensure_ascii=False).encode()


def _name(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def _is_answer(cell):
    return bool(cell["metadata"].get("nbgrader", {}).get("solution"))


def moodle_zip(unit=UNIT):
    """Moodle's download of all submissions, in folders."""
    return packed(
        (f"{name}_{number}_assignsubmission_file/{unit}.ipynb", notebook(unit, share), when)
        for name, _, number, _, share, when, _ in STUDENTS
    )


def canvas_zip(unit=UNIT):
    """Canvas's: all times are those of the download, and Bruno is late."""
    return packed(
        (f"{name}{'_LATE' if number == 502 else ''}_{number}_{7000 + number}_{unit}-1.ipynb",
         notebook(unit, share), (2027, 3, 8, 8, 0))
        for _, name, _, number, share, _, _ in STUDENTS
    )  # fmt: skip


def packed(entries):
    """A zip of (name, content, time)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, when in entries:
            archive.writestr(zipfile.ZipInfo(name, (*when, 0)[:6]), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def worksheet(of="100.00"):
    """Moodle's grading worksheet."""
    people = {line.split(",")[1]: line.split(",") for line in CLASS.splitlines()[1:]}
    rows = [WORKSHEET]
    for name, _, number, _, _, _, said in STUDENTS:
        status = "Submitted for grading - Not marked"
        mail, own = people[name][2], people[name][7]
        rows.append([f"Participant {number}", name, own, mail, status, "", of, "Yes", said, "-", ""])
    return _csv(rows)


def gradebook(unit="Encoder", number=4711, of="100"):
    """Canvas's exported gradebook."""
    titles = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    rows = [[*titles, f"{unit} ({number})", "Essay (4712)", "Final Score"]]
    rows.append(["    Points Possible", "", "", "", "", of, "20", "(read only)"])
    for line in CLASS.splitlines()[1:]:
        cells = line.split(",")
        first, last = cells[1].rsplit(" ", 1)
        rows.append([f"{last}, {first}", cells[3], cells[4], cells[5], cells[6], "", "17", "0"])
    rows.append(["Student, Test", "999", "", "", "Group 1", "", "", ""])
    return _csv(rows)


def _csv(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def make(folder, unit=UNIT):
    """Write all of it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "class.csv").write_text(CLASS.replace("extension encoder", f"extension {unit}"), encoding="utf-8")
    (folder / f"moodle-{unit}.zip").write_bytes(moodle_zip(unit))
    (folder / f"canvas-{unit}.zip").write_bytes(canvas_zip(unit))
    (folder / f"Grades-{unit}.csv").write_text(worksheet(), encoding="utf-8-sig")
    (folder / "Canvas-gradebook.csv").write_text(gradebook(unit.capitalize()), encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]), *sys.argv[2:])
