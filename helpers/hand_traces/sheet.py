"""The sheet a trace is written on: titles, opened entries, tables; every number is compared as it is written."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np

from ..displays.agreement import TOLERANCE, agreement
from ..displays.entry import MAX_TERMS, entry_html, entry_lines, written_out
from ..displays.notes import show_table
from ..displays.numbers import MINUS, WIDTH, fixed, symbol_html, wrap
from ..displays.output import Display

MAX_ROWS = 40
"""A longer table is cut after this many rows and says so; all its lines are compared."""

NO = "does NOT agree"


class Column(NamedTuple):
    """Numbers of a table, one a row; `array` is what the run has, None where it keeps no such array.

    bare: a value of exactly 0, which only a blocked key has, is printed as a bare 0.
    """

    name: str
    values: Sequence[float]
    array: np.ndarray | None = None
    sign: bool = True
    bare: bool = False


class Sheet:
    """Collects the displays of a trace and counts how many of its numbers were compared, and how many are off."""

    def __init__(self, decimals: int = 6):
        self.decimals = decimals
        self.checked = self.off = 0
        self._parts: list[Display] = []

    @property
    def display(self) -> Display:
        """Everything written so far."""
        return reduce(add, self._parts)

    def put(self, part: Display) -> None:
        """Add a display of its own."""
        self._parts.append(part)

    def number(self, value: float, sign: bool = True) -> str:
        """Write a number with this sheet's decimals."""
        return fixed(value, self.decimals, sign)

    def agree(self, worked: object, array: object) -> np.ndarray:
        """Compare what was worked out with what the run has: True for each entry that agrees. Counts them."""
        same = np.isclose(worked, array, rtol=TOLERANCE, atol=TOLERANCE)
        self.checked += same.size
        self.off += int(np.sum(~same))
        return same

    def say(self, *sentences: str) -> None:
        """Write sentences, one a line."""
        text = "\n".join(line for sentence in sentences for line in wrap(sentence, indent="  "))
        self.put(Display(text, "".join(f'<p class="note">{_set(sentence)}</p>' for sentence in sentences)))

    def title(self, text: str, beside: str = "") -> None:
        """Write the title of a part, with formulas beside it."""
        lines = [*wrap(text, indent="  "), *(wrap(beside, indent="  ") if beside else [])]
        self.put(Display("\n".join(lines), _title_html(text, beside)))

    def opened(self, title: str, written: str, worked: float, array: float | None = None, sign: bool = True) -> None:
        """Write one number out: what it is, how it comes about, its value and whether the run has the same."""
        verdict = ""
        if array is not None:
            self.agree(worked, array)
            verdict = agreement(worked, array, self.decimals)
        lines = [*wrap(written, WIDTH - 2, indent="  "), f"= {self.number(worked, sign)}"]
        self._entry(title, lines, verdict)

    def product(self, A, B, entry, names, array, rows=None, cols=None, bias=None, bias_name="bias", title=None) -> None:
        """Write one entry of A · B out: the factors, the products, the sum, and whether the array has the same."""
        stated, lines, verdict = written_out(A, B, entry, names, rows, cols, array, bias, bias_name, self.decimals)
        products = A[entry[0]] * B[:, entry[1]]
        ends = [] if bias is None else [bias[entry[1]]]
        self.agree(math.fsum([*products, *ends]), array[entry])
        first, *others = [self.number(value) for value in [*_at_most(products), *ends]]
        self._entry(title or stated, [*lines[:-1], *_filled([f"= {first}", *others], "  "), lines[-1]], verdict)

    def total(self, name: str, values: Sequence[float], sign: bool = False) -> float:
        """Write a sum out, of at most 64 numbers and the rest as one, and return it."""
        *first, last = [self.number(value, sign) for value in _at_most(values)]
        lines = _filled([*(number if sign else f"{number} +" for number in first), last])
        if len(values) > MAX_TERMS:
            lines.append(f"(the last number: the other {len(values) - MAX_TERMS} together)")
        total = math.fsum(values)
        self._entry(name, [*lines, f"= {self.number(total, sign)}"], "")
        return total

    def table(self, caption: str, labels: dict[str, Sequence[object]], columns: Sequence[Column]) -> None:
        """Write a table, one line for each entry, that ends in whether the line agrees with the arrays."""
        same = {column.name: self.agree(column.values, column.array) for column in columns if column.array is not None}
        count = len(columns[0].values)
        rows = []
        for i in range(min(count, MAX_ROWS)):
            off = [
                f"{column.name} {self.number(column.array[i], column.sign)}"
                for column in columns
                if column.name in same and not same[column.name][i]
            ]
            rows.append(
                [str(values[i]) for values in labels.values()]
                + [self._cell(column, i) for column in columns]
                + ([f"{NO}: {', '.join(off)}" if off else "agrees"] if same else [])
            )
        if count > MAX_ROWS:
            caption += f" (first {MAX_ROWS} of {count} lines)"
        header = [*labels, *(column.name for column in columns), *(["array"] if same else [])]
        align = "l" * len(labels) + "r" * len(columns) + "l" * bool(same)
        self.put(show_table.build(header, rows, caption, align))

    def _cell(self, column: Column, i: int) -> str:
        if column.bare and column.values[i] == 0:
            return "0"
        return self.number(column.values[i], column.sign)

    def compare(self, what: str, worked: np.ndarray, array: np.ndarray) -> None:
        """Compare many entries at once and write how it went."""
        off = int(np.sum(~self.agree(worked, array)))
        count = np.size(array)
        self.say(f"All {count} {what} agree." if not off else f"{off} of {count} {what} do NOT agree.")

    def close(self) -> None:
        """Write how many numbers were compared and whether all agree."""
        if self.off:
            self.title(f"{self.off} of {self.checked} numbers do NOT agree with the arrays of the run.")
        else:
            self.say(f"{self.checked} numbers compared with the arrays of the run: all agree.")

    def _entry(self, title: str, lines: list[str], verdict: str) -> None:
        text = "\n".join(entry_lines(title, lines, verdict))
        self.put(Display(text, entry_html(title, lines, verdict), ("table", "worked")))


def _at_most(values: Sequence[float]) -> list[float]:
    """The first 64 values, and the sum of the others as one more."""
    return [*values[:MAX_TERMS], *([math.fsum(values[MAX_TERMS:])] if len(values) > MAX_TERMS else [])]


def _filled(pieces: Sequence[str], indent: str = "") -> list[str]:
    """Join pieces with spaces into lines that fit; later lines are indented."""
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(lines[-1]) + 1 + len(piece) <= WIDTH - 2:
            lines[-1] += f" {piece}"
        else:
            lines.append(indent + piece)
    return lines


def _title_html(text: str, beside: str) -> str:
    note = f'<p class="note">{_set(beside)}</p>' if beside else ""
    return f'<p class="f">{_set(text)}</p>{note}'


def _set(sentence: str) -> str:
    """Return a sentence as HTML: subscripts, and the true minus sign before numbers only."""
    return re.sub(r"(?<![\w-])-(?=\d|inf\b)", MINUS, symbol_html(sentence)).replace(f"{MINUS}inf", f"{MINUS}\u221e")
