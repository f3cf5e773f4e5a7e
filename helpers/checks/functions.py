"""Try a student's function on a task's cases and give feedback on the first that fails."""

from __future__ import annotations

import copy
import textwrap
import traceback
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..points import POINTS
from ..tasks import TASKS, Case, Task
from .compare import RIGHT, UNTOLD, Finding, compare, mean
from .feedback import Feedback
from .variants import NOTHING, Named, name_mistake

# Characters of an error message that a feedback repeats.
LONGEST_MESSAGE = 300


class Elsewhere:
    """A function that runs in another process, where it cannot reach the arguments of this one."""

    def apart(self, args: tuple) -> tuple:
        """(result, the arguments as the call left them: `args` themselves when it changed none)."""
        raise NotImplementedError


def try_function(task: Task, function, cases: Sequence[Case], explain: bool = True) -> Feedback:
    """Run a function on every case. All points when each is right, else half of them times the share that is.

    explain: also look for a known mistake in what it returned.
    """
    possible = POINTS[task.unit][task.name]
    subject = task.signature
    if not callable(function):
        kind = type(function).__name__
        verdict = f"{task.name} should be the function {task.signature}; this is of type {kind}."
        return Feedback("off", verdict, subject, 0, possible)
    tried, told = [], True
    for case in cases:
        tried.append(_try_case(task, function, case, told))
        # The first case that fails is the one that is told.
        told = told and not tried[-1][0].verdict
    if all(unwritten for _, unwritten, _ in tried):
        return Feedback("empty", "Not written yet.", subject, 0, possible, [("Next", tried[0][1])])
    findings = [finding for finding, _, _ in tried]
    failed = [(case, f) for case, f in zip(cases, findings, strict=True) if f.verdict]
    if not failed:
        tried = "; ".join(case.label for case in cases)
        return Feedback("right", "Right.", subject, possible, possible, [("Tried on", tried)])
    share = mean([f.share for f in findings])
    points = round(possible / 2 * share, 2)
    feedback = _explain(subject, points, possible, *failed[0], len(cases) - len(failed), len(cases))
    if not explain:
        return feedback
    returned = [(case, given) for case, (_, _, given) in zip(cases, tried, strict=True)]
    return _ask(feedback, name_mistake(task, returned))


def _ask(feedback: Feedback, named: Named | None) -> Feedback:
    """Put the question that leads out of a mistake before the entry that is written out."""
    if named is None:
        return feedback
    at = next((k for k, (term, _) in enumerate(feedback.details) if term in ("One entry", "Tests")), None)
    at = len(feedback.details) if at is None else at
    details = [*feedback.details[:at], ("Question", named.question), *feedback.details[at:]]
    return replace(feedback, details=details, labels=named.labels)


def _explain(subject, points, possible, case: Case, finding: Finding, right: int, total: int) -> Feedback:
    details = [("Tried on", case.label), ("Where", finding.where), ("One entry", finding.entry)]
    if total > 1:
        details.append(("Tests", f"{right} of {total} right"))
    return Feedback("off", finding.verdict, subject, points, possible, [d for d in details if d[1]], finding.marked)


def _try_case(task: Task, function, case: Case, told: bool) -> tuple[Finding, str, object]:
    """Call the function on copies of the arguments: what was found, what to do next if it is not written, the result.

    Student code may raise anything. Only KeyboardInterrupt passes, since it is how a person, or nbgrader when
    a cell's time is up, stops a function that never ends.
    """
    try:
        given, args = _called(function, case)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        finding = RIGHT if case.raises else Finding(0.0, _stopped(error, function) if told else UNTOLD)
        return finding, _write_first(task, error) if isinstance(error, NotImplementedError) else "", NOTHING
    if given is None or given is Ellipsis:
        return Finding(0.0, "It returned nothing here."), _return_it(task.name), NOTHING
    return _judge(task, case, args, given, told), "", given


def _called(function, case: Case) -> tuple[object, tuple]:
    """What a function returns, and what became of its arguments."""
    if isinstance(function, Elsewhere):
        return function.apart(case.args)
    args = copy.deepcopy(case.args)
    # Overflow inside a student's softmax shows in the result; its warning would only drown the feedback.
    with np.errstate(all="ignore"):
        return function(*args), args


def _judge(task: Task, case: Case, args: tuple, given, told: bool) -> Finding:
    """What to say of a result, and of what became of the arguments it was made from."""
    if case.raises:
        return Finding(0.0, "It should raise an error here, and returned a result.")
    expected = case.once(("expected", task.reference), lambda: task.reference(*case.args))
    try:
        if not _unchanged(case.args, args):
            return Finding(0.0, "It changed one of its arguments; work on a copy, or make a new array.")
        return compare(expected, given, task.returns, case.rows, case.columns, told)
    except Exception as error:  # an object of the student's own class runs the student's code when it is read
        return Finding(0.0, f"What it returned cannot be read: {_said(error)}")


def _write(name: str) -> str:
    return f"Write {name} in the cell above, run it, then run this cell again."


def _return_it(name: str) -> str:
    return f"{name} returned nothing: end it with return, run its cell, then run this cell again."


def _write_first(task: Task, error: NotImplementedError) -> str:
    """Which function to write: this one, or an earlier one that it calls."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    last = frame.f_code.co_name
    if last in TASKS and last != task.name:
        return f"{task.name} calls {last}, which is not written yet: write {last} first."
    return _write(task.name)


def _said(error: BaseException) -> str:
    """The kind of an error and its first line, cut where it stops being one sentence."""
    try:
        message = str(error)
    except Exception:  # an error of the student's own class
        message = ""
    short = " ".join((message.splitlines() or [""])[0].split())
    if len(short) > LONGEST_MESSAGE:
        short = textwrap.shorten(short, LONGEST_MESSAGE, placeholder=" …")
    return f"{type(error).__name__}: {short}" if short else type(error).__name__


def _stopped(error: BaseException, function) -> str:
    """Tell what went wrong, and in which line of the student's own function."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    # extract_tb would read the text of each line too.
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    at = f" in line {lines[-1]} of its cell" if lines else ""
    return f"It stopped{at} with {_said(error)}"


def _unchanged(before, after) -> bool:
    if after is before:
        return True
    if isinstance(before, np.ndarray):
        if type(after) is np.ndarray and before.dtype == after.dtype and before.tobytes() == after.tobytes():
            return before.shape == after.shape
        return np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(_unchanged(before[k], after[k]) for k in before)
    if isinstance(before, (list, tuple)):
        return len(before) == len(after) and all(map(_unchanged, before, after))
    return callable(before) or before == after
