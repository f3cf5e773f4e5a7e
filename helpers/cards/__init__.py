"""Live cards: questions with controls; every picture is computed from the reader's own sentence, sizes and weights."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from functools import cache
from importlib import import_module

from ..displays.output import Display
from ..errors import PlainError
from .card import Card
from .shared import Shared, of_this_notebook

VIEW = "application/vnd.jupyter.widget-view+json"
NO_WIDGETS = "This card stands still: to play with it, install ipywidgets with  pip install ipywidgets"

# The rooms' files that hold cards, in the order of the lessons. A new card is one more entry in such a file's CARDS.
_FILES = (
    "start", "inputs", "order", "position_codes", "clocks", "position_matrix", "attention", "mixing", "sublayers",
    "stack", "moved", "shifted", "masked", "cross", "output", "forcing", "generation", "summary",
)  # fmt: skip


@cache
def all_cards() -> dict[str, Card]:
    """Every card by its key, in the order of the lessons."""
    found = [card for name in _FILES for card in import_module(f".{name}", __name__).CARDS]
    found.sort(key=lambda card: (card.unit != "encoder", card.number))
    return {card.key: card for card in found}


def card(key: str) -> None:
    """Show a card by its key, such as "clock hands", or by its place, such as "encoder 7".

    In a notebook it is live; on a page without a kernel, and on a terminal, it stands in its first state.
    Raises PlainError if there is no such card, with the keys that are near.
    """
    wanted = find(key)
    shared = of_this_notebook()
    still = wanted.still(shared.settings)
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        still.show()
    else:
        ipython.display.display(_bundle(wanted, shared, still), raw=True)


def _bundle(wanted: Card, shared: Shared, still: Display) -> dict:
    """The live card for where widgets work, and its first state for where they do not."""
    try:
        from .shell import Live

        live = Live(wanted, shared).box
    except ModuleNotFoundError as error:
        if error.name != "ipywidgets":
            raise
        return wanted.still(shared.settings, NO_WIDGETS)._repr_mimebundle_()
    view = {VIEW: {"version_major": 2, "version_minor": 0, "model_id": live.model_id}}
    # Colab shows one kind of output and may take the HTML, which is dead.
    return view if "google.colab" in sys.modules else still._repr_mimebundle_() | view


def find(key: str) -> Card:
    """The card of a key or a place; PlainError if there is none."""
    cards = all_cards()
    places = {f"{card.unit} {card.number}": card for card in cards.values()}
    wanted = " ".join(str(key).lower().replace("_", " ").split())
    if found := cards.get(wanted) or places.get(wanted):
        return found
    near = get_close_matches(wanted, [*cards, *places], n=3)
    hint = f" Did you mean {' or '.join(repr(name) for name in near)}?" if near else f" There are {', '.join(cards)}."
    raise PlainError(f"There is no card {key!r}.{hint}")
