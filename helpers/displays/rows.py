"""Steps that work row by row: LayerNorm, softmax and ReLU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import PlainError
from . import given
from .groups import Groups
from .numbers import BLOCKED, fixed, wrap
from .output import Display, shown
from .table import MAX_COLS, MAX_ROWS, Grid, fitted, grid, html_table, text_lines

SOFTMAX_COLUMNS = ("score", "less max", "exp", "weight")


@shown
def show_layer_norm(
    x: object,
    gamma: object,
    beta: object,
    name: str = "N1",
    rows: Sequence[object] | None = None,
    eps: float = 1e-5,
    decimals: int = 2,
    max_cols: int = MAX_COLS,
) -> Display:
    """Show LayerNorm row by row: mean, standard deviation, the row before and after.

    Args:
        x: n × d.
        gamma: d numbers, the scale.
        beta: d numbers, the shift.
        name: the symbol of the result.
        rows: n words.
        eps: added to the variance inside the root; the deviation printed is the root of the variance alone.
        decimals: digits after the point; mean and deviation have four.
        max_cols: wider matrices are cut, and the display says so.

    Raises:
        PlainError: `x` is not a matrix, or gamma, beta or the labels do not fit it.
    """
    x = given.matrix(x, "x")
    per_column = "(one for each column of x)"
    gamma = given.vector(gamma, "gamma", x.shape[1], per_column)
    beta = given.vector(beta, "beta", x.shape[1], per_column)
    mean, variance = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
    deviation = np.sqrt(variance)
    groups = Groups(
        (x, gamma * (x - mean) / np.sqrt(variance + eps) + beta),
        ("before", "after"),
        given.labels(rows, x.shape[0], "row", "x"),
        title=name,
        note="each row by its own mean and standard deviation",
        decimals=decimals,
        max_cols=max_cols,
        beside=[(fixed(m, 4), fixed(d, 4, sign=False)) for m, d in zip(mean[:, 0], deviation[:, 0], strict=True)],
        beside_names=("mean", "std. dev."),
    )
    text = [*wrap(f"{name}  {groups.text_note}", indent="  "), *groups.text_lines()]
    return Display("\n".join(text), groups.html_table(), ("table", "groups"))


@shown
def show_softmax(
    s: object, labels: Sequence[object] | None = None, name: str = "softmax", decimals: int = 6
) -> Display:
    """Show one softmax: each score, less the maximum, its exponential, and its share of the total.

    Args:
        s: n scores (-inf or -1e9: blocked).
        labels: n words.
        name: what row this is, such as "A0 row cat".
        decimals: digits after the point.

    Raises:
        PlainError: `s` is not one row of numbers, the labels do not fit it, or every score is blocked.
    """
    s = given.vector(s, name)
    words = given.labels(labels, s.size, "score", name)[:MAX_ROWS]
    open_ = s > BLOCKED
    if not open_.any():
        raise PlainError(f"Every score of {name} is blocked, so there is nothing to share out.")
    largest = s[open_].max()
    less = np.where(open_, s - largest, -np.inf)
    exps = np.exp(less)
    total = math.fsum(exps)
    weights = exps / total

    def line(*values: float) -> tuple[str, ...]:
        return tuple(fixed(value, decimals, sign=column < 2) for column, value in enumerate(values))

    cells = [line(*values) for values in list(zip(s, less, exps, weights, strict=True))[: len(words)]]
    foot = ("", "", *line(0, 0, total, math.fsum(weights))[2:])
    about = f"softmax of {s.size} scores, the largest {fixed(largest, decimals)}"
    if len(words) < s.size:
        about += f" · showing first {len(words)} of {s.size} rows"
    kept = Grid(name, (s.size, 4), (*cells, foot), (*words, "total"), SOFTMAX_COLUMNS, words_above=True, about=about)
    return Display("\n".join(text_lines(kept)), html_table(kept, "g", foot=1), ("table", "groups"))


@shown
def show_relu(
    F_pre: object,
    rows: Sequence[object] | None = None,
    max_cols: int = MAX_COLS,
    name: str = "F_relu",
    decimals: int = 2,
) -> Display:
    """Show what ReLU does to each row: how many units it sets to zero, and the first units after it.

    Args:
        F_pre: n × d_ff, before ReLU.
        rows: n words.
        max_cols: how many units are shown.
        name: the symbol of the result.
        decimals: digits after the point.

    Raises:
        PlainError: `F_pre` is not a matrix, or the labels do not fit it.
    """
    F_pre = given.matrix(F_pre, "F_pre")
    zeroed = (F_pre <= 0).sum(axis=1)
    kept = grid(np.maximum(F_pre, 0.0), name, rows, decimals=decimals, sign=False, max_cols=max_cols)
    kept = fitted(
        replace(
            kept,
            cells=tuple((str(count), *cells) for count, cells in zip(zeroed, kept.cells, strict=False)),
            cols=("zeroed", *kept.cols),
            cuts=frozenset([1]),
            about=f"{kept.caption} · zeroed: how many units of the row ReLU sets to 0",
        )
    )
    share = fixed(100 * int(zeroed.sum()) / F_pre.size, 1, sign=False)
    total = f"{int(zeroed.sum())} of {F_pre.size} units zero ({share} %)"
    body = f'{html_table(kept, "g")}<p class="note">{total}</p>'
    return Display("\n".join([*text_lines(kept), total]), body, ("table", "groups", "cut"))
