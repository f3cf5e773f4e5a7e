"""Numbers, labels and shapes as text: every float a display prints goes through `fixed`."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from html import escape

WIDTH = 100
"""No line of text is longer than this."""

NOISE = 1e-12
"""Smaller than this is the rounding noise of float64 around zero, whatever the number of decimals."""

BLOCKED = -1e8
"""Scores at or below this are blocked (the engine writes -1e9, which moves a little when a maximum is taken off)."""

MINUS = "\u2212"

_records: list[tuple[float, int]] | None = None


def fixed(value: float, decimals: int = 3, sign: bool = True) -> str:
    """Return `value` with that many decimals, rounded once from the exact double, half to even.

    The sign is always shown unless `sign` is false, which drops the plus. Whatever rounds to zero, and
    anything smaller than 1e-12, is "+0.000", never "-0.000". A blocked score is "-inf". The hyphen is ASCII.
    """
    number = float(value)
    if not BLOCKED < number < math.inf:
        return "nan" if math.isnan(number) else "-inf" if number <= BLOCKED else "+inf" if sign else "inf"
    if -NOISE < number < NOISE:
        number = 0.0
    if _records is not None:
        _records.append((number, decimals))
    digits = f"{number:+.{decimals}f}"
    if digits[0] == "+":
        return digits if sign else digits[1:]
    return digits if digits.strip("-0.") else "+" * sign + digits[1:]


@contextmanager
def recording() -> Iterator[list[tuple[float, int]]]:
    """Collect (value, decimals) of every number that `fixed` prints inside the block."""
    global _records
    before, _records = _records, []
    try:
        yield _records
    finally:
        _records = before


def typeset(number: str) -> str:
    """Return a printed number as HTML shows it: the true minus sign, as wide as a plus, and the sign of infinity."""
    return number.replace("inf", "\u221e").replace("-", MINUS)


def typeset_within(text: str) -> str:
    """Return a sentence with the true minus sign before its numbers; hyphens between words stay."""
    return re.sub(r"(?<!\w)-(?=\d)", MINUS, text) if "-" in text else text


def shape_text(shape: Sequence[object]) -> str:
    """Return (9, 8) as "9 × 8"."""
    return " × ".join(str(size) for size in shape)


def symbol_html(name: str) -> str:
    """Return a name as HTML, escaped, with simple subscripts: W_Q becomes W<sub>Q</sub>, Q0 stays."""
    subscript = r"(?<![A-Za-z0-9_])([A-Za-z]+)_([A-Za-z0-9]+)(?![A-Za-z0-9_])"
    return re.sub(subscript, r"\1<sub>\2</sub>", escape(name))


@lru_cache(maxsize=8192)
def columns_of(text: str) -> int:
    """Return how many columns of a fixed-width page `text` takes; wide characters take two, accents none."""
    if text.isascii():
        return len(text)
    return sum(_columns_of_character(character) for character in text)


@lru_cache(maxsize=8192)
def _columns_of_character(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def left(text: str, width: int) -> str:
    """Pad `text` on the right to `width` columns."""
    return text + " " * (width - columns_of(text))


def right(text: str, width: int) -> str:
    """Pad `text` on the left to `width` columns."""
    return " " * (width - columns_of(text)) + text


def clip(text: str, width: int) -> str:
    """Shorten `text` to at most `width` columns, an ellipsis at the end when something is missing."""
    if columns_of(text) <= width:
        return text
    kept = ""
    for character in text:
        if columns_of(kept + character) > width - 1:
            break
        kept += character
    return kept + "…"


def wrap(text: str, width: int = WIDTH, indent: str = "") -> list[str]:
    """Break `text` at spaces into lines of at most `width` columns; later lines start with `indent`.

    Runs of spaces inside a line are kept; a word that is too long by itself is broken.
    """
    if len(text) <= width and text.isascii():  # most texts fit, and need not be taken apart
        return [text.rstrip()]
    lines, line, used = [], "", 0
    for piece in re.findall(r"\s*\S+", text):
        # The columns of a line are those of its pieces: counting them all again for every piece takes long.
        if (used := used + columns_of(piece)) <= width:
            line += piece
            continue
        if line.strip():
            lines.append(line)
        line = indent + piece.strip() if lines else piece.strip()
        while columns_of(line) > width:
            head = _longest_prefix(line, width)
            lines.append(head)
            line = indent + line[len(head) :]
        used = columns_of(line)
    return [*lines, line] if line.strip() or not lines else lines


def _longest_prefix(text: str, width: int) -> str:
    end = len(text)
    while end > 1 and columns_of(text[:end]) > width:
        end -= 1
    return text[:end]
