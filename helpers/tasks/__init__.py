"""The lessons' tasks: functions that a student writes, each with what it is tried on.

A task says how it is called, what is right, and on which arguments it is tried: some that the student sees (the
course run and edge cases) and some drawn afresh from a seed, with sizes that break the coincidences of the course run.
"""

from . import decoder, encoder, hand_traces
from .task import Case, Task

# Every task of every unit, by the name of its function.
TASKS: dict[str, Task] = {task.name: task for unit in (encoder, decoder, hand_traces) for task in unit.TASKS}

__all__ = ["TASKS", "Case", "Task"]
