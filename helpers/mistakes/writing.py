"""Mistakes of the pen: the rule is right, what stands on the paper is not."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

from .mistake import Mistake

VECTORS = ("ids", "losses")
MATRICES = (
    "E_rows", "E_scaled", "PE", "input", "Q", "K", "V", "S", "B", "A", "H", "C", "M", "res", "norm",
    "F_pre", "F_relu", "F", "logits", "P",
)  # fmt: skip
# Boxes that are worked out, not looked up or copied: only there can rounding carry on.
WORKED_OUT = (*(f for f in MATRICES if f not in ("E_rows", "C", "B", "F_relu", "PE")), "losses", "loss")
# The right result, and nothing else.
RIGHT = ("right",)


def _signs(right):
    """One sign turned, for every entry that has one."""
    return [np.where(_only(right.shape, at), -right, right) for at in np.argwhere(right != 0)]


def _only(shape, at):
    mask = np.zeros(shape, dtype=bool)
    mask[tuple(at)] = True
    return mask


def _rows_exchanged(right):
    return [right[_exchange(len(right), a, b)] for a, b in combinations(range(len(right)), 2)]


def _columns_exchanged(right):
    n = right.shape[-1]
    return [right[:, _exchange(n, a, b)] for a, b in combinations(range(n), 2)]


def _exchange(n, a, b):
    order = np.arange(n)
    order[[a, b]] = b, a
    return order


def _rows_copied(right):
    made = []
    for a, b in permutations(range(len(right)), 2):
        made.append(right.copy())
        made[-1][a] = right[b]
    return made


def _rounded_early(box, values, right):
    """The inputs rounded to one or two decimals before the work, or the result written with one."""
    made = [np.round(right, 1)]
    for decimals in (1, 2):
        coarse = {n: np.round(v, decimals) for n in box.inputs if _fractions(v := values[n])}
        made.append(box.work_out({**values, **coarse}))
    return made


def _fractions(value) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


MISTAKES = (
    Mistake(
        "entry.sign", (*MATRICES, "losses"), _signs,
        "One entry has the wrong sign. Which product in it is negative?",
        "One slip of the sign.",
        takes=RIGHT,
    ),
    Mistake(
        "entry.typo", (*MATRICES, *VECTORS), lambda right: right,
        "Everything else is right. Is this entry copied and typed as you worked it out?",
        "One entry is mistyped or miscalculated.",
        takes=RIGHT,
    ),
    Mistake(
        "rows.exchanged", (*MATRICES, *VECTORS), _rows_exchanged,
        "Two rows stand in each other's place. Which word does each row belong to?",
        "Two rows are exchanged.",
        takes=RIGHT,
    ),
    Mistake(
        "columns.exchanged", MATRICES, _columns_exchanged,
        "Two columns stand in each other's place. In which order do they come?",
        "Two columns are exchanged.",
        takes=RIGHT,
    ),
    Mistake(
        "matrix.transposed", MATRICES, lambda right: right.T,
        "Rows and columns are exchanged. What does a row stand for?",
        "The matrix is transposed.",
        takes=RIGHT,
    ),
    Mistake(
        "row.copied", MATRICES, _rows_copied,
        "Two of your rows are the same. Which of them is the copy?",
        "One row is written twice.",
        takes=RIGHT,
    ),
    Mistake(
        "rounding.early", WORKED_OUT, _rounded_early,
        "Every entry is a little off. Which digit went first?",
        "Rounds to too few decimals before going on.",
        takes=("box", "values", "right"),
    ),
)  # fmt: skip
