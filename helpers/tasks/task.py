"""What a task is: a function to write, what is right, and what it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .walk import Walk


@dataclass(frozen=True, eq=False)
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
    _made: dict = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, make: Callable):
        """What `make` gives for this case, made when it is first asked for; nobody may change it."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


@dataclass(frozen=True)
class Slip:
    """A known wrong way of writing one task's function, where the table of steps has no place for it.

    label, question, shows: as in mistakes.Mistake. ways: wrong functions of the task's own arguments.
    """

    label: str
    question: str
    shows: str
    ways: tuple[Callable, ...]


def slip(label: str, question: str, shows: str, *ways: Callable) -> Slip:
    """Write a slip down with as many wrong functions as it has."""
    return Slip(label, question, shows, ways)


@dataclass(frozen=True)
class Task:
    """One function that a student writes.

    name, unit: where it stands. signature: how it is called. returns: names of its results.
    reference: what is right, from the engine. visible: the cases a student's own check tries.
    fresh: draws the hidden cases from a RandomState.
    side: "encoder" or "decoder" if visible takes the row of a word that side reads in the course run, else "".
    walk: its part of the table of steps, if it has one. slips: what else can go wrong in it.
    """

    name: str
    unit: str
    signature: str
    returns: tuple[str, ...]
    reference: Callable
    visible: Callable[..., list[Case]]
    fresh: Callable[[np.random.RandomState], list[Case]]
    side: str = ""
    walk: Walk | None = None
    slips: tuple[Slip, ...] = ()
