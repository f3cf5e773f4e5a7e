"""Encoder 6: six ways to write a position, each measured against five criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.output import Display
from .bars import framed, sentence, svg
from .card import Card, Stage
from .controls import Chosen, Menu, Press
from .settings import Settings

SHOWN = 10
LONG, SHORT, SENTENCE = 5000, 16, 8
"""Positions over which a code is measured: a long text, a few, and a sentence."""
CODE_SEED = 7


def counter(n: int, d: int) -> np.ndarray:
    """The position itself in every column."""
    return np.repeat(np.arange(n, dtype=float)[:, None], d, axis=1)


def fraction(n: int, d: int) -> np.ndarray:
    """How far through the sentence: 0 for the first word, 1 for the last."""
    return counter(n, d) / max(n - 1, 1)


def one_hot(n: int, d: int) -> np.ndarray:
    """A 1 in the column of the position."""
    return np.eye(n, d)


def binary(n: int, d: int) -> np.ndarray:
    """The binary digits, lowest first."""
    return ((np.arange(n)[:, None] >> np.arange(d)) & 1).astype(float)


def random_numbers(n: int, d: int) -> np.ndarray:
    """A row of numbers between −1 and 1 for each position, drawn once."""
    return np.random.RandomState(CODE_SEED).uniform(-1, 1, (n, d))


CODES: dict[str, Callable[[int, int], np.ndarray]] = {
    "counter": counter,
    "fraction": fraction,
    "one-hot": one_hot,
    "binary": binary,
    "sine and cosine": tf.positional_encoding,
    "random": random_numbers,
}


@dataclass(frozen=True)
class Test:
    """One criterion: what is measured, whether it passes, and both in words."""

    name: str
    value: float
    passes: bool
    measured: str


def measured(code: Callable[[int, int], np.ndarray], d: int) -> list[Test]:
    """Measure a code of width d against the five criteria."""
    long, short, sentence_ = code(LONG, d), code(SHORT, d), code(SENTENCE, d)
    largest = float(np.abs(long).max())
    few, many = (len(np.unique(rows.round(9), axis=0)) for rows in (short, long))
    moved = float(np.abs(short[:SENTENCE] - sentence_).max())
    smooth = float(_apart(sentence_, 1).max() / max(_apart(sentence_, 3).min(), 1e-12))
    return [
        Test(
            "bounded", largest, largest <= 1,
            f"largest entry among {LONG:,} positions: {fixed(largest, 2, sign=False)}",
        ),
        Test("unique", few, few == SHORT, f"{SHORT} positions have {few} different codes"),
        Test(
            "consistent", moved, moved == 0,
            f"when the sentence grows, a code moves by {fixed(moved, 2, sign=False)}",
        ),
        Test(
            "smooth", smooth, smooth < 0.999,
            f"longest single step over shortest way of three: {fixed(min(smooth, 99), 2, sign=False)}",
        ),
        Test("unlimited", many, many == LONG, f"{LONG:,} positions have {many:,} different codes"),
    ]  # fmt: skip


@lru_cache(maxsize=64)
def _measured(name: str, d: int) -> list[Test]:
    return measured(CODES[name], d)


def _apart(rows: np.ndarray, k: int) -> np.ndarray:
    return np.linalg.norm(rows[k:] - rows[:-k], axis=1)


def draw_codes(settings: Settings, chosen: Chosen) -> Stage:
    """A code for ten positions, its columns as curves, and its five ticks."""
    d, name = settings.sizes.d_model, chosen.code
    rows = CODES[name](SHOWN, d)
    table = chosen_matrix(rows, name, range(SHOWN), heat=True, decimals=2, note="one row for each position")
    tests = _measured(name, d)
    lines = [(test.name, "✓ passes" if test.passes else "✗ fails", test.measured) for test in tests]
    ticks = show_table.build(("criterion", "", "measured"), lines, align="lll")
    failed = [test.name for test in tests if not test.passes]
    said = sentence(
        f"{name.capitalize()} passes all five."
        if not failed
        else f"{name.capitalize()} is not {' and not '.join(failed)}."
    )
    return Stage(curves(rows, name) + table + ticks + said, f"{SHOWN} × {d}", f"{SHOWN} × 512", weights=False)


def curves(rows: np.ndarray, name: str) -> Display:
    """The first four columns of a code over the positions, each with a dash of its own."""
    n, width, height, left = len(rows), 420, 130, 36
    low, high = min(0.0, float(rows.min())), max(1.0, float(rows.max()))

    def point(t: int, value: float) -> str:
        x = left + (width - left - 10) * t / (n - 1)
        return f"{x:.1f},{10 + (height - 20) * (high - value) / (high - low):.1f}"

    parts, said = [], []
    for c, dash in enumerate(("none", "6 3", "2 3", "8 3 2 3")[: rows.shape[1]]):
        points = " ".join(point(t, float(rows[t, c])) for t in range(n))
        colour = ("#2f74d0", "#bf6400", "currentColor", "#808080")[c]
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        said.append(f"column {c}: " + " ".join(fixed(float(value), 2) for value in rows[:, c]))
    for value in (low, high):
        y = point(0, value).split(",")[1]
        parts.append(f'<text x="{left - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{value:g}</text>')
    title = f"{name}: the first columns over {n} positions"
    picture = svg(width, height, title, "; ".join(said), "".join(parts))
    legend = "column 0 solid, 1 dashed, 2 dotted, 3 dash-dotted"
    return Display(f"{title} (picture)", framed(title, picture, legend), ("table", "picture"))


def _next(settings: Settings, chosen: Chosen) -> dict:
    names = list(CODES)
    return {"code": names[(names.index(chosen.code) + 1) % len(names)]}


CARDS = (
    Card(
        "position codes", "encoder", 6, "Six codes for a position", "Which code keeps every promise?", "3.5",
        draw_codes,
        (
            Menu("code", "code", "counter", options=lambda settings: [(name, name) for name in CODES]),
            Press("flip", "Next code", change=_next),
        ),
    ),
)  # fmt: skip
