"""Encoder 7: every pair of a position code as the hand of a clock."""

from __future__ import annotations

import math

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.numbers import fixed, typeset
from ..displays.output import Display
from .bars import sentence, svg
from .card import Card, Stage
from .controls import Chosen, Menu, Number
from .settings import Settings

FARTHEST, MOST_STEPS = 99, 50
SIDE, RADIUS = 140, 56


def draw_clocks(settings: Settings, chosen: Chosen) -> Stage:
    """The hands of one position and of one some steps later, and the turn that leads from one to the other."""
    d, p, k, i = settings.sizes.d_model, chosen.position, chosen.steps, chosen.pair
    code = tf.positional_encoding(p + k + 1, d)
    now, later = code[p].reshape(-1, 2), code[p + k].reshape(-1, 2)
    hands = _clocks(now, later, p, k, d)
    turn = tf.shift_matrix(k, i, d)
    landed = turn @ now[i]
    names = ["sin", "cos"]
    product = (
        chosen_matrix(turn, f"turn by {k} steps", names, names, note=f"pair {i}")
        .beside(
            chosen_matrix(now[i][:, None], f"position {p}", names, [""]),
            chosen_matrix(landed[:, None], f"position {p + k}", names, [""]),
        )
    )  # fmt: skip
    gap = float(np.abs(landed - later[i]).max())
    same = f"The same matrix takes any position {k} steps on. " if gap < 1e-9 else "The turn misses. "
    said = sentence(
        f"{same}It lands at {fixed(landed[0])} and {fixed(landed[1])}; the code of position {p + k} says "
        f"{fixed(later[i][0])} and {fixed(later[i][1])}."
    )
    display = hands + product + said + _ambiguity(now[i], p, i, d)
    return Stage(display, f"{d // 2} pairs", "256 pairs", "solid: now · dashed: later", weights=False)


def _ambiguity(hand: np.ndarray, p: int, i: int, d: int) -> Display:
    """What the sine alone cannot tell, and whether the cosine can."""
    angle = p / float(tf.pair_divisor(i, d))
    other = math.pi - angle
    said = (
        f"The sine alone is not enough. Angle {fixed(angle, sign=False)} and angle {fixed(other)} both have the sine "
        f"{fixed(math.sin(other))}. Their cosines are {fixed(hand[1])} and {fixed(math.cos(other))}"
    )
    told = abs(hand[1] - math.cos(other)) > 5e-4
    return sentence(said + (": the pair tells them apart." if told else ": here both are the same angle."))


def _clocks(now: np.ndarray, later: np.ndarray, p: int, k: int, d: int) -> Display:
    """All pairs, each a clock with its numbers below; they wrap where the page is narrow."""
    clocks, text = [], [f"Position {p}, and {k} steps later"]
    for i, (hand, then) in enumerate(zip(now, later, strict=True)):
        divisor = float(tf.pair_divisor(i, d))
        clocks.append(_clock(i, hand, then, p, k, divisor))
        text.append(
            f"  pair {i:<2} angle {p} / {divisor:<9.6g} sin {fixed(hand[0])} cos {fixed(hand[1])}   "
            f"later sin {fixed(then[0])} cos {fixed(then[1])}"
        )
    return Display("\n".join(text), f'<div class="side">{"".join(clocks)}</div>', ("side", "picture"))


def _clock(i: int, hand: np.ndarray, then: np.ndarray, p: int, k: int, divisor: float) -> str:
    numbers = typeset(f"sin {fixed(hand[0])}, cos {fixed(hand[1])}")
    title = f"pair {i}, position {p}, and {k} steps later"
    described = f"now {numbers}; later sin {typeset(fixed(then[0]))}, cos {typeset(fixed(then[1]))}"
    face = svg(SIDE, SIDE, title, described, _face(hand, then, k / divisor))
    return (
        f'<div style="width:{SIDE}px;text-align:center">{face}'
        f'<p class="note" style="line-height:18px"><b style="margin:0">pair {i}</b><br>angle {p} / {divisor:.6g}<br>'
        f"sin {typeset(fixed(hand[0]))}<br>cos {typeset(fixed(hand[1]))}</p></div>"
    )


def _face(hand: np.ndarray, then: np.ndarray, turned: float) -> str:
    """The drawing: x is the sine, up is the cosine, and positions run clockwise."""
    c = SIDE // 2

    def tip(pair: np.ndarray, r: float) -> tuple[str, str]:
        return f"{c + r * pair[0]:.1f}", f"{c - r * pair[1]:.1f}"

    ticks = "".join(
        f'<path d="M{c + 50 * math.sin(a):.1f} {c - 50 * math.cos(a):.1f}L{c + RADIUS * math.sin(a):.1f} '
        f'{c - RADIUS * math.cos(a):.1f}" stroke="#808080"/>'
        for a in (math.pi / 6 * hour for hour in range(12))
    )
    (x, y), (u, v) = tip(hand, RADIUS), tip(then, RADIUS)
    (a, b), (e, f) = tip(hand, 22), tip(then, 22)
    part = turned % (2 * math.pi)
    arc = f'<path d="M{a} {b}A22 22 0 {int(part > math.pi)} 1 {e} {f}" fill="none" stroke="currentColor"/>'
    return (
        f'<circle cx="{c}" cy="{c}" r="{RADIUS}" fill="none" stroke="#808080"/>{ticks}{arc if part > 0.02 else ""}'
        f'<path d="M{c} {c}L{u} {v}" stroke="currentColor" stroke-width="1.5" stroke-dasharray="4 3"/>'
        f'<circle cx="{u}" cy="{v}" r="4" fill="none" stroke="currentColor" stroke-width="1.5"/>'
        f'<path d="M{c} {c}L{x} {y}" stroke="#2f74d0" style="stroke:var(--acc)" stroke-width="3"/>'
        f'<circle cx="{x}" cy="{y}" r="5" fill="#2f74d0" style="fill:var(--acc)"/><circle cx="{c}" cy="{c}" r="2.5"/>'
    )


CARDS = (
    Card(
        "clock hands", "encoder", 7, "Clock hands",
        "What turns a position into the one some steps later, and does the same turn work from anywhere?", "3.5",
        draw_clocks,
        (
            Number("position", "position", 6, high=FARTHEST),
            Number("steps", "steps later", 3, high=MOST_STEPS),
            Menu("pair", "pair", 0, options=lambda s: [(str(i), i) for i in range(s.sizes.d_model // 2)]),
        ),
    ),
)  # fmt: skip
