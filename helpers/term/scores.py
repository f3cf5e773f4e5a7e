"""What everybody has in a unit, as the gradebook says it now, and whether that is final."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nbgrader import api
from nbgrader.utils import is_grade
from sqlalchemy import and_, case, func, select

from helpers.grading.classroom import Classroom, as_url
from helpers.grading.database import GRADED, is_missing, open_gradebook
from helpers.grading.enrolment import Enrolment, read_enrolment
from helpers.grading.gradebook import seconds_late
from helpers.grading.run import HANDED

FINAL, WAITING, CHANGED, UNMARKED, MISSING = "final", "waiting", "changed", "unmarked", "missing"


@dataclass(frozen=True)
class Score:
    """One student in one unit. state: final; waiting for `by_hand` marks of a person; changed since it was marked;
    unmarked, though handed in; missing, since nothing was.

    raw, penalty: points before and for lateness. again: marks by hand that are older than the last marking.
    """

    student: str
    state: str
    raw: float = 0.0
    penalty: float = 0.0
    by_hand: int = 0
    again: int = 0
    late: float = 0.0
    handed: datetime | None = None

    @property
    def points(self) -> float:
        """What counts: the points without the penalty, never below 0."""
        return max(0.0, self.raw - self.penalty)

    @property
    def marked(self) -> bool:
        """Whether there are points at all."""
        return self.state in (FINAL, WAITING, CHANGED)


@dataclass(frozen=True)
class UnitScores:
    """One unit. of: points that it can earn. scores: by student, of all who are in the class or handed in."""

    unit: str
    of: float
    scores: Mapping[str, Score]
    enrolment: Enrolment

    def whose(self) -> list[str]:
        """Students to be told of: the class list's, without those who have withdrawn; without a list, all."""
        listed = self.enrolment.listed
        return [person.id for person in listed.present()] if listed else sorted(self.scores)

    def strangers(self) -> list[str]:
        """Who handed in and is not on the class list."""
        return sorted(student for student in self.scores if self.enrolment.is_stranger(student))


def read_scores(room: Classroom, db: str | None = None) -> UnitScores:
    """Everybody's points in a unit."""
    enrolment = read_enrolment(room.root, room.unit, room.units())
    held = room.finder().students()
    of = sum(float(cell.metadata.nbgrader.points) for cell in room.source.cells if is_grade(cell))
    marks, prints, url = {}, {}, as_url(room.course, db)
    if not is_missing(url):
        book = open_gradebook(url, room.course.course_id)
        try:
            marks, prints = _marks(book.db, room.unit), _prints(book.db, room.unit)
        finally:
            book.close()
    scores = {}
    for student in {*held, *marks, *(enrolment.listed.people if enrolment.listed else ())}:
        if student not in marks:
            scores[student] = Score(student, UNMARKED if student in held else MISSING)
            continue
        mark = marks[student]
        changed = student in held and prints.get(student, "") not in ("", _print_now(room, student, held[student]))
        state = CHANGED if changed else WAITING if mark["by_hand"] else FINAL
        scores[student] = Score(student, state, **mark)
    return UnitScores(room.unit, of, scores, enrolment)


def _print_now(room: Classroom, student: str, folder: Path) -> str:
    submission = room.finder().read(student, folder)
    return submission.fingerprint() if submission.notebook is not None else "nothing to mark"


def _prints(db, unit: str) -> dict[str, str]:
    """Student → the fingerprint of what was marked, "" where an older version of byhand marked it."""
    rows = db.execute(select(GRADED.c.student, GRADED.c.line).where(GRADED.c.assignment == unit)).all()
    return {row.student: json.loads(row.line).get(HANDED, "") for row in rows}


def _marks(db, unit: str) -> dict[str, dict]:
    waits = and_(api.Grade.needs_manual_grade, api.Grade.manual_score.is_(None))
    again = and_(api.Grade.needs_manual_grade, api.Grade.manual_score.is_not(None))
    query = (
        select(api.SubmittedAssignment.student_id, func.sum(api.Grade.score))
        .add_columns(func.count(case((waits, 1))), func.count(case((again, 1))))
        .join(api.SubmittedNotebook, api.SubmittedNotebook.assignment_id == api.SubmittedAssignment.id)
        .join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id)
        .join(api.Grade, api.Grade.notebook_id == api.SubmittedNotebook.id)
        .where(api.Assignment.name == unit)
        .group_by(api.SubmittedAssignment.student_id)
    )
    sums = {student: (float(score or 0), hand, old) for student, score, hand, old in db.execute(query).all()}
    marks = {}
    assignment = db.scalars(select(api.Assignment).where(api.Assignment.name == unit)).one_or_none()
    for one in assignment.submissions if assignment is not None else ():
        if one.student_id in sums:
            raw, hand, old = sums[one.student_id]
            penalty = sum(notebook.late_submission_penalty or 0.0 for notebook in one.notebooks)
            marks[one.student_id] = {
                "raw": raw, "penalty": penalty, "by_hand": hand, "again": old, "late": seconds_late(one),
                "handed": one.timestamp,
            }  # fmt: skip
    return marks
