"""Matrices and products with a chosen entry: in the notebook whole, since they scroll; in the text the chosen part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from . import given
from .numbers import fixed, symbol_html, wrap
from .output import Display
from .product import cross_width, operands, shape_notes
from .style import minified, stacked_rule
from .table import Grid, fitted, html_table, text_lines

PICKED = minified("""
.tbh .prod.pick .k::after { content: none; }
""")
"""The entry is chosen elsewhere, so nobody is told to point at it."""


def lit_matrix(
    M: object,
    name: str,
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    *,
    row: int | None = None,
    col: int | None = None,
    note: str | None = None,
    cut: int | None = None,
    decimals: int = 3,
) -> Display:
    """Return a matrix with a lit row, column, or entry where both meet; the text shows the columns around `col`.

    Args:
        M: n × d. name: its symbol. rows, cols: n and d words; without them they are numbered.
        row, col: what is chosen, counted from 0. note: a few words behind the shape. cut: columns per head.

    Raises:
        PlainError: `M` is not a matrix, or the labels do not fit it.
    """
    kept = _whole(given.matrix(M, name), name, rows, cols, decimals, note, cut)
    rules = ("table", "bracket", *["cut"] * bool(kept.cuts), "chosen")
    return Display("\n".join(text_lines(around(kept, col))), _table(kept, row, col), rules)


def lit_product(
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
    decimals: int = 3,
) -> Display:
    """Return A · B = C with the chosen entry, and the row of A and the column of B that meet in it, lit up.

    Args:
        A: n × d. B: d × m. C: n × m, the result as the run has it. entry: (row, column) of C.
        names: the symbols of A, B and C. rows, inner, cols: n, d and m words.
        notes: a few words behind the shape of each. cut: columns of A per head.

    Raises:
        PlainError: the shapes do not multiply, or labels, result or entry do not fit them.
    """
    names = given.names(names, 3)
    A, B, _, C = operands(A, B, names, None, C)
    i, j = given.entry(entry, C.shape, names[2])
    left = _whole(A, names[0], rows, inner, decimals, notes[0], cut)
    top = _whole(B, names[1], inner, cols, decimals, notes[1])
    right = _whole(C, names[2], rows, cols, decimals, notes[2])
    head = [f"{names[2]} = {names[0]} · {names[1]}", *shape_notes(A, B)]
    width = cross_width(left, top, right)
    said = "".join(f'<p class="note">{symbol_html(line)}</p>' for line in head[1:])
    body = (
        f'<div class="prod pick w{width}"><div class="k"><p class="f">{symbol_html(head[0])}</p>{said}</div>'
        f'<div class="a">{_table(left, i, None, True)}</div><div class="b">{_table(top, None, j, True)}</div>'
        f'<div class="c">{_table(right, i, j, True, along=False)}</div></div>'
    )
    parts = (around(left, None), around(top, j), around(right, j))
    blocks = [[line for text in head for line in wrap(text, indent="  ")], *map(text_lines, parts)]
    rules = ("table", "bracket", *["cut"] * bool(left.cuts), "product", "chosen")
    return Display("\n\n".join(map("\n".join, blocks)), body, rules, (stacked_rule(width), PICKED))


def around(kept: Grid, col: int | None) -> Grid:
    """Return as many columns of a grid as fit into a line of text, the column `col` among them."""
    part = fitted(kept)
    if len(part.cols) == len(kept.cols):
        return kept
    first = 0
    while col is not None and col >= first + len(part.cols):
        first += 1
        part = fitted(replace(kept, cells=tuple(line[first:] for line in kept.cells), cols=kept.cols[first:]))
    last = first + len(part.cols) - 1
    cuts = frozenset(column - first for column in kept.cuts if first < column <= last)
    about = f"{kept.caption} · showing columns {kept.cols[first]} to {kept.cols[last]}"
    return replace(part, cuts=cuts, about=about)


def _whole(M, name, rows, cols, decimals: int, note: str | None, cut: int | None = None) -> Grid:
    """Print every number of a matrix into a Grid."""
    words = given.labels(rows, M.shape[0], "row", name), given.labels(cols, M.shape[1], "column", name)
    cells = tuple(tuple(fixed(value, decimals) for value in line) for line in M.tolist())
    cuts = frozenset(range(cut, M.shape[1], cut)) if cut else frozenset()
    return Grid(name, M.shape, cells, *words, (note,) if note else (), cuts, cols is not None)


def _table(kept: Grid, row: int | None, col: int | None, tight: bool = False, along: bool = True) -> str:
    """A grid as HTML; `along`: not only the entry but its row and its column are lit."""

    def cell(i: int, j: int) -> str:
        hit = row is not None and col is not None and (i, j) == (row, col)
        mark = "hit" if hit else "on" if along and (i == row or j == col) else ""
        names = " ".join(filter(None, [mark, "cut" if j in kept.cuts else ""]))
        return f' class="{names}"' if names else ""

    return html_table(kept, tight=tight, cell=cell, row_class=_header(row), col_class=_header(col))


def _header(place: int | None) -> Callable[[int], str]:
    return lambda k: "on" if k == place else ""
