"""Small pictures of shares and of units: SVG in the page's own colours, with the numbers in the description."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape

import numpy as np

from ..displays.numbers import clip, columns_of, fixed, left, symbol_html, typeset_within, wrap
from ..displays.output import Display
from ..displays.table import scroll

ROW_PX, LABEL_PX, BAR_PX, NUMBER_PX = 24, 120, 240, 70
LONGEST_LABEL = 14
CELL_PX = 14
TILE, GAP, LONGEST_IN_A_TILE = 96, 8, 10


def svg(width: int, height: int, title: str, described: str, inner: str) -> str:
    """An SVG element with its title and description; ids are made from what it shows."""
    mark = "c" + hashlib.sha256((title + described + inner).encode()).hexdigest()[:10]
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-size="13" '
        f'fill="currentColor" aria-labelledby="{mark}t {mark}d"><title id="{mark}t">{escape(title)}</title>'
        f'<desc id="{mark}d">{escape(described)}</desc>{inner}</svg>'
    )


def framed(title: str, picture: str, note: str = "") -> str:
    """A picture under its title, in a region that scrolls by itself; note: a line of HTML below."""
    note = f'<p class="note">{note}</p>' if note else ""
    return f'<p class="f">{symbol_html(title)}</p>{scroll(picture, title)}{note}'


def _label(x: float, y: float, label: str, bold: bool) -> str:
    weight = ' font-weight="700"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="end"{weight}>{escape(clip(label, LONGEST_LABEL))}</text>'


def _margin(labels: Sequence[str]) -> int:
    return max(columns_of(clip(label, LONGEST_LABEL)) for label in labels)


def share_bars(labels: Sequence[str], shares: np.ndarray, title: str, chosen: int | None = None) -> Display:
    """Shares that add up to 1 as bars, the number beside each; the largest, or the chosen one, is bold.

    labels: n words. shares: (n,), none negative. A share of exactly 0 has no bar.
    """
    strong = int(np.argmax(shares)) if chosen is None else chosen
    numbers = [fixed(share, 3, sign=False) for share in shares]
    lines = []
    for k, (label, share, number) in enumerate(zip(labels, shares, numbers, strict=True)):
        y, wide = ROW_PX * k, BAR_PX * float(share)
        weight = ' font-weight="700"' if k == strong else ""
        lines.append(
            f'{_label(LABEL_PX - 8, y + 17, label, k == strong)}<rect x="{LABEL_PX}" y="{y + 5}" width="{wide:.1f}" '
            f'height="14" fill="#2f74d0" style="fill:var(--acc)"/>'
            f'<text x="{LABEL_PX + wide + 6:.1f}" y="{y + 17}"{weight}>{number}</text>'
        )
    described = ", ".join(f"{label} {number}" for label, number in zip(labels, numbers, strict=True))
    picture = svg(LABEL_PX + BAR_PX + NUMBER_PX, ROW_PX * len(labels), title, described, "".join(lines))
    margin = _margin(labels)
    text = [
        f"  {left(clip(label, LONGEST_LABEL), margin)}  {number}  {'#' * round(30 * float(share))}".rstrip()
        for label, number, share in zip(labels, numbers, shares, strict=True)
    ]
    return Display("\n".join([title, *text]), framed(title, picture), ("table", "picture"))


def unit_map(words: Sequence[str], alive: np.ndarray, title: str, row: int, unit: int) -> Display:
    """One small square for each unit of each word: filled when the unit lives, an empty frame when it is cut to 0.

    alive: (n, d_ff) truth values. row, unit: the chosen one, in a frame of its own.
    """
    margin = _margin(words)
    x0, height, parts = 10 + 8 * margin, 18 * len(words), []
    # One path for all that live and one for all that do not: a picture of 500 squares stays small.
    for living, look in ((True, 'fill="#2f74d0" style="fill:var(--acc)"'), (False, 'fill="none"')):
        squares = "".join(
            f"M{x0 + CELL_PX * u + 1} {18 * i + 2}h11v11h-11z" for i, u in np.argwhere(alive == living).tolist()
        )
        parts.append(f'<path d="{squares}" {look} stroke="#808080"/>')
    parts += [_label(x0 - 8, 18 * i + 13, word, i == row) for i, word in enumerate(words)]
    frame = f'<rect x="{x0 + CELL_PX * unit - 1}" y="{18 * row}" width="15" height="15" fill="none" '
    parts.append(f'{frame}stroke="currentColor" stroke-width="2"/>')
    dead = [f"{word}: {int((~alive[i]).sum())} of {alive.shape[1]} units cut to 0" for i, word in enumerate(words)]
    picture = svg(x0 + CELL_PX * alive.shape[1] + 4, height + 2, title, ", ".join(dead), "".join(parts))
    text = [
        f"  {left(clip(word, LONGEST_LABEL), margin)}  " + "".join("o" if living else "." for living in alive[i])
        for i, word in enumerate(words)
    ]
    note = "filled: the unit lives · empty: ReLU cuts it to 0 · framed: the chosen one"
    head = f"{title} (o lives, . is cut to 0)"
    return Display("\n".join([head, *text]), framed(title, picture, note), ("table", "picture"))


def tile(place: int, y: int, word: str, look: str = "") -> str:
    """A word in a frame at a place of a row of tiles. look: "" plain, "seen" filled, "next" framed, "later" dashed."""
    x = place * (TILE + GAP) + 2
    frame = {
        "": 'fill="none" stroke="currentColor"',
        "seen": 'fill="#2f74d0" fill-opacity=".26" stroke="currentColor"',
        "next": 'fill="none" stroke="#2f74d0" style="stroke:var(--acc)" stroke-width="3"',
        "later": 'fill="none" stroke="#808080" stroke-dasharray="4 3"',
    }[look]
    bold = ' font-weight="700"' if look == "next" else ""
    return (
        f'<rect x="{x}" y="{y + 2}" width="{TILE}" height="30" rx="4" {frame}/>'
        f'<text x="{x + TILE // 2}" y="{y + 22}" text-anchor="middle"{bold}>{escape(clip(word, LONGEST_IN_A_TILE))}'
        "</text>"
    )


def sentence(text: str) -> Display:
    """A finding below a picture, as text; the first sentence is bold in the notebook."""
    first, dot, rest = text.partition(". ")
    head = symbol_html(typeset_within(first + (dot.strip() or "")))
    body = f'<p class="say"><b>{head}</b> {symbol_html(typeset_within(rest))}</p>'
    return Display("\n".join(wrap(text)), body)
