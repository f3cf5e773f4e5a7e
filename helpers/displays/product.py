"""Matrix products: the cross of three tables that follows the pointer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import PlainError
from . import given
from .agreement import disagreement
from .entry import entry_html, entry_lines, written_out
from .numbers import columns_of, shape_text, symbol_html, wrap
from .output import Display, shown
from .style import hover_rule, stacked_rule
from .table import MAX_COLS, Grid, cell_width, grid, html_table, text_lines

CHARACTER_PX = 7.83
"""Width of a digit in the code fonts of notebooks, at 13 px."""


@shown
def show_matmul(
    A: object,
    B: object,
    names: Sequence[str] = ("A", "B", "C"),
    result: object = None,
    rows: Sequence[object] | None = None,
    inner: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    bias: object = None,
    paper: Sequence[object] | None = None,
    worked: tuple[int, int] | None = (0, 0),
    note: str | None = None,
    decimals: int = 3,
    max_cols: int = MAX_COLS,
) -> Display:
    """Show A · B = C (plus a bias row): shapes, which dimension cancels, all matrices, one entry worked out.

    Args:
        A: n × d.
        B: d × m.
        names: the symbols of A, B and the result; a fourth one names the bias.
        result: n × m, the array to show and compare with; computed here when it is not given.
        rows: n words for the rows of A and of the result.
        inner: d words for what cancels, the columns of A and the rows of B.
        cols: m words for the columns of B and of the result.
        bias: m numbers added to every row.
        paper: the two shapes in the paper, such as ("9 × 512", "512 × 512").
        worked: the entry to write out, None for none.
        note: a sentence under the shapes.
        decimals: digits after the point.
        max_cols: wider matrices are cut, and the display says so.

    Raises:
        PlainError: the shapes do not multiply, or labels, bias, result or entry do not fit them.
    """
    *names, bias_name = given.names(names, 4 if len(names) == 4 else 3) + ("bias",) * (len(names) != 4)
    A, B, bias, C = operands(A, B, names, bias, result)
    left, top, right = _grids(A, B, C, names, (rows, inner, cols), decimals, max_cols)
    tables = [left, top, right]
    if bias is not None:
        shown_cols = len(right.cols)
        row = grid(bias[None, :], bias_name, ["every row"], cols, decimals=decimals, max_cols=shown_cols)
        tables.insert(2, replace(row, shape=bias.shape))
    formula = f"{names[0]} · {names[1]}" + (f" + {bias_name}" if bias is not None else "")
    head = [f"{names[2]} = {formula}", *shape_notes(A, B, paper), *([note] if note else [])]
    head += disagreement(C, A @ B + (0 if bias is None else bias), names[2], formula)
    blocks = [[line for text in head for line in wrap(text, indent="  ")], *(text_lines(part) for part in tables)]
    width = cross_width(left, top, right)
    body, rules = _cross(head, tables, width), ["table", "bracket", "product"]
    if worked is not None:
        written = written_out(A, B, worked, names, rows, cols, C, bias, bias_name)
        blocks.append(entry_lines(*written))
        body += entry_html(*written)
        rules.append("worked")
    extra = (hover_rule(range(len(right.rows)), range(len(right.cols))), stacked_rule(width))
    return Display("\n\n".join("\n".join(lines) for lines in blocks), body, tuple(rules), extra)


@shown
def expand(
    A: object,
    B: object,
    entry: tuple[int, int],
    names: Sequence[str] = ("A", "B", "C"),
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    result: object = None,
    bias: object = None,
    decimals: int = 6,
) -> Display:
    """Show one entry of A · B written out, term by term, and whether it agrees with `result`.

    Args:
        A: n × d.
        B: d × m.
        entry: (row, column).
        names: the symbols of A, B and the result.
        rows: n words for the rows of A.
        cols: m words for the columns of B.
        result: n × m, the array to compare with; without it only the sum is shown.
        bias: m numbers added to every row.
        decimals: of the sum; the factors have four.

    Raises:
        PlainError: the shapes do not multiply, or labels, bias, result or entry do not fit them.
    """
    names = given.names(names, 3)
    A, B, bias, C = operands(A, B, names, bias, result)
    array = C if result is not None else None
    written = written_out(A, B, entry, names, rows, cols, array, bias, "bias", decimals)
    return Display("\n".join(entry_lines(*written)), entry_html(*written), ("table", "worked"))


def operands(A: object, B: object, names: Sequence[str], bias: object, result: object) -> tuple:
    """Return A, B, the bias (or None) and the result as arrays that fit one another, or raise PlainError."""
    A, B = given.matrix(A, names[0]), given.matrix(B, names[1])
    if A.shape[1] != B.shape[0]:
        raise PlainError(
            f"{names[0]} is {shape_text(A.shape)} and {names[1]} is {shape_text(B.shape)}: they do not multiply, "
            f"because a row of {names[0]} has {A.shape[1]} entries and a column of {names[1]} has {B.shape[0]}."
        )
    if bias is not None:
        bias = given.vector(bias, "The bias", B.shape[1], f"(one for each column of {names[1]})")
    if result is None:
        return A, B, bias, A @ B + (0 if bias is None else bias)
    C = given.matrix(result, names[2])
    product_shape = (A.shape[0], B.shape[1])
    return A, B, bias, given.same_shape(C, names[2], product_shape, f"{names[0]} · {names[1]}")


def _grids(A, B, C, names, words, decimals, max_cols) -> tuple[Grid, Grid, Grid]:
    """Print the three matrices; B and C keep the same columns, because they stand above one another."""
    rows, inner, cols = words
    left = grid(A, names[0], rows, inner, decimals=decimals, max_cols=max_cols)
    top = grid(B, names[1], inner, cols, decimals=decimals, max_cols=max_cols)
    right = grid(C, names[2], rows, cols, decimals=decimals, max_cols=max_cols)
    count = min(len(top.cols), len(right.cols))
    return left, top.first_columns(count), right.first_columns(count)


def shape_notes(A: np.ndarray, B: np.ndarray, paper: Sequence[object] | None = None) -> list[str]:
    """Return the lines about the shapes: those of this run, what cancels, and those of the paper."""
    result = shape_text((A.shape[0], B.shape[1]))
    shapes = f"({shape_text(A.shape)}) · ({shape_text(B.shape)}) → {result}"
    notes = [f"{shapes}, inner dimension {A.shape[1]} cancels"]
    if paper is not None:
        first, second = (shape if isinstance(shape, str) else shape_text(shape) for shape in given.pair(paper, "paper"))
        notes.append(f"paper: ({first}) · ({second})")
    return notes


def _cross(head: list[str], tables: list[Grid], width: int) -> str:
    """Return the product as HTML. Without styles it reads in this order: formula and shapes, A, B, bias, C."""
    notes = "".join(f'<p class="note">{symbol_html(line)}</p>' for line in head[1:])
    left, *tops, right = tables
    a = html_table(left, tight=True, cell=lambda i, j: f' class="i{i}"', row_class=lambda i: f"i{i}")
    b = "".join(
        html_table(top, tight=True, cell=lambda i, j: f' class="j{j}"', col_class=lambda j: f"j{j}") for top in tops
    )
    c = html_table(
        right, tight=True, cell=lambda i, j: f' class="i{i} j{j}" tabindex="-1"', col_class=lambda j: f"j{j}"
    )
    return (
        f'<div class="prod w{width}"><div class="k"><p class="f">{symbol_html(head[0])}</p>{notes}</div>'
        f'<div class="a">{a}</div><div class="b">{b}</div><div class="c">{c}</div></div>'
    )


def cross_width(left: Grid, top: Grid, right: Grid) -> int:
    """Return the width in px below which the tables stand below one another: what the cross needs, at least 700."""

    def width(part: Grid, labelled: bool = True) -> float:
        label = max(columns_of(word) for word in part.rows) * CHARACTER_PX + 14 if labelled else 0
        return label + len(part.cols) * cell_width(part, tight=True) * CHARACTER_PX

    needed = max(300, width(left)) + 6 + max(width(top), width(right, labelled=False))
    return max(700, 10 * math.ceil(needed / 10))
