"""The line above each step that shows where it stands: word → E_scaled → … → Z, the current one marked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..displays.numbers import symbol_html, wrap
from ..displays.output import Display

# Boxes are text with borders: they wrap on a phone, and where styles are stripped they read as a line of text.
STYLE = (
    ".tbh .flow{display:flex;flex-wrap:wrap;align-items:center;gap:6px;margin:0 0 8px;font-size:13px;line-height:18px}"
    ".tbh .flow>*{padding:2px 8px;border:1px solid var(--edge);border-radius:4px;text-align:center;font-weight:400}"
    ".tbh .flow .was{background:rgb(var(--pos)/.22);border-color:var(--fg)}"
    ".tbh .flow .to{border-style:dashed}"
    ".tbh .flow .now{padding:1px 7px;border:2.5px solid var(--acc);background:rgb(var(--pos)/.22);font-weight:600}"
    ".tbh .flow small{display:block;font-size:12px}"
)


def flow(where: str, start: str, steps: Sequence[tuple[str, str]], current: str) -> Display:
    """Show the steps (label, what it makes) as a line of boxes with the current one marked, in text by brackets.

    where: whose trace it is. start: what the first step is given.
    """
    names = [f"[{makes}]" if label == current else makes for label, makes in steps]
    title = f"{current}: {where}"
    text = [*wrap(title, indent="  "), *wrap("  " + " → ".join([start, *names]), indent="  ")]
    place = [label for label, _ in steps].index(current)
    boxes = [_box(label, makes, number - place) for number, (label, makes) in enumerate(steps)]
    line = f'<div class="flow" role="group" aria-label="{escape(title)}">{" → ".join(boxes)}</div>'
    return Display("\n".join(text), f'<p class="note">{escape(title)}</p>{line}', (), (STYLE,))


def _box(label: str, makes: str, ahead: int) -> str:
    """Return one step: done before, shown here, or still to come."""
    inner = f"{symbol_html(makes)} <small>{label}{', here' if ahead == 0 else ''}</small>"
    if ahead == 0:
        return f'<b class="now" aria-current="step">{inner}</b>'
    return f'<span class="{"was" if ahead < 0 else "to"}">{inner}</span>'
