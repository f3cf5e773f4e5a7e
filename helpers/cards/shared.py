"""The one Settings object of a notebook, and the cards that follow it."""

from __future__ import annotations

from collections.abc import Callable

from . import remembered
from .settings import Settings

FOLLOWERS_OF_A_CARD = 2
"""A cell that is run again makes its card anew; the cards it leaves behind need not be drawn for ever."""


class Shared:
    """Settings that several cards show and change. remark: what has to be said of how they were recalled."""

    def __init__(self, settings: Settings, remark: str = ""):
        self.settings = settings
        self._remarks = (remark,) if remark else ()
        self._followers: dict[str, list[Callable[[], None]]] = {}

    def take_remarks(self) -> tuple[str, ...]:
        """What has to be said of how the settings were recalled: to the first who asks, once."""
        taken, self._remarks = self._remarks, ()
        return taken

    def follow(self, key: str, redraw: Callable[[], None]) -> None:
        """Call `redraw` after every change; the oldest of several cards of one key is forgotten."""
        self._followers[key] = [*self._followers.get(key, []), redraw][-FOLLOWERS_OF_A_CARD:]

    def change(self, first: Callable[[], None], **changes) -> tuple[str, ...]:
        """Change settings, draw the card that asked, then the others; return what has to be said.

        Raises PlainError, and changes nothing, for what cannot be had.
        """
        new, remarks = self.settings.changed(**changes)
        if new == self.settings:
            return remarks
        self.settings = new
        first()
        for redraws in self._followers.values():
            for redraw in redraws:
                if redraw != first:
                    redraw()
        return (*remarks, *filter(None, [remembered.keep(new)]))


_of_this_notebook: Shared | None = None


def of_this_notebook() -> Shared:
    """The settings that all cards of this process share, recalled from the last time when first asked for."""
    global _of_this_notebook
    if _of_this_notebook is None:
        _of_this_notebook = Shared(*remembered.recall())
    return _of_this_notebook
