"""The line above each step that shows where it stands: word → E_scaled → … → Z, the current one marked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..displays.numbers import symbol_html, wrap
from ..displays.output import Display


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
    return Display("\n".join(text), f'<p class="note">{escape(title)}</p>{line}', ("flow",))


def _box(label: str, makes: str, ahead: int) -> str:
    """Return one step: done before, shown here, or still to come."""
    inner = f"{symbol_html(makes)} <small>{label}{', here' if ahead == 0 else ''}</small>"
    if ahead == 0:
        return f'<b class="now" aria-current="step">{inner}</b>'
    return f'<span class="{"was" if ahead < 0 else "to"}">{inner}</span>'
