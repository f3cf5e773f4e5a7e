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
        found = self.homework.check(**{key: value})
        return Verdict(
            found.kind == "right",
            tuple(found.labels),
            bool(found.remark),
            bool(found.followed),
            found.points,
            found.possible,
        )
