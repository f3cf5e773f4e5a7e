"""Encoder 6: six ways to write a position, each measured against five criteria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from html import escape

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed, typeset, wrap
from ..displays.output import Display
from ..displays.style import minified
from ..sizes import PAPER_BASE
from .bars import framed, sentence, svg
from .card import Card, Stage
from .controls import Chosen, Menu, Press
from .settings import Settings

CRITERIA = """
.tbh dl.crit.crit {
  display: grid; grid-template-columns: max-content minmax(0,1fr); gap: 4px 14px; margin: 8px 0; font-size: 14px;
  line-height: 21px;
}
.tbh dl.crit.crit dt { float: none; width: auto; margin: 0; padding: 0; font-weight: 600; line-height: 21px; }
.tbh dl.crit.crit dd { float: none; width: auto; margin: 0; padding: 0; }
.tbh dl.crit.crit b { font-weight: 600; }
.tbh dl.crit.crit i { font-style: normal; color: var(--mute); }
@container (max-width:480px) {
  .tbh dl.crit.crit { grid-template-columns: minmax(0,1fr); gap: 0; }
  .tbh dl.crit.crit dd { margin: 0 0 6px; }
}
"""
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
class Verdict:
    """One criterion: what is asked, what was measured, whether that passes, and why in words."""

    name: str
    asked: str
    value: float
    passes: bool
    why: str


def measured(code: Callable[[int, int], np.ndarray], d: int) -> list[Verdict]:
    """Measure a code of width d against the five criteria; the tests are those of the lesson."""
    long, short, sentence_ = code(LONG, d), code(SHORT, d), code(SENTENCE, d)
    few, many = (len(np.unique(rows.round(9), axis=0)) for rows in (short, long))
    return [
        _bounded(float(np.abs(long).max())),
        Verdict(
            "unique", f"{SHORT} positions, {SHORT} codes", few, few == SHORT,
            f"{SHORT} positions have {few} different codes." if few == SHORT
            else f"{SHORT} positions share {few} codes, so some look alike.",
        ),
        _consistent(float(np.abs(short[:SENTENCE] - sentence_).max())),
        _smooth(float(_apart(sentence_, 1).max()), float(_apart(sentence_, 3).min())),
        Verdict(
            "unlimited", f"{LONG:,} positions, {LONG:,} codes", many, many == LONG,
            f"{LONG:,} positions have {many:,} different codes." if many == LONG
            else f"{LONG:,} positions share {many:,} codes: the columns run out.",
        ),
    ]  # fmt: skip


def _bounded(largest: float) -> Verdict:
    passes = largest <= 1
    number = f"{largest:,.0f}" if largest == round(largest) else fixed(largest, 2, sign=False)
    found = f"The largest entry among {LONG:,} positions is {number}"
    why = f"{found}, so the word is still heard." if passes else f"{found}, which would drown the word."
    return Verdict("bounded", "no entry beyond 1", largest, passes, why)


def _consistent(moved: float) -> Verdict:
    grows = f"the sentence grows from {SENTENCE} words to {SHORT}"
    why = (
        f"No code changes when {grows}." if moved == 0
        else f"When {grows}, an entry of a word's code moves by {fixed(moved, 2, sign=False)}."
    )  # fmt: skip
    return Verdict("consistent", "longer sentence, same code", moved, moved == 0, why)


def _smooth(step: float, three: float) -> Verdict:
    """step: the longest way between neighbours; three: the shortest between positions three apart."""
    value = step / max(three, 1e-12)
    lengths = [fixed(length, 2, sign=False) for length in (step, three)]
    passes = value < 0.999
    why = f"One step is {lengths[0]} long at most, three steps {lengths[1]} at least"
    why += ", so near positions have near codes." if passes else ", so near positions may be far apart."
    return Verdict("smooth", "one step shorter than three", value, passes, why)


@lru_cache(maxsize=64)
def _measured(name: str, d: int) -> list[Verdict]:
    return measured(CODES[name], d)


def _apart(rows: np.ndarray, k: int) -> np.ndarray:
    return np.linalg.norm(rows[k:] - rows[:-k], axis=1)


def draw_codes(settings: Settings, chosen: Chosen) -> Stage:
    """A code for ten positions, its columns as curves, its five ticks, and those of all six."""
    d = settings.sizes.d_model
    return Stage(_shown(chosen.code, d), f"{SHOWN} × {d}", f"{SHOWN} × {PAPER_BASE.d_model}", weights=False)


@lru_cache(maxsize=64)
def _shown(name: str, d: int) -> Display:
    """The picture depends on the code and the width alone, so each is drawn once."""
    rows = CODES[name](SHOWN, d)
    table = chosen_matrix(rows, name, range(SHOWN), heat=True, decimals=2, note="one row for each position")
    found = _measured(name, d)
    failed = [one.name for one in found if not one.passes]
    said = sentence(
        f"{name.capitalize()} passes all five."
        if not failed
        else f"{name.capitalize()} is not {' and not '.join(failed)}."
    )
    return curves(rows, name).beside(table) + ticks(found) + said + overview(name, d)


def ticks(found: list[Verdict]) -> Display:
    """Each criterion with its verdict, what is asked, and why the tick is there or not."""
    lines = [(one.name, one.asked, _said(one), one.why) for one in found]
    text = show_table.build(("criterion", "asked", "verdict", "why"), lines, align="llll").text
    items = "".join(
        f"<dt>{_said(one)[0]} {one.name}</dt>"
        f"<dd><b>{_said(one)[2:]}</b>: {escape(one.why)} <i>Asked: {one.asked}.</i></dd>"
        for one in found
    )
    return Display(text, f'<dl class="crit">{items}</dl>', (), (minified(CRITERIA),))


def _said(one: Verdict) -> str:
    return "✓ passes" if one.passes else "✗ fails"


def overview(chosen: str, d: int) -> Display:
    """The ticks of all six codes."""
    lines = [
        (f"→ {name}" if name == chosen else name, *("✓ yes" if one.passes else "✗ no" for one in _measured(name, d)))
        for name in CODES
    ]
    names = [one.name for one in _measured(chosen, d)]
    return show_table.build(("code", *names), lines, f"All six, {d} columns wide", align="l" * (1 + len(names)))


LINES = (
    ("solid", "none", "#2f74d0", "var(--acc)"),
    ("dashed", "6 3", "#bf6400", "var(--off)"),
    ("dotted", "2 3", "currentColor", "currentColor"),
    ("dash-dotted", "8 3 2 3", "#808080", "var(--edge)"),
)
"""How the curves of the first columns are told apart: name, dashes, colour, and colour of the page."""


def curves(rows: np.ndarray, name: str) -> Display:
    """The first four columns of a code over the positions, each with a dash of its own."""
    n, width, height, left, base = len(rows), 380, 170, 36, 40
    low, high = min(0.0, float(rows.min())), max(1.0, float(rows.max()))

    def x(t: int) -> float:
        return left + (width - left - 10) * t / (n - 1)

    def y(value: float) -> float:
        return 10 + (height - base - 10) * (high - value) / (high - low)

    parts = [f'<path d="M{left} {y(0):.1f}H{width - 10}" stroke="#808080"/>']
    said = []
    for c, (_, dash, colour, page) in list(enumerate(LINES[: rows.shape[1]])):
        points = " ".join(f"{x(t):.1f},{y(float(rows[t, c])):.1f}" for t in range(n))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" style="stroke:{page}" stroke-width="2" '
            f'stroke-dasharray="{dash}"/>'
        )
        said.append(f"column {c}: " + " ".join(fixed(float(value), 2) for value in rows[:, c]))
    for value in dict.fromkeys((low, 0.0, high)):
        number = typeset(f"{value:.3g}")
        parts.append(f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{number}</text>')
    for t in range(n):
        parts.append(f'<text x="{x(t):.1f}" y="{height - 22}" text-anchor="middle">{t}</text>')
    parts.append(f'<text x="{(left + width) / 2:.0f}" y="{height - 4}" text-anchor="middle">position</text>')
    title = f"{name}: the first columns"
    picture = svg(width, height, f"{title} over {n} positions", "; ".join(said), "".join(parts))
    drawn = rows[:, : len(LINES)]
    alike = bool((drawn == drawn[:, :1]).all())
    legend = ", ".join(f"{c} {look}" for c, (look, *_) in enumerate(LINES[: rows.shape[1]]))
    legend = "all columns are alike: one line" if alike else f"column {legend}"
    text = "\n".join(wrap(f"{title} over {n} positions (picture): {legend}"))
    return Display(text, framed(title, picture, legend), ("table", "picture"))


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
