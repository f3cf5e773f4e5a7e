"""The lessons' tasks: functions that a student writes, each with what it is tried on.

A task says how it is called, what is right, and on which arguments it is tried: some that the student sees (the
course run and edge cases) and some drawn afresh from a seed, with sizes that break the coincidences of the course run.
What is known to go wrong comes from the table of steps where the task is a walk over it (walks.py), and stands beside
its task where it is not (…_slips.py).
"""

from dataclasses import replace

from . import decoder, decoder_slips, encoder, encoder_slips, hand_traces, hand_traces_slips
from .task import Case, Slip, Task, slip
from .walk import Walk, Wrong
from .walks import WALKS

# Walks whose result is a row of numbers, which has no columns to exchange with rows.
_VECTORS = ("token_ids", "cross_entropy")


def _with_mistakes(task: Task, slips: tuple[Slip, ...]) -> Task:
    """The task with what can go wrong in it: on its walk, in its own way, and in the order of what it returns."""
    walk, right = WALKS.get(task.name), task.reference
    if len(task.returns) == 2:
        exchanged = "Your two results stand in each other's place. Which one is asked for first?"
        shows = "Returns two results in the wrong order."
        slips += (slip("results.exchanged", exchanged, shows, lambda *args: right(*args)[::-1]),)
    elif walk and task.name not in _VECTORS:
        turned = "Rows and columns are exchanged. What does a row stand for?"
        slips += (slip("matrix.transposed", turned, "The matrix is transposed.", lambda *args: right(*args).T),)
    return replace(task, walk=walk, slips=slips)


# Each unit with what goes wrong in it.
_UNITS = (
    (encoder, encoder_slips),
    (decoder, decoder_slips),
    (hand_traces, hand_traces_slips),
)

# Every task of every unit, by the name of its function.
TASKS: dict[str, Task] = {
    task.name: _with_mistakes(task, slips.SLIPS.get(task.name, ())) for unit, slips in _UNITS for task in unit.TASKS
}

__all__ = ["TASKS", "Case", "Slip", "Task", "Walk", "Wrong"]
