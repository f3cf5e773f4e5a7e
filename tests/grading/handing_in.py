"""Submissions for the tests of marking: a unit's release as plain data, and what students make of it."""

import copy
import json
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from helpers.grading.limits import Limits
from helpers.grading.marking import Unit, mark, sandbox_for
from helpers.points import POINTS

PROJECT = Path(__file__).resolve().parents[2]
UNITS = tuple(POINTS)
QUICK = Limits(cell_seconds=1.5, call_seconds=1.5, notebook_seconds=40, memory_mb=256, output_kb=64, grace_seconds=0.7)


@cache
def unit(name, salt=""):
    paths = (PROJECT / folder / name / f"{name}.ipynb" for folder in ("solutions", "notebooks"))
    return Unit.read(*paths, salt=salt, secret=b"of the tests")


def release(name):
    return copy.deepcopy(unit(name).release)


def name_of(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id", "")


def cell(notebook, grade_id):
    return next(cell for cell in notebook["cells"] if name_of(cell) == grade_id)


def place(notebook, grade_id):
    return next(n for n, cell in enumerate(notebook["cells"]) if name_of(cell) == grade_id)


def answered(name, *grade_ids):
    """The release with right answers, all of them or those named."""
    notebook = release(name)
    for one in notebook["cells"]:
        grading = one["metadata"].get("nbgrader", {})
        if grading.get("solution") and (not grade_ids or name_of(one) in grade_ids):
            one["source"] = unit(name).by_name[name_of(one)]["source"]
    return notebook


def code(source, **metadata):
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


def raw(notebook):
    return json.dumps(notebook).encode()


def of_tests(unit, marked):
    """grade_id → points of the cells that are marked here."""
    return {name: points for name, points in marked.points.items() if not name.startswith("prose-")}


def full(unit):
    return {name: points for name, points in unit.points.items() if not name.startswith("prose-")}


def texts(cell):
    """What a cell shows, as text."""
    found = []
    for output in cell.get("outputs", ()):
        found += [output.get("text", ""), output.get("evalue", ""), output.get("data", {}).get("text/plain", "")]
    return "\n".join(filter(None, found))


@contextmanager
def marker(limits=None):
    """A function that marks a notebook, each unit in a sandbox of its own that is opened once."""
    sandboxes = {}
    with ExitStack() as stack:

        def marked(name, notebook, student="ada", salt=""):
            if name not in sandboxes:
                sandboxes[name] = stack.enter_context(sandbox_for(unit(name), limits))
            content = notebook if isinstance(notebook, bytes) else raw(notebook)
            return mark(content, unit(name, salt), student, sandboxes[name])

        yield marked
