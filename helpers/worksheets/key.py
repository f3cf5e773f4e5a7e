"""The key: every box rounded as it is written, how far honest work may be off, and what slips would give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .. import pen
from ..boxes import Box
from ..errors import PlainError
from ..mistakes import mistakes_in
from ..transformer import BLOCKED

# A value that a float misses by a hair (0.12349999…) is rounded as a person sees it (0.1235, so 0.124).
HAIR = 1e-9
# Boxes that are looked up or copied: nothing in them is rounded.
EXACT = ("ids", "E_rows", "next_word")
# Slips shown beside a box, and the slips of the pen that are left out: they can happen anywhere.
SHOWN = 3
# A slip shows in an entry that it moves by this many tolerances.
VISIBLE = 3.0
OF_THE_PEN = ("entry.", "rows.exchanged", "columns.exchanged", "row.copied", "rounding.", "rows.wrong-row")


def written(value, decimals: int) -> np.ndarray:
    """Round as people do, a half away from zero; −∞ stays."""
    value = np.asarray(value, dtype=float)
    size = np.floor(np.abs(value) * 10.0**decimals + 0.5 + HAIR) / 10.0**decimals
    rounded = np.copysign(np.round(size, decimals), value) + 0.0
    return np.where(value <= BLOCKED / 2, value, rounded)


@dataclass(frozen=True)
class LikelySlip:
    """What one known mistake makes of one entry of a box."""

    at: tuple[int, ...]
    right: float
    wrong: float
    shows: str


@dataclass(frozen=True)
class Solved:
    """One box of the key: its value as written, how far off is still right, and the likely slips."""

    box: Box
    value: np.ndarray
    tolerance: float
    slips: tuple[LikelySlip, ...]


def solve(boxes: tuple[Box, ...], givens: Mapping, decimals: int) -> dict[str, Solved]:
    """Walk the boxes as a person does: each is worked out from the ones before it as they are written.

    Raises PlainError where a probability is written as 0 and its logarithm is asked for.
    """
    unit = 10.0**-decimals
    values, spread, solved = dict(givens), {}, {}
    for box in boxes:
        with np.errstate(divide="ignore"):
            right = box.work_out(values)
        if np.isposinf(right).any():
            raise PlainError(
                f"With {decimals} decimals a probability is written as 0, which has no logarithm: "
                "take more decimals, or other numbers."
            )
        rounded = right if box.step.kind == "ids" else written(right, decimals)
        spread[box.key] = _spread(box, values, spread, unit, np.shape(right))
        values[box.key] = rounded if box.step.kind != "ids" else right
        tolerance = _tolerance(box, spread[box.key], unit)
        solved[box.key] = Solved(box, np.asarray(values[box.key]), tolerance, slips(box, values, tolerance))
    return solved


def _spread(box: Box, values: Mapping, spread: Mapping, unit: float, shape: tuple[int, ...]) -> np.ndarray:
    """The standard deviation that roundings up to here give each entry of a box before it is written."""
    if box.family in EXACT or box.family not in pen.RULES:
        return np.zeros(shape)
    inputs = [np.asarray(values[name]) if values[name] is not None else None for name in box.inputs]
    # A spread stands for a uniform error √3 times as wide; half a unit of the writing comes on top.
    errors = [_with_writing(spread[name], unit) if name in spread else None for name in box.inputs]
    errors = [None if e is None or not e.any() else e for e in errors]
    moved = pen.moves(pen.RULES[box.family], inputs, errors, unit, shape)
    return np.sqrt((moved**2).sum(axis=0) / 3)


def _with_writing(spread: np.ndarray, unit: float) -> np.ndarray:
    return np.sqrt(3 * spread**2 + np.where(spread > 0, unit / 2, 0.0) ** 2)


def _tolerance(box: Box, spread: np.ndarray, unit: float) -> float:
    """How far from the key honest work may be, as a whole number of units; 0 where nothing is rounded."""
    if box.family in EXACT:
        return 0.0
    return math.ceil((unit / 2 + 4 * float(spread.max())) / unit - 1e-6) * unit


def slips(box: Box, values: Mapping, tolerance: float) -> tuple[LikelySlip, ...]:
    """The likeliest known mistakes in a box, each at an entry that shows it; those that give the same are one."""
    right = np.asarray(values[box.key], dtype=float)
    least = max(VISIBLE * tolerance, 1e-9)
    found: dict[tuple, LikelySlip] = {}
    with np.errstate(all="ignore"):
        for mistake in mistakes_in(box):
            if len(found) == SHOWN:
                break
            if not mistake.label.startswith(OF_THE_PEN):
                _add(found, mistake.stack_in_silence(box, values, right)[:2], right, least, mistake.shows)
    return tuple(found.values())[:SHOWN]


def _add(found: dict[tuple, LikelySlip], variants: np.ndarray, right: np.ndarray, least: float, shows: str) -> None:
    """Keep a slip with the first entry that it changes visibly, if there is one; for each variant of a mistake."""
    if variants.shape[1:] != right.shape or not len(variants):
        return
    visible = np.isfinite(variants) & (np.abs(variants - right) > least)
    visible = visible.reshape(len(variants), -1)
    for variant, seen, first in zip(variants, visible, visible.argmax(axis=1).tolist(), strict=True):
        if not seen[first]:
            continue
        at = tuple(int(k) for k in np.unravel_index(first, right.shape))
        wrong = float(variant[at])
        same = found.get((at, round(wrong, 6)))
        if same is None:
            found[at, round(wrong, 6)] = LikelySlip(at, float(right[at]), wrong, shows)
        elif shows not in same.shows:
            joined = f"{same.shows.rstrip('.')}; or: {shows[0].lower()}{shows[1:]}"
            found[at, round(wrong, 6)] = replace(same, shows=joined)
