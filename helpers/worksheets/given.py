"""The page of given numbers: vocabulary and embedding table, sines and cosines, all weights."""

from __future__ import annotations

import math

import numpy as np

from ..errors import PlainError
from ..examples import Example
from ..sizes import WEIGHTS
from ..trace import givens
from ..transformer import pair_divisor
from .grids import label_width, number, numbers
from .say import short
from .symbols import symbol

MOST_DECIMALS = 3


def decimals_of(name: str, array: np.ndarray) -> int:
    """The decimals that an array is given with, 1 at least; PlainError where they are too many for the pen."""
    for decimals in range(1, MOST_DECIMALS + 1):
        if np.abs(array - np.round(array, decimals)).max() < 1e-9:
            return decimals
    raise PlainError(
        f"{name} has numbers of more than {MOST_DECIMALS} decimals, too many to work with on paper: round it first."
    )


def table(name: str, array, rows=None) -> dict:
    """A given matrix; a vector is a single row without labels."""
    vector = array.ndim == 1
    decimals = decimals_of(name, array)
    array = np.atleast_2d(array)
    rows = rows or ([""] if vector else [str(k) for k in range(len(array))])
    return {
        "name": name,
        "symbol": symbol(name),
        "rows": rows,
        "label": label_width(rows, least=3.0),
        "columns": [str(k) for k in range(array.shape[1])],
        **numbers([[number(v, decimals) for v in row] for row in array.tolist()]),
        "shape": " × ".join(str(n) for n in (array.shape[1:] if vector else array.shape)),
    }


def given_groups(example: Example, decoder: bool, decimals: int) -> list[dict]:
    """Everything that is given, group by group."""
    words = {index: word for word, index in example.vocabulary.items()}
    E = table("E", example.E, [f"{words.get(k, '')} {k}".strip() for k in range(len(example.E))])
    stacks = ["encoder", "decoder"] if decoder else ["encoder"]
    return [
        {
            "title": "Vocabulary and embedding table (word, number, vector), and a table for the position codes",
            "tables": [E],
        },
        *[{"title": f"Weights of the {stack}", "tables": _weights(example, stack)} for stack in stacks],
    ]


def _weights(example: Example, stack: str) -> list[dict]:
    named = givens(example, stack, 1)
    tables = []
    for name in WEIGHTS[stack]:
        per_head = [f"{name}{i}" for i in range(example.sizes.heads)]
        tables += [table(key, named[key]) for key in (per_head if per_head[0] in named else [name])]
    return tables


def sines(positions: int, d_model: int, decimals: int) -> list[list[str]]:
    """The small table of sines and cosines: every angle of the position codes, in radians."""
    angles = {0.0} | {t / pair_divisor(i, d_model) for t in range(positions) for i in range(d_model // 2)}
    return [
        [short(a, max(decimals, 3)), number(math.sin(a), decimals, False), number(math.cos(a), decimals, False)]
        for a in sorted(angles)
    ]
