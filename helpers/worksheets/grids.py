"""A matrix on paper: its words, the millimetres it takes, and numbers as text."""

from __future__ import annotations

from collections.abc import Sequence

from ..displays.numbers import clip, typeset

# In millimetres. The template draws what these say.
HEIGHT, WIDTH, LEAST_WIDTH = 7.5, 13.0, 9.5
PAGE = 178.0
LETTER, LONGEST_LABEL = 1.9, 14
NOTE_WIDTH = 13.0
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


def grid(rows: Sequence[str], columns: Sequence[str], notes: Sequence[str] = (), cells=None, dashed=False) -> dict:
    """A grid of boxes, or of numbers: labels, widths in millimetres, and dashed boxes at the right of each row."""
    rows, columns = ([clip(word, LONGEST_LABEL) for word in words] for words in (rows, columns))
    label = max(4.0, LETTER * max(map(len, rows)) + 2)
    room = PAGE - label - NOTE_WIDTH * len(notes)
    named = LETTER * max(map(len, columns)) + 1
    width = min(max(WIDTH, named), max(LEAST_WIDTH, room / len(columns)))
    return {
        "rows": rows,
        "columns": columns,
        "notes": list(notes),
        "label": round(label, 1),
        "width": round(width, 1),
        "cells": cells,
        "dashed": dashed,
        "total": round(label + width * len(columns) + NOTE_WIDTH * len(notes), 1),
    }
