"""Marks one submission: its cells run in a session of the sandbox, its answers are judged out here.

    marked = mark(notebook, unit, "ada", sandbox)
    marked.points["check-softmax"]

`sandbox` holds the mute package of this unit; `sandbox_for(unit)` makes it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from helpers.checks.homework import Homework
from helpers.errors import PlainError
from helpers.examples import Example
from helpers.grading.judge import Judge, Verdict
from helpers.grading.limits import OUTPUTS, Limits
from helpers.grading.matching import grading, named
from helpers.grading.needs import needed_cells
from helpers.grading.outputs import size_of
from helpers.grading.packing import WARM, homework_data, mute_files
from helpers.grading.repair import Repaired, Unreadable, read_submission
from helpers.grading.runner import Runner
from helpers.grading.sandbox import Sandbox, UnsafeSandbox
from helpers.grading.texts import harmless_text, with_pictures
from helpers.grading.unit import Notebook, Unit
from helpers.personal import folded, homework_example, personal_example

__all__ = ["Marked", "Notebook", "Unit", "Unreadable", "mark", "sandbox_for"]

_STUDENT = re.compile(r"""^[^#\n]*?\bstudent\s*=\s*(["'])([^"'\n]*)\1""", re.MULTILINE)
# The first call of a line alone is looked at, so that a line of a thousand costs no more than it is long.
_CODE = re.compile(r"""^(?:(?!\bhomework\()[^#\n])*\bhomework\([^#\n]*?\bcode[ \t]*=""", re.MULTILINE)
_MUTE = "is not here while a notebook is marked."


@dataclass(frozen=True)
class Marked:
    """A marked submission.

    notebook: for autograded/, with outputs and verdicts. points: grade_id → what it earned, of the cells that are
    marked here, and 0 for questions in words that were left as released. by_hand: grade_id of the answers in words that
    a person marks. repairs, limits, remarks: sentences for the report. labels: grade_id → mistakes that were named.
    seconds: stage → processor time of the marker: "repair", "cells" (what they show is taken in), "asking" (questions
    put to the sandbox and answers read), "judging" (right or wrong, why, and how it is told), "all"; and "waited", the
    time on the clock of cells and calls in the sandbox.
    """

    notebook: Notebook
    points: Mapping[str, float]
    by_hand: Sequence[str] = ()
    repairs: Sequence[str] = ()
    limits: Sequence[str] = ()
    remarks: Sequence[str] = ()
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


def sandbox_for(unit: Unit, limits: Limits | None = None, hide: Sequence[str] = (), safe: bool = True):
    """The sandbox, not started, in which notebooks of this unit run; `hide` as in Sandbox."""
    files = mute_files(unit.name)
    return Sandbox(limits, files, WARM, hide) if safe else UnsafeSandbox(limits, files, WARM)


def mark(notebook: bytes, unit: Unit, student: str, sandbox) -> Marked:
    """Mark one notebook as handed in by `student`; the same bytes get the same marks.

    Raises Unreadable for what is no notebook of this unit, and PlainError when the sandbox cannot open a session.
    """
    started = time.process_time()
    repaired = read_submission(notebook, unit.release)
    repaired_at = time.process_time()
    example, remarks = _numbers(repaired, unit, student)
    given = {}
    if example is not None:
        given[f"homework_{unit.homework[1]}.json"] = homework_data(unit.homework[1], example)
    with Runner(sandbox, given) as runner:
        homework = None if example is None else Homework(unit.homework[1], example)
        marking = _Marking(repaired, unit, runner, Judge(unit, runner, sha256(notebook).digest(), homework), remarks)
        marking.go()
        marking.seconds |= {"waited": runner.seconds, "asking": runner.talk}
    marking.seconds |= {"repair": repaired_at - started, "all": time.process_time() - started}
    return marking.result()


def _numbers(repaired: Repaired, unit: Unit, student: str) -> tuple[Example | None, list[str]]:
    """The homework's numbers that count for this student, None in a lesson, and what is odd about those typed."""
    if not unit.homework[0]:
        return None, []
    sources = sources_of(repaired)
    typed, remarks = typed_student(sources), []
    own = typed and _folded(typed) == _folded(student)
    if typed and not own:
        remarks.append(f"The notebook works with the numbers of {typed[:60]!r}; it was handed in by {student}.")
    if any(map(_CODE.search, sources)):
        remarks.append("The notebook works with the numbers of a printed sheet; those of the homework count.")
    if not unit.salt:
        # The pinned numbers count for everybody, and nobody loses by having used the own ones instead.
        return personal_example(student) if own else homework_example(), remarks
    if not typed:
        remarks.append(f"The notebook works with the pinned numbers; those of {student} count.")
    return personal_example(student, unit.salt), remarks


def sources_of(repaired: Repaired) -> list[str]:
    """What the code cells of a notebook hold."""
    return [cell["source"] for cell in repaired.notebook["cells"] if cell["cell_type"] == "code"]


def typed_student(sources: Sequence[str]) -> str:
    """The id that is written into a homework's cells, "" for none."""
    return next((found[2] for source in sources for found in _STUDENT.finditer(source) if found[2].strip()), "")


def _folded(student: str) -> str:
    try:
        return folded(student)
    except PlainError:
        return ""


class _Marking:
    """Goes through the cells of one repaired submission, and writes the autograded notebook."""

    def __init__(self, repaired: Repaired, unit: Unit, runner: Runner, judge: Judge, remarks: list[str]):
        self.repaired, self.unit, self.runner, self.judge, self.remarks = repaired, unit, runner, judge, remarks
        self.release = unit.release["cells"]
        self.cells = list(zip(repaired.places, repaired.notebook["cells"], strict=True))
        self.points: dict[str, float] = {}
        self.by_hand: list[str] = []
        self.labels: dict[str, tuple[str, ...]] = {}
        self.seconds = {"cells": 0.0, "judging": 0.0}
        self._count = self._shown = 0
        self._waiting: list[tuple[int, dict]] = []
        self._needed = needed_cells(repaired, unit)

    def go(self) -> None:
        """Run what students wrote, judge what is asked, in the order of the notebook."""
        for number, (place, cell) in enumerate(self.cells):
            if cell["cell_type"] == "markdown":
                self._text(place, cell)
            elif place in self.unit.tests:
                self._test(place, cell)
            elif place in self.unit.plain and self._asks_progress(place):
                cell["outputs"] = self.judge.progress()
            elif number in self._needed:
                self._run(number, place, cell)
        # What had no value yet may have one now: an answer that was written further down.
        for place, cell in self._waiting:
            self._settle(place, cell, self._timed(place))

    def result(self) -> Marked:
        """Everything that came of it."""
        return Marked(
            self.repaired.notebook,
            {name: self.points[name] for name in self.unit.points if name in self.points},
            self.by_hand,
            self.repaired.repairs,
            self.runner.limits,
            self.remarks,
            self.labels,
            self.seconds,
        )

    def _text(self, place: int | None, cell: dict) -> None:
        changed = place is None or place in self.repaired.changed
        if place is not None and grading(cell).get("grade"):
            if (changed and cell["source"].strip()) or cell.get("attachments"):
                self.by_hand.append(named(cell))
            else:
                self.points[named(cell)] = 0.0
        if changed:
            cell["source"], pictures = with_pictures(harmless_text(cell["source"]), cell.get("attachments", {}))
            if pictures:
                cell["attachments"] = pictures

    def _run(self, number: int, place: int | None, cell: dict) -> None:
        """Run a cell in the sandbox; what released cells show of themselves is known and left out."""
        started = self._clock()
        name = named(cell)
        quiet = self._needed.quiet.get(number)
        ran = self.runner.run(
            cell["source"] if quiet is None else quiet, f"cell {number + 1}" + (f" ({name})" if name else "")
        )
        outputs = self._within(ran.outputs)
        if ran.limit:
            outputs = [*outputs, {"output_type": "stream", "name": "stderr", "text": f"{_sentence(ran.limit)}\n"}]
        if place is not None and place in self.unit.plain and place not in self.repaired.changed:
            outputs = [] if quiet is not None else [one for one in outputs if _MUTE not in one.get("evalue", "")]
        self._write(cell, outputs)
        if place in self.unit.starts and f"{self.unit.homework[0]}.start" in cell["source"]:
            self.remarks += filter(None, [self.judge.start(self.unit.starts[place])])
        self.seconds["cells"] += self._clock() - started

    def _within(self, outputs: list[dict]) -> list[dict]:
        """Outputs as long as the notebook has shown no more than all of its cells together may."""
        limits = self.runner.sandbox.limits
        self._shown += sum(map(size_of, outputs))
        if self._shown <= OUTPUTS * limits.output_kb * 1024:
            return outputs
        self.runner.note(limits.all_output())
        return []

    def _test(self, place: int, cell: dict) -> None:
        verdict = self._timed(place)
        if verdict.missing:
            self._waiting.append((place, cell))
        else:
            self._settle(place, cell, verdict)

    def _timed(self, place: int) -> Verdict:
        started = self._clock()
        verdict = self.judge.judge(self.unit.tests[place], self.unit.points[named(self.release[place])])
        self.seconds["judging"] += self._clock() - started
        return verdict

    def _clock(self) -> float:
        """Processor time that was not spent on asking the sandbox."""
        return time.process_time() - self.runner.talk

    def _settle(self, place: int, cell: dict, verdict: Verdict) -> None:
        name = named(self.release[place])
        self.points[name] = verdict.points
        if verdict.labels:
            self.labels[name] = verdict.labels
        if verdict.trouble:
            self.remarks.append(f"{name} could not be judged: {verdict.trouble}.")
        self._write(cell, verdict.outputs)

    def _write(self, cell: dict, outputs: list[dict]) -> None:
        self._count += 1
        cell["execution_count"] = self._count
        for output in outputs:
            if output["output_type"] == "execute_result":
                output["execution_count"] = self._count
        cell["outputs"] = outputs

    def _asks_progress(self, place: int) -> bool:
        """Whether a released cell only asks how far one is, and was left as it was."""
        asked = ("progress()", f"{self.unit.homework[0]}.progress()")
        return place not in self.repaired.changed and self.release[place]["source"].strip() in asked


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
