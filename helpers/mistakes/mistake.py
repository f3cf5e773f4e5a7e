"""What a mistake is: a wrong rule for some boxes, with a label, a question and a line for the instructor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..boxes import Box

# What a wrong rule may take besides the values of the pass.
SPECIAL = ("right", "head", "box", "values")


@dataclass(frozen=True, eq=False)
class Mistake:
    """One known wrong way of making a box.

    label: stable name, as in "scores.not-scaled"; reports count it, so it is never reused for something else.
    families: the boxes it can happen in, by family (see steps.Step).
    wrong: the wrong rule. Its arguments are the box's inputs in order, or what `takes` names instead, then what
        `also` names. It returns one result, a list of variants, or, when `stacked`, variants along a leading axis.
    question: what the student is asked; it never gives the number. shows: what it tells the instructor.
    takes, also: names of values; {m} stands for the box's mark, {i} for its head, {j} for the next head, {r} for its
        letter in lower case, {x} for its first input. Besides the values of the pass there are "right" (what the rule
        gives), "head", "box" and "values". A rule that takes "right" alone is a slip of the pen: it may move entries
        and turn signs, and nothing else.
    marks, stacks, keys: narrow the boxes further; None is any.
    jotted: the wrong rule also takes `jot`, to be called with every number that is jotted down on the way; it is for
        rules that amplify the roundings of these numbers.
    """

    label: str
    families: tuple[str, ...]
    wrong: Callable
    question: str
    shows: str
    takes: tuple[str, ...] | None = None
    also: tuple[str, ...] = ()
    marks: tuple[str, ...] | None = None
    stacks: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    stacked: bool = False
    jotted: bool = False

    def happens_in(self, box: Box) -> bool:
        """Whether this mistake can be made in a box."""
        narrow = ((self.marks, box.mark), (self.stacks, box.step.stack), (self.keys, box.key))
        return box.family in self.families and all(allowed is None or it in allowed for allowed, it in narrow)

    def names(self, box: Box) -> tuple[str, ...]:
        """The names of what the wrong rule takes at one box, in order."""
        return _names(self, box)

    def at_hand(self, box: Box, values: Mapping) -> bool:
        """Whether everything that the wrong rule takes is among the values."""
        return all(map(values.__contains__, _needed(self, box)))

    def stack(self, box: Box, values: Mapping, right=None) -> np.ndarray:
        """Make the box in every wrong way of this mistake: (variants, …), none where these sizes do not allow it.

        values: inputs by name, as for box.work_out. right: what the right rule gives from them; only slips of the pen
        take it. A variant may hold numbers that are not finite, where a wrong rule divides by zero.
        """
        with np.errstate(all="ignore"):
            return self.stack_in_silence(box, values, right)

    def stack_in_silence(self, box: Box, values: Mapping, right=None) -> np.ndarray:
        """The same for whoever tries many mistakes and has told NumPy to be silent once, for all of them."""
        if not self.at_hand(box, values):
            return np.empty((0, 0))
        special = {"right": right, "head": box.head, "box": box, "values": values}
        try:
            made = self.wrong(*[special[n] if n in special else values[n] for n in _names(self, box)])
        except (ValueError, IndexError):  # shapes that do not fit, an id without a row: it cannot be carried out here
            return np.empty((0, 0))
        several = self.stacked or isinstance(made, list)
        return np.asarray(made if several else [made], dtype=float)

    def variants(self, box: Box, values: Mapping, right=None) -> list[np.ndarray]:
        """The same as a list."""
        return list(self.stack(box, values, right))


@cache
def _names(mistake: Mistake, box: Box) -> tuple[str, ...]:
    """The names of the arguments of a wrong rule at one box."""
    i = box.head
    # The other head: the next one, and from the last the one before it.
    filled = {"m": box.mark, "i": i, "j": None if i is None else i ^ 1, "r": box.family.lower(), "x": box.inputs[0]}
    wanted = box.inputs if mistake.takes is None else mistake.takes
    return tuple(name.format(**filled) for name in (*wanted, *mistake.also))


@cache
def _needed(mistake: Mistake, box: Box) -> tuple[str, ...]:
    """Those of them that are values of the pass."""
    return tuple(name for name in _names(mistake, box) if name not in SPECIAL)


def possible(catalogue: Sequence[Mistake], box: Box) -> tuple[Mistake, ...]:
    """The mistakes that can be made in a box."""
    return tuple(mistake for mistake in catalogue if mistake.happens_in(box))
