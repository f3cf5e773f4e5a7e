"""The names of this room; none of its rules is here while a notebook is marked."""

from helpers.quiet import room

__getattr__, __dir__, __all__ = room("codes", globals())
