"""How results follow from one another: names in boxes, an arrow for each step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from ..errors import PlainError
from .numbers import columns_of, left, symbol_html, wrap
from .output import Display, shown

ARROW = re.compile(r"\s*--\s*(.*?)\s*-->\s*")
NOTE = "Framed: what you write here. Tinted: what you have."

# One place of a chain: the step that leads there ("" at the start), what it makes, and what joins in.
Place = tuple[str, list[str], list[str]]


@shown
def show_flow(lines: Mapping[str, str]) -> Display:
    """Show chains of steps, one a line: what stands before an arrow is used, what follows it is made.

    Args:
        lines: label → chain, as in {"head 0": "Q0, K0 -- compare --> S0 -- share out --> A0, V0 -- mix --> H0"}.
            Names behind a comma join in for the next step; names joined by & are made together.

    Raises:
        PlainError: there is no line, or a line has a gap where a name or a step should stand.
    """
    chains = {label: _chain(label, text) for label, text in lines.items()}
    if not chains:
        raise PlainError("A flow needs at least one line, as in {'head 0': 'Q0, K0 -- compare --> S0'}.")
    made = {name for chain in chains.values() for how, names, _ in chain if how for name in names}
    margin = max(map(columns_of, chains)) + 2
    text = []
    for label, chain in chains.items():
        text += wrap(left(label, margin) + _text(chain, made), indent=" " * margin)
    body = "".join(_html(label, chain, made) for label, chain in chains.items())
    return Display(
        "\n".join([*text, "In brackets: what you write here."]), f'{body}<p class="note">{NOTE}</p>', ("flow",)
    )


def _chain(label: str, text: str) -> list[Place]:
    first, *rest = ARROW.split(text)
    chain = []
    for how, names in [("", first), *zip(rest[::2], rest[1::2], strict=True)]:
        made, *joining = ([name.strip() for name in part.split("&")] for part in names.split(","))
        chain.append((how, made, [name for part in joining for name in part]))
    if not all(name for _, made, joining in chain for name in made + joining) or not all(how for how, *_ in chain[1:]):
        raise PlainError(f"The line {label!r} has a gap; a chain reads 'A, B -- add --> C -- halve --> D'.")
    return chain


def _text(chain: list[Place], made: set[str]) -> str:
    parts = []
    for how, *names in chain:
        parts += [f"-- {how} -->"] if how else []
        parts.append(", ".join(f"[{name}]" if name in made else name for some in names for name in some))
    return " ".join(parts)


def _html(label: str, chain: list[Place], made: set[str]) -> str:
    parts = [f"<i>{escape(label)}</i>"]
    for how, *names in chain:
        parts += [f"<em><small>{escape(how)}</small> →</em>"] if how else []
        parts += [_box(name, name in made) for some in names for name in some]
    return f'<div class="flow" role="group" aria-label="{escape(label)}">{" ".join(parts)}</div>'


def _box(name: str, made: bool) -> str:
    return f'<b class="make">{symbol_html(name)}</b>' if made else f'<span class="was">{symbol_html(name)}</span>'
