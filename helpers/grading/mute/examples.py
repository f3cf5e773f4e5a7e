"""The course run's words, sizes and weights, as data; nothing is drawn while a notebook is marked."""

from __future__ import annotations

from functools import lru_cache

from helpers.data import read
from helpers.quiet import room
from helpers.sizes import Sizes


class Example:
    """Words, sizes and weights of one pass: what the engine's examples hold, handed in."""

    def __init__(self, fields: dict):
        self.__dict__.update(fields)
        self.sizes = Sizes(**fields["sizes"])


class InitialisationDemo:
    """One input sent through eight products twice; each chain holds the input and the eight results."""

    def __init__(self, uniform: tuple, xavier: tuple):
        self.uniform, self.xavier = uniform, xavier


@lru_cache(maxsize=1)
def course() -> dict:
    """All numbers of the course run."""
    return read("course")


@lru_cache(maxsize=1)
def course_example() -> Example:
    """The pinned run of the lessons."""
    return Example(course()["example"])


@lru_cache(maxsize=1)
def initialisation_demo() -> InitialisationDemo:
    """What eight products do to an input, with weights from U(0, 1) and with Xavier weights."""
    return InitialisationDemo(**course()["demo"])


__getattr__, __dir__, __all__ = room("examples", globals())
# Read before the first notebook runs, so that none of them waits for it.
initialisation_demo()
