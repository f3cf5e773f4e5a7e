"""A student's own numbers as a map: which entries are off, which are not filled in, which one is written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .numbers import BLOCKED, fixed
from .table import EMPTY, OFF, OFF_FIRST, OPENED, Grid, body_lines, fitted, html_table

MAP_LIMIT = 12
"""Rows or columns up to which a map can be taken in at a glance."""

WIDEST = 10
"""Longer numbers are written with a power of ten, so that one slip does not stretch the map."""

DOT, STAR, ARROW = "·", "*", "<"
"""What an entry not filled in shows; what marks, in the text, one that is off, and one that is only written out."""

ATTRIBUTES = {DOT: EMPTY, STAR: OFF, ARROW: OPENED, "": ""}
"""What each kind of entry has in HTML."""

BEHIND = {DOT: " ", STAR: STAR, ARROW: ARROW, "": " "}
"""What stands behind each kind of entry in the text."""


@dataclass(frozen=True)
class Marked:
    """Numbers as a student gave them, and what is to be marked on them.

    given: numbers or booleans, one or two dimensions. off, empty: booleans of its shape; an entry that is empty may
    hold anything. opened: index of the entry that is written out beside the map.
    name: stands above the map when there is more than one thing it could be of. rows, columns: words; those of a
    vector are its rows. decimals: digits after the point, at most six. sign: false prints no plus, as for ids.
    """

    given: np.ndarray
    off: np.ndarray
    empty: np.ndarray | None = None
    opened: tuple[int, ...] | None = None
    name: str = ""
    rows: Sequence[object] | None = None
    columns: Sequence[object] | None = None
    decimals: int = 3
    sign: bool = True

    @cached_property
    def drawn(self) -> bool:
        """Whether a map says something: a small matrix or vector, not all blank, with at least one mark."""
        small = self.given.ndim in (1, 2) and 0 < max(self.given.shape, default=0) <= MAP_LIMIT and self.given.size > 0
        marks = self.off.any() or self.opened is not None or not self._filled.all()
        return bool(small and marks and self._filled.any())

    def counts(self) -> dict[str, int]:
        """How many entries are right, off, right but to be looked at again, and not filled in."""
        marks = [mark for line in self._marks for mark in line]
        names = {"right": "", "off": STAR, "again": ARROW, "empty": DOT}
        return {name: marks.count(mark) for name, mark in names.items()}

    def html(self) -> str:
        """The map as an HTML table."""
        attributes = [[ATTRIBUTES[mark] for mark in line] for line in self._marks]
        if self.opened is not None:
            i, j = (0, *self.opened)[-2:]
            attributes[i][j] = OFF_FIRST if self._marks[i][j] == STAR else attributes[i][j]
        return html_table(self._grid, "map", cell=lambda i, j: attributes[i][j])

    def text_lines(self) -> list[str]:
        """The map as text: a star behind an entry that is off, a dot for one that is not filled in."""
        marked = tuple(
            tuple([text + BEHIND[mark] for text, mark in zip(*line, strict=True)])
            for line in zip(self._grid.cells, self._marks, strict=True)
        )
        kept = self._grid
        kept = fitted(replace(kept, cells=marked, cols=tuple(f"{word} " for word in kept.cols)))
        left_out = [f"({line})" for line in kept.left_out()]
        title = " ".join([*([self.name] if self.name else []), *left_out])
        return [line.rstrip() for line in ([title] if title else []) + body_lines(kept)]

    @cached_property
    def _filled(self) -> np.ndarray:
        return np.ones(self.given.shape, dtype=bool) if self.empty is None else ~self.empty

    @cached_property
    def _marks(self) -> list[list[str]]:
        """What becomes of each entry: "" when it is right and nothing is said of it."""
        opened = np.zeros(self.given.shape, dtype=bool)
        if self.opened is not None:
            opened[tuple(self.opened)] = True
        states = zip(*(self._flat(array).tolist() for array in (self._filled, self.off, opened)), strict=True)
        return [
            [
                DOT if not filled else STAR if off else ARROW if opened else ""
                for filled, off, opened in zip(*line, strict=True)
            ]
            for line in states
        ]

    def _flat(self, array: np.ndarray) -> np.ndarray:
        """A vector as a matrix of one row."""
        return array[None, :] if array.ndim == 1 else array

    @cached_property
    def _grid(self) -> Grid:
        given, filled = self._flat(self.given), self._flat(self._filled)
        vector = self.given.ndim == 1
        rows, columns = (("yours",), self.rows) if vector else (self.rows, self.columns)
        decimals = min(6, max(0, self.decimals))
        cells = tuple(
            tuple([self._cell(value, decimals) if there else DOT for value, there in zip(*line, strict=True)])
            for line in zip(given.tolist(), filled.tolist(), strict=True)
        )
        words = _labels(columns, given.shape[1])
        named = words is not None
        numbered = tuple(map(str, range(given.shape[1])))
        labels = _labels(rows, given.shape[0]) or tuple(map(str, range(given.shape[0])))
        return Grid(self.name, given.shape, cells, labels, words or numbered, words_above=named)

    def _cell(self, value: object, decimals: int) -> str:
        if type(value) is bool:
            return str(value)
        text = fixed(value, decimals, self.sign)
        return text if len(text) <= WIDEST or value <= BLOCKED else f"{value:{'+' if self.sign else ''}.3g}"


def _labels(words: Sequence[object] | None, size: int) -> tuple[str, ...] | None:
    """The words, or None when there are none or too few: numbers serve then."""
    if words is None or len(words) != size:
        return None
    return tuple(" ".join(str(word).split()) or DOT for word in words)
