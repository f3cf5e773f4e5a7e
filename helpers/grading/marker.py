"""A process that marks, one submission after another: it holds the hidden tests and one warm sandbox.

The parent sends a job once, and is given its token back, then submissions, as pickles through a pipe. Nothing a
student wrote runs here, nor does it reach this pipe. The process ends when the parent does.
"""

from __future__ import annotations

import importlib
import os
import pickle
import struct
import sys
import time
from dataclasses import dataclass, field
from typing import BinaryIO

from helpers.errors import PlainError
from helpers.grading.limits import Limits
from helpers.grading.written import Writer

_LENGTH = struct.Struct("!Q")


@dataclass(frozen=True)
class Job:
    """What is the same for all submissions of a run.

    token: tells one job from another. unit: a marking.Unit. sandbox: "safe", "plain" for a process that is only
    limited, "none" for marking that runs no student's code. how: the function that marks, as "module:function".
    """

    token: str
    unit: object
    limits: Limits = field(default_factory=Limits)
    sandbox: str = "safe"
    how: str = "helpers.grading.marking:mark"


@dataclass(frozen=True)
class Outcome:
    """What became of one submission; `status` is one of those below, `reason` says why it is not the first.

    notebook: the bytes for autograded/. points: grade_id → earned. by_hand: what a person is to mark.
    untouched: answers that are as they were released. The rest is for the report; seconds: stage → time.
    """

    student: str
    status: str
    reason: str = ""
    notebook: bytes = b""
    points: dict[str, float] = field(default_factory=dict)
    by_hand: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    labels: dict[str, list[str]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


MARKED, UNREADABLE, FAILED, NO_SANDBOX = "marked", "unreadable", "failed", "no sandbox"


def send(pipe: BinaryIO, thing: object) -> None:
    """Write one object, with its length first."""
    content = pickle.dumps(thing, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(content)) + content)
    pipe.flush()


def receive(pipe: BinaryIO) -> object:
    """Read one object; raises EOFError when the other side has gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError("the other side has gone")
    length = _LENGTH.unpack(head)[0]
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError("the other side has gone")
    return pickle.loads(content)


def main() -> None:
    """Serve the parent until it closes standard input."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a library prints must not land between two answers.
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    # Loaded before the first job is there, while the parent still has other things to load.
    importlib.import_module("helpers.grading.marking")
    try:
        job = receive(asked)
        with Bench(job) as bench:
            send(answers, job.token)
            while True:
                student, content = receive(asked)
                send(answers, bench.mark(student, content))
    except (EOFError, BrokenPipeError):
        sys.exit(0)


class Bench:
    """One job's sandbox and marking, opened at the first submission and again after a fault."""

    def __init__(self, job: Job):
        self.job = job
        self._sandbox = self._writer = None
        module, _, name = job.how.partition(":")
        self._mark = getattr(importlib.import_module(module), name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """End the sandbox and all that runs in it."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def mark(self, student: str, content: bytes) -> Outcome:
        """Mark one submission; a fault of marking itself is an outcome too, and leaves a new sandbox to the next."""
        from helpers.grading.marking import Unreadable
        from helpers.grading.sandbox import NoSandbox

        try:
            sandbox = self._open()
            started = time.monotonic()
            marked = self._mark(content, self.job.unit, student, sandbox)
            self._writer = self._writer or Writer(self.job.unit.release)
            return finished(student, marked, self.job.unit, started, self._writer)
        except Unreadable as error:
            return Outcome(student, UNREADABLE, _one_line(error))
        except NoSandbox as error:
            return Outcome(student, NO_SANDBOX, _one_line(error))
        except Exception as error:
            # Whatever it was, it must cost this submission alone; the report names it.
            self.close()
            reason = _one_line(error)
            return Outcome(
                student, FAILED, reason if isinstance(error, PlainError) else f"{type(error).__name__}: {reason}"
            )

    def _open(self):
        if self._sandbox is None and self.job.sandbox != "none":
            from helpers.grading.marking import sandbox_for
            from helpers.grading.sandbox import NoSandbox, trial

            safe = self.job.sandbox == "safe"
            self._sandbox = sandbox_for(self.job.unit, self.job.limits, safe=safe).start()
            if why := trial(self._sandbox):
                raise NoSandbox(why)
        return self._sandbox


def finished(student: str, marked, unit, started: float, writer: Writer | None = None) -> Outcome:
    """A `marking.Marked` as an outcome, its notebook written out; by `writer`, which knows the release."""
    before = time.monotonic()
    content = (writer or Writer(unit.release)).write(marked.notebook)
    now = time.monotonic()
    return Outcome(
        student, MARKED, "", content, {name: float(points) for name, points in marked.points.items()},
        tuple(marked.by_hand), untouched(marked.notebook, unit.release), tuple(marked.repairs), tuple(marked.limits),
        tuple(marked.remarks), {name: list(labels) for name, labels in marked.labels.items() if labels},
        {**marked.seconds, "write": now - before, "wall": now - started},
    )  # fmt: skip


def untouched(notebook, release) -> tuple[str, ...]:
    """grade_id of the answers that stand as they were released."""
    given = {name: (cell["cell_type"], cell["source"]) for name, cell in _answers(release)}
    return tuple(name for name, cell in _answers(notebook) if given.get(name) == (cell["cell_type"], cell["source"]))


def _answers(notebook):
    for cell in notebook["cells"]:
        settings = cell["metadata"].get("nbgrader", {})
        if settings.get("solution"):
            yield settings["grade_id"], cell


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:500] or type(error).__name__
