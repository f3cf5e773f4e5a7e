"""What the benchmarks of a class run share: the real course handed in by many, the command, the marks."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import time

import nbformat
from course_units import PROJECT
from small_class import search_path
from test_grading import submissions

UNIT = "encoder"
ENVIRONMENT = os.environ | {"PYTHONPATH": search_path(), "OPENBLAS_NUM_THREADS": "1"}
# `byhand grade` as it is typed, but in this Python.
BYHAND = (
    "import sys; from helpers.course import environment; environment.enter = lambda *_: None; "
    "from helpers.__main__ import main; sys.exit(main())"
)


def course(root, students):
    """The real course's unit, handed in by so many students, of six kinds in turn."""
    shutil.copyfile(PROJECT / "nbgrader_config.py", root / "nbgrader_config.py")
    for folder in ("solutions", "notebooks"):
        shutil.copytree(PROJECT / folder / UNIT, root / folder / UNIT)
    kinds = list(submissions(UNIT).values())
    for number in range(students):
        folder = root / "submitted" / f"s{number:04}" / UNIT
        folder.mkdir(parents=True)
        nbformat.write(kinds[number % len(kinds)], folder / f"{UNIT}.ipynb")
    return root


def byhand(root, *more):
    """Seconds of one run, from the command to its end."""
    command = [sys.executable, "-c", BYHAND, "grade", UNIT, "--course", str(root), *more]
    start = time.perf_counter()
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    took = time.perf_counter() - start
    assert done.returncode == 0, done.stdout + done.stderr
    return took


def points(root):
    """(student, grade_id) → auto score."""
    query = (
        "select s.student_id, b.name, g.auto_score from grade g join base_cell b on g.cell_id = b.id "
        "join submitted_notebook n on g.notebook_id = n.id join submitted_assignment s on n.assignment_id = s.id"
    )
    with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as db:
        return {(student, name): score for student, name, score in db.execute(query)}
