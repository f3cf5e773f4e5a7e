"""Hands a simulated student's boxes to the course's checker, as a notebook does, and keeps what it answers."""

from typing import NamedTuple

from helpers import homework


class Verdict(NamedTuple):
    """What the checker said to one box."""

    accepted: bool
    labels: tuple
    remark: bool
    followed: bool
    points: float
    possible: float


class Marker:
    """One homework object; boxes are handed in one after the other, in the order of the sheet."""

    def __init__(self, unit, student):
        self.unit = unit
        self.student = student
        self.homework = homework(unit, student=student)
        self.Z = self.homework.given.Z if unit == "translation" else None

    @property
    def example(self):
        return self.homework.example

    def afresh(self):
        """A new sheet of the same student."""
        return Marker(self.unit, self.student)

    def judge(self, key, value) -> Verdict:
        """Check one box; the checker keeps it as the student's own until another is handed in."""
        return _verdict(self.homework.check(**{key: value}))

    def first_slip(self) -> str:
        """The first wrong box of what was handed in, as the checker names it."""
        return self.homework.first_slip()

    def report(self) -> dict:
        """The whole sheet marked as grading does: a Verdict for each box."""
        return {key: _verdict(found) for key, found in self.homework.report().items()}


def _verdict(found):
    return Verdict(
        found.kind == "right",
        tuple(found.labels),
        bool(found.remark),
        bool(found.followed),
        found.points,
        found.possible,
    )
