"""The class run: what was handed in and is not marked yet goes to the workers, what comes back is written down.

It may be stopped at any moment and given again. A submission counts as marked when the gradebook holds its marks
and its fingerprint, which are written in one transaction, and autograded/ holds the notebook they belong to.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from nbgrader.utils import parse_utc

from helpers.course.alone import alone
from helpers.course.environment import say
from helpers.errors import PlainError
from helpers.grading import pool
from helpers.grading.autograded import Shelf, digest
from helpers.grading.classroom import Classroom, as_url, open_course, token
from helpers.grading.dry import Nowhere
from helpers.grading.enrolment import Enrolment, read_enrolment
from helpers.grading.gradebook import Entry, Known, Writer
from helpers.grading.limits import Limits
from helpers.grading.marker import FAILED, MARKED, NO_SANDBOX, UNREADABLE, Job, Outcome
from helpers.grading.report import Line, Report
from helpers.grading.submissions import Submission

# Kept with a mark: the fingerprint of what was handed in alone, so that an export can tell whether it changed since.
HANDED = "handed"


@dataclass(frozen=True)
class Order:
    """What is asked for. students: names or patterns, none for all; db: None for the course's own gradebook.

    dry: mark all that is asked for, marked before or not, and write nothing anywhere.
    """

    unit: str
    course: Path
    students: Sequence[str] = ()
    db: str | None = None
    scheduler: str | None = None
    workers: int = 1
    force: bool = False
    sandbox: str = "safe"
    limits: Limits = field(default_factory=Limits)
    how: str = Job.how
    dry: bool = False


class Watch(Protocol):
    """Who is told how far a run is."""

    def begin(self, total: int) -> None:
        """So many are to be marked."""

    def step(self, student: str) -> None:
        """One more is done."""


class Stopped(KeyboardInterrupt):
    """The run was interrupted; what was done is written down."""

    def __init__(self, report: Report):
        super().__init__()
        self.report = report


def grade(order: Order, watch: Watch) -> Report:
    """Mark what is missing or changed; raises Stopped after an interrupt.

    Raises PlainError when nothing can be marked: no course, unit or submission, a gradebook that cannot be written,
    no sandbox here or on a worker.
    """
    classroom = open_course(order.course, order.unit)
    with alone(classroom.root, say):
        return Run(order, classroom, watch).go()


class Run:
    """One run over one unit."""

    def __init__(self, order: Order, classroom: Classroom, watch: Watch):
        self.order, self.classroom, self.watch = order, classroom, watch
        self.unit = classroom.marking_unit(keep=not order.dry)
        self.token = token(self.unit, order.limits)
        self.shelf: Shelf = classroom.shelf()
        self.report = Report(order.unit, self.unit.points, dry=order.dry)
        self._prints: dict[str, str] = {}
        self._submissions: dict[str, Submission] = {}

    def go(self) -> Report:
        """Mark, write down, and report."""
        started = time.monotonic()
        found = self.classroom.finder().find(self.order.students)
        with self._writer() as writer:
            writer.register(self.classroom.registered)
            enrolment = read_enrolment(self.classroom.root, self.order.unit, self.classroom.units(), writer.due())
            writer.enrol(enrolment)
            todo = self._sort_out(self._of_the_class(found, enrolment), writer.known())
            self._mark(todo, writer)
            self.report.complete(writer.marks())
        self.report.seconds = time.monotonic() - started
        return self.report

    def _writer(self) -> Writer | Nowhere:
        if self.order.dry:
            return Nowhere()
        url = as_url(self.classroom.course, self.order.db)
        return Writer(
            url, self.classroom.course.course_id, self.order.unit, self.classroom.config, self._not_written
        )  # fmt: skip

    # What is to be done

    def _of_the_class(self, found: Sequence[Submission], enrolment: Enrolment) -> list[Submission]:
        """Without those who have withdrawn, unless one is asked for by id; what the class list says is reported."""
        withdrawn = enrolment.withdrawn() - set(self.order.students)
        names = [submission.student for submission in found]
        self.report.listed += [f"{name}: has withdrawn, and was not marked" for name in names if name in withdrawn]
        self.report.listed += [f"{name}: is not in class.csv" for name in names if enrolment.is_stranger(name)]
        self.report.listed += enrolment.problems
        return [submission for submission in found if submission.student not in withdrawn]

    def _sort_out(self, found: Sequence[Submission], known: dict[str, Known]) -> list[Submission]:
        """Those that must be marked; the others get their lines at once."""
        todo = []
        for submission in found:
            student = submission.student
            if submission.notebook is None:
                self._line(submission, UNREADABLE, submission.reason)
                continue
            try:
                print_ = submission.fingerprint(self.token)
            except OSError as error:
                self._line(submission, UNREADABLE, f"it cannot be read: {error}")
                continue
            held = known.get(student)
            if not self.order.force and held is not None and self._is_done(student, held, print_):
                self.report.lines[student] = Line.restored(student, held.line)
                continue
            self._prints[student], self._submissions[student] = print_, submission
            todo.append(submission)
        return todo

    def _is_done(self, student: str, held: Known, print_: str) -> bool:
        return held.fingerprint == print_ and not held.stale and held.digest == self.shelf.digest(student)

    # Doing it

    def _mark(self, todo: list[Submission], writer: Writer) -> None:
        self.watch.begin(len(todo))
        if not todo:
            return
        job = Job(self.token, self.unit, self.order.limits, self.order.sandbox, self.order.how)
        workers = min(self.order.workers, len(todo))
        try:
            with pool.opened(job, workers, self.order.scheduler) as workers_:
                for outcome in workers_.outcomes(self._contents(todo)):
                    self._take(outcome, writer)
                self.report.retried = workers_.retried
        except KeyboardInterrupt:
            writer.flush()
            self.report.complete(writer.marks())
            self.report.left = len(todo) - sum(one.student in self.report.lines for one in todo)
            raise Stopped(self.report) from None
        finally:
            # Whatever stopped the run, what is marked stays.
            writer.flush()

    def _contents(self, todo: Iterable[Submission]) -> Iterator[tuple[str, bytes]]:
        for submission in todo:
            try:
                content = submission.content()
            except OSError as error:
                self._line(submission, UNREADABLE, f"it cannot be read: {error}")
                self.watch.step(submission.student)
                continue
            yield submission.student, content

    def _take(self, outcome: Outcome, writer: Writer) -> None:
        """Write one outcome down: first the notebook, then, with others, the marks."""
        if outcome.status == NO_SANDBOX:
            raise PlainError(outcome.reason)
        submission = self._submissions[outcome.student]
        status, reason = outcome.status, outcome.reason
        if status == MARKED and not self.order.dry:
            try:
                self.shelf.put(submission, outcome.notebook)
            except OSError as error:
                status, reason = FAILED, f"its folder in autograded/ cannot be written: {error}"
        line = self._line(submission, status, reason, outcome)
        if status == MARKED:
            writer.add(self._entry(submission, outcome, line))
        self.watch.step(outcome.student)

    def _entry(self, submission: Submission, outcome: Outcome, line: Line) -> Entry:
        return Entry(
            outcome.student, outcome.points, outcome.by_hand, outcome.untouched, self._time(submission, line),
            self._prints[outcome.student], digest(outcome.notebook), line.kept() | {HANDED: submission.fingerprint()},
        )  # fmt: skip

    def _time(self, submission: Submission, line: Line) -> datetime | None:
        text = submission.timestamp()
        try:
            return parse_utc(text) if text else None
        except (ValueError, OverflowError):
            line.notes.append(f"timestamp.txt says {text[:50]!r}, which is no time")
            return None

    def _line(self, submission: Submission, status: str, reason: str = "", outcome: Outcome | None = None) -> Line:
        line = Line(submission.student, status, reason, notes=list(submission.notes))
        if outcome is not None:
            line.points, line.labels, line.seconds = outcome.points, outcome.labels, outcome.seconds
            line.repairs, line.limits = list(outcome.repairs), list(outcome.limits)
            line.remarks = list(outcome.remarks)
        self.report.lines[submission.student] = line
        return line

    def _not_written(self, student: str, reason: str) -> None:
        line = self.report.lines[student]
        line.status, line.reason = FAILED, reason
