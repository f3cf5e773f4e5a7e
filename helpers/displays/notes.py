"""Shape notes and plain tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from numbers import Integral, Real

from ..errors import PlainError
from .numbers import WIDTH, columns_of, fixed, left, right, shape_text, symbol_html, typeset, typeset_within, wrap
from .output import Display, shown
from .table import scroll

MAX_COLUMNS = 25
GAP = 2
"""Spaces between the columns of a plain table."""


@shown
def show_shapes(name: str, this: object, paper: object) -> Display:
    """Show the shape of one thing in this run and in the paper, in one line.

    Args:
        name: its symbol.
        this: the shape in this run, such as (9, 8).
        paper: the shape in the paper; a text such as "n × 512" will do too.
    """
    this, paper = (size if isinstance(size, str) else _shape(size) for size in (this, paper))
    body = (
        f'<p class="note"><b>{symbol_html(name)}</b> <span>this run</span> <span class="pill">{escape(this)}</span> '
        f'<span>paper</span> <span class="pill p">{escape(paper)}</span></p>'
    )
    return Display("\n".join(wrap(f"{name}  this run {this} · paper {paper}", indent="  ")), body, ("pills",))


@shown
def show_table(
    header: Sequence[object],
    rows: Sequence[Sequence[object]],
    caption: str | None = None,
    align: str | None = None,
) -> Display:
    """Show a plain table of words and numbers; the first cell of every row is its header.

    Args:
        header: the names of the columns.
        rows: the cells; ints get thousands separators, floats three decimals.
        caption: a title above.
        align: one letter a column, l or r; without it columns of numbers go right.

    Raises:
        PlainError: a row, or `align`, does not have one cell for each column, or there are more than 25 columns.
    """
    header = [_cell_text(cell) for cell in header]
    cells = [[_cell_text(cell) for cell in row] for row in rows]
    for number, row in enumerate(cells):
        if len(row) != len(header):
            raise PlainError(f"Row {number} of the table has {len(row)} cells, but its header has {len(header)}.")
    if not 1 <= len(header) <= MAX_COLUMNS:
        raise PlainError(f"A table has 1 to {MAX_COLUMNS} columns, not {len(header)}.")
    align = align or "".join("r" if _numeric(cells, column) else "l" for column in range(len(header)))
    if len(align) != len(header) or set(align) - set("lr"):
        raise PlainError(f"align takes one letter, l or r, for each of {len(header)} columns, not {align!r}.")

    def text() -> str:
        return "\n".join([*(wrap(caption) if caption else []), *_table_text(header, cells, align)])

    return Display(text, _table_html(header, cells, align, caption), ("table", "plain"))


def _shape(size: object) -> str:
    return shape_text(size) if isinstance(size, Sequence) else str(size)


def _cell_text(cell: object) -> str:
    if isinstance(cell, bool) or not isinstance(cell, Real):
        return "" if cell is None else " ".join(str(cell).split())
    return f"{int(cell):,}" if isinstance(cell, Integral) else fixed(float(cell))


def _numeric(cells: list[list[str]], column: int) -> bool:
    texts = [row[column] for row in cells if row[column]]
    return bool(texts) and all(re.fullmatch(r"[+-]?\d[\d,]*(\.\d+)?( ?[%×])?", text) for text in texts)


def _table_text(header: list[str], cells: list[list[str]], align: str) -> list[str]:
    widths = _widths([header, *cells])
    lines = _row_text(header, widths, align)
    lines.append("-" * min(WIDTH, sum(widths) + GAP * (len(widths) - 1)))
    for row in cells:
        lines += _row_text(row, widths, align)
    return lines


def _widths(rows: list[list[str]]) -> list[int]:
    """Return the column widths: the widest cell, then the widest columns give way until a line fits."""
    widths = [max(1, max(columns_of(row[column]) for row in rows)) for column in range(len(rows[0]))]
    free = WIDTH - GAP * (len(widths) - 1)
    while sum(widths) > free and max(widths) > 2:
        widths[widths.index(max(widths))] -= 1
    return widths


def _row_text(row: list[str], widths: list[int], align: str) -> list[str]:
    columns = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    height = max(len(lines) for lines in columns)
    out = []
    for number in range(height):
        parts = []
        for lines, width, side in zip(columns, widths, align, strict=True):
            part = lines[number] if number < len(lines) else ""
            parts.append(right(part, width) if side == "r" else left(part, width))
        out.append((" " * GAP).join(parts).rstrip())
    return out


def _table_html(header: list[str], cells: list[list[str]], align: str, caption: str | None) -> str:
    head = "".join(_cell_html(text, side, "col") for text, side in zip(header, align, strict=True))
    lines = []
    for first, *rest in cells:
        tds = "".join(_cell_html(text, side) for text, side in zip(rest, align[1:], strict=True))
        lines.append(f"<tr>{_cell_html(first, align[0], 'row')}{tds}</tr>")
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    table = f'<table class="m t">{title}<thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    return scroll(table, caption or ", ".join(text for text in header if text))


def _cell_html(text: str, side: str, scope: str = "") -> str:
    """Return one cell; a header without text is a plain cell, because an empty header names nothing."""
    tag = "th" if scope and text else "td"
    attributes = (f' scope="{scope}"' if tag == "th" else "") + (' class="r"' if side == "r" else "")
    text = typeset(text) if re.match(r"-\d", text) else text
    return f"<{tag}{attributes}>{escape(text)}</{tag}>"


@shown
def show_hint(title: str, text: str) -> Display:
    """Show a hint behind one click; the text has it plain.

    Args:
        title: what is clicked, such as "Hint for Q0".
        text: the hint, one line or several.
    """
    first, *rest = text.splitlines() or [""]
    lines = [line for part in (f"{title}: {first}", *rest) for line in wrap(part, indent="  ")]
    body = f'<details class="hint"><summary>{escape(title)}</summary><p>{escape(typeset_within(text))}</p></details>'
    return Display("\n".join(lines), body, ("hint",))


def folded(title: str, inner: Display) -> Display:
    """Return a display behind one click; the text has it plain."""
    body = f'<details class="hint"><summary>{escape(title)}</summary><div>{inner.body}</div></details>'
    return Display("\n".join([*wrap(title), "", inner.text]), body, (*inner.rules, "hint"), inner.extra)


def part(title: str, inner: Display) -> Display:
    """Return a display with a small heading above, for one part of many."""
    body = f'<p class="part">{escape(title)}</p>{inner.body}'
    line = "=" * min(WIDTH, columns_of(title))
    return Display(lambda: f"{title}\n{line}\n\n{inner.text}", body, (*inner.rules, "part"), inner.extra)
