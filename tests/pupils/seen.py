"""What can be seen at the written digits, and which slips look alike there."""

import math

from pupils.noise import written_place
from pupils.paper import entries, shape
from pupils.slips import WRITING, labels_at, variants
from pupils.writing import copied

# Two boxes that differ by less than so many units of the last place in every entry look alike.
ALIKE = 3
HAIR = 1e-6


def written_unit(value):
    """The unit of the last place that the digits show: a box of 0.5 and 1.25 is read as written to hundredths."""
    return 10.0 ** -written_place(value) if isinstance(entries(value)[0], float) else 1.0


def _gap(x, y):
    if x == y:
        return 0.0
    return math.inf if isinstance(x, str) or isinstance(y, str) else abs(x - y)


def _least(value, unit, units=ALIKE):
    """From which difference on two entries look different: whole numbers and words from any."""
    return units * unit - HAIR if isinstance(entries(value)[0], float) else HAIR


def seen_entries(a, b, unit, units=ALIKE):
    """How many entries of two boxes of one shape look different at the written digits: by so many units or more."""
    least = _least(b, unit, units)
    return sum(_gap(x, y) >= least for x, y in zip(entries(a), entries(b), strict=True))


def alike(a, b, unit):
    """Do two boxes look the same at the written digits?"""
    if shape(a) != shape(b):
        return False
    least = _least(b, unit)
    return all(_gap(x, y) < least for x, y in zip(entries(a), entries(b), strict=True))


def twins(label, value, desk, right):
    """The labels, `label` among them, that explain this box as well as the slip that was made.

    value: the slipped box. right: the box as it should stand there.
    """
    found = {label}
    for other in labels_at(desk.box):
        if other not in found and _explains(other, value, desk, right):
            found.add(other)
    if label == "entry.sign":
        found.discard("entry.typo")  # the sign says more
    return found


def _explains(label, value, desk, right):
    unit = written_unit(value)
    if label == "entry.typo":
        return shape(value) == shape(right) and seen_entries(value, right, unit) == 1
    if label == "rounding.early":
        return False
    forms = copied(label, right) if label in WRITING else variants(label, desk)
    return any(alike(form, value, unit) for form in forms)
