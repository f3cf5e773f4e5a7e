"""The known wrong rules, twin of the table of steps: what can go wrong in each box, and what to ask then.

A new mistake is one entry in the file of its part of the pass; everything else reads the catalogue.
"""

from functools import cache

from ..boxes import Box
from . import attention, inputs, masks, output, sublayers, writing
from .mistake import Mistake, possible

CATALOGUE: tuple[Mistake, ...] = (
    *inputs.MISTAKES,
    *attention.MISTAKES,
    *masks.MISTAKES,
    *sublayers.MISTAKES,
    *output.MISTAKES,
    *writing.MISTAKES,
)
LABELS: tuple[str, ...] = tuple(dict.fromkeys(mistake.label for mistake in CATALOGUE))


@cache
def mistakes_in(box: Box) -> tuple[Mistake, ...]:
    """The mistakes of the catalogue that can be made in a box."""
    return possible(CATALOGUE, box)


__all__ = ["CATALOGUE", "LABELS", "Mistake", "mistakes_in"]
