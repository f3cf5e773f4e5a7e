"""A matrix product with a chosen entry, and the row and the column that meet in it: what a card shows of a product."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from . import given
from .chosen import WIDEST
from .numbers import NOISE, symbol_html, wrap
from .output import Display
from .product import cross_width, operands, shape_notes
from .style import minified, stacked_rule
from .table import BLOCKED, Grid, around, grid, html_table, text_lines

PICKED = minified("""
.tbh .prod.pick .k::after { content: none; }
""")
"""The entry is chosen elsewhere, so nobody is told to point at it."""


def chosen_product(
    A: object,
    B: object,
    C: object,
    entry: tuple[int, int],
    names: Sequence[str],
    rows: Sequence[object] | None = None,
    inner: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    *,
    notes: tuple[str | None, str | None, str | None] = (None, None, None),
    cut: int | None = None,
    weights: bool = False,
    blocked: object = None,
    decimals: int = 3,
) -> Display:
    """Return A · B = C with the chosen entry of C, the row of A and the column of B lit up.

    Args:
        A: n × d. B: d × m. C: n × m, the result as the run has it. entry: (row, column) of C.
        names: the symbols of A, B and C. rows, inner, cols: n, d and m words; without them they are numbered.
        notes: a few words behind the shape of each. cut: columns of A per head.
        weights: A holds attention weights, printed without signs. blocked: their mask, n × d; true is a hatched 0.

    Raises:
        PlainError: the shapes do not multiply, or labels, result or entry do not fit them.
    """
    names = given.names(names, 3)
    A, B, _, C = operands(A, B, names, None, C)
    i, j = given.entry(entry, C.shape, names[2])
    look = {"decimals": decimals, "max_cols": WIDEST, "fit": False}
    shut = given.mask(blocked, names[0], A.shape) & (np.abs(A) < NOISE)
    left = grid(A, names[0], rows, inner, note=notes[0], cut=cut, sign=not weights, hidden=shut, hidden_as="0", **look)
    top = grid(B, names[1], inner, cols, note=notes[1], **look)
    right = grid(C, names[2], rows, cols, note=notes[2], **look)
    head = [f"{names[2]} = {names[0]} · {names[1]}", *shape_notes(A, B)]
    width = cross_width(left, top, right)
    said = "".join(f'<p class="note">{symbol_html(line)}</p>' for line in head[1:])
    body = (
        f'<div class="prod pick w{width}"><div class="k"><p class="f">{symbol_html(head[0])}</p>{said}</div>'
        f'<div class="a">{_table(left, row=i, shut=shut)}</div><div class="b">{_table(top, col=j)}</div>'
        f'<div class="c">{_table(right, row=i, col=j)}</div></div>'
    )
    rules = ("table", "bracket", *["cut"] * bool(left.cuts), "product", *["blocked"] * bool(shut.any()), "chosen")

    def text() -> str:
        blocks = [[line for said in head for line in wrap(said, indent="  ")]]
        blocks += [text_lines(part) for part in (around(left, None), around(top, j), around(right, j))]
        return "\n\n".join(map("\n".join, blocks))

    return Display(text, body, rules, (stacked_rule(width), PICKED))


def _table(kept: Grid, row: int | None = None, col: int | None = None, shut: np.ndarray | None = None) -> str:
    """A grid as HTML with a lit row or column; the entry alone, in a frame, where both are chosen; `shut` hatched."""
    both, hatched = row is not None and col is not None, shut is not None and bool(shut.any())

    def cell(i: int, j: int) -> str:
        if hatched and shut[i, j]:
            return BLOCKED
        lit = ("hit" if (i, j) == (row, col) else "") if both else "on" if i == row or j == col else ""
        names = f"{lit} cut".strip() if j in kept.cuts else lit
        return f' class="{names}"' if names else ""

    return html_table(kept, tight=True, cell=cell, row_class=_header(row), col_class=_header(col))


def _header(place: int | None) -> Callable[[int], str]:
    return lambda k: "on" if k == place else ""
