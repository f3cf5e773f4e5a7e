"""Scores and weights under a mask: what is blocked is hatched, printed -inf as a score and a bare 0 as a weight."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import given
from .heat import show_heat
from .output import Display, shown
from .table import BLOCKED, MAX_COLS, grid, html_table, text_lines


@shown
def show_masked(
    S: object,
    blocked: object,
    name: str,
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    decimals: int = 3,
    note: str | None = None,
    max_cols: int = MAX_COLS,
) -> Display:
    """Show scores with the blocked ones at minus infinity.

    Args:
        S: n_q × n_k scores.
        blocked: a mask, n_q × n_k or n_k (true: blocked).
        name: its symbol.
        rows: n_q words.
        cols: n_k words; a square matrix without them takes the row words.
        decimals: digits after the point.
        note: a few words behind the shape.
        max_cols: wider matrices are cut, and the display says so.

    Raises:
        PlainError: `S` is not a matrix, or labels or mask do not fit it.
    """
    S = given.matrix(S, name)
    hatched = given.mask(blocked, name, S.shape)
    words = _key_words(S, rows, cols)
    kept = grid(S, name, rows, words, decimals=decimals, note=note, max_cols=max_cols, hidden=hatched)
    table = html_table(kept, cell=lambda i, j: BLOCKED if hatched[i, j] else "")
    return Display("\n".join(text_lines(kept)), table, ("table", "bracket", "blocked"))


@shown
def show_weights_masked(
    A: object,
    blocked: object,
    name: str,
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    decimals: int = 3,
    note: str | None = None,
    max_cols: int = MAX_COLS,
) -> Display:
    """Show attention weights under a mask as a heat map; a blocked weight is a bare 0, each row's maximum underlined.

    Args:
        A: n_q × n_k weights.
        blocked: a mask, n_q × n_k or n_k (true: blocked).
        name: its symbol.
        rows: n_q words.
        cols: n_k words; a square matrix without them takes the row words.
        decimals: digits after the point.
        note: a few words behind the shape.
        max_cols: wider matrices are cut, and the display says so.

    Raises:
        PlainError: `A` is not a matrix, or labels or mask do not fit it.
    """
    A = given.matrix(A, name)
    words = _key_words(A, rows, cols)
    return show_heat.build(A, name, rows, words, True, decimals, blocked, note, max_cols)


def _key_words(scores: np.ndarray, rows: Sequence[object] | None, cols: Sequence[object] | None):
    """Return the words of the keys: in self-attention they are the words of the queries."""
    return rows if cols is None and scores.shape[0] == scores.shape[1] else cols
