"""The coloured scale: blue for positive, orange for negative, the number always in the cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from . import given
from .numbers import NOISE, fixed, typeset
from .output import Display, shown
from .table import BLOCKED, MAX_COLS, TOP, grid, html_table, text_lines

STRONGEST = 0.60
"""Opacity of the overlay where the value is largest: text stays readable on it in both themes."""

SAME = 1e-9
"""Weights closer than this are equal, so that rounding noise never chooses a row's maximum."""


@shown
def show_heat(
    M: object,
    name: str,
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    weights: bool = False,
    decimals: int = 3,
    blocked: object = None,
    note: str | None = None,
    max_cols: int = MAX_COLS,
) -> Display:
    """Show a matrix as a heat map, with its numbers in the cells and the key of its colours below.

    Args:
        M: n × d.
        name: its symbol.
        rows: n words; without them the rows are numbered.
        cols: d words; without them the columns are numbered.
        weights: true for attention weights and probabilities: no signs, a scale from 0 to 1, each row's maximum
            underlined.
        decimals: digits after the point.
        blocked: a mask, n × d or d (true: blocked). Blocked scores are -inf, blocked weights 0, both hatched.
        note: a few words behind the shape.
        max_cols: wider matrices are cut, and the display says so.

    Raises:
        PlainError: `M` is not a matrix, or labels or mask do not fit it.
    """
    M = given.matrix(M, name)
    hatched = given.mask(blocked, name, M.shape)
    kept = grid(
        M,
        name,
        rows,
        cols,
        decimals=decimals,
        sign=not weights,
        note=" · ".join([*([note] if note else []), *(_weight_notes(M, hatched) if weights else [])]),
        max_cols=max_cols,
        hidden=hatched & (np.abs(M) < NOISE) if weights else hatched,
        hidden_as="0" if weights else "-inf",
    )
    largest = 1.0 if weights else float(np.max(np.abs(M[~hatched]), initial=0.0))
    top = row_maxima(M, hatched) if weights else np.zeros(M.shape, dtype=bool)
    n_rows, n_cols = len(kept.rows), len(kept.cols)
    any_hatched = bool(hatched[:n_rows, :n_cols].any())
    key = key_html(largest, weights, bool(top[:n_rows, :n_cols].any()), any_hatched)
    body = html_table(kept, "heat", cell=colours(M, hatched, top, largest)) + key
    lines = text_lines(kept)
    if any_hatched:
        lines.append("a bare 0: blocked, exactly 0" if weights else "-inf: blocked")
    return Display("\n".join(lines), body, ("table", "heat", "blocked")[: 3 if any_hatched else 2])


def _weight_notes(M: np.ndarray, hatched: np.ndarray) -> list[str]:
    """Say what is true of weights: whether their rows add up to 1, and whether a blocked one is not 0."""
    leaking = int(np.sum(hatched & (np.abs(M) >= NOISE)))
    notes = [f"{leaking} blocked entries are NOT 0"] if leaking else []
    return notes + (["rows add up to 1"] if np.allclose(M.sum(axis=1), 1.0, rtol=0, atol=1e-9) else [])


def colours(M: np.ndarray, hatched: np.ndarray, top: np.ndarray, largest: float) -> Callable[[int, int], str]:
    """Return the function that gives the attributes of a cell: hatched, or sign, row maximum and opacity."""

    def cell(i: int, j: int) -> str:
        if hatched[i, j]:
            return BLOCKED
        shade = opacity(M[i, j], largest)
        classes = " ".join(["n"] * bool(shade and M[i, j] < 0) + [TOP] * bool(top[i, j]))
        return (f' class="{classes}"' if classes else "") + (f' style="--a:{shade}"' if shade else "")

    return cell


def opacity(value: float, largest: float) -> str:
    """Return the opacity of a cell as CSS writes it (".34"), "" for none: 0.60 times the root of the share."""
    if not largest or not abs(value) >= NOISE:
        return ""
    share = min(1.0, abs(float(value)) / largest)
    return fixed(STRONGEST * math.sqrt(share), 2, sign=False).lstrip("0").rstrip("0").rstrip(".")


def row_maxima(M: np.ndarray, hatched: np.ndarray) -> np.ndarray:
    """Mark the largest open entry of each row, and what equals it; a row of equal entries has no maximum to mark."""
    open_ = np.where(hatched, -np.inf, M)
    largest = ~hatched & (open_ >= open_.max(axis=1, keepdims=True) - SAME)
    choice = (~hatched).sum(axis=1) > 1
    all_equal = (largest == ~hatched).all(axis=1) & choice
    return largest & ~all_equal[:, None]


def key_html(largest: float, weights: bool = False, underlined: bool = False, hatched: bool = False) -> str:
    """Return the key of the scale: a bar between its two end values, and what the marks in the cells mean."""
    low, high = ("0", "1") if weights else (fixed(-largest, 2), fixed(largest, 2))
    bar = f'<span>{typeset(low)}</span> <i class="{"w" if weights else "s"}"></i> <span>{high}</span>'
    mark = ' <span class="gap">row maximum underlined</span>' if underlined else ""
    blocked = f' <i class="x"></i> <span>blocked: {"exactly 0" if weights else "−∞"}</span>' if hatched else ""
    return f'<div class="key">{bar}{mark}{blocked}</div>'
