"""The student release: nbgrader's own conversion of a solution notebook, checked before anyone sees it."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Assignment, SubmittedAssignment
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import is_grade, is_solution
from sqlalchemy import create_engine, func, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config, PyFileConfigLoader

from helpers.course.execute import cell_name, to_bytes
from helpers.errors import PlainError

CONFIG = "nbgrader_config.py"
# Left in a release, each of these would give something away.
GIVEAWAYS = ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", "BEGIN MARK SCHEME", "END MARK SCHEME")

Files = dict[Path, bytes]  # a unit's files by their path below the unit's folder


def course_directory(root: Path, config: Config) -> CourseDirectory:
    """Where nbgrader's settings say that everything of this course lies."""
    return CourseDirectory(root=str(root), config=config)


def read_config(project: Path) -> Config:
    """Read the project's nbgrader settings."""
    return PyFileConfigLoader(CONFIG, path=str(project)).load_config()


def make_release(project: Path, unit: str, solution: NotebookNode) -> Files:
    """Turn a unit into its student release, in a course folder that lasts only as long.

    `solution` is the unit's notebook, executed or not; the unit's other files go along as they are.
    Raises PlainError when nbgrader refuses, or when the result would give an answer away.
    """
    config = read_config(project)
    with tempfile.TemporaryDirectory() as scratch:
        course = course_directory(Path(scratch).resolve(), config)
        source = Path(course.format_path(course.source_directory, ".", unit))
        shutil.copytree(project / course.source_directory / unit, source, ignore=shutil.ignore_patterns(*course.ignore))
        (source / f"{unit}.ipynb").write_bytes(to_bytes(solution))
        _generate(course, config, unit)
        target = Path(course.format_path(course.release_directory, ".", unit))
        files = {path.relative_to(target): path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()}
    for name in files:
        if name.suffix == ".ipynb":
            files[name] = _normal(files[name])
            check_release(Path(unit) / name, nbformat.reads(files[name].decode(), as_version=4))
    return files


def _generate(course: CourseDirectory, config: Config, unit: str) -> None:
    """Run nbgrader's generate_assignment on one unit, without a gradebook; its complaint becomes the error."""
    course.assignment_id = unit
    config = config.copy()
    config.GenerateAssignment.no_database = True
    config.SaveCells.enabled = False
    heard = _Heard()
    converter = GenerateAssignment(coursedir=course, config=config)
    converter.log = logging.Logger("generate_assignment")
    converter.log.addHandler(heard)
    here = Path.cwd()
    try:
        converter.start()
    except (NbGraderException, SystemExit) as error:
        raise PlainError(f"nbgrader cannot make the release of {unit}: {heard.reason() or error}") from error
    finally:
        os.chdir(here)


class _Heard(logging.Handler):
    def __init__(self):
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record):
        self.lines.append(record.getMessage().strip())

    def reason(self) -> str:
        """The most telling line: the last one of a traceback, or else what was complained of first."""
        tracebacks = [line for line in self.lines if line.startswith("Traceback")]
        return (tracebacks or self.lines or [""])[0].splitlines()[-1]


def _normal(content: bytes) -> bytes:
    return to_bytes(nbformat.reads(content.decode(), as_version=nbformat.NO_CONVERT))


def check_release(path: Path, notebook: NotebookNode) -> None:
    """Raise PlainError, naming the cell, if a released notebook gives anything away or can be tampered with."""
    for index, cell in enumerate(notebook.cells):
        fault = _fault(cell)
        if fault:
            raise PlainError(f"{cell_name(path, notebook, index)}: the release {fault}.")


def _fault(cell: NotebookNode) -> str | None:
    for giveaway in GIVEAWAYS:
        if giveaway in cell.source:
            return f"still says {giveaway}"
    if cell.get("outputs") or cell.get("execution_count"):
        return "carries an output"
    open_to_changes = cell.metadata.get("editable", True) or cell.metadata.get("deletable", True)
    if is_grade(cell) and not is_solution(cell) and open_to_changes:
        return "has a graded cell that can be edited or deleted"
    return None


def refuse_if_graded(project: Path, unit: str) -> None:
    """Raise PlainError if students have handed in `unit`, so that its release must not change any more."""
    course = course_directory(project, read_config(project))
    handed_in = Path(course.format_path(course.submitted_directory, ".", ".")).resolve()
    collected = sum(1 for folder in handed_in.glob(f"*/{unit}") if folder.is_dir())
    graded = _submissions(course, unit)
    if collected or graded:
        place = "the gradebook" if graded else f"{course.submitted_directory}/"
        count = graded or collected
        held = f"{place} holds {count} submission{'' if count == 1 else 's'}"
        raise PlainError(
            f"{course.release_directory}/{unit} stays as it is: {held} for {unit}, and another release "
            f"would no longer fit them. byhand release {unit} --update lets a mended one follow."
        )


def _submissions(course: CourseDirectory, unit: str) -> int:
    """How many submissions the real gradebook knows for a unit; it is read only, and not made if it is not there."""
    url = make_url(course.db_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return 0
    of_unit = select(func.count()).select_from(SubmittedAssignment).join(Assignment).where(Assignment.name == unit)
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return connection.scalar(of_unit) if inspect(connection).has_table(Assignment.__tablename__) else 0
    except SQLAlchemyError as error:
        reason = str(error).splitlines()[0]
        raise PlainError(f"The gradebook cannot be read, so the release stays as it is: {reason}.") from error
    finally:
        engine.dispose()
