"""Checks: what a student wrote is read, compared and answered with feedback, never with the key."""

from __future__ import annotations

from difflib import get_close_matches

from ..errors import PlainError
from ..examples import stream
from ..tasks import TASKS, Task
from .feedback import Feedback
from .find_slip import Slip, find_the_slip
from .functions import try_function
from .homework import Homework, homework
from .progress import note, progress

__all__ = ["Feedback", "Homework", "Slip", "check", "check_fresh", "find_the_slip", "homework", "progress"]


def check(**answer) -> Feedback:
    """Check one answer by name, as in `check(softmax=softmax)`, on the cases the student may see.

    The feedback shows itself and knows its points. Raises PlainError when the name is no task.
    """
    task, function = _one(answer)
    feedback = try_function(task, function, task.visible())
    note(task.unit, task.name, feedback)
    return feedback


def check_fresh(seed: int, **answer) -> Feedback:
    """Check one answer on cases drawn from a seed, with sizes and values that the lesson does not show."""
    task, function = _one(answer)
    return try_function(task, function, task.fresh(stream(seed)))


def _one(answer: dict) -> tuple[Task, object]:
    if len(answer) != 1:
        given = ", ".join(answer) or "nothing"
        raise PlainError(f"check takes one answer by name, as in check(softmax=softmax); this is {given}.")
    ((name, function),) = answer.items()
    if name not in TASKS:
        near = get_close_matches(name, TASKS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise PlainError(f"There is no task {name!r}.{hint}")
    return TASKS[name], function
