"""A matrix on paper: its words, the millimetres it takes, and numbers as text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from ..displays.numbers import clip, typeset

# In millimetres. The template draws what these say.
HEIGHT, WIDTH, LEAST_WIDTH = 7.5, 13.0, 9.5
PAGE = 178.0
LETTER, LONGEST_LABEL = 1.9, 14
WIDE, WIDE_LETTERS = 1.6, "mwæœшщжмюыфω@%—…"
NOTE_WIDTH = 13.0
# A matrix of numbers: its name, the labels of its columns, its rows. Widths in em are those of the digits of one width.
NAME_HEIGHT, ROW_HEIGHT, KEY_WIDTH = 4.0, 4.4, 12.5
NUMBER_SIZE, DIGIT, SIGN, POINT = 8.5 * 0.3528, 0.465, 0.55, 0.22
PLAIN = re.compile(r"(?:(?:^| )[+−]?\d+(?:\.\d+)?)+")
# Notes beside a matrix: the height of a line, and a letter's width at most, on average.
NOTE_LINE, NOTE_LETTER, LONGEST_WORD = 3.4, 1.52, 12
# They stand beside a matrix of so many columns where they have so much room; else below it, and its columns may be
# narrower by what is loose in them.
LEAST_NOTE, MOST_BESIDE, LOOSE = 55.0, 8, 1.8
# Boxes this wide or less leave room for the text beside them.
BESIDE = 92.0


def number(value: float, decimals: int, sign: bool = True) -> str:
    """A number of a given or of the key, with a true minus sign; a blocked score is −∞."""
    if value <= -1e8:
        return typeset("-inf")
    text = f"{abs(value):.{decimals}f}"
    if value < 0 and text.strip("0."):
        return typeset("-" + text)
    return "+" + text if sign else text


def letters(text: str) -> float:
    """The width of a text in letters of usual width: capitals and the like are wider."""
    wide = sum(map(str.isupper, text)) + sum(map(text.count, WIDE_LETTERS))
    return len(text) + wide * (WIDE - 1)


def clipped(word: str) -> str:
    """A word as a label, shortened where it is too wide."""
    width = LONGEST_LABEL
    while letters(text := clip(word, width)) > LONGEST_LABEL and width > 1:
        width -= 1
    return text


def label_width(rows: Sequence[str], least: float = 4.0) -> float:
    """Millimetres for the labels of some rows."""
    return round(max(least, LETTER * max(map(letters, rows)) + 2), 1)


def grid(rows: Sequence[str], columns: Sequence[str], notes: Sequence[str] = (), dashed=False) -> dict:
    """A grid of boxes: labels, widths in millimetres, and dashed boxes at the right of each row."""
    return _grid(tuple(rows), tuple(columns), tuple(notes), dashed).copy()


@lru_cache(maxsize=256)
def _grid(rows: tuple[str, ...], columns: tuple[str, ...], notes: tuple[str, ...], dashed: bool) -> dict:
    rows, columns = (list(map(clipped, words)) for words in (rows, columns))
    label = label_width(rows)
    room = PAGE - label - NOTE_WIDTH * len(notes)
    named = LETTER * max(map(letters, columns)) + 1
    width = min(max(WIDTH, named), max(LEAST_WIDTH, room / len(columns)))
    return {
        "rows": rows,
        "columns": columns,
        "notes": list(notes),
        "label": label,
        "width": round(width, 1),
        "dashed": dashed,
        "total": round(label + width * len(columns) + NOTE_WIDTH * len(notes), 1),
    }


def numbers(cells: Sequence[Sequence[str]]) -> dict:
    """The lines of a matrix of numbers, and a column's width in millimetres at least.

    em: how wide a number is; None where they differ in length or are no numbers, and a line stays a list of cells.
    """
    lines = [" ".join(row) for row in cells]
    texts = [text for row in cells for text in row]
    alike = len({(len(text), text[0] in "+−") for text in texts}) == 1 and all(map(PLAIN.fullmatch, lines))
    em = max(map(_em, texts[:1] if alike else texts))
    return {
        "lines": lines if alike else [list(row) for row in cells],
        "em": round(em, 3) if alike else None,
        "wide": round(em * NUMBER_SIZE + 3, 1),
    }


def _em(text: str) -> float:
    if not PLAIN.fullmatch(text):
        return LETTER * letters(text) / NUMBER_SIZE
    digits, points = sum(map(str.isdigit, text)), text.count(".")
    return DIGIT * digits + POINT * points + SIGN * (len(text) - digits - points)


def placed(labels: dict, lines: dict, notes: str) -> dict:
    """Where a matrix of the key and its notes go: a column's width, whether the notes stand below, the whole height.

    labels: as `grid` gives them. lines: as `numbers` does. The height is enough for notes that are broken into lines.
    """
    rows, columns, label = len(labels["rows"]), len(labels["columns"]), labels["label"]
    named = labels["width"] if labels["width"] > WIDTH else 0.0
    most = (PAGE - label - (LEAST_NOTE if columns <= MOST_BESIDE else 0)) / columns
    width = round(max(lines["wide"] - LOOSE, min(max(KEY_WIDTH, lines["wide"], named), most)), 1)
    room = PAGE - label - width * columns
    below = room < LEAST_NOTE
    capacity = max((PAGE if below else room) / NOTE_LETTER - LONGEST_WORD, LONGEST_WORD)
    beside = sum(max(1, math.ceil(letters(line) / capacity)) for line in notes.split("\n")) * NOTE_LINE + 2
    matrix = (rows + 1) * ROW_HEIGHT
    return {"wide": width, "below": below, "tall": NAME_HEIGHT + (matrix + beside if below else max(matrix, beside))}
