"""A display: fixed-width text and its HTML twin, shown in a notebook or printed in a terminal."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass

from .style import style


@dataclass(frozen=True, repr=False)
class Display:
    """What one call shows: `text` for every terminal, `html` for the notebook.

    `written` is the text, or a function that writes it when someone asks: a live card only ever shows the HTML.
    `body` is the HTML without its style; `rules` names the pieces of style it needs (see style.py) and
    `extra` holds rules made for this very display. Displays add up: `first + second` is one display.
    """

    written: str | Callable[[], str]
    body: str
    rules: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    @functools.cached_property
    def text(self) -> str:
        """The fixed-width text."""
        return self.written if isinstance(self.written, str) else self.written()

    @property
    def html(self) -> str:
        """The HTML twin with the style it needs, and no more."""
        return f'<div class="tbh">{style(self.rules, self.extra)}{self.body}</div>'

    def __add__(self, other: Display) -> Display:
        if not isinstance(other, Display):
            return NotImplemented
        return Display(
            lambda: f"{self.text}\n\n{other.text}",
            self.body + other.body,
            tuple(dict.fromkeys(self.rules + other.rules)),
            tuple(dict.fromkeys(self.extra + other.extra)),
        )

    def __repr__(self) -> str:
        return self.text

    def beside(self, *others: Display) -> Display:
        """This display and others as one, side by side in the notebook where there is room."""
        both = sum(others, self)
        body = "".join(f"<div>{one.body}</div>" for one in (self, *others))
        return Display(
            lambda: both.text,
            f'<div class="side">{body}</div>',
            tuple(dict.fromkeys((*both.rules, "side"))),
            both.extra,
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": self.html}

    def show(self) -> None:
        """Show the display at once: in the notebook when IPython runs, else as text on the terminal."""
        ipython = sys.modules.get("IPython")
        if ipython is not None and ipython.get_ipython() is not None:
            from IPython.display import display

            display(self)
        else:
            print(self.text)


def shown(build: Callable[..., Display]) -> Callable[..., None]:
    """Turn a function that builds a Display into one that shows it; the builder stays reachable as `.build`."""

    @functools.wraps(build)
    def show(*args: object, **kwargs: object) -> None:
        build(*args, **kwargs).show()

    show.build = build
    return show
