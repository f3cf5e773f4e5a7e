"""A matrix with labels, as fixed-width text and as an HTML table: what the other displays are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape

import numpy as np

from . import given
from .numbers import WIDTH, clip, columns_of, fixed, left, right, shape_text, symbol_html, typeset, typeset_within, wrap
from .output import Display, shown

MAX_COLS = 12
MAX_ROWS = 40
LABEL_WIDTH = 14
"""Longer labels are shortened in the text; the HTML has them whole."""

BLOCKED = ' class="x"'
"""The attributes of a blocked cell."""

TOP = "top"
"""The class of a cell that is its row's maximum."""

OFF, OFF_FIRST, OPENED = ' class="o"', ' class="o first"', ' class="first"'
"""The attributes of an entry that is off, of one that feedback also writes out, and of one that is only that."""

EMPTY = ' class="e"'
"""The attributes of an entry that is not filled in."""

HEARD = {OFF: "off", OFF_FIRST: "off", OPENED: "to look at again", EMPTY: "not filled in"}
"""What is said of an entry to those who do not see its frame."""


@dataclass(frozen=True)
class Grid:
    """A matrix ready to print: its shown cells as text, their labels, and what is said about it.

    `shape` is that of the whole matrix, `cuts` are the columns at which a new block (a head) starts, `words_above`
    is true when the columns are labelled with words, `about` is a caption that replaces shape and notes.
    """

    name: str
    shape: tuple[int, ...]
    cells: tuple[tuple[str, ...], ...]
    rows: tuple[str, ...]
    cols: tuple[str, ...]
    notes: tuple[str, ...] = ()
    cuts: frozenset[int] = frozenset()
    words_above: bool = False
    about: str = ""

    @property
    def caption(self) -> str:
        """What stands behind the name: shape, notes and what is left out, or `about` instead of all that."""
        if self.about:
            return self.about
        return " · ".join((shape_text(self.shape), *self.notes, *self.left_out()))

    def left_out(self) -> list[str]:
        """Say how many rows and columns of the whole are shown, when it is not all of them."""
        counts = [(len(self.cols), self.shape[-1], "columns")]
        if len(self.shape) == 2:
            counts.insert(0, (len(self.rows), self.shape[0], "rows"))
        return [f"showing first {some} of {every} {what}" for some, every, what in counts if some < every]

    def first_columns(self, count: int) -> Grid:
        """Return the grid with only its first `count` columns."""
        return replace(self, cells=tuple(line[:count] for line in self.cells), cols=self.cols[:count])

    def widths(self) -> list[int]:
        """Return the columns of text each column takes: its widest number, or its label (shortened if very long)."""
        labels = [min(LABEL_WIDTH, columns_of(word)) for word in self.cols]
        columns = zip(*self.cells, strict=True)
        return [max(label, *map(len, column)) for label, column in zip(labels, columns, strict=True)]


def grid(
    M: np.ndarray,
    name: str,
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    *,
    decimals: int = 3,
    sign: bool = True,
    note: str | None = None,
    cut: int | None = None,
    max_cols: int = MAX_COLS,
    max_rows: int = MAX_ROWS,
    hidden: np.ndarray | None = None,
    hidden_as: str = "-inf",
    fit: bool = True,
) -> Grid:
    """Print the numbers of a matrix into a Grid; entries where `hidden` is true are printed as `hidden_as`.

    At most `max_rows` rows and `max_cols` columns are kept, fewer columns when a line of text would pass 100 columns,
    unless `fit` is false: a page of HTML can scroll.
    """
    M = given.matrix(M, name)
    row_words = given.labels(rows, M.shape[0], "row", name)[: max(1, max_rows)]
    col_words = given.labels(cols, M.shape[1], "column", name)[: max(1, max_cols)]
    hidden = np.zeros(M.shape, dtype=bool) if hidden is None else hidden
    cells = tuple(
        tuple(hidden_as if hidden[i, j] else fixed(M[i, j], decimals, sign) for j in range(len(col_words)))
        for i in range(len(row_words))
    )
    cuts = frozenset(range(cut, M.shape[1], cut)) if cut else frozenset()
    kept = Grid(name, M.shape, cells, row_words, col_words, (note,) if note else (), cuts, cols is not None)
    return fitted(kept) if fit else kept


def fitted(kept: Grid) -> Grid:
    """Return the grid with as many columns as fit into a line of text when each is as narrow as it can be."""
    widths = kept.widths()
    count = len(widths)
    while count > 1 and _line_width(kept, widths[:count], 1) > WIDTH:
        count -= 1
    return kept if count == len(widths) else kept.first_columns(count)


def around(kept: Grid, col: int | None) -> Grid:
    """Return as many columns of the grid as fit into a line of text, the column `col` among them."""
    part, first = fitted(kept), 0
    if col is None or col < len(part.cols):
        return part
    while col >= first + len(part.cols):
        first += 1
        cells, cuts = (
            tuple(line[first:] for line in kept.cells),
            frozenset(cut - first for cut in kept.cuts if cut > first),
        )
        part = fitted(replace(kept, cells=cells, cols=kept.cols[first:], cuts=cuts))
    last = first + len(part.cols) - 1
    about = f"{kept.caption} · showing columns {kept.cols[first]} to {kept.cols[last]}"
    return replace(part, cuts=frozenset(cut for cut in part.cuts if cut < len(part.cols)), about=about)


def label_width(rows: Sequence[str]) -> int:
    """Return the width of the row labels in the text."""
    return min(LABEL_WIDTH, max(columns_of(word) for word in rows))


def text_lines(kept: Grid) -> list[str]:
    """Return the fixed-width text of a grid: name and shape, column labels, one line for each row."""
    return [*wrap(f"{kept.name}  {kept.caption}", indent="  "), *body_lines(kept)]


def body_lines(kept: Grid) -> list[str]:
    """Return the text of a grid without its first line; columns are equally wide, two apart, where that fits."""
    widths = kept.widths()
    even = [max(widths)] * len(widths)
    if _line_width(kept, even, 2) <= WIDTH:
        widths = even
    gap = " " * (2 if _line_width(kept, widths, 2) <= WIDTH else 1)
    margin = label_width(kept.rows)

    def line(label: str, edge: str, cells: Sequence[str]) -> str:
        fitting = map(str.rjust, cells, widths)
        if not "".join(cells).isascii():
            fitting = (right(clip(cell, width), width) for cell, width in zip(cells, widths, strict=True))
        if kept.cuts:
            fitting = (edge + gap + cell if column in kept.cuts else gap + cell for column, cell in enumerate(fitting))
            return left(clip(label, margin), margin) + edge + "".join(fitting)
        return gap.join([left(clip(label, margin), margin) + edge, *fitting])

    return [
        line("", "  ", [clip(word, width) for word, width in zip(kept.cols, widths, strict=True)]),
        *(line(word, " |", row) for word, row in zip(kept.rows, kept.cells, strict=True)),
    ]


def _line_width(kept: Grid, widths: Sequence[int], gap: int) -> int:
    blocks = sum(column < len(widths) for column in kept.cuts)
    return label_width(kept.rows) + 2 + sum(widths) + gap * len(widths) + 2 * blocks


def scroll(inner: str, label: str) -> str:
    """Wrap a table into a region that scrolls by itself, so that a narrow page never does."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">{inner}</div>'


def caption_html(name: str, rest: str) -> str:
    """Return the caption of a table: the name, then shape and notes muted."""
    return f"<caption>{symbol_html(name)} <i>{escape(typeset_within(rest))}</i></caption>"


def cell_width(kept: Grid, tight: bool = False) -> float:
    """Return the least width of a column in HTML, in characters: set by the words above, else by the numbers."""
    numbers = max(len(cell) for line in kept.cells for cell in line)
    if kept.words_above:
        return max(numbers, *(columns_of(word) for word in kept.cols)) + 2
    return numbers + (1.2 if tight else 2)


def html_table(
    kept: Grid,
    kind: str = "brk",
    *,
    tight: bool = False,
    foot: int = 0,
    cell: Callable[[int, int], str] | None = None,
    row_class: Callable[[int], str] | None = None,
    col_class: Callable[[int], str] | None = None,
) -> str:
    """Return a grid as an HTML table inside its scrolling region.

    Args:
        kept: what to show. kind: "brk" for brackets, "heat" for a scale, "g" for rules, "map" for feedback.
        tight: columns as narrow as a product needs them. foot: how many of the last rows are a foot.
        cell: the attributes of cell (i, j). row_class, col_class: the class of a header.
    """
    head = "".join(_header("col", word, col_class(j) if col_class else "") for j, word in enumerate(kept.cols))
    lines = []
    for i, (word, cells) in enumerate(zip(kept.rows, kept.cells, strict=True)):
        row = "".join([_cell(kept, j, text, cell(i, j) if cell else "") for j, text in enumerate(cells)])
        lines.append(f"<tr>{_header('row', word, row_class(i) if row_class else '')}{row}</tr>")
    body = len(lines) - foot
    tail = f"<tfoot>{''.join(lines[body:])}</tfoot>" if foot else ""
    kind += " one" if kind == "brk" and len(kept.cols) == 1 else ""
    caption = caption_html(kept.name, kept.caption) if kept.name else ""
    return scroll(
        f'<table class="m {kind}" style="--w:{cell_width(kept, tight):g}ch">{caption}'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines[:body])}</tbody>{tail}</table>",
        f"{kept.name or 'your numbers'}, {kept.caption}",
    )


@lru_cache(maxsize=1024)
def _header(scope: str, word: str, name: str) -> str:
    return f'<th scope="{scope}"' + (f' class="{name}"' if name else "") + f">{escape(word)}</th>"


def _cell(kept: Grid, column: int, text: str, attributes: str) -> str:
    if not attributes and column in kept.cuts:
        attributes = ' class="cut"'
    before, after = _around(attributes)
    return f"{before}{typeset(text)}{after}"


@lru_cache(maxsize=512)
def _around(attributes: str) -> tuple[str, str]:
    """What stands before and after the number of a cell with some attributes; the cells of a table have few."""
    before, after = f"<td{attributes}>", "</td>"
    if attributes == BLOCKED or ' x"' in attributes:
        return f"{before}<span>", f"</span>{after}"  # the ground behind it, so that no stripe crosses the number
    if f'{TOP}"' in attributes:
        return f"{before}<b>", f"</b>{after}"  # where styles are stripped it stays bold
    if attributes in HEARD:
        return before, f'<span class="hid"> {HEARD[attributes]}</span>{after}'
    return before, after


@shown
def show_matrix(
    M: object,
    name: str,
    rows: Sequence[object] | None = None,
    cols: Sequence[object] | None = None,
    decimals: int = 3,
    note: str | None = None,
    cut: int | None = None,
    max_cols: int = MAX_COLS,
) -> Display:
    """Show a matrix, its shape and its labels.

    Args:
        M: n × d numbers.
        name: its symbol, such as "X" or "W_Q".
        rows: n words; without them the rows are numbered.
        cols: d words; without them the columns are numbered.
        decimals: digits after the point.
        note: a few words behind the shape.
        cut: columns per head; a dotted line stands between heads.
        max_cols: wider matrices are cut, and the display says so.

    Raises:
        PlainError: `M` is not a matrix, or the labels do not fit it.
    """
    kept = grid(M, name, rows, cols, decimals=decimals, note=note, cut=cut, max_cols=max_cols)
    return Display("\n".join(text_lines(kept)), html_table(kept), ("table", "bracket", "cut")[: 3 if cut else 2])
