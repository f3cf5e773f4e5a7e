"""What the gradebook holds of one unit, read and never written: marks, comments, late days, and what marking told.

A person's marks and comments are nbgrader's; what was repaired and which limits were reached stand in the table that
`byhand grade` keeps beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from nbgrader import api
from sqlalchemy import create_engine, inspect, select
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import SQLAlchemyError

from helpers.errors import PlainError
from helpers.grading.database import GRADED


@dataclass(frozen=True)
class Earned:
    """The mark of one cell.

    of: what it can earn. auto, hand: the marker's and a person's points, None where there are none. extra: credit on
    top. waits: a person has still to mark it. score: what counts.
    """

    of: float
    score: float = 0.0
    auto: float | None = None
    hand: float | None = None
    extra: float = 0.0
    waits: bool = False


@dataclass
class Student:
    """One student's submission of a unit.

    names: first and last, as far as the gradebook has them. marks: grade_id → mark. comments: grade_id → a person's
    words. penalty: points taken off since it was late. told: repairs, limits, remarks, notes and labels of marking.
    digest: of the notebook that it wrote.
    """

    student: str
    names: str = ""
    when: datetime | None = None
    late: float = 0.0
    penalty: float = 0.0
    marks: dict[str, Earned] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    told: Mapping = field(default_factory=dict)
    digest: str = ""

    @property
    def score(self) -> float:
        """The points of all cells, without the penalty."""
        return sum(mark.score for mark in self.marks.values())

    @property
    def total(self) -> float:
        """What counts in the end."""
        return self.score - self.penalty

    @property
    def of(self) -> float:
        """What all cells can earn."""
        return sum(mark.of for mark in self.marks.values())

    @property
    def waiting(self) -> int:
        """How many cells a person has still to mark."""
        return sum(mark.waits for mark in self.marks.values())


def read_class(url: str, unit: str) -> dict[str, Student]:
    """Student → what the gradebook holds of a unit, by name.

    Raises PlainError when there is no gradebook, or no submission of the unit in it.
    """
    with _opened(url) as db:
        found = _students(db, unit)
        if not found:
            raise PlainError(f"Nobody has marks for {unit} yet: byhand grade {unit} gives them.")
        for student, name, mark in _marks(db, unit):
            found[student].marks[name] = mark
        for student, name, words in _comments(db, unit):
            found[student].comments[name] = words
        if inspect(db).has_table(GRADED.name):
            told = select(GRADED.c.student, GRADED.c.line, GRADED.c.digest).where(GRADED.c.assignment == unit)
            for student, line, digest in db.execute(told):
                if student in found:
                    found[student].told, found[student].digest = json.loads(line), digest
    return {student: found[student] for student in sorted(found) if found[student].marks}


@contextmanager
def _opened(url: str) -> Iterator[Connection]:
    """A connection to a gradebook that is there; none is made."""
    try:
        address = make_url(url)
        file = Path(address.database or "") if address.get_backend_name() == "sqlite" else None
        if file is not None and not file.is_file():
            raise PlainError(f"There is no gradebook at {file} yet: byhand grade makes it.")
        engine = create_engine(url)
    except (SQLAlchemyError, ImportError) as error:
        raise PlainError(f"The gradebook cannot be opened: {str(error).splitlines()[0].rstrip('.')}.") from None
    try:
        with engine.connect() as connection:
            yield connection
    except SQLAlchemyError as error:
        raise PlainError(f"The gradebook cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error
    finally:
        engine.dispose()


def _students(db: Connection, unit: str) -> dict[str, Student]:
    submitted, notebook, assignment = api.SubmittedAssignment, api.SubmittedNotebook, api.Assignment
    query = (
        select(
            submitted.student_id, api.Student.first_name, api.Student.last_name, submitted.timestamp,
            submitted.extension, assignment.duedate, notebook.late_submission_penalty,
        )
        .join(assignment, submitted.assignment_id == assignment.id)
        .join(api.Student, api.Student.id == submitted.student_id)
        .join(notebook, notebook.assignment_id == submitted.id)
        .join(api.Notebook, api.Notebook.id == notebook.notebook_id)
        .where(assignment.name == unit, api.Notebook.name == unit)
    )  # fmt: skip
    found = {}
    for student, first, last, when, extension, due, penalty in db.execute(query):
        until = due if due is None or extension is None else due + extension
        late = max((when - until).total_seconds(), 0.0) if when and until else 0.0
        names = " ".join(filter(None, (first, last)))
        found[student] = Student(student, names, when, late, penalty or 0.0)
    return found


def _of_unit(query, kind, unit: str):
    """Rows of the unit's own notebook, of a table that hangs on a cell and on a submitted notebook."""
    submitted, notebook = api.SubmittedAssignment, api.SubmittedNotebook
    return (
        query.join(api.BaseCell.__table__, api.BaseCell.__table__.c.id == kind.cell_id)
        .join(notebook, notebook.id == kind.notebook_id)
        .join(api.Notebook, api.Notebook.id == notebook.notebook_id)
        .join(submitted, submitted.id == notebook.assignment_id)
        .join(api.Assignment, api.Assignment.id == submitted.assignment_id)
        .where(api.Assignment.name == unit, api.Notebook.name == unit)
    )


def _marks(db: Connection, unit: str) -> Iterator[tuple[str, str, Earned]]:
    of = {}
    for kind in (api.GradeCell, api.TaskCell):
        table = kind.__table__
        of |= dict(db.execute(select(table.c.id, table.c.max_score)).all())
    grade = api.Grade
    columns = (
        api.SubmittedAssignment.student_id, api.BaseCell.__table__.c.name, grade.cell_id, grade.auto_score,
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade,
    )  # fmt: skip
    query = _of_unit(select(*columns).select_from(grade.__table__), grade, unit)
    for student, name, cell, auto, hand, extra, waits in db.execute(query):
        base = hand if hand is not None else auto
        # nbgrader counts extra credit only on top of a mark.
        extra = (extra or 0.0) if base is not None else 0.0
        score = (base or 0.0) + extra
        yield student, name, Earned(float(of.get(cell, 0.0)), score, auto, hand, extra, bool(waits and base is None))


def _comments(db: Connection, unit: str) -> Iterator[tuple[str, str, str]]:
    comment = api.Comment
    columns = (api.SubmittedAssignment.student_id, api.BaseCell.__table__.c.name, comment.manual_comment)
    query = _of_unit(select(*columns).select_from(comment.__table__), comment, unit)
    for student, name, words in db.execute(query.where(comment.manual_comment.is_not(None))):
        if words.strip():
            yield student, name, words.strip()
