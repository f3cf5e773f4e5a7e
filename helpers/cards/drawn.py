"""Small SVG drawings of a card: boxes, lines and words of a fixed size in the colours of the page."""

from __future__ import annotations

import math
from html import escape

from ..displays.numbers import columns_of, typeset_within
from ..displays.output import Display
from ..displays.style import minified
from ..displays.table import scroll
from . import bars

COLUMN_PX = 8
"""Width of one character of a word, at 13 px in the font of the numbers."""

# What a shape is said to be; the attributes alone keep it readable where styles are stripped.
LOOKS = {
    "box": 'fill="none" stroke="currentColor"',
    "done": 'fill="none" stroke="currentColor"',
    "now": 'fill="none" stroke="#2f74d0" stroke-width="2.5"',
    "later": 'fill="none" stroke="#808080" stroke-dasharray="4 3"',
    "bar": 'fill="#2f74d0" stroke="none"',
    "less": 'fill="#bf6400" stroke="none"',
    "axis": 'fill="none" stroke="#808080"',
    "way": 'fill="none" stroke="currentColor"',
    "lit": 'fill="none" stroke="#2f74d0"',
    "grey": 'fill="none" stroke="#808080"',
}

RULES = minified("""
.tbh .drawn .c { font-family: var(--jp-code-font-family,ui-monospace,Menlo,Consolas,monospace); }
.tbh .scroll svg .drawn .q { fill: var(--mute); }
.tbh .drawn .b { font-weight: 600; }
.tbh .drawn .done { fill: rgb(var(--pos)/.22); }
.tbh .drawn .now { fill: rgb(var(--pos)/.22); stroke: var(--acc); }
.tbh .drawn .later,.tbh .drawn .axis,.tbh .drawn .grey { stroke: var(--edge); }
.tbh .drawn .bar { fill: var(--acc); }
.tbh .drawn .less { fill: var(--off); }
.tbh .drawn .lit { stroke: var(--acc); }
""")
"""Style of every drawing, for `extra` of its display."""


def drawing(text: list[str], *parts: str) -> Display:
    """Return a picture made of HTML parts as a display, with its twin in lines of text."""
    return Display("\n".join(text), "".join(parts), ("table", "picture"), (RULES,))


def arbitrary(trained: bool) -> str:
    """Return what has to be said of a pattern that random weights make; nothing of a trained model's."""
    return "" if trained else "The weights are random, so the pattern is arbitrary."


def svg(width: float, height: float, title: str, described: str, inner: str) -> str:
    """Return a drawing of a fixed size in a region of its own that scrolls, with a title and a description."""
    group = f'<g class="drawn">{inner}</g>'
    return scroll(bars.svg(math.ceil(width), math.ceil(height), title, typeset_within(described), group), title)


def box(x: float, y: float, width: float, height: float, look: str = "box") -> str:
    """Return a rectangle with rounded corners."""
    return (
        f'<rect class="{look}" x="{_px(x)}" y="{_px(y)}" width="{_px(width)}" height="{_px(height)}" rx="4" '
        f"{LOOKS[look]}/>"
    )


def bar(x: float, y: float, width: float, height: float, look: str = "bar") -> str:
    """Return a filled bar from x on, to the left where the width is negative."""
    return (
        f'<rect class="{look}" x="{_px(min(x, x + width))}" y="{_px(y)}" width="{_px(abs(width))}" '
        f'height="{_px(height)}" {LOOKS[look]}/>'
    )


def line(x1: float, y1: float, x2: float, y2: float, look: str = "way", width: float = 1.5) -> str:
    """Return a straight line."""
    return f'<path class="{look}" d="M{_px(x1)} {_px(y1)}L{_px(x2)} {_px(y2)}" {_stroke(look, width)}/>'


def curve(x1: float, y1: float, x2: float, y2: float, look: str = "way", width: float = 1.5, upright=False) -> str:
    """Return a line that leaves and arrives level, or upright."""
    if upright:
        middle = (y1 + y2) / 2
        bend = f"C{_px(x1)} {_px(middle)} {_px(x2)} {_px(middle)} "
    else:
        middle = (x1 + x2) / 2
        bend = f"C{_px(middle)} {_px(y1)} {_px(middle)} {_px(y2)} "
    return f'<path class="{look}" d="M{_px(x1)} {_px(y1)}{bend}{_px(x2)} {_px(y2)}" {_stroke(look, width)}/>'


def arrow(x1: float, y1: float, x2: float, y2: float, look: str = "way", width: float = 1.5) -> str:
    """Return a straight line, upwards or to the right, with an open head at its end."""
    ends = ((x2 - 4, y2 + 5), (x2 + 4, y2 + 5)) if x1 == x2 else ((x2 - 5, y2 - 4), (x2 - 5, y2 + 4))
    (ax, ay), (bx, by) = ends
    head = f'<path d="M{_px(ax)} {_px(ay)}L{_px(x2)} {_px(y2)}L{_px(bx)} {_px(by)}" class="{look}" '
    # The head is never dashed: a few pixels of it would be lost.
    return line(x1, y1, x2, y2, look, width) + head + _stroke(look, width).split(" stroke-dasharray")[0] + "/>"


def words(x: float, y: float, text: str, place: str = "start", look: str = "") -> str:
    """Return a line of text; `place` says which end of it stands at x: start, middle or end."""
    anchor = f' text-anchor="{place}"' if place != "start" else ""
    name = f' class="{look}"' if look else ""
    return f'<text x="{_px(x)}" y="{_px(y)}"{anchor}{name} fill="currentColor">{escape(text)}</text>'


def wide(text: str) -> int:
    """Return the pixels that a word takes, in the font of the numbers."""
    return COLUMN_PX * columns_of(text)


def _stroke(look: str, width: float) -> str:
    attributes = LOOKS[look]
    if "stroke-width" in attributes:
        attributes = attributes.split(" stroke-width")[0]
    return f'stroke-width="{_px(width)}" {attributes}'


def _px(value: float) -> str:
    """A tenth of a pixel is enough."""
    value = math.floor(value * 10 + 0.5) / 10 + 0.0  # never -0
    return f"{value:g}"
