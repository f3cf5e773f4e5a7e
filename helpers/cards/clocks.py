"""Encoder 7: every pair of a position code as the hand of a clock."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.numbers import fixed, typeset, typeset_within
from ..displays.output import Display
from ..displays.style import minified
from ..displays.table import scroll
from ..examples import frozen
from .bars import sentence, svg
from .card import Card, Stage
from .controls import Chosen, Menu, Number
from .settings import Settings

FARTHEST, MOST_STEPS = 99, 50
SIDE, RADIUS = 140, 56
SAME = 1e-9
"""Two numbers closer than this differ by rounding alone."""
TOLD = 5e-4
"""Two cosines farther apart than this are told apart by three decimals."""
CLOCK = """
.tbh .clock { width: 140px; text-align: center; font-size: 13px; line-height: 19px; }
.tbh .clock :is(b,span,code) { display: block; }
.tbh .clock b { font-size: 14px; }
.tbh .clock span { color: var(--mute); }
.tbh .clock code { padding: 0; border: 0; background: none; color: var(--fg); font: CODE; line-height: 19px; }
.tbh .clock svg { display: block; }
.tbh .side.turn { margin-top: 12px; }
.tbh .turn > b { align-self: center; font-size: 18px; font-weight: 600; }
.tbh .side.same { align-items: center; flex-wrap: nowrap; margin-top: 12px; }
.tbh .same > svg { flex: none; }
.tbh .same p.say { margin: 0; font-size: 14px; line-height: 21px; }
.tbh .same b { font-weight: 600; }
.tbh .side.clocks { gap: 8px 4px; }
@container (max-width:480px) { .tbh .side.same { flex-wrap: wrap; } }
@container (max-width:320px) { .tbh .clock,.tbh .clock svg { width: 120px; height: auto; } }
"""


def draw_clocks(settings: Settings, chosen: Chosen) -> Stage:
    """The hands of one position and of one some steps later, and the turn that leads from one to the other."""
    d, p, k, i = settings.sizes.d_model, chosen.position, chosen.steps, chosen.pair
    code = _code(d)
    now, later = code[p].reshape(-1, 2), code[p + k].reshape(-1, 2)
    display = _clocks(now, later, p, k, d, i) + _turn(code, p, k, i, d) + _ambiguity(p, i, d)
    note = f"solid: position {p} · dashed: position {p + k}"
    return Stage(display, f"{d // 2} pairs", "256 pairs", note, weights=False)


@lru_cache(maxsize=8)
def _code(d: int) -> np.ndarray:
    return frozen(tf.positional_encoding(FARTHEST + MOST_STEPS + 1, d))


def _turn(code: np.ndarray, p: int, k: int, i: int, d: int) -> Display:
    """Matrix times pair is the later pair: the matrices, both entries written out, and a try at every position."""
    turn = tf.shift_matrix(k, i, d)
    pairs = code[:, 2 * i : 2 * i + 2]
    now, then = pairs[p], pairs[p + k]
    names = ["sin", "cos"]
    landed, gap = turn @ now, float(np.abs(pairs[: FARTHEST + 1] @ turn.T - pairs[k : FARTHEST + 1 + k]).max())
    matrices = (
        chosen_matrix(turn, f"turn by {_steps(k)}", names, names, note=f"pair {i}"),
        chosen_matrix(now[:, None], f"position {p}", names, ["now"]),
        chosen_matrix(landed[:, None], f"position {p + k}", names, ["later"]),
    )
    every = "One matrix takes every position" if gap < SAME else "This matrix does not take every position"
    agree = "the same" if np.abs(landed - then).max() < SAME else "something else"
    said = (
        f"{every} {_steps(k)} on. Tried at positions 0 to {FARTHEST}, it misses by at most {fixed(gap, sign=False)}. "
        f"From position {p} it lands at {fixed(landed[0])} and {fixed(landed[1])}; the code of position {p + k} says "
        f"{agree}: {fixed(then[0])} and {fixed(then[1])}."
    )
    return _equation(*matrices) + _written_out(turn, now) + sentence(said)


def _steps(k: int) -> str:
    return "1 step" if k == 1 else f"{k} steps"


def _equation(turn: Display, now: Display, later: Display) -> Display:
    """turn · now = later, side by side where there is room."""
    whole = turn + now + later
    signs = [f"<b>{sign}</b>" for sign in "·="]
    first, second, third = (f"<div>{one.body}</div>" for one in (turn, now, later))
    body = f'<div class="side turn">{first}{signs[0]}{second}{signs[1]}{third}</div>'
    return Display(whole.text, body, tuple(dict.fromkeys((*whole.rules, "side"))), whole.extra)


def _written_out(turn: np.ndarray, now: np.ndarray) -> Display:
    """Both dot products of matrix and pair."""
    lines = []
    for name, row in zip(("sin", "cos"), turn, strict=True):
        terms = " + ".join(f"({fixed(a)}) · ({fixed(b)})" for a, b in zip(row, now, strict=True))
        lines.append(f"{name}: {terms} = {fixed(row @ now)}")
    body = "".join(f"<pre>{typeset_within(line)}</pre>" for line in lines)
    return Display("\n".join(lines), scroll(body, "both entries written out"), ("table", "worked"))


def _ambiguity(p: int, i: int, d: int) -> Display:
    """The chosen pair's hand and the other hand with the same sine, on one clock, and what tells them apart."""
    angle = p / float(tf.pair_divisor(i, d))
    said, other = same_sine(angle, i)
    hand, mirrored = (np.array([math.sin(one), math.cos(one)]) for one in (angle, other))
    c, x = SIDE // 2, SIDE / 2 + RADIUS * float(hand[0])
    line = f'<path d="M{x:.1f} 4V{SIDE - 4}" stroke="#bf6400" style="stroke:var(--off)" stroke-dasharray="2 3"/>'
    title, described = f"pair {i}: one sine, two hands", "A dotted line runs through both tips. " + said
    face = svg(SIDE, SIDE, title, described, line + _hands(hand, mirrored, c))
    words = sentence(said)
    return Display(words.text, f'<div class="side same">{face}<div>{words.body}</div></div>', ("side", "picture"))


def same_sine(angle: float, i: int) -> tuple[str, float]:
    """What the sine of an angle leaves open and whether the cosine settles it, in words; and the other angle."""
    other = (math.pi - angle) % (2 * math.pi)
    cosines = math.cos(angle), math.cos(other)
    told = abs(cosines[0] - cosines[1]) > TOLD
    said = (
        f"{'The sine alone is not enough' if told else 'Here the sine is enough'}. In pair {i}, angle "
        f"{fixed(angle, sign=False)} and angle {fixed(other, sign=False)} both have the sine {fixed(math.sin(other))}. "
        f"Their cosines are {fixed(cosines[0])} and {fixed(cosines[1])}: "
        f"{'the pair tells them apart' if told else 'they are one hand'}."
    )
    return said, other


def _clocks(now: np.ndarray, later: np.ndarray, p: int, k: int, d: int, chosen: int) -> Display:
    """All pairs, each a clock with its numbers below; they wrap where the page is narrow."""
    clocks, text = [], [f"Position {p}, and {_steps(k)} later"]
    for i, (hand, then) in enumerate(zip(now, later, strict=True)):
        divisor = float(tf.pair_divisor(i, d))
        clocks.append(_clock(i, hand, then, p, k, divisor, i == chosen))
        text.append(
            f"  pair {i:<2} angle {p} / {divisor:<9.6g} sin {fixed(hand[0])} cos {fixed(hand[1])}   "
            f"later sin {fixed(then[0])} cos {fixed(then[1])}"
        )
    return Display(
        "\n".join(text), f'<div class="side clocks">{"".join(clocks)}</div>', ("side", "picture"), (minified(CLOCK),)
    )


def _clock(i: int, hand: np.ndarray, then: np.ndarray, p: int, k: int, divisor: float, chosen: bool) -> str:
    numbers = typeset(f"sin {fixed(hand[0])}, cos {fixed(hand[1])}")
    title = f"pair {i}, position {p}, and {_steps(k)} later"
    described = f"now {numbers}; later sin {typeset(fixed(then[0]))}, cos {typeset(fixed(then[1]))}"
    face = svg(SIDE, SIDE, title, described, _face(hand, then, k / divisor, chosen))
    name = f"<u>pair {i}</u>" if chosen else f"pair {i}"
    return (
        f'<div class="clock">{face}<b>{name}</b><span>angle {p} / {divisor:.6g}</span>'
        f"<code>sin {typeset(fixed(hand[0]))}</code><code>cos {typeset(fixed(hand[1]))}</code></div>"
    )


def _face(hand: np.ndarray, then: np.ndarray, turned: float, chosen: bool) -> str:
    """The drawing: x is the sine, up is the cosine, and positions run clockwise."""
    c = SIDE // 2
    ticks = "".join(
        f'<path d="M{c + 50 * math.sin(a):.1f} {c - 50 * math.cos(a):.1f}L{c + RADIUS * math.sin(a):.1f} '
        f'{c - RADIUS * math.cos(a):.1f}" stroke="#808080"/>'
        for a in (math.pi / 6 * hour for hour in range(12))
    )
    (a, b), (e, f) = _tip(hand, 22, c), _tip(then, 22, c)
    part = turned % (2 * math.pi)
    arc = f'<path d="M{a} {b}A22 22 0 {int(part > math.pi)} 1 {e} {f}" fill="none" stroke="currentColor"/>'
    return ticks + (arc if part > 0.02 else "") + _hands(hand, then, c, chosen)


def _tip(pair: np.ndarray, r: float, c: int) -> tuple[str, str]:
    return f"{c + r * pair[0]:.1f}", f"{c - r * pair[1]:.1f}"


def _hands(solid: np.ndarray, dashed: np.ndarray, c: int, chosen: bool = False) -> str:
    """A ring, thick for the chosen pair, and two hands in it."""
    (x, y), (u, v) = _tip(solid, RADIUS, c), _tip(dashed, RADIUS, c)
    return (
        f'<circle cx="{c}" cy="{c}" r="{RADIUS}" fill="none" stroke="#808080" stroke-width="{3 if chosen else 1}"/>'
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
