"""A matrix with a chosen row, column or entry, plain or as a heat map: what a card shows of the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from . import given
from .heat import colours, key_html, row_maxima
from .numbers import NOISE
from .output import Display
from .table import MAX_ROWS, around, grid, html_table, text_lines

WIDEST = 16
"""Columns that the page shows, d_model of the largest run; the text has as many of them as fit into a line."""


def chosen_matrix(
    M: object,
    name: str,
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    *,
    row: int | None = None,
    col: int | None = None,
    heat: bool = False,
    weights: bool = False,
    blocked: object = None,
    decimals: int = 3,
    note: str | None = None,
    about: str = "",
    cut: int | None = None,
    max_cols: int = WIDEST,
    max_rows: int = MAX_ROWS,
) -> Display:
    """Return a matrix with one row, one column, or the entry where both meet lit up.

    Args:
        M: n × d. name: its symbol. rows, cols: n and d words; without them they are numbered.
        row, col: what is chosen, counted from 0. heat: coloured by size. weights: a heat map of weights, without
        signs, each row's maximum underlined.
        blocked: a mask, n × d (true: blocked); blocked scores are -inf, blocked weights 0, both hatched.
        note: a few words behind the shape. about: a caption in place of the shape. cut: columns per head.
        max_cols, max_rows: larger matrices are cut, and the display says so; the text also where lines are too long.

    Raises:
        PlainError: `M` is not a matrix, or labels or mask do not fit it.
    """
    M = given.matrix(M, name)
    hatched = given.mask(blocked, name, M.shape)
    heat = heat or weights
    kept = grid(
        M, name, rows, cols, decimals=decimals, sign=not weights, note=note, cut=cut,
        max_cols=max_cols, max_rows=max_rows, hidden=hatched & (np.abs(M) < NOISE) if weights else hatched,
        hidden_as="0" if weights else "-inf", fit=False,
    )  # fmt: skip
    kept = replace(kept, about=about)
    largest = 1.0 if weights else float(np.max(np.abs(M[~hatched]), initial=0.0))
    top = row_maxima(M, hatched) if weights else np.zeros(M.shape, dtype=bool)
    coloured = colours(M, hatched, top, largest if heat else 0.0)

    bare = not heat and not hatched.any()

    def cell(i: int, j: int) -> str:
        return _marked("" if bare else coloured(i, j), _mark(i, j, row, col), j in kept.cuts)

    def header(place: int | None):
        return lambda k: "on" if k == place else ""

    body = html_table(
        replace(kept, cuts=frozenset()) if heat else kept,
        "heat" if heat else "brk",
        cell=cell,
        row_class=header(row),
        col_class=header(col),
    )
    hatches = bool(hatched[: len(kept.rows), : len(kept.cols)].any())
    if heat:
        body += key_html(largest, weights, bool(top.any()), hatches)
    rules = ("table", "heat" if heat else "bracket", *["cut"] * bool(cut), *["blocked"] * hatches, "chosen")
    return Display(lambda: "\n".join(text_lines(around(kept, col))), body, rules)


def _mark(i: int, j: int, row: int | None, col: int | None) -> str:
    """The class of cell (i, j): "hit" where row and column meet, "on" along them."""
    if row is None and col is None:
        return ""
    if row is not None and col is not None and (i, j) == (row, col):
        return "hit"
    return "on" if i == row or j == col else ""


def _marked(attributes: str, mark: str, cut: bool) -> str:
    """The attributes of a cell with one more class, and another at the edge of a head."""
    if not mark and not cut:
        return attributes
    more = f"{mark} cut".strip() if cut else mark
    if 'class="' in attributes:
        return attributes.replace('class="', f'class="{more} ', 1)
    return f' class="{more}"{attributes}'
