"""The class before, for comparison: from the report's CSV, the marking's CSV, or a gradebook of another year."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from helpers.errors import PlainError
from helpers.term.gradebook import read_class
from helpers.term.tally import Tally, deviation

# Differences of this many standard errors are more than chance makes of two equal classes, most of the time.
NOTABLE, FEWEST = 2.0, 5
LARGEST = 50_000_000
TOTAL = "(all)"


@dataclass(frozen=True)
class Before:
    """One step, or all, in the class before: how many, and the mean and deviation of their share of the points."""

    count: int
    mean: float
    deviation: float


@dataclass(frozen=True)
class Change:
    """One step in both classes. by: how much larger the mean share is now. notable: more than chance alone explains."""

    key: str
    before: float
    now: float
    notable: bool

    @property
    def by(self) -> float:
        """The difference."""
        return self.now - self.before


def read_before(file: Path, unit: str) -> dict[str, Before]:
    """Key of a step, or "(all)" → how it was in the class before.

    file: reports/UNIT-steps.csv or reports/UNIT.csv of an earlier course, or its gradebook.db. Raises PlainError when
    it is none of these, or another unit's.
    """
    if not file.is_file():
        raise PlainError(f"There is no file {file} to compare with.")
    if file.suffix == ".db":
        return _of_gradebook(file, unit)
    if file.stat().st_size > LARGEST:
        raise PlainError(f"{file} is too large for a report.")
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
        found = _of_steps(rows) if rows and "mean" in rows[0] else _of_students(rows)
    except (UnicodeDecodeError, csv.Error, ValueError, KeyError, TypeError) as error:
        raise PlainError(f"{file} cannot be read as a report: {type(error).__name__}: {error}.") from None
    if not found:
        raise PlainError(f"{file} is no report of byhand: it has no step with marks.")
    return found


def _of_steps(rows: list[dict]) -> dict[str, Before]:
    found = {}
    for row in rows:
        of, count = float(row["of"]), int(row["students"])
        if of > 0 and count > 0:
            found[row["step"]] = Before(count, float(row["mean"]) / of, float(row["deviation"]) / of)
    return found


def _of_students(rows: list[dict]) -> dict[str, Before]:
    """From the table of marking, with a row for each student; the largest mark stands for what a step can earn."""
    values: dict[str, list[float]] = {}
    cells = [name for name in (rows[0] if rows else {}) if name.startswith(("check-", "prose-"))]
    for row in rows:
        if row.get("status") != "marked":
            continue
        for name in cells:
            if row[name] not in ("", None):
                values.setdefault(name.removeprefix("check-"), []).append(float(row[name]))
        if row.get("score") and float(row.get("of") or 0):
            values.setdefault(TOTAL, []).append(float(row["score"]) / float(row["of"]))
    return {key: _before(list_, 1.0 if key == TOTAL else max(list_)) for key, list_ in values.items() if max(list_) > 0}


def _of_gradebook(file: Path, unit: str) -> dict[str, Before]:
    students = read_class(f"sqlite:///{file.resolve()}", unit).values()
    shares: dict[str, list[float]] = {}
    for student in students:
        for name, mark in student.marks.items():
            if mark.of and not mark.waits:
                shares.setdefault(name.removeprefix("check-"), []).append(mark.score / mark.of)
        if student.of:
            shares.setdefault(TOTAL, []).append(student.total / student.of)
    return {key: _before(values, 1.0) for key, values in shares.items()}


def _before(values: list[float], of: float) -> Before:
    return Before(len(values), sum(values) / len(values) / of, deviation(values) / of)


def changes(now: Tally, before: Mapping[str, Before]) -> list[Change]:
    """The whole and each step that both classes have, in the unit's order."""
    found = []
    if TOTAL in before and now.of:
        shares = [total / now.of for total in now.totals]
        found.append(_change(TOTAL, shares, before[TOTAL]))
    for count in now.steps:
        held = before.get(count.step.key)
        if held is not None and count.scores and count.step.of and not count.waiting:
            found.append(_change(count.step.key, [score / count.step.of for score in count.scores], held))
    return found


def _change(key: str, shares: list[float], before: Before) -> Change:
    mean = sum(shares) / len(shares)
    error = sqrt(deviation(shares) ** 2 / len(shares) + before.deviation**2 / before.count)
    notable = min(len(shares), before.count) >= FEWEST and abs(mean - before.mean) > NOTABLE * error
    return Change(key, before.mean, mean, notable)
