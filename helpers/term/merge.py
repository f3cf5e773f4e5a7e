"""Two changes of the same text put together, line by line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

Change = tuple[int, int, list[str]]
"""First and last line that go, counted from 0, the last not among them; the lines that come in their place."""


def merge(base: str, own: str, new: str) -> str | None:
    """What `base` becomes with both changes, that to `own` and that to `new`; None when they meet in a line."""
    lines = base.split("\n")
    mine, theirs = _changes(lines, own), _changes(lines, new)
    changes = [*mine, *(change for change in theirs if change not in mine)]
    if any(_meet(one, other) for one in mine for other in theirs if one != other):
        return None
    for first, last, instead in sorted(changes, key=lambda change: change[:2], reverse=True):
        lines[first:last] = instead
    return "\n".join(lines)


def nearest(texts: Sequence[str], own: str) -> str:
    """The one of several texts that `own` was most likely made from: the last of those with most lines in common."""
    wanted = set(own.split("\n"))
    return max(reversed(texts), key=lambda text: len(wanted & set(text.split("\n"))))


def _changes(lines: list[str], text: str) -> list[Change]:
    after = text.split("\n")
    compared = difflib.SequenceMatcher(None, lines, after, autojunk=False)
    return [(i, j, after[k:m]) for tag, i, j, k, m in compared.get_opcodes() if tag != "equal"]


def _meet(one: Change, other: Change) -> bool:
    """Whether two changes share a line, or one puts something in where the other begins or ends."""
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return one[0] < other[1] and other[0] < one[1]
