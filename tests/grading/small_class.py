"""A class of the small course: submissions of every kind, marked by the class run, and what the gradebook holds."""

import json
import sqlite3
import sys
from pathlib import Path

import nbformat
from small_course import UNIT, make_course, tiny_notebook

from helpers.grading.classroom import open_course
from helpers.grading.run import Order, grade

RIGHT, WRONG = "return x + x", "return x"
ANSWERS = {
    "right": (RIGHT, "One is too few."),
    "wrong": (WRONG, "No idea."),
    "half": ("return 2 * abs(x)", None),
    "empty": (None, None),
}

# What nbgrader's tables hold, keys replaced by what they stand for.
QUERIES = {
    "cells": "select b.name, b.type, g.max_score, g.cell_type from base_cell b left join grade_cells g using (id)",
    "source": "select name, cell_type, locked, source, checksum from source_cell",
    "notebook": "select n.name, n.kernelspec, a.name, a.duedate, a.course_id from notebook n "
    "join assignment a on n.assignment_id = a.id",
    "students": "select * from student",
    "submitted": "select s.student_id, s.timestamp, s.extension, n.flagged, n.late_submission_penalty "
    "from submitted_assignment s join submitted_notebook n on n.assignment_id = s.id",
    "grades": "select s.student_id, b.name, b.type, g.auto_score, g.manual_score, g.extra_credit, "
    "g.needs_manual_grade from grade g join base_cell b on g.cell_id = b.id "
    "join submitted_notebook n on g.notebook_id = n.id join submitted_assignment s on n.assignment_id = s.id",
    "comments": "select s.student_id, b.name, b.type, c.auto_comment, c.manual_comment from comment c "
    "join base_cell b on c.cell_id = b.id join submitted_notebook n on c.notebook_id = n.id "
    "join submitted_assignment s on n.assignment_id = s.id",
    "version": "select * from alembic_version",
}


class Quiet:
    """A watch that keeps who was marked."""

    def __init__(self):
        self.total, self.students = 0, []

    def begin(self, total):
        self.total = total

    def step(self, student):
        self.students.append(student)


def submission(root, code=None, words=None, order=""):
    """A student's notebook: the release with an answer, words, and an order to the toy marker."""
    notebook = nbformat.from_dict(json.loads(json.dumps(open_course(root, UNIT).release)))
    for cell in notebook.cells:
        if cell.id == "double" and code is not None:
            cell.source = f'def double(x):\n    """Twice x."""\n    {code}'
        if cell.id == "prose-1" and words is not None:
            cell.source = words
        if cell.id == "setup":
            cell.source += f"\n{order}" if order else ""
    return notebook


def hand_in(root, student, notebook, time="", name=f"{UNIT}.ipynb", unit=UNIT):
    folder = root / "submitted" / student / unit
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / name)
    if time:
        (folder / "timestamp.txt").write_text(time)
    return folder


def small_class(root, answers=ANSWERS):
    notebook = tiny_notebook()
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    make_course(root, notebook)
    for student, (code, words) in answers.items():
        hand_in(root, student, submission(root, code, words))
    return root


def mark_class(root, watch=None, **wishes):
    wishes = {"sandbox": "none", "how": "toy_marking:mark", "workers": 2} | wishes
    return grade(Order(UNIT, root, **wishes), watch or Quiet())


def rows(root, query, file="gradebook.db"):
    with sqlite3.connect(root / file) as db:
        found = db.execute(query).fetchall()
    db.close()
    return found


def content(root, file="gradebook.db"):
    """All of nbgrader's tables, keys replaced by what they stand for."""
    return {name: sorted(rows(root, query, file), key=repr) for name, query in QUERIES.items()}


def scores(root):
    """Student → auto score of the task."""
    query = (
        "select s.student_id, g.auto_score from grade g join base_cell b on g.cell_id = b.id "
        "join submitted_notebook n on g.notebook_id = n.id join submitted_assignment s on n.assignment_id = s.id "
        "where b.name = 'check-double'"
    )
    return dict(rows(root, query))


def command(root):
    """The class run as a process of its own, with the toy marker."""
    code = (
        "import sys; from pathlib import Path; from small_class import mark_class; "
        "sys.exit(mark_class(Path(sys.argv[1])).code())"
    )
    return [sys.executable, "-c", code, str(root)]


def search_path():
    tests = Path(__file__).resolve().parents[1]
    return ":".join(map(str, [tests.parent, tests / "grading", tests / "notebooks", tests]))
