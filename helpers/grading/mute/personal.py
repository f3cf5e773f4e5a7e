"""The homework's given numbers, as data; nobody else's are here while a notebook is marked."""

from __future__ import annotations

from functools import lru_cache

from helpers.data import read
from helpers.examples import Example
from helpers.quiet import room


@lru_cache(maxsize=1)
def homework_example() -> Example:
    """The run of the homework that is being marked."""
    return Example(read("homework_encoder")["example"])


__getattr__, __dir__, __all__ = room("personal", globals())
