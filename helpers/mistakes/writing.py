"""Mistakes of the pen: the rule is right, what stands on the paper is not."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations

import numpy as np

from .mistake import Mistake

VECTORS = ("ids", "losses")
MATRICES = (
    "E_rows", "E_scaled", "PE", "input", "Q", "K", "V", "S", "B", "A", "H", "C", "M", "res", "norm",
    "F_pre", "F_relu", "F", "logits", "P",
)  # fmt: skip
# Boxes that are worked out, not looked up or copied: only there can rounding carry on.
WORKED_OUT = (*(f for f in MATRICES if f not in ("E_rows", "E_scaled", "C", "B", "F_relu")), "losses", "loss")
# The right result, and nothing else.
RIGHT = ("right",)


# Each of these returns its variants along a leading axis: there are many, and they are asked for at every slip.


def _signs(right):
    """One sign turned, for every entry."""
    turned = 1 - 2 * np.eye(right.size)
    return right * turned.reshape(-1, *right.shape)


def _rows_exchanged(right):
    return right[_exchanges(len(right))]


def _columns_exchanged(right):
    return np.moveaxis(right[:, _exchanges(right.shape[-1])], 1, 0)


def _rows_copied(right):
    return right[_copies(len(right))]


@cache
def _exchanges(n: int) -> np.ndarray:
    """Every order of n things with two of them exchanged: (n·(n − 1)/2, n)."""
    orders = np.tile(np.arange(n), (n * (n - 1) // 2, 1))
    for order, (a, b) in zip(orders, combinations(range(n), 2), strict=True):
        order[[a, b]] = b, a
    return orders


@cache
def _copies(n: int) -> np.ndarray:
    """Every way to write one of n things in another's place: (n·(n − 1), n)."""
    orders = np.tile(np.arange(n), (n * (n - 1), 1))
    for order, (a, b) in zip(orders, permutations(range(n), 2), strict=True):
        order[a] = b
    return orders


def _rounded_early(box, values, right):
    """The inputs rounded to one or two decimals before the work, or the result written with one."""
    made = [np.round(right, 1)]
    for decimals in (1, 2):
        made.append(box.work_out({n: _coarse(values[n], decimals) for n in box.inputs}))
    return made


def _coarse(value, decimals: int):
    fractions = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return value.round(decimals) if fractions else value


MISTAKES = (
    Mistake(
        "entry.sign", (*MATRICES, "losses"), _signs,
        "One entry has the wrong sign. Where did its minus go, or come from?",
        "One slip of the sign.",
        takes=RIGHT, stacked=True,
    ),
    Mistake(
        "entry.typo", MATRICES, lambda right: right,
        "Everything else is right. Is this entry copied and typed as you worked it out?",
        "One entry is mistyped or miscalculated.",
        takes=RIGHT,
    ),
    Mistake(
        "rows.exchanged", (*MATRICES, *VECTORS), _rows_exchanged,
        "Two rows stand in each other's place. Which word does each row belong to?",
        "Two rows are exchanged.",
        takes=RIGHT, stacked=True,
    ),
    Mistake(
        "columns.exchanged", MATRICES, _columns_exchanged,
        "Two columns stand in each other's place. In which order do they come?",
        "Two columns are exchanged.",
        takes=RIGHT, stacked=True,
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
        takes=RIGHT, stacked=True,
    ),
    Mistake(
        "rounding.early", WORKED_OUT, _rounded_early,
        "Every entry is a little off. Which digit went first?",
        "Rounds to too few decimals before going on.",
        takes=("box", "values", "right"),
    ),
)  # fmt: skip
