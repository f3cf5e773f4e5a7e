"""A course as the class run needs it: its folders and settings as nbgrader knows them, and a unit ready to mark.

This loads nbgrader and stays out of the workers.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import secrets
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from nbgrader.utils import find_all_files, is_grade
from traitlets.config import Config

from helpers.course.execute import read
from helpers.course.notebooks import units
from helpers.course.release import CONFIG, course_directory, make_release, read_config
from helpers.errors import PlainError
from helpers.grading.autograded import Shelf
from helpers.grading.limits import Limits
from helpers.grading.marking import Unit
from helpers.grading.pool import package_hash
from helpers.grading.submissions import STUDENT, Finder
from helpers.settings import course_salt

SECRET = ".byhand-secret"


@dataclass(frozen=True)
class Classroom:
    """The folder of a course, and one unit of it."""

    root: Path
    unit: str

    @cached_property
    def config(self) -> Config:
        """The course's nbgrader settings."""
        return read_config(self.root)

    @cached_property
    def course(self) -> CourseDirectory:
        """nbgrader's own idea of where everything lies."""
        return course_directory(self.root, self.config)

    @cached_property
    def source(self) -> NotebookNode:
        """The unit's notebook with answers and hidden tests, without outputs."""
        notebook = read(Path(self._path(self.course.source_directory, ".")) / f"{self.unit}.ipynb")
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        return notebook

    @cached_property
    def release(self) -> NotebookNode:
        """What students were given: the stored release, or one made now where there is none."""
        stored = Path(self._path(self.course.release_directory, ".")) / f"{self.unit}.ipynb"
        if stored.is_file():
            return read(stored)
        made = make_release(self.root, self.unit, self.source)
        return nbformat.reads(made[Path(f"{self.unit}.ipynb")].decode(), as_version=4)

    @cached_property
    def registered(self) -> NotebookNode:
        """The notebook whose cells nbgrader keeps in its gradebook: no answers, hidden tests, checksums."""
        steps = GenerateAssignment(config=self.config).preprocessors
        notebook = nbformat.from_dict(_plain(self.source))
        resources = {"nbgrader": {"notebook": self.unit, "assignment": self.unit}, "metadata": {}}
        for step in steps[: steps.index(SaveCells)] if SaveCells in steps else steps:
            notebook, resources = step(config=self.config)(notebook, resources)
        return notebook

    def units(self) -> list[str]:
        """The names of all units of the course."""
        found = {Path(file).stem: Path(file).parent for file in glob.glob(f"{self._path_of('*')}/*.ipynb")}
        return sorted(name for name, folder in found.items() if Path(self._path_of(name)) == folder)

    def _path_of(self, unit: str) -> str:
        """The folder of the solutions of any unit."""
        return os.path.normpath(self.course.format_path(self.course.source_directory, ".", unit))

    def marking_unit(self, keep: bool = True) -> Unit:
        """The unit as the marker takes it; `keep` as in `secret`."""
        cells = [cell for cell in self.source.cells if is_grade(cell)]
        points = {cell.metadata.nbgrader.grade_id: float(cell.metadata.nbgrader.points) for cell in cells}
        return Unit(
            self.unit, _plain(self.source), _plain(self.release), points, course_salt(self.root), self.secret(keep)
        )

    def secret(self, keep: bool = True) -> bytes:
        """What fresh inputs are drawn from: made once for a course, kept in a file only its owner reads.

        keep: False makes none where there is none; what is drawn then is drawn once.
        """
        file = self.root / SECRET
        if not file.exists() and not keep:
            return secrets.token_bytes(32)
        if not file.exists():
            own = file.with_name(f"{SECRET}.{os.getpid()}")
            handle = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as opened:
                opened.write(secrets.token_hex(32) + "\n")
            own.replace(file)
        try:
            return bytes.fromhex(file.read_text(encoding="ascii").strip())
        except ValueError:
            raise PlainError(
                f"{file} should hold one line of hexadecimal digits; remove it to get a new one."
            ) from None

    def finder(self) -> Finder:
        """Looks for what was handed in."""
        names = [cell.metadata.nbgrader.grade_id for cell in self.release.cells if "nbgrader" in cell.metadata]
        pattern = self._path(self.course.submitted_directory, STUDENT)
        return Finder(self.unit, pattern, self.course.ignore, 1000 * self.course.max_file_size, names)

    def shelf(self) -> Shelf:
        """Where the marked notebooks go."""
        source = self._path(self.course.source_directory, ".")
        files = find_all_files(source, [*self.course.ignore, "*.ipynb"])
        master = tuple((Path(os.path.relpath(file, source)), Path(file)) for file in sorted(files))
        mode = int(str(Autograde(coursedir=self.course, config=self.config).permissions), 8)
        return Shelf(self._path(self.course.autograded_directory, STUDENT), f"{self.unit}.ipynb", master, mode)

    def _path(self, step: str, student: str) -> str:
        return os.path.normpath(self.course.format_path(step, student, self.unit))


def open_course(folder: Path, unit: str) -> Classroom:
    """The course in a folder; raises PlainError when there is none, or no such unit."""
    root = folder.resolve()
    if not (root / CONFIG).is_file():
        raise PlainError(f"There is no course in {root}: {CONFIG} is expected there; name its folder with --course.")
    classroom = Classroom(root, unit)
    if classroom.course.source_directory == "solutions":
        units(root, [unit])
    elif not (Path(classroom._path(classroom.course.source_directory, ".")) / f"{unit}.ipynb").is_file():
        raise PlainError(f"There is no unit {unit}.")
    return classroom


def _plain(notebook: NotebookNode) -> dict:
    """A copy of a notebook as plain data."""
    return json.loads(json.dumps(notebook))


def token(unit: Unit, limits: Limits) -> str:
    """A hash of all that decides a mark beside the submission: the unit, the limits and the code that marks."""
    whole = hashlib.sha256()
    parts = [unit.name, unit.source, unit.release, list(unit.points.items()), unit.salt, unit.secret.hex()]
    for part in (*parts, repr(limits), package_hash()):
        whole.update(json.dumps(part, sort_keys=True).encode() + b"\n")
    return whole.hexdigest()


def as_url(course: CourseDirectory, given: str | None) -> str:
    """The gradebook's address: the one given, or the course's own."""
    if given is None:
        return course.db_url
    if not re.match(r"[a-z][a-z0-9+]*://", given):
        raise PlainError(f"{given!r} is no address of a database; it looks like sqlite:///gradebook.db.")
    return given
