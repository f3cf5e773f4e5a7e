"""Pictures of one row: shares of words as bars, the parts of a sum, and how a row's numbers spread before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from ..displays.numbers import clip, columns_of, fixed, left, right, typeset, typeset_within
from ..displays.output import Display
from .bars import framed, svg

ROW, BAR, NUMBER = 24, 160, 80
"""Pixels: the height of a row, the longest bar, and the room for its number."""

LONGEST = 13
"""Longer words are shortened beside a bar; the description has them whole."""

FILLED = 'fill="#2f74d0" style="fill:var(--acc)"'
BELOW = 'fill="#bf6400" style="fill:var(--off)"'
HOLLOW = 'fill="none" stroke="#808080" stroke-width="1.5" style="stroke:var(--edge)"'
STRIP = 320
"""Pixels of a number line."""

RULES = ("table", "picture")


def shares_of(words: Sequence[str], shares: np.ndarray, title: str, blocked: np.ndarray | None = None) -> Display:
    """Shares that add up to 1 as bars, the number beside each, the largest bold; a blocked word has a bare 0.

    words: n. shares: (n,), none negative. blocked: (n,), true where the word must not be looked at.
    """
    shut = np.zeros(len(words), dtype=bool) if blocked is None else np.asarray(blocked)
    numbers = ["0 blocked" if s else fixed(share, sign=False) for share, s in zip(shares, shut, strict=True)]
    strong, room, parts = int(np.argmax(shares)), _room(words), []
    for k, (word, share, number) in enumerate(zip(words, shares, numbers, strict=True)):
        y, wide = ROW * k, BAR * float(share)
        bar = "" if shut[k] else f'<rect x="{room}" y="{y + 5}" width="{wide:.1f}" height="14" {FILLED}/>'
        parts.append(_word(y, word, k == strong) + bar + _said(room + wide + 6, y, typeset(number), k == strong))
    described = ", ".join(f"{word} {number}" for word, number in zip(words, numbers, strict=True))
    picture = svg(room + BAR + NUMBER, ROW * len(words), title, described, "".join(parts))
    text = [f"{number:9}  {'#' * round(30 * float(share))}" for number, share in zip(numbers, shares, strict=True)]
    return Display(_lines(title, words, text), framed(title, picture), RULES)


def two_shares(words: Sequence[str], first: np.ndarray, second: np.ndarray, names: tuple[str, str]) -> Display:
    """Two ways to share 1 among n words: a filled bar for the first, a hollow one below it for the second."""
    title = f"Shares: {names[0]}, {names[1]}"
    room, parts, said = _room(words), [], []
    for k, (word, a, b) in enumerate(zip(words, first, second, strict=True)):
        y = 2 * ROW * k
        parts.append(_word(y + ROW // 2, word, False))
        for number, (share, look) in enumerate(((a, FILLED), (b, HOLLOW))):
            wide, top = BAR * float(share), y + 22 * number
            parts.append(f'<rect x="{room}" y="{top + 4}" width="{wide:.1f}" height="14" {look}/>')
            parts.append(_said(room + wide + 6, top, fixed(share, sign=False), False))
        said.append(f"{fixed(a, sign=False)}, {fixed(b, sign=False)}")
    described = "; ".join(f"{word} {numbers}" for word, numbers in zip(words, said, strict=True))
    picture = svg(room + BAR + NUMBER, 2 * ROW * len(words), title, described, "".join(parts))
    note = f"filled: {names[0]} · hollow: {names[1]}"
    return Display(_lines(title, words, said), framed(title, picture, escape(note)), RULES)


def parts_of(names: Sequence[str], parts: Sequence[float], total: float, title: str) -> Display:
    """The parts of a sum as bars to both sides of a line, to the left and orange where negative, and the sum below."""
    largest = max(1e-12, *(abs(part) for part in (*parts, total)))
    rows = [*zip(names, parts, strict=True), ("together", total)]
    room = _room([name for name, _ in rows])
    middle, drawn = room + BAR / 2, []
    for k, (name, part) in enumerate(rows):
        y, wide = ROW * k, BAR / 2 * abs(part) / largest
        x = middle - wide if part < 0 else middle
        look = BELOW if part < 0 else FILLED
        last = k == len(rows) - 1
        drawn.append(_word(y, name, last))
        drawn.append(f'<rect x="{x:.1f}" y="{y + 5}" width="{wide:.1f}" height="14" {look}/>')
        drawn.append(_said(room + BAR + 10, y, typeset(fixed(part)), last))
    tall = ROW * len(rows)
    drawn.append(f'<path d="M{middle:g} 0V{tall}M0 {tall - ROW}H{room + BAR + 70}" {HOLLOW}/>')
    numbers = [fixed(part) for _, part in rows]
    described = typeset_within(", ".join(f"{name} {n}" for (name, _), n in zip(rows, numbers, strict=True)))
    picture = svg(room + BAR + NUMBER, tall, title, described, "".join(drawn))
    return Display(_lines(title, [name for name, _ in rows], numbers), framed(title, picture), RULES)


def spread(rows: Sequence[np.ndarray], names: Sequence[str], title: str) -> Display:
    """The entries of a row before and after as dots on one number line, with mean and one deviation to either side.

    rows: vectors of one length, top to bottom. names: what each is.
    """
    low = math.floor(min(row.min() for row in rows))
    high = max(math.ceil(max(row.max() for row in rows)), low + 1)
    room, step = _room(names), max(1, math.ceil((high - low) / 8))

    def x(value: float) -> float:
        return room + STRIP * (float(value) - low) / (high - low)

    parts, said = [], []
    for k, (row, name) in enumerate(zip(rows, names, strict=True)):
        y, mean, deviation = 44 * k + 20, float(np.mean(row)), float(np.std(row))
        start, end = (min(max(x(mean + side * deviation), room), room + STRIP) for side in (-1, 1))
        parts.append(_word(y - 12, name, False))
        parts.append(
            f'<rect x="{start:.1f}" y="{y - 13}" width="{end - start:.1f}" height="26" fill="#2f74d0" '
            f'fill-opacity=".26" style="fill:var(--acc)"/><path d="M{room} {y}H{room + STRIP}" {HOLLOW}/>'
        )
        parts += [f'<circle cx="{x(value):.1f}" cy="{y}" r="4.5" fill="none" stroke="currentColor"/>' for value in row]
        parts.append(
            f'<path d="M{x(mean):.1f} {y - 15}v30" fill="none" stroke="#2f74d0" stroke-width="3" '
            'style="stroke:var(--acc)"/>'
        )
        ends = f"from {fixed(row.min())} to {fixed(row.max())}"
        said.append(f"mean {fixed(mean)}, deviation {fixed(deviation, sign=False)}, {ends}")
    floor = 44 * len(rows)
    parts += [
        f'<text x="{x(tick):.1f}" y="{floor + 14}" text-anchor="middle">{typeset(str(tick))}</text>'
        for tick in range(low, high + 1, step)
    ]
    described = typeset_within("; ".join(f"{name}: {one}" for name, one in zip(names, said, strict=True)))
    picture = svg(room + STRIP + 24, floor + 20, title, described, "".join(parts))
    note = "dots: the entries · line: their mean · band: one deviation to either side"
    return Display(_lines(title, names, said), framed(title, picture, note), RULES)


def _room(labels: Sequence[str]) -> int:
    """Pixels that the labels take to the left of a picture."""
    return 16 + math.ceil(8.5 * max(columns_of(clip(label, LONGEST)) for label in labels))


def _word(y: float, word: str, bold: bool) -> str:
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="0" y="{y + 17:g}"{weight}>{escape(clip(word, LONGEST))}</text>'


def _said(x: float, y: float, text: str, bold: bool) -> str:
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x:.1f}" y="{y + 17:g}"{weight}>{escape(text)}</text>'


def _lines(title: str, labels: Sequence[str], texts: Sequence[str]) -> str:
    """The text twin: a title, and a line for each label."""
    short = [clip(label, 20) for label in labels]
    width, widest = max(map(columns_of, short)), max(map(len, texts))
    pad = right if all(text[:1] in "+-" for text in texts) else left
    lines = [f"  {left(a, width)}  {pad(text, widest)}".rstrip() for a, text in zip(short, texts, strict=True)]
    return "\n".join([title, *lines])
