"""What a card lets its reader choose, declared as data: the widgets and the page without a kernel are made from it.

A control whose name is a field of Settings shows and changes that field, for all cards. Every other name is the
card's own, read in its picture as `chosen.name`. Only controls that assistive technology can name are used: no sliders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from .settings import FIELDS, Settings

Chosen = SimpleNamespace
"""The values of a card's own controls, by name."""


@dataclass(frozen=True)
class Control:
    """name: a field of Settings, or the card's own. label: what stands beside it. start: its value at first.

    of_the_model: with trained weights the control is switched off, because the model decides.
    """

    name: str
    label: str
    start: object = None
    of_the_model: bool = False

    @property
    def shared(self) -> bool:
        """Whether it shows a field of Settings."""
        return self.name in FIELDS

    def fitted(self, settings: Settings, value: object) -> object:
        """The value itself, or what takes its place where the settings no longer allow it."""
        return value

    def said(self, settings: Settings, value: object) -> str:
        """The value as a reader sees it."""
        return str(value)


@dataclass(frozen=True)
class Menu(Control):
    """One of several: (label, value) pairs that may depend on the settings. A place beyond the last becomes the last.

    beside: show all of them next to each other instead of in a list that opens.
    """

    options: Callable[[Settings], Sequence[tuple[str, object]]] = lambda settings: ()
    beside: bool = False

    def fitted(self, settings: Settings, value: object) -> object:
        """The value if it can be chosen; else the last choice for a place that is too high, else the first."""
        values = [option for _, option in self.options(settings)]
        if value in values:
            return value
        numbers = isinstance(value, int) and all(isinstance(option, int) for option in values)
        return max((option for option in values if option <= value), default=values[0]) if numbers else values[0]

    def said(self, settings: Settings, value: object) -> str:
        """The label of the value."""
        return next(label for label, option in self.options(settings) if option == value)


@dataclass(frozen=True)
class Number(Control):
    """A whole number between two bounds, which may depend on the settings."""

    low: int = 0
    high: int | Callable[[Settings], int] = 99

    def bounds(self, settings: Settings) -> tuple[int, int]:
        """The smallest and the largest number that can be chosen."""
        return self.low, self.high(settings) if callable(self.high) else self.high

    def fitted(self, settings: Settings, value: object) -> object:
        """The nearest number within the bounds."""
        low, high = self.bounds(settings)
        return min(max(value, low), high)


@dataclass(frozen=True)
class Decimal(Control):
    """A number between two bounds, in steps."""

    low: float = 0.0
    high: float = 1.0
    step: float = 0.1

    def fitted(self, settings: Settings, value: object) -> object:
        """The nearest number within the bounds."""
        return min(max(value, self.low), self.high)

    def said(self, settings: Settings, value: object) -> str:
        """As few digits as it needs."""
        return f"{value:g}"


@dataclass(frozen=True)
class Tick(Control):
    """Yes or no."""

    start: bool = False

    def said(self, settings: Settings, value: object) -> str:
        """In words."""
        return "yes" if value else "no"


@dataclass(frozen=True)
class Line(Control):
    """A line of text."""

    wide: bool = True

    def said(self, settings: Settings, value: object) -> str:
        """Words as a sentence."""
        return value if isinstance(value, str) else " ".join(value)


@dataclass(frozen=True)
class Press(Control):
    """A button. change(settings, chosen) gives what it changes, by name; None for nothing (the end is reached).

    plays: press again and again, until the end or until the button is pressed once more; pressed at the end it begins
    again from what `rewind` gives.
    """

    change: Callable[[Settings, Chosen], dict | None] = lambda settings, chosen: None
    plays: bool = False
    rewind: Callable[[Settings, Chosen], dict] = lambda settings, chosen: {}


def words_of(stack: str) -> Callable[[Settings], list[tuple[str, int]]]:
    """Options that name the words of a stack by their place; a repeated word says which one it is."""

    def options(settings: Settings) -> list[tuple[str, int]]:
        example = settings.example
        return numbered(example.src_words if stack == "encoder" else example.tgt_words)

    return options


def numbered(words: Sequence[str]) -> list[tuple[str, int]]:
    """(word, place) pairs whose labels differ: the second "the" is "the (4)"."""
    return [(f"{word} ({place})" if words.count(word) > 1 else word, place) for place, word in enumerate(tuple(words))]


def heads(settings: Settings) -> list[tuple[str, int]]:
    """Options for the attention heads, counted from 0."""
    return [(str(i), i) for i in range(settings.sizes.heads)]


def layers(settings: Settings) -> list[tuple[str, int]]:
    """Options for the layers, counted from 1 as in the paper."""
    return [(str(k), k) for k in range(1, settings.sizes.layers + 1)]


# Controls that several cards use.
HEAD = Menu("head", "head", 0, options=heads)
LAYER = Menu("layer", "layer", 1, options=layers)
TRAINED = Menu("trained", "weights", options=lambda settings: [("random", False), ("trained", True)], beside=True)
