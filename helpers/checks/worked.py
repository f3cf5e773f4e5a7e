"""One entry written out with the student's own numbers, up to the result, which is theirs to find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..boxes import Box
from ..displays.numbers import fixed
from ..transformer import pair_divisor
from .words import label

# Signs of numbers typed by hand are read best with few digits; more are shown where the student wrote more.
DECIMALS = 3


def _n(value: float, sign: bool = True) -> str:
    return "-inf" if value <= -1e8 else fixed(float(value), DECIMALS, sign=sign)


def _terms(a: Sequence[float], b: Sequence[float]) -> str:
    return " + ".join(f"({_n(x)})*({_n(y)})" for x, y in zip(a, b, strict=True))


def _sum(values: Sequence[float]) -> str:
    return " + ".join(f"({_n(v)})" for v in values)


@dataclass(frozen=True)
class Spot:
    """One entry of a box: where it stands, and the names of its row and column."""

    box: Box
    at: tuple[int, ...]
    names: tuple[str, ...]


def _ids(spot, words, vocabulary):
    return [f"look up {words[spot.at[0]]!r} in the vocabulary"]


def _rows(spot, ids, E):
    return [f"row {int(ids[spot.at[0]])} of E, counted from 0, column {spot.at[1]}"]


def _scaled(spot, rows):
    return [f"({_n(rows[spot.at])}) * √{rows.shape[-1]}"]


def _codes(spot, n, d_model):
    t, c = spot.at
    name = "sin" if c % 2 == 0 else "cos"
    column = "2i" if c % 2 == 0 else "2i + 1"
    divisor = pair_divisor(c // 2, d_model)
    return [
        f"position {t}, column {c} = {column}, so i = {c // 2}",
        f"angle = {t} / 10000^(2*{c // 2}/{d_model}) = {t} / {divisor:g}",
        f"{name}({t} / {divisor:g}), the angle in radians",
    ]


def _added(spot, a, b):
    return [f"({_n(a[spot.at])}) + ({_n(b[spot.at])})"]


def _product(spot, a, b, bias=None):
    r, c = spot.at
    lines = [f"row {spot.names[0]} of {spot.box.inputs[0]} · column {c} of {spot.box.inputs[1]}", _terms(a[r], b[:, c])]
    return lines if bias is None else [*lines, f"+ bias ({_n(bias[c])})"]


def _scores(spot, Q, K, d_k):
    r, c = spot.at
    return [
        f"row {spot.names[0]} of {spot.box.inputs[0]} · row {spot.names[1]} of {spot.box.inputs[1]}",
        _terms(Q[r], K[c]),
        f"divided by √{d_k}",
    ]


def _blocked(spot, S, blocked):
    return ["this key comes later: −∞" if blocked[spot.at] else "this key may be seen: the score stays"]


def _shares(spot, S, blocked=None):
    r, c = spot.at
    row = [_n(s) for s in (S[r] if blocked is None else np.where(blocked[r], -np.inf, S[r]))]
    return [f"exp({row[c]}) / ({' + '.join(f'exp({s})' for s in row)})"]


def _side_by_side(spot, *heads):
    i, c = divmod(spot.at[1], heads[0].shape[-1])
    return [f"column {spot.at[1]} is column {c} of {spot.box.inputs[i]}"]


def _norm(spot, x, gamma, beta):
    row = x[spot.at[0]]
    return [
        f"mean = ({_sum(row)}) / {len(row)}",
        "deviation = entry − mean; variance = mean of the squared deviations",
        f"deviation of ({_n(row[spot.at[1]])}) / √(variance + 0.00001)",
    ]


def _relu(spot, F_pre):
    return [f"max(0, {_n(F_pre[spot.at])})"]


def _logits(spot, Y3, E):
    r, c = spot.at
    return [f"row {spot.names[0]} of Y3 · the table row of {spot.names[1]}", _terms(Y3[r], E[c])]


def _loss_of_row(spot, P, labels):
    t = spot.at[0]
    return [
        f"the label of row {spot.names[0]} stands in column {labels[t]} of P",
        f"−ln({_n(P[t, labels[t]], sign=False)})",
    ]


def _mean(spot, losses):
    return [f"({_sum(losses)}) / {len(losses)}"]


def _favourite(spot, P):
    return ["compare the entries of the last row of P:", "  ".join(_n(p, sign=False) for p in P[-1])]


_WRITERS = {
    "ids": _ids, "E_rows": _rows, "E_scaled": _scaled, "PE": _codes, "input": _added, "res": _added,
    **dict.fromkeys(("Q", "K", "V", "H", "M", "F_pre", "F"), _product),
    "S": _scores, "B": _blocked, "A": _shares, "P": _shares, "C": _side_by_side, "norm": _norm, "F_relu": _relu,
    "logits": _logits, "losses": _loss_of_row, "loss": _mean, "next_word": _favourite,
}  # fmt: skip


def worked(box: Box, values: Mapping, at: tuple[int, ...], rows=None, columns=None) -> list[str]:
    """The lines that lead to one entry of a box; `values` are one's own where there are any.

    rows, columns: words that name those of the box.
    """
    names = tuple(label(k, words) for k, words in zip(at, (rows, columns), strict=False))
    return _WRITERS[box.family](Spot(box, at, names), *[values[name] for name in box.inputs])
