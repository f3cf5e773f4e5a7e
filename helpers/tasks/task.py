"""What a task is: a function to write, what is right, and what it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Case:
    """One set of arguments to try a function on.

    label: what it is, in words that fit after "on": "the course run", "a single word".
    args: the arguments. rows, columns: names for those of the result, where it has some.
    raises: the right behaviour is an error, not a result.
    """

    label: str
    args: tuple
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    raises: bool = False


@dataclass(frozen=True)
class Task:
    """One function that a student writes.

    name, unit: where it stands. signature: how it is called. returns: names of its results.
    reference: what is right, from the engine. visible: the cases a student's own check tries.
    fresh: draws the hidden cases from a RandomState.
    """

    name: str
    unit: str
    signature: str
    returns: tuple[str, ...]
    reference: Callable
    visible: Callable[[], list[Case]]
    fresh: Callable[[np.random.RandomState], list[Case]]
