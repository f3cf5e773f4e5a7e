"""One entry written out with the student's own numbers, up to the result, which is theirs to find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..boxes import Box
from ..displays.numbers import fixed

# Signs of numbers typed by hand are read best with few digits; more are shown where the student wrote more.
DECIMALS = 3


def _n(value: float, sign: bool = True) -> str:
    return "-inf" if value <= -1e8 else fixed(float(value), DECIMALS, sign=sign)


def _terms(a: Sequence[float], b: Sequence[float]) -> str:
    return " + ".join(f"({_n(x)})*({_n(y)})" for x, y in zip(a, b, strict=True))


def _sum(values: Sequence[float]) -> str:
    return " + ".join(f"({_n(v)})" for v in values)


def _ids(box, at, words, vocabulary):
    return [f"look up {words[at[0]]!r} in the vocabulary"]


def _rows(box, at, ids, E):
    return [f"row {int(ids[at[0]])} of E, counted from 0, column {at[1]}"]


def _scaled(box, at, rows):
    return [f"({_n(rows[at])}) * √{rows.shape[-1]}"]


def _codes(box, at, n, d_model):
    t, c = at
    name = "sin" if c % 2 == 0 else "cos"
    column = "2i" if c % 2 == 0 else "2i + 1"
    divisor = 10000 ** (2 * (c // 2) / d_model)
    return [
        f"position {t}, column {c} = {column}, so i = {c // 2}",
        f"angle = {t} / 10000^(2*{c // 2}/{d_model}) = {t} / {divisor:g}",
        f"{name}({t} / {divisor:g}), the angle in radians",
    ]


def _added(box, at, a, b):
    return [f"({_n(a[at])}) + ({_n(b[at])})"]


def _product(box, at, a, b, bias=None):
    r, c = at
    lines = [f"row {r} of {box.inputs[0]} · column {c} of {box.inputs[1]}", _terms(a[r], b[:, c])]
    return lines if bias is None else [*lines, f"+ bias ({_n(bias[c])})"]


def _scores(box, at, Q, K, d_k):
    r, c = at
    return [f"row {r} of {box.inputs[0]} · row {c} of {box.inputs[1]}", _terms(Q[r], K[c]), f"divided by √{d_k}"]


def _blocked(box, at, S, blocked):
    return ["this key comes later: −∞" if blocked[at] else "this key may be seen: the score stays"]


def _shares(box, at, S, blocked=None):
    r, c = at
    row = [_n(s) for s in (S[r] if blocked is None else np.where(blocked[r], -np.inf, S[r]))]
    return [f"exp({row[c]}) / ({' + '.join(f'exp({s})' for s in row)})"]


def _side_by_side(box, at, *heads):
    i, c = divmod(at[1], heads[0].shape[-1])
    return [f"column {at[1]} is column {c} of {box.inputs[i]}"]


def _norm(box, at, x, gamma, beta):
    row = x[at[0]]
    return [
        f"mean = ({_sum(row)}) / {len(row)}",
        "deviation = entry − mean; variance = mean of the squared deviations",
        f"deviation of ({_n(row[at[1]])}) / √(variance + 0.00001)",
    ]


def _relu(box, at, F_pre):
    return [f"max(0, {_n(F_pre[at])})"]


def _logits(box, at, Y3, E):
    r, c = at
    return [f"row {r} of Y3 · the table row of candidate {c}", _terms(Y3[r], E[c])]


def _loss_of_row(box, at, P, labels):
    t = at[0]
    return [f"the label is column {labels[t]} of row {t}", f"−ln({_n(P[t, labels[t]], sign=False)})"]


def _mean(box, at, losses):
    return [f"({_sum(losses)}) / {len(losses)}"]


def _favourite(box, at, P):
    return ["compare the entries of the last row of P:", "  ".join(_n(p, sign=False) for p in P[-1])]


_WRITERS = {
    "ids": _ids, "E_rows": _rows, "E_scaled": _scaled, "PE": _codes, "input": _added, "res": _added,
    **dict.fromkeys(("Q", "K", "V", "H", "M", "F_pre", "F"), _product),
    "S": _scores, "B": _blocked, "A": _shares, "P": _shares, "C": _side_by_side, "norm": _norm, "F_relu": _relu,
    "logits": _logits, "losses": _loss_of_row, "loss": _mean, "next_word": _favourite,
}  # fmt: skip


def worked(box: Box, values: Mapping, at: tuple[int, ...]) -> list[str]:
    """The lines that lead to one entry of a box; `values` are one's own where there are any."""
    return _WRITERS[box.family](box, at, *[values[name] for name in box.inputs])
