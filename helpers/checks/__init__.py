"""Checks: what a student wrote is read, compared and answered with feedback, never with the key."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

from ..errors import PlainError
from ..examples import stream
from ..hand_traces.place import find
from ..tasks import TASKS, Case, Task
from ..trace import course_run
from .feedback import Feedback
from .find_slip import SlippedPass, find_the_slip
from .functions import try_function
from .homework import Homework, homework
from .progress import note, progress

__all__ = [
    "Feedback",
    "Homework",
    "SlippedPass",
    "check",
    "check_fresh",
    "find_the_slip",
    "homework",
    "progress",
    "visible_cases",
]


def check(*, word: str | int | None = None, **answer) -> Feedback:
    """Check one answer by name, as in `check(softmax=softmax)`, on the cases the student may see.

    word: a word of the course run, or its position, to try a line of a hand trace on.
    The feedback shows itself and knows its points. Raises PlainError when the name is no task or the word is no word
    of the run.
    """
    task, function = _one(answer)
    feedback = try_function(task, function, visible_cases(task.name, *_row(task, word)))
    note(task.unit, task.name, feedback)
    return feedback


def check_fresh(seed: int, **answer) -> Feedback:
    """Check one answer on cases drawn from a seed, with sizes and values that the lesson does not show."""
    task, function = _one(answer)
    return try_function(task, function, task.fresh(stream(seed)))


@lru_cache(maxsize=256)
def visible_cases(name: str, *row: int) -> tuple[Case, ...]:
    """The cases of a task that a student may see, made once: what is right on them, and what is not, stays there."""
    return tuple(TASKS[name].visible(*row))


def _row(task: Task, word) -> tuple[int, ...]:
    """The row of the chosen word, or nothing when none was chosen."""
    if word is None:
        return ()
    if not task.side:
        raise PlainError(f"{task.name} is not tried on a word: leave word out.")
    run = course_run()
    words = run.src_words if task.side == "encoder" else run.tgt_words
    return (find(word, words, f"the words that the {task.side} reads", f"check({task.name}={task.name}, word={{}})"),)


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
