"""Slips of writing: a right box that is copied wrongly, or rounded too early."""

import math

from pupils.noise import mistype
from pupils.paper import Desk, entrywise, places, replaced, round_half_up, shape, transpose
from pupils.rules import Stuck, right

WRITING = (
    "entry.sign",
    "entry.typo",
    "rows.exchanged",
    "columns.exchanged",
    "matrix.transposed",
    "row.copied",
    "rounding.early",
)


def forms(label, desk, written, rng):
    """One form of the slip, as written; None where it cannot happen or would change nothing."""
    if label == "entry.typo":
        return mistype(written, desk.pen.decimals, rng)
    found = _rounded_early(desk, written) if label == "rounding.early" else copied(label, written)
    found = [value for value in found if value != written]
    return found[int(rng.integers(len(found)))] if found else None


def copied(label, written):
    """Every form of a slip in copying."""
    return _COPIED[label](written)


def _signs(written):
    found = []
    for place, x in places(written):
        if x and not math.isinf(x):
            found.append(replaced(written, place, -x))
    return found


def _rows_exchanged(written):
    found = []
    for i in range(len(written)):
        for j in range(i):
            rows = list(written)
            rows[i], rows[j] = rows[j], rows[i]
            found.append(rows)
    return found


def _columns_exchanged(written):
    return [transpose(M) for M in _rows_exchanged(transpose(written))]


def _row_copied(written):
    n = len(written)
    return [[written[j] if k == i else written[k] for k in range(n)] for i in range(n) for j in range(n) if i != j]


_COPIED = {
    "entry.sign": _signs,
    "rows.exchanged": _rows_exchanged,
    "columns.exchanged": _columns_exchanged,
    "matrix.transposed": lambda written: [transpose(written)],
    "row.copied": _row_copied,
}


def _rounded_early(desk, written):
    """Inputs rounded to 1 decimal (or 2 when 3 are written) before the step; or the result with 1 decimal."""
    found = [entrywise(lambda x: round_half_up(x, 1), written)]
    for decimals in range(1, desk.pen.decimals):
        rough = Desk(desk.box, _rougher(desk, decimals), desk.given, desk.pen)
        try:
            found.append(desk.pen.write(right(rough)))
        except Stuck:
            continue  # a probability of 0.0 has no logarithm: nobody would write that down
    return [value for value in found if shape(value) == shape(written)]


def _rougher(desk, decimals):
    return lambda name: entrywise(lambda x: round_half_up(x, decimals), desk.see(name))
