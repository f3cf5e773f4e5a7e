"""The answers for students, once nobody can hand anything in any more."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from nbformat import NotebookNode

from helpers.course.environment import say
from helpers.course.execute import execute, read, to_bytes
from helpers.course.release import GIVEAWAYS
from helpers.errors import PlainError
from helpers.grading.classroom import Classroom, as_url, open_course
from helpers.grading.enrolment import read_enrolment
from helpers.term.history import KEY
from helpers.term.release_book import look
from helpers.term.release_changes import Held
from helpers.term.student_files import replace_file

FOLDER = "solutions-for-students"
HIDDEN = (("BEGIN HIDDEN TESTS", "END HIDDEN TESTS"), ("BEGIN MARK SCHEME", "END MARK SCHEME"))
MARKERS = ("BEGIN SOLUTION", "END SOLUTION")


def release_solutions(
    course: Path, unit: str, db: str | None = None, early: bool = False, dry_run: bool = False
) -> str:
    """Write a unit's notebook with its answers and what they show; returns what was done, in a sentence.

    It holds no hidden test, no scheme for markers and nothing of nbgrader's, so nothing in it is locked. Raises
    PlainError before the last deadline, extensions included, unless `early` is set.
    """
    classroom = open_course(course, unit)
    wait = why_wait(_deadlines(classroom, db), datetime.now(timezone.utc).replace(tzinfo=None))
    if wait and not early:
        raise PlainError(f"The solutions of {unit} stay here: {wait}. Give --early to give them out all the same.")
    folder = Path(classroom.course.format_path(classroom.course.source_directory, ".", unit))
    target = classroom.root / FOLDER / f"{unit}.ipynb"
    for_students = bare(read(folder / f"{unit}.ipynb"))
    if target.is_file() and _sources(read(target)) == _sources(for_students):
        return f"{unit}: {target} has the solutions already."
    if dry_run:
        return f"The solutions of {unit} would be written to {target}."
    say(f"executing the solutions of {unit}, without hidden tests")
    with tempfile.TemporaryDirectory() as scratch:
        # Beside its own files; what its cells show is made anew, since hidden tests may have shown in it.
        place = Path(shutil.copytree(folder, Path(scratch, unit), ignore=shutil.ignore_patterns("*.ipynb")))
        (place / f"{unit}.ipynb").write_bytes(to_bytes(for_students))
        executed = execute(place / f"{unit}.ipynb")
    replace_file(target, to_bytes(executed))
    return f"The solutions of {unit} are in {target}."


def _deadlines(classroom: Classroom, db: str | None) -> Held:
    """What the gradebook holds, with the due date and the extensions that the course's settings say now."""
    held = look(as_url(classroom.course, db), classroom.unit)
    enrolment = read_enrolment(classroom.root, classroom.unit, classroom.units(), held.due)
    due = held.due if enrolment.due is None else enrolment.due
    if due is None:
        return held
    longest = max(enrolment.extensions.values(), default=timedelta())
    extended = due + longest if enrolment.counts or held.extended is None else max(held.extended, due + longest)
    return replace(held, due=due, extended=extended)


def why_wait(held: Held, now: datetime) -> str:
    """Why students may not see the answers yet, "" when they may. now: in UTC, without a zone."""
    if held.due is None:
        return "no due date is known"
    if now <= held.due:
        return f"it is due on {held.due:%Y-%m-%d at %H:%M} UTC"
    return f"an extension lasts until {held.extended:%Y-%m-%d at %H:%M} UTC" if now <= held.extended else ""


def bare(notebook: NotebookNode) -> NotebookNode:
    """A source notebook as students may see it: no hidden part, no marker line, nothing of nbgrader's, no output."""
    notebook.metadata.pop(KEY, None)
    notebook.metadata.pop("celltoolbar", None)
    for cell in notebook.cells:
        for key in ("nbgrader", "editable", "deletable"):
            cell.metadata.pop(key, None)
        cell.source = _without_hidden(cell.source)
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if left := [word for word in GIVEAWAYS if word in cell.source]:
            raise PlainError(f"The cell {cell.id} still says {left[0]}: its markers do not fit.")
    return notebook


def _without_hidden(source: str) -> str:
    kept, until = [], ""
    for line in source.split("\n"):
        begins = next((end for begin, end in HIDDEN if begin in line), "")
        if until or begins:
            until = "" if until and until in line else until or begins
        elif not any(marker in line for marker in MARKERS):
            kept.append(line)
    return "\n".join(kept) if not until else source


def _sources(notebook: NotebookNode) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in notebook.cells]
