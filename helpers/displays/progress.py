"""How far a student is: one square for each step, in groups, and a sentence that counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from ..errors import PlainError
from .numbers import WIDTH, left, wrap
from .output import Display, shown

STATES = {
    "right": ("#", "right"),
    "off": ("/", "to look at again"),
    "begun": ("~", "begun"),
    "todo": (".", ""),
}
"""State of a step → its mark in the text, and what it is called; `show_progress` is told what the last is called."""

NAMED = 4
"""So many steps are named in the sentence before the rest is counted."""


@shown
def show_progress(
    groups: Mapping[str, Mapping[str, str]],
    points: float,
    possible: float,
    current: str | None = None,
    mend: str | None = None,
    things: str = "steps",
    todo: str = "not filled in",
    note: str = "",
) -> Display:
    """Show which steps are right, which to look at again, which are begun and which are still to do.

    Args:
        groups: group → step → its state: "right", "off", "begun" or "todo".
        points: what the steps have earned so far.
        possible: what all of them can earn.
        current: the step that was looked at last.
        mend: the first step that is wrong, named below.
        things: what the steps are called: "steps", "tasks".
        todo: what a step that is not begun is called.
        note: a sentence below, such as what is marked by hand.

    Raises:
        PlainError: a state is none of the four, or `current` is no step.
    """
    steps = [(step, state) for group in groups.values() for step, state in group.items()]
    for step, state in steps:
        if state not in STATES:
            raise PlainError(f"The state of {step} is {state!r}; it should be one of {', '.join(STATES)}.")
    if current is not None and current not in dict(steps):
        raise PlainError(f"There is no step {current!r} to be the current one.")
    count, rest = _sentence(steps, points, possible, things, todo)
    below = " ".join(
        part for part in (f"The first {things.removesuffix('s')} to mend is {mend}." if mend else "", note) if part
    )
    said = {state: name or todo for state, (_, name) in STATES.items()}
    text = [*wrap(f"{count} {rest}"), *_squares_text(groups, current), *_legend(steps, said, current), *_wrapped(below)]
    html = f'<p class="sum"><b>{escape(count)}</b> {escape(rest)}</p>{_squares_html(groups, said, current)}' + (
        f'<p class="sum">{escape(below)}</p>' if below else ""
    )
    return Display("\n".join(text), html, ("progress",))


def _sentence(
    steps: Sequence[tuple[str, str]], points: float, possible: float, things: str, todo: str
) -> tuple[str, str]:
    """Return "9 of 26 steps right." and the sentences that count the rest and the points."""
    of = {state: [step for step, its in steps if its == state] for state in STATES}
    parts = [f"{len(of[state])} {STATES[state][1]} ({_named(of[state])})" for state in ("off", "begun") if of[state]]
    parts += [f"{len(of['todo'])} {todo}"] if of["todo"] else []
    rest = f"{', '.join(parts)}. " if parts else ""
    return f"{len(of['right'])} of {len(steps)} {things} right.", f"{rest}{points:g} of {possible:g} points."


def _named(steps: Sequence[str]) -> str:
    if len(steps) <= NAMED:
        return ", ".join(steps)
    return f"{', '.join(steps[:NAMED])} and {len(steps) - NAMED} more"


def _wrapped(text: str) -> list[str]:
    return wrap(text) if text else []


def _squares_text(groups: Mapping[str, Mapping[str, str]], current: str | None) -> list[str]:
    width = max((len(name) for name in groups), default=0)
    room = (WIDTH - width - 4) // 3
    lines = []
    for name, group in groups.items():
        marks = [
            f"[{STATES[state][0]}]" if step == current else f" {STATES[state][0]} " for step, state in group.items()
        ]
        for start in range(0, max(1, len(marks)), room):
            lines.append(f"  {left('' if start else name, width)} {''.join(marks[start : start + room])}".rstrip())
    return lines


def _legend(steps: Sequence[tuple[str, str]], said: Mapping[str, str], current: str | None) -> list[str]:
    found = {state for _, state in steps}
    parts = [f"{STATES[state][0]} {said[state]}" for state in STATES if state in found]
    return _wrapped("  " + "   ".join(parts + (["[ ] checked last"] if current else []))) if steps else []


def _squares_html(groups: Mapping[str, Mapping[str, str]], said: Mapping[str, str], current: str | None) -> str:
    items = []
    for name, group in groups.items():
        squares = "".join(_square(step, state, said[state], step == current) for step, state in group.items())
        items.append(f"<li><span>{escape(name)}</span><ol>{squares}</ol></li>")
    return f'<ul class="prog">{"".join(items)}</ul>' if items else ""


def _square(step: str, state: str, said: str, current: bool) -> str:
    here = ' aria-current="step"' if current else ""
    told = escape(f"{step}: {said}")
    return f'<li class="{state}" title="{told}"{here}><span>{told}</span></li>'
