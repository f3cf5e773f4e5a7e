"""A small course of two units for the tests of a term, zips as the platforms make them, and the command line."""

import copy
import functools
import io
import json
import shutil
import tempfile
import zipfile
from pathlib import Path

import nbformat
from small_course import UNIT, make_course, tiny_notebook

from helpers.course import environment
from helpers.course.commands import run as run_command
from helpers.course.release import make_release
from helpers.term.commands import add_to

OTHER = "other"
CLASS = """\
id,name,email,canvas_id,id_number,withdrawn,extension tiny,notes
ada,Ada Lovelace,ada@example.org,501,1001,,,
bruno,Bruno Müller,bruno@example.org,502,1002,,3 d,my own column
kim1,Kim Lee,kim1@example.org,503,1003,,,
kim2,Kim Lee,kim2@example.org,504,1004,,,
zoe,Zoë Núñez-O'Neill,zoe@example.org,,1005,yes,,
"""
DUE = '[tool.byhand]\ntimezone = "Europe/Berlin"\n\n[tool.byhand.due]\ntiny = "2027-03-01 23:59"\n'
NOON = (2027, 3, 1, 12, 0, 0)
DAY = 86400


@functools.cache
def template():
    """The course, made once: solutions and release of two units, the second with cells of other names."""
    root = Path(tempfile.mkdtemp(prefix="byhand-term-"))
    notebook = tiny_notebook()
    make_course(root, notebook)
    second = copy.deepcopy(notebook)
    for cell in second.cells:
        cell.id = f"o-{cell.id}"
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id = f"o-{cell.metadata.nbgrader.grade_id}"
    (root / "solutions" / OTHER).mkdir()
    nbformat.write(second, root / "solutions" / OTHER / f"{OTHER}.ipynb")
    for unit in (UNIT, OTHER):
        source = nbformat.read(root / "solutions" / unit / f"{unit}.ipynb", as_version=4)
        for name, content in make_release(root, unit, source).items():
            target = root / "notebooks" / unit / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return root


def course(folder, people=CLASS, settings=DUE):
    """A fresh copy of it, with a class list and due dates."""
    shutil.copytree(template(), folder, dirs_exist_ok=True)
    if people:
        (folder / "class.csv").write_text(people, encoding="utf-8")
    (folder / "pyproject.toml").write_text(settings or "[tool.byhand]\n", encoding="utf-8")
    return folder


def work(code="return x + x", unit=UNIT, words=""):
    """A student's notebook of a unit, as bytes; every code gives other ones."""
    notebook = json.loads((template() / "notebooks" / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "").removeprefix("o-")
        if name == "double":
            cell["source"] = f"def double(x):\n    {code}"
        if name == "prose-1" and words:
            cell["source"] = words
    return json.dumps(notebook).encode()


def packed(entries, **kept):
    """A zip of name → content, or → (content, time)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in [*entries.items(), *kept.items()]:
            content, when = content if isinstance(content, tuple) else (content, NOON)
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name, when)
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def saved(folder, entries, name="in.zip"):
    file = folder / name
    file.write_bytes(packed(entries))
    return file


def moodle(name, number, file=f"{UNIT}.ipynb"):
    return f"{name}_{number}_assignsubmission_file/{file}"


def byhand(monkeypatch, *argv):
    """One command of the term, in this Python; returns the exit code."""
    monkeypatch.setattr(environment, "enter", lambda extra, argv: None)
    return run_command([str(word) for word in argv], [add_to])


def tree(root, *tops):
    """Path below the course → content, of all files below some folders."""
    files = [file for top in tops for file in sorted((root / top).rglob("*")) if file.is_file()]
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}


def submitted(root, student, unit=UNIT):
    return (root / "submitted" / student / unit / f"{unit}.ipynb").read_bytes()


def stamp(root, student, unit=UNIT):
    file = root / "submitted" / student / unit / "timestamp.txt"
    return file.read_text() if file.exists() else None


def everything(root):
    """All of a course's files, to tell whether anything was written."""
    return {file: file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()}
