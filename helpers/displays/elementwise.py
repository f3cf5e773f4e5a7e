"""Matrices added entry by entry: both operands and the sum, word by word."""

from __future__ import annotations

from collections.abc import Sequence

from . import given
from .agreement import agreement, disagreement
from .groups import Groups
from .numbers import fixed, symbol_html, typeset_within, wrap
from .output import Display, shown
from .table import MAX_COLS


@shown
def show_elementwise(
    A: object,
    B: object,
    names: Sequence[str] = ("A", "B", "A + B"),
    rows: Sequence[object] | None = None,
    result: object = None,
    worked: tuple[int, int] | None = (0, 0),
    decimals: int = 3,
    max_cols: int = MAX_COLS,
    fit: bool = True,
) -> Display:
    """Show A + B, three lines for each row word, and one entry checked.

    Args:
        A, B: n × d each.
        names: the symbols of A, B and the sum.
        rows: n words.
        result: n × d, the array to show and compare with; computed here when it is not given.
        worked: the entry to check, None for none.
        decimals: digits after the point.
        max_cols: wider matrices are cut, and the display says so.
        fit: false lets the page keep columns for which a line of text has no room.

    Raises:
        PlainError: the shapes differ, or labels, result or entry do not fit them.
    """
    names = given.names(names, 3)
    A, B = given.matrix(A, names[0]), given.matrix(B, names[1])
    given.same_shape(B, names[1], A.shape, names[0])
    total = A + B if result is None else given.matrix(result, names[2])
    added = f"{names[0]} + {names[1]}"
    given.same_shape(total, names[2], A.shape, added)
    words = given.labels(rows, A.shape[0], "row", names[0])
    groups = Groups(
        (A, B, total),
        names,
        words,
        title=names[2] if names[2] == added else f"{names[2]} = {added}",
        note="entry by entry, nothing mixes",
        decimals=decimals,
        max_cols=max_cols,
        fit=fit,
    )
    doubts = disagreement(total, A + B, names[2], added)
    check = [] if worked is None else [_worked(A, B, total, words, names, worked)]
    lines = [*wrap(f"{groups.title}  {groups.text_note}", indent="  "), *groups.text_lines()]
    lines += [line for text in (*doubts, *("".join(parts) for parts in check)) for line in wrap(text, indent="  ")]
    notes = [symbol_html(text) for text in doubts] + [symbol_html(name) + typeset_within(rest) for name, rest in check]
    body = groups.html_table() + "".join(f'<p class="note">{text}</p>' for text in notes)
    return Display("\n".join(lines), body, ("table", "groups"))


def _worked(A, B, total, words, names, position) -> tuple[str, str]:
    """Return one entry's name and its sum written out."""
    i, j = given.entry(position, A.shape, names[2])
    both = A[i, j] + B[i, j]
    return (
        f"{names[2]}[{words[i]}, {j}]",
        f" = ({fixed(A[i, j], 6)}) + ({fixed(B[i, j], 6)}) = {fixed(both, 6)}   {agreement(both, total[i, j], 6)}",
    )
