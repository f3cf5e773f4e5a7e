"""The lessons' tasks: functions that a student writes, each with what it is tried on.

A task says how it is called, what is right, and on which arguments it is tried: some that the student sees (the
course run and edge cases) and some drawn afresh from a seed, with sizes that break the coincidences of the course run.
What is known to go wrong comes from the table of steps where the task is a walk over it (walks.py), and stands beside
its task where it is not (…_slips.py).
"""

from dataclasses import replace

from . import decoder, decoder_slips, encoder, encoder_slips, hand_traces, hand_traces_slips
from .task import Case, Slip, Task
from .walk import Walk, Wrong
from .walks import WALKS

_UNITS = ((encoder, encoder_slips), (decoder, decoder_slips), (hand_traces, hand_traces_slips))

# Every task of every unit, by the name of its function.
TASKS: dict[str, Task] = {
    task.name: replace(task, walk=WALKS.get(task.name), slips=slips.SLIPS.get(task.name, ()))
    for unit, slips in _UNITS
    for task in unit.TASKS
}

__all__ = ["TASKS", "Case", "Slip", "Task", "Walk", "Wrong"]
