"""Try a student's function on a task's cases and give feedback on the first that fails."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Sequence

import numpy as np

from ..points import POINTS
from ..tasks import Case, Task
from .compare import RIGHT, Finding, compare
from .feedback import Feedback


def try_function(task: Task, function, cases: Sequence[Case]) -> Feedback:
    """Run a function on every case. All points when each is right, else half of them times the share that is."""
    possible = POINTS[task.unit][task.name]
    subject = task.signature
    if not callable(function):
        kind = type(function).__name__
        verdict = f"{task.name} should be the function {task.signature}; this is of type {kind}."
        return Feedback("off", verdict, subject, 0, possible)
    findings = []
    for case in cases:
        finding = _try_case(task, function, case)
        if finding is None:
            hint = f"Write {task.name} in the cell above, run it, then run this cell again."
            return Feedback("empty", "Not written yet.", subject, 0, possible, [("Next", hint)])
        findings.append(finding)
    failed = [(case, f) for case, f in zip(cases, findings, strict=True) if f.verdict]
    if not failed:
        tried = "; ".join(case.label for case in cases)
        return Feedback("right", "Right.", subject, possible, possible, [("Tried on", tried)])
    share = float(np.mean([f.share for f in findings]))
    return _explain(subject, round(possible / 2 * share, 2), possible, *failed[0], len(cases) - len(failed), len(cases))


def _explain(subject, points, possible, case: Case, finding: Finding, right: int, total: int) -> Feedback:
    details = [("Tried on", case.label), ("Where", finding.where), ("One entry", finding.entry)]
    if total > 1:
        details.append(("Tests", f"{right} of {total} right"))
    return Feedback(
        "off",
        finding.verdict,
        subject,
        points,
        possible,
        [d for d in details if d[1]],
        finding,
        case.rows,
        case.columns,
    )


def _try_case(task: Task, function, case: Case) -> Finding | None:
    """Call the function on copies of the arguments; None when it is not written yet."""
    args = copy.deepcopy(case.args)
    try:
        # Overflow inside a student's softmax shows in the result; its warning would only drown the feedback.
        with np.errstate(all="ignore"):
            given = function(*args)
    except NotImplementedError:
        return None
    except Exception as error:
        return RIGHT if case.raises else Finding(0.0, _stopped(error, function))
    if given is None or given is Ellipsis:
        return None
    if case.raises:
        return Finding(0.0, "It should raise an error here, and returned a result.")
    if not _unchanged(case.args, args):
        return Finding(0.0, "It changed one of its arguments; work on a copy, or make a new array.")
    return compare(task.reference(*case.args), given, task.returns, case.rows, case.columns)


def _stopped(error: Exception, function) -> str:
    """Tell what went wrong, and in which line of the student's own function."""
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    at = f" in line {lines[-1]} of its cell" if lines else ""
    return f"It stopped{at} with {type(error).__name__}: {error}"


def _unchanged(before, after) -> bool:
    if isinstance(before, np.ndarray):
        return np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(_unchanged(before[k], after[k]) for k in before)
    if isinstance(before, (list, tuple)):
        return len(before) == len(after) and all(map(_unchanged, before, after))
    return callable(before) or before == after
