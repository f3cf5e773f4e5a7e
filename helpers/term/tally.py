"""What a class made of a unit, counted: marks of each step, mistakes by label, first steps off, limits, repairs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from helpers.term.feedback_page import first_off, state
from helpers.term.gradebook import Student
from helpers.term.verdicts import EMPTY, Marked, Step

FULL, PART, NONE, BARE = "full", "part", "none", "bare"
"""What a submission earned for a step; "bare" is not filled in."""


@dataclass
class StepCount:
    """One step over the class.

    scores: of those that are marked. kinds: how many earned everything, a part, nothing, or wrote nothing. waiting: how
    many a person has still to mark. first: of how many it was the first step that is off; lost: the points that these
    lost in it and in all that they wrote after it, lost_here in this step alone. mistakes: label → how often it was
    named.
    """

    step: Step
    scores: list[float] = field(default_factory=list)
    kinds: Counter = field(default_factory=Counter)
    waiting: int = 0
    first: int = 0
    lost: float = 0.0
    lost_here: float = 0.0
    mistakes: Counter = field(default_factory=Counter)

    @property
    def mean(self) -> float:
        """The mean of the marks that are there, 0 without any."""
        return sum(self.scores) / len(self.scores) if self.scores else 0.0

    @property
    def deviation(self) -> float:
        """Their standard deviation, as of a sample."""
        return deviation(self.scores)

    @property
    def share_full(self) -> float:
        """Which share of the marked earned everything."""
        return self.kinds[FULL] / len(self.scores) if self.scores else 0.0


@dataclass
class MistakeCount:
    """One named mistake: who made it, and in which steps how often."""

    label: str
    students: list[str] = field(default_factory=list)
    keys: Counter = field(default_factory=Counter)


@dataclass
class Tally:
    """A class's unit, counted. students: those with marks. totals: their points in the end, in the same order."""

    unit: str
    students: list[str]
    of: float
    totals: list[float]
    steps: list[StepCount]
    mistakes: list[MistakeCount]
    limits: Mapping[str, list[str]]
    repairs: Mapping[str, list[str]]
    remarks: Mapping[str, list[str]]
    waiting: int
    late: int
    unseen: list[str]

    @property
    def mean(self) -> float:
        """The mean of the totals."""
        return sum(self.totals) / len(self.totals)

    @property
    def first_wrong(self) -> list[StepCount]:
        """The steps that were somebody's first that is off, the costliest first."""
        return sorted((one for one in self.steps if one.first), key=lambda one: (-one.lost, -one.first))


def tally(
    unit: str, steps: Sequence[Step], students: Mapping[str, Student], seen: Mapping[str, Mapping[str, str]]
) -> Tally:
    """Count a class. seen: student → what became of each step, of those whose notebook could be read."""
    counts = {step.name: StepCount(step) for step in steps}
    mistakes: dict[str, MistakeCount] = {}
    unread = Marked({}, {"cells": ()})
    for name, student in students.items():
        states = seen.get(name) or {step.name: state(step, student.marks.get(step.name), unread) for step in steps}
        for step in steps:
            _count_step(counts[step.name], student, states[step.name])
        _count_first(counts, steps, student, states)
        _count_mistakes(mistakes, counts, student)
    listed = {what: {name: list(one.told.get(what, ())) for name, one in students.items() if one.told.get(what)}
              for what in ("limits", "repairs", "remarks")}  # fmt: skip
    return Tally(
        unit, list(students), max(student.of for student in students.values()),
        [student.total for student in students.values()], list(counts.values()),
        sorted(mistakes.values(), key=lambda one: (-len(one.students), one.label)), **listed,
        waiting=sum(student.waiting > 0 for student in students.values()),
        late=sum(student.late > 0 for student in students.values()),
        unseen=[name for name in students if name not in seen],
    )  # fmt: skip


def _count_step(count: StepCount, student: Student, word: str) -> None:
    mark = student.marks.get(count.step.name)
    if mark is None or mark.waits:
        count.waiting += mark is not None
        return
    count.scores.append(mark.score)
    if mark.score >= mark.of:
        kind = FULL
    elif mark.score > 0:
        kind = PART
    else:
        kind = BARE if word == EMPTY else NONE
    count.kinds[kind] += 1


def _count_first(counts: Mapping, steps: Sequence[Step], student: Student, states: Mapping[str, str]) -> None:
    """The first step that is off, and what was lost there and after it; answers in words have no order."""
    order = [step for step in steps if not step.prose]
    first = first_off(order, states)
    if first is None:
        return
    # What was not filled in was lost for another reason.
    written = [step for step in order[order.index(first) :] if states[step.name] != EMPTY]
    lost = {step.name: max(step.of - student.marks[step.name].score, 0.0) for step in written}
    count = counts[first.name]
    count.first += 1
    count.lost += sum(lost.values())
    count.lost_here += lost[first.name]


def _count_mistakes(mistakes: dict[str, MistakeCount], counts: Mapping, student: Student) -> None:
    labels = student.told.get("labels", {})
    for name, named in labels.items():
        key = name.removeprefix("check-")
        for label in dict.fromkeys(named):
            count = mistakes.setdefault(label, MistakeCount(label))
            count.keys[key] += 1
            if student.student not in count.students:
                count.students.append(student.student)
            if name in counts:
                counts[name].mistakes[label] += 1


def deviation(values: Sequence[float]) -> float:
    """The standard deviation of a sample, 0 for fewer than two."""
    if len(values) < 2:
        return 0.0
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def median(values: Sequence[float]) -> float:
    """The middle one."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def kind_of(sentence: str) -> str:
    """A sentence of marking without what differs from student to student, for counting."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "…", sentence)
    text = re.sub(r"^(.*?): .*$", r"\1", text.rstrip("."), flags=re.DOTALL)
    text = re.sub(r"^(?:cell \d+(?: \(\S*\))?|\S+) (ran|took|asked|showed|wrote|started|called)\b", r"\1", text)
    text = re.sub(r"(The cell) \S+", r"\1 …", text)
    text = re.sub(r"it was handed in by .*", "it was handed in by another", text)
    text = re.sub(r"those of .* count", "the student's own count", text)
    return re.sub(r"\b\d+(?= (?:of|times|cells?|other))", "…", text)


def kinds_of(told: Mapping[str, Sequence[str]]) -> list[tuple[str, list[str]]]:
    """(kind of sentence, students to whom it happened), the commonest first."""
    found: dict[str, list[str]] = {}
    for student, sentences in told.items():
        for kind in dict.fromkeys(map(kind_of, sentences)):
            found.setdefault(kind, []).append(student)
    return sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
