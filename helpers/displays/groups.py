"""Tables with several lines for each word: operands and sum, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from .numbers import fixed, left, shape_text, symbol_html, typeset
from .table import MAX_ROWS, Grid, body_lines, caption_html, cell_width, fitted, scroll


class Groups:
    """Several arrays of one shape printed line by line: for each word its line of every array, and what is beside it.

    `title` and `note` stand above; `beside` holds, for each word, texts that go with all its lines, named by
    `beside_names`. `lines` names the lines of each word in their own way, one tuple of names a word. Without `fit`
    the page keeps columns for which a line of text has no room.
    """

    def __init__(
        self,
        arrays: Sequence[np.ndarray],
        names: Sequence[str],
        words: Sequence[str],
        *,
        title: str,
        note: str,
        decimals: int,
        max_cols: int,
        beside: Sequence[tuple[str, ...]] = (),
        beside_names: Sequence[str] = (),
        lines: Sequence[Sequence[str]] | None = None,
        fit: bool = True,
    ) -> None:
        shape = arrays[0].shape
        self.size, self.words, self.title = len(arrays), tuple(words[:MAX_ROWS]), title
        self.beside, self.beside_names = beside, beside_names
        n_cols = min(shape[1], max(1, max_cols))
        cells = tuple(
            tuple(fixed(value, decimals) for value in array[i, :n_cols])
            for i in range(len(self.words))
            for array in arrays
        )
        lines = [names] * len(self.words) if lines is None else lines[: len(self.words)]
        labels = tuple(f"  {name}" for named in lines for name in named)
        cols = tuple(str(number) for number in range(n_cols))
        whole = Grid(title, (len(labels), shape[1]), cells, labels, cols)
        self.text_kept = fitted(whole)
        self.kept = self.text_kept if fit else whole
        self.note, self.text_note = (
            " · ".join((shape_text(shape), note, *Grid(title, shape, (), self.words, kept.cols).left_out()))
            for kept in (self.kept, self.text_kept)
        )

    def text_lines(self) -> list[str]:
        """Return the column numbers, then for each word its name, what stands beside it, and its lines."""
        head, *body = body_lines(self.text_kept)
        lines, width = [head], max(len(word) for word in self.words)
        for number, word in enumerate(self.words):
            named = [f"{name} {text}" for name, text in zip(self.beside_names, self._beside(number), strict=True)]
            lines.append("   ".join([left(word, width), *named]).rstrip())
            lines += body[number * self.size : (number + 1) * self.size]
        return lines

    def html_table(self) -> str:
        """Return the HTML twin: one body for each word, its header spanning the word's lines."""
        names = [*(f'<th scope="col">{escape(name)}</th>' for name in self.beside_names), "<td></td>"]
        head = "".join([*names, *(f'<th scope="col">{column}</th>' for column in self.kept.cols)])
        bodies = "".join(f"<tbody>{self._group_html(number)}</tbody>" for number in range(len(self.words)))
        table = (
            f'<table class="m g many" style="--w:{cell_width(self.kept):g}ch">{caption_html(self.title, self.note)}'
            f"<thead><tr><td></td>{head}</tr></thead>{bodies}</table>"
        )
        return scroll(table, f"{self.title}, {self.note}")

    def _group_html(self, number: int) -> str:
        span = f'rowspan="{self.size}"'
        first = f'<th scope="rowgroup" {span}>{escape(self.words[number])}</th>'
        first += "".join(f"<td {span}>{typeset(text)}</td>" for text in self._beside(number))
        start, lines = number * self.size, []
        for line in range(start, start + self.size):
            cells = "".join(f"<td>{typeset(cell)}</td>" for cell in self.kept.cells[line])
            label = f'<th scope="row">{symbol_html(self.kept.rows[line].strip())}</th>'
            lines.append(f"<tr>{first if line == start else ''}{label}{cells}</tr>")
        return "".join(lines)

    def _beside(self, number: int) -> tuple[str, ...]:
        return self.beside[number] if self.beside else ()
