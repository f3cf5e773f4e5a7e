"""What the class list and the due dates say, written into nbgrader's own tables, where its late plugin looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from nbgrader import api
from sqlalchemy import select

from helpers.grading.people import ClassList, list_problems, read_class
from helpers.grading.times import due_of, zone_of


@dataclass(frozen=True)
class Enrolment:
    """One unit's class. listed: None without a class list. due: None where the course's settings say nothing.

    extensions: student → how much longer. problems: what is wrong in the list, in sentences.
    """

    listed: ClassList | None = None
    due: datetime | None = None
    extensions: Mapping[str, timedelta] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    counts: bool = False

    def withdrawn(self) -> set[str]:
        """Ids of those who have withdrawn."""
        return self.listed.withdrawn() if self.listed else set()

    def is_stranger(self, student: str) -> bool:
        """Whether there is a class list and the student is not on it."""
        return self.listed is not None and student not in self.listed.people


def read_enrolment(root: Path, unit: str, units: list[str], held: datetime | None = None) -> Enrolment:
    """Read class.csv and the due date of a unit; `held` is the date that stands where the settings name none."""
    listed, due = read_class(root), due_of(root, unit)
    if listed is None:
        return Enrolment(due=due)
    extensions, problems = listed.extensions(unit, due if due is not None else held, zone_of(root))
    problems = (*list_problems(listed, units), *problems)
    return Enrolment(listed, due, extensions, problems, listed.speaks_of(unit))


def write_enrolment(db, assignment: api.Assignment, enrolment: Enrolment) -> None:
    """Write names, addresses, due date and the extensions of submissions that are there; the caller commits.

    What the list does not speak of stays as the gradebook has it.
    """
    if enrolment.due is not None and assignment.duedate != enrolment.due:
        assignment.duedate = enrolment.due
    if enrolment.listed is None:
        return
    students = {student.id: student for student in db.scalars(select(api.Student))}
    for person in enrolment.listed.people.values():
        student = students.get(person.id)
        if student is None:
            student = api.Student(id=person.id)
            db.add(student)
        first, last = person.names()
        wanted = {"first_name": first, "last_name": last, "email": person.email, "lms_user_id": person.canvas_id}
        for name, value in wanted.items():
            if value and getattr(student, name) != value:
                setattr(student, name, value)
    if enrolment.counts:
        query = select(api.SubmittedAssignment).where(api.SubmittedAssignment.assignment_id == assignment.id)
        for submission in db.scalars(query):
            extend(submission, enrolment)


def extend(submission: api.SubmittedAssignment, enrolment: Enrolment) -> None:
    """Give one submission the extension that the list names for its student, or none."""
    extension = enrolment.extensions.get(submission.student_id)
    if enrolment.counts and submission.extension != extension:
        submission.extension = extension
