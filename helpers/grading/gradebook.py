"""The one writer to nbgrader's gradebook: what its own autograde writes, by its own model classes, 20 at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from nbformat import NotebookNode
from nbgrader import api
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import is_grade, is_locked, is_solution, is_task
from sqlalchemy import case, delete, func, insert, select
from sqlalchemy.orm import load_only, selectinload
from traitlets.config import Config

from helpers.errors import PlainError
from helpers.grading.database import GRADED, open_gradebook, patiently, plainly
from helpers.grading.enrolment import Enrolment, extend, write_enrolment
from helpers.grading.report import Mark

BATCH = 20
NO_RESPONSE = "No response."


@dataclass(frozen=True)
class Entry:
    """What is written down for one submission.

    points: grade_id → auto score. untouched: answers that stand as released. fingerprint, digest: of what was
    handed in, and of the notebook in autograded/. line: whatever the report wants back at the next run.
    """

    student: str
    points: dict[str, float]
    by_hand: Sequence[str] = ()
    untouched: Sequence[str] = ()
    timestamp: datetime | None = None
    fingerprint: str = ""
    digest: str = ""
    line: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Known:
    """What the gradebook holds of a submission that was marked before. late: seconds, as they count now."""

    fingerprint: str
    digest: str
    stale: bool
    line: dict


class Writer:
    """Writes the marks of one unit; for one thread, and one process at a time.

    `failed(student, reason)` is told of an entry that cannot be written, such as one that a plugin for late
    submissions refuses; nothing of it stays.
    """

    def __init__(self, url: str, course_id: str, unit: str, config: Config, failed: Callable[[str, str], None]):
        self.unit = unit
        self._failed = failed
        self._waiting: list[Entry] = []
        self._penalties = AssignLatePenalties(config=config)
        self._penalties.init_plugin()
        self._book = open_gradebook(url, course_id)
        self._db = self._book.db
        self._enrolment = Enrolment()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """Give the connection back; what was not flushed is not written."""
        self._book.close()

    # The unit's cells

    def register(self, notebook: NotebookNode) -> None:
        """Have the gradebook know the unit's cells, as `nbgrader generate_assignment` would; all or nothing.

        Raises PlainError when submissions are there already for another set of cells.
        """
        patiently(lambda: self._register(notebook), self._db)

    def _register(self, notebook: NotebookNode) -> None:
        assignment = self._one(select(api.Assignment).where(api.Assignment.name == self.unit))
        if assignment is None:
            assignment = api.Assignment(name=self.unit, course_id=self._book.course_id)
            self._db.add(assignment)
        held = next((held for held in assignment.notebooks if held.name == self.unit), None)
        if held is None:
            held = api.Notebook(name=self.unit, assignment=assignment)
            self._db.add(held)
        if not held.submissions:
            held.kernelspec = json.dumps(notebook.metadata.get("kernelspec", {}))
        wanted = wanted_cells(notebook)
        cells = {(type(cell), cell.name): cell for cell in (*held._base_cells, *held.source_cells)}
        if held.submissions and cells.keys() != wanted.keys():
            odd = ", ".join(sorted({name for _, name in cells.keys() ^ wanted.keys()}))
            raise PlainError(f"The gradebook holds submissions for another version of {self.unit}: {odd} came or went.")
        for key in cells.keys() - wanted.keys():
            self._db.delete(cells[key])
        for (kind, name), values in wanted.items():
            cell = cells.get((kind, name))
            if cell is None:
                self._db.add(kind(name=name, notebook=held, **values))
                continue
            for attribute, value in values.items():
                if getattr(cell, attribute) != value:
                    setattr(cell, attribute, value)
        self._db.commit()
        self._db.expunge_all()

    # The class

    def due(self) -> datetime | None:
        """When the unit is due by the gradebook, in UTC; None where nothing is said."""
        due = self._db.scalars(select(api.Assignment.duedate).where(api.Assignment.name == self.unit)).one_or_none()
        self._db.rollback()
        return due

    def enrol(self, enrolment: Enrolment) -> None:
        """Write down who is in the class, when the unit is due and who has longer; after `register`."""
        self._enrolment = enrolment
        patiently(self._enrol, self._db)

    def _enrol(self) -> None:
        assignment = self._one(select(api.Assignment).where(api.Assignment.name == self.unit))
        write_enrolment(self._db, assignment, self._enrolment)
        self._db.commit()

    # What is there

    def known(self) -> dict[str, Known]:
        """Student → what is known of a submission of this unit that was marked by an earlier run."""
        with plainly(self._db):
            return self._known()

    def _known(self) -> dict[str, Known]:
        late = self._all_late()
        rows = self._db.execute(select(GRADED).where(GRADED.c.assignment == self.unit)).all()
        return {
            row.student: Known(row.fingerprint, row.digest, row.late != late[row.student], json.loads(row.line))
            for row in rows
            if row.student in late
        }

    def marks(self) -> dict[str, Mark]:
        """Student → what the gradebook holds now, a person's marks and extra credit included."""
        with plainly(self._db):
            return self._marks()

    def _marks(self) -> dict[str, Mark]:
        hand = func.count(case((api.Grade.needs_manual_grade, 1)))
        query = (
            select(api.SubmittedAssignment.student_id, func.sum(api.Grade.score), hand)
            .add_columns(func.max(api.SubmittedNotebook.late_submission_penalty))
            .join(api.SubmittedNotebook, api.SubmittedNotebook.assignment_id == api.SubmittedAssignment.id)
            .join(api.Notebook, api.Notebook.id == api.SubmittedNotebook.notebook_id)
            .join(api.Assignment, api.Assignment.id == api.Notebook.assignment_id)
            .join(api.Grade, api.Grade.notebook_id == api.SubmittedNotebook.id)
            .where(api.Assignment.name == self.unit, api.Notebook.name == self.unit)
            .group_by(api.SubmittedAssignment.student_id)
        )
        late, rows = self._all_late(), self._db.execute(query).all()
        return {
            student: Mark(float(score), hand, late[student], penalty or 0.0) for student, score, hand, penalty in rows
        }

    def _all_late(self) -> dict[str, float]:
        """Student → seconds late, for all submissions of the unit."""
        query = select(api.SubmittedAssignment).join(api.Assignment).where(api.Assignment.name == self.unit)
        submitted = api.SubmittedAssignment
        few = load_only(submitted.student_id, submitted.assignment_id, submitted.timestamp, submitted.extension)
        found = {one.student_id: seconds_late(one) for one in self._db.scalars(query.options(few))}
        self._db.expunge_all()
        return found

    # What comes in

    def add(self, entry: Entry) -> None:
        """Take one marked submission; every 20 are written at once."""
        self._waiting.append(entry)
        if len(self._waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what waits. An interrupt leaves it written or waiting, never half."""
        batch = list(self._waiting)
        try:
            self._write(batch)
        except PlainError:
            raise
        except Exception:
            # One of them is at fault: written one by one, the others are not lost with it.
            for entry in batch:
                self._write_alone(entry)
        del self._waiting[: len(batch)]

    def _write_alone(self, entry: Entry) -> None:
        try:
            self._write([entry])
        except PlainError:
            raise
        except Exception as error:
            self._failed(entry.student, f"it could not be written to the gradebook: {type(error).__name__}: {error}")

    def _write(self, batch: list[Entry]) -> None:
        if batch:
            patiently(lambda: self._write_once(batch), self._db)

    def _write_once(self, batch: list[Entry]) -> None:
        assignment = self._one(select(api.Assignment).where(api.Assignment.name == self.unit))
        names = [entry.student for entry in batch]
        for name in set(names) - set(self._db.scalars(select(api.Student.id).where(api.Student.id.in_(names)))):
            self._db.add(api.Student(id=name))
        self._db.flush()
        held = {one.student_id: one for one in self._db.scalars(_submissions(assignment, names))}
        cells = {cell.id: cell for notebook in assignment.notebooks for cell in notebook._base_cells}
        for entry in batch:
            if entry.student not in held:
                held[entry.student] = self._new(assignment, entry.student)
                extend(held[entry.student], self._enrolment)
            self._fill(held[entry.student], entry, cells)
        self._db.flush()
        late = {name: self._late(held[name]) for name in names}
        ours = GRADED.c.assignment == self.unit
        self._db.execute(delete(GRADED).where(ours, GRADED.c.student.in_(names)))
        self._db.execute(insert(GRADED), [self._row(entry, late[entry.student]) for entry in batch])
        self._db.commit()
        self._db.expunge_all()

    def _new(self, assignment: api.Assignment, student: str) -> api.SubmittedAssignment:
        """A submission with an empty grade and comment for each cell, as nbgrader's add_submission makes it."""
        submission = api.SubmittedAssignment(assignment=assignment, student_id=student)
        for notebook in assignment.notebooks:
            submitted = api.SubmittedNotebook(notebook=notebook, notebook_id=notebook.id, assignment=submission)
            for cell in notebook._base_cells:
                if isinstance(cell, (api.GradeCell, api.TaskCell)):
                    api.Grade(cell_id=cell.id, notebook=submitted)
                if isinstance(cell, (api.SolutionCell, api.TaskCell)):
                    api.Comment(cell_id=cell.id, notebook=submitted)
        self._db.add(submission)
        return submission

    def _fill(self, submission: api.SubmittedAssignment, entry: Entry, cells: dict[str, api.BaseCell]) -> None:
        """What nbgrader's SaveAutoGrades sets; a person's scores, extra credit and comments are never touched."""
        if entry.timestamp is not None:
            submission.timestamp = entry.timestamp
        notebook = self._notebook(submission)
        for grade in notebook.grades:
            name = cells[grade.cell_id].name
            if not isinstance(cells[grade.cell_id], api.TaskCell):
                grade.auto_score = None if name in entry.by_hand else entry.points.get(name, 0.0)
                grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        for comment in notebook.comments:
            cell = cells[comment.cell_id]
            written = isinstance(cell, api.TaskCell) or cell.name not in entry.untouched
            comment.auto_comment = None if written else NO_RESPONSE

    def _late(self, submission: api.SubmittedAssignment) -> float:
        """Set the penalty that nbgrader's plugin gives; returns how many seconds late the submission is."""
        notebook = self._notebook(submission)
        notebook.late_submission_penalty = None
        seconds = seconds_late(submission)
        if seconds > 0:
            self._db.refresh(notebook, ["score"])
            plugin = self._penalties.plugin_inst
            penalty = plugin.late_submission_penalty(submission.student_id, notebook.score, seconds)
            if penalty is not None:
                notebook.late_submission_penalty = self._penalties._check_late_penalty(notebook, penalty)
        return seconds

    def _notebook(self, submission: api.SubmittedAssignment) -> api.SubmittedNotebook:
        return next(one for one in submission.notebooks if one.notebook.name == self.unit)

    def _row(self, entry: Entry, late: float) -> dict:
        return {
            "assignment": self.unit, "student": entry.student, "fingerprint": entry.fingerprint,
            "digest": entry.digest, "late": late, "line": json.dumps(entry.line),
        }  # fmt: skip

    def _one(self, query):
        return self._db.scalars(query).one_or_none()


def wanted_cells(notebook: NotebookNode) -> dict[tuple[type, str], dict]:
    """(model class, grade_id) → columns, for all that nbgrader's SaveCells keeps of a notebook."""
    wanted = {}
    for cell in notebook.cells:
        settings = cell.metadata.get("nbgrader", {})
        if not (is_grade(cell) or is_solution(cell) or is_locked(cell) or is_task(cell)):
            continue
        name = settings["grade_id"]
        scored = {"max_score": float(settings.get("points", 0)), "cell_type": cell.cell_type}
        if is_grade(cell):
            wanted[api.GradeCell, name] = scored
        if is_solution(cell):
            wanted[api.SolutionCell, name] = {}
        if is_task(cell):
            wanted[api.TaskCell, name] = scored
        wanted[api.SourceCell, name] = {
            "cell_type": cell.cell_type,
            "locked": bool(is_locked(cell)),
            "source": cell.source,
            "checksum": settings.get("checksum"),
        }
    return wanted


def seconds_late(submission: api.SubmittedAssignment) -> float:
    """How late a submission is; nbgrader's own property fails where there is an extension of no date."""
    return submission.total_seconds_late if submission.assignment.duedate is not None else 0


def _submissions(assignment: api.Assignment, students: Sequence[str]):
    notebooks = selectinload(api.SubmittedAssignment.notebooks)
    return (
        select(api.SubmittedAssignment)
        .where(api.SubmittedAssignment.assignment_id == assignment.id, api.SubmittedAssignment.student_id.in_(students))
        .options(
            notebooks.selectinload(api.SubmittedNotebook.grades), notebooks.selectinload(api.SubmittedNotebook.comments)
        )
    )  # fmt: skip
