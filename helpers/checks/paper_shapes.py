"""The paper's shape of each box: read what is written beside the boxes of a group, and say which are off."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ..points import POINTS
from .feedback import Feedback
from .words import count

ITEM = "paper-shapes-"
"""Items of the table of points that begin like this are the questions about one group's shapes."""

MOST = 100
"""More numbers than this are no shape: a marker does not read millions of them one by one."""


def group_of(unit: str, key: str) -> str:
    """The item that asks for the shape of a box: the next one after it in the unit's points."""
    items = list(POINTS[unit])
    return next(item for item in items[items.index(key) :] if item.startswith(ITEM))


def check(right: Mapping[str, tuple[int, ...]], given: Mapping, possible: float) -> Feedback:
    """Compare the shapes given, by key, with the right ones; every shape has an equal part of the points."""
    read = {key: read_shape(given.get(key)) for key in right}
    filled = {key: shape for key, shape in read.items() if shape is not None}
    off = [key for key, shape in filled.items() if shape != right[key]]
    good = len(filled) - len(off)
    points = round(possible * good / len(right), 2)
    keys = list(right)
    subject = f"the paper's shapes, {keys[0]} to {keys[-1]}"
    if not filled:
        return Feedback("empty", "Not filled in yet.", subject, 0.0, possible)
    missing = ", ".join(key for key in right if key not in filled)
    if off:
        details = [("Where", ", ".join(off)), ("Question", _question(off[0], filled[off[0]], right[off[0]]))]
        verdict = f"{count(len(off), len(right), 'shapes')} off."
        details += [("Missing", missing)] if missing else []
        return Feedback("off", verdict, subject, points, possible, details, begun=True)
    if missing:
        return Feedback(
            "empty", "Not filled in yet.", subject, points, possible, begun=True,
            remark=f"{good} of {len(right)} shapes are right. Fill in {missing}.",
        )  # fmt: skip
    return Feedback("right", f"Right, all {len(right)} shapes.", subject, possible, possible)


def read_shape(value) -> tuple[int, ...] | str | None:
    """Read a shape: text with ×, x, * or a comma, a tuple, a list or a number; None when nothing is filled in.

    What cannot be read comes back as text: it is no shape, and so it is off.
    """
    if value is None or value is ... or (isinstance(value, str) and value.strip() in ("", "...", "…")):
        return None
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.size <= MOST else "no shape"
    if isinstance(value, (list, tuple)):
        entries = [read_shape(part) for part in value]
        if all(entry is None for entry in entries):
            return None
        return tuple(e[0] for e in entries) if all(_is_one(e) for e in entries) else "no shape"
    numbers = re.sub(r"(?<=\d)[ ,](?=\d{3}(?!\d))", "", str(value)) if "×" in str(value) else str(value)
    parts = [part for part in re.split(r"[×xX*,;()\[\]\s]+|by", numbers) if part]
    return tuple(map(int, parts)) if parts and all(map(_is_size, parts)) else "no shape"


def _is_size(part: str) -> bool:
    return part.isdecimal() and len(part) < 20


def _is_one(entry) -> bool:
    return isinstance(entry, tuple) and len(entry) == 1


def _question(key: str, given, right: tuple[int, ...]) -> str:
    if isinstance(given, str) or len(given) != len(right):
        return f"How many sizes has {key}? Write them as rows × columns."
    if given == right[::-1]:
        return f"{key}: does a longer sentence make it taller or wider?"
    if given[0] != right[0]:
        return f"{key}: the words are the same here and in the paper. How many rows are there?"
    return f"{key}: which width has a row of it, and what is that width in the paper?"
