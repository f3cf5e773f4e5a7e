"""Small pictures with numbers beside them: bars whose parts differ by fill and hatch, never by colour alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from helpers.term.tally import BARE, FULL, NONE, PART

LEGEND = {FULL: "all points", PART: "some points", NONE: "no points", BARE: "not filled in"}
WIDTH, HEIGHT = 160, 14


def bar(counts: Mapping[str, int], total: int) -> str:
    """One step as a bar of parts; its numbers stand beside it in the table, so it is hidden from a screen reader."""
    parts, x = [], 0.0
    for kind in LEGEND:
        width = WIDTH * counts.get(kind, 0) / total if total else 0
        if width:
            parts.append(_part(kind, x, width))
        x += width
    return (
        f'<svg class="bars" aria-hidden="true" width="{WIDTH + 2}" height="{HEIGHT + 2}" '
        f'viewBox="-1 -1 {WIDTH + 2} {HEIGHT + 2}">{"".join(parts)}</svg>'
    )


def legend() -> str:
    """What the parts of a bar mean."""
    items = []
    for kind, words in LEGEND.items():
        sample = '<svg class="bars" aria-hidden="true" width="28" height="16" viewBox="-1 -1 28 16">'
        items.append(f"<li>{sample}{_part(kind, 0, 26)}</svg>{words}</li>")
    return f'<ul class="keys">{"".join(items)}</ul>'


def _part(kind: str, x: float, width: float) -> str:
    box = f'<rect class="{kind}" x="{x:.1f}" y="0" width="{width:.1f}" height="{HEIGHT}"/>'
    if kind == PART:
        return box + _lines(x, width, 5)
    if kind == NONE:
        return box + f'<path d="M{x:.1f} {HEIGHT}L{x + width:.1f} 0"/>'
    return box


def _lines(x: float, width: float, apart: float) -> str:
    """Slanting lines inside a part."""
    drawn, at = [], apart - HEIGHT
    while at < width:
        left, right = max(at, 0.0), min(at + HEIGHT, width)
        drawn.append(f"M{x + left:.1f} {HEIGHT - (left - at):.1f}L{x + right:.1f} {HEIGHT - (right - at):.1f}")
        at += apart
    return f'<path d="{"".join(drawn)}"/>'


def histogram(title: str, labels: Sequence[str], counts: Sequence[int]) -> str:
    """How many fall into each of some ranges; the numbers stand above the bars, and in a table beside."""
    step, tall = 32, 120
    top = max(counts, default=0) or 1
    width, height = step * len(counts) + 2, tall + 46
    parts = []
    for k, (label, count) in enumerate(zip(labels, counts, strict=True)):
        high = tall * count / top
        middle = k * step + step / 2
        y = 20 + tall - high
        if count:
            parts.append(f'<rect class="full" x="{k * step + 3}" y="{y:.1f}" width="{step - 6}" height="{high:.1f}"/>')
            parts.append(f'<text x="{middle}" y="{y - 5:.1f}" text-anchor="middle">{count}</text>')
        parts.append(f'<text x="{middle}" y="{tall + 38}" text-anchor="middle">{escape(label)}</text>')
    said = "; ".join(f"{label}: {count}" for label, count in zip(labels, counts, strict=True))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}"><svg class="bars" role="img" '
        f'aria-labelledby="hist-title hist-desc" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<title id="hist-title">{escape(title)}</title><desc id="hist-desc">{escape(said)}</desc>'
        f'{"".join(parts)}<path d="M0 {tall + 20.5}H{width}"/></svg></div>'
    )
