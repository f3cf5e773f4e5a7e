"""The split of a matrix into heads: blocks of columns."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import PlainError
from . import given
from .numbers import shape_text
from .output import Display, shown
from .table import MAX_COLS, grid, html_table, text_lines


@shown
def show_head_split(
    M: object,
    heads: int,
    name: str = "Q",
    rows: Sequence[object] | None = None,
    decimals: int = 3,
    max_cols: int = MAX_COLS,
) -> Display:
    """Show how the columns of a matrix fall into heads: the whole with its blocks marked, then each block by itself.

    Args:
        M: n × d_model.
        heads: how many; they must divide d_model.
        name: its symbol; "Q" gives Q0, Q1, …
        rows: n words.
        decimals: digits after the point.
        max_cols: wider matrices are cut, and the display says so.

    Raises:
        PlainError: `M` is not a matrix, `heads` does not divide its columns, or the labels do not fit it.
    """
    M = given.matrix(M, name)
    if heads < 1 or M.shape[1] % heads:
        raise PlainError(
            f"{name} is {shape_text(M.shape)}: its {M.shape[1]} columns do not fall into {heads} heads of equal width."
        )
    width = M.shape[1] // heads
    note = f"{heads} heads of {width} columns"
    parts = [grid(M, name, rows, decimals=decimals, max_cols=max_cols, cut=width, note=note)]
    for head in range(heads):
        first, last = head * width, (head + 1) * width - 1
        note = f"columns {first} to {last} of {name}" if width > 1 else f"column {first} of {name}"
        block = M[:, first : last + 1]
        parts.append(grid(block, f"{name}{head}", rows, decimals=decimals, max_cols=max_cols, note=note))
    whole, *blocks = (html_table(part) for part in parts)
    return Display(
        "\n\n".join("\n".join(text_lines(part)) for part in parts),
        f'{whole}<div class="side">{"".join(blocks)}</div>',
        ("table", "bracket", "cut", "side"),
    )
