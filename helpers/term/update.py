"""A student's notebook on a mended lesson: the new release's cells, with all that the student wrote in them.

Notebooks are plain data here; neither nbformat nor nbgrader is needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from helpers.errors import PlainError
from helpers.grading.matching import Handed, Matched, grading, is_answer, is_test, named
from helpers.grading.repair import find_cells, own_cells, read_cells
from helpers.term.history import read_history
from helpers.term.merge import merge, nearest

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass
class Updated:
    """A student's notebook on the new release.

    notebook: of format 4.5, without outputs. same: it says what it said before. told: what was done, in sentences.
    to_settle: what the student should look at.
    """

    notebook: dict
    same: bool = False
    told: list[str] = field(default_factory=list)
    to_settle: list[str] = field(default_factory=list)


def update(raw: bytes, release: Mapping, day: str) -> Updated:
    """Bring a student's notebook onto a release; `day` is written over what found no place.

    Every text that is not a release's own is in the result: an answer in its cell, the student's own cells where they
    stood, a change to the lesson's text put together with the lesson's new text, all else at the end. Raises Unreadable
    for what is no notebook of this unit, PlainError for one that was made from a later release.
    """
    has, new = number_of(raw), read_history(release).number
    if has > new:
        raise PlainError(f"It was made from release {has} of the lesson, and release {new} is the one that is here.")
    return _Updating(raw, release, day).go()


class _Updating:
    def __init__(self, raw: bytes, release: Mapping, day: str):
        self.release, self.day = release["cells"], day
        history = read_history(release)
        self.earlier, self.older = history.earlier, number_of(raw) < history.number
        self.current = is_current(as_stored(raw))
        self.read: list[str] = []
        self.handed = read_cells(raw, self.read)
        self.before = [(cell.kind, cell.source, dict(_settings(cell))) for cell in self.handed]
        self.gone = self._renew()
        self.matched_told: list[str] = []
        self.matched: Matched = find_cells(self.handed, release, self.matched_told)
        self.done = Updated({"metadata": release["metadata"], "nbformat": 4, "nbformat_minor": 5})
        self.left: list[Handed] = []
        self.behind_new: dict[int, Handed] = {}
        self.put_together: list[str] = []
        self.ids = {cell["id"] for cell in self.release}

    def _renew(self) -> set[int]:
        """Give cells that stand as an earlier release had them the new text; returns those the new one has no more."""
        now = {cell["id"]: cell for cell in self.release}
        by_name = {named(cell): cell["id"] for cell in self.release if named(cell)}
        owner: dict[str, set[str]] = {}
        for name, texts in self.earlier.items():
            for text in texts:
                owner.setdefault(text.rstrip(), set()).add(name)
        current = {cell["source"].rstrip() for cell in self.release}
        there = {one for cell in self.handed for one in (by_name.get(cell.grade_id), cell.id)}
        gone = set()
        for number, cell in enumerate(self.handed):
            owners = owner.get(cell.plain, set())
            name = next((one for one in (by_name.get(cell.grade_id), cell.id) if one in owners), None)
            # A cell that lost its name, and no copy of one that has it.
            if name is None and len(owners) == 1 and not owners & there and cell.plain not in current:
                name = next(iter(owners))
            if name in now:
                cell.source = now[name]["source"]
            elif name is not None and cell.plain not in current:
                gone.add(number)
        return gone

    def go(self) -> Updated:
        """The cells of the release in their order, each followed by the student's own that stood behind it."""
        behind = own_cells(self.handed, self.matched)
        cells = []
        for place in range(-1, len(self.release)):
            if place >= 0:
                cells.append(self._released(place))
            if place in self.behind_new:
                cells.append(self._own(self.behind_new[place], "raw"))
            cells += [self._own(self.handed[n]) for n in behind.get(place, ()) if n not in self.gone and self._stays(n)]
        self.left += [self.handed[n] for n in sorted(self.matched.dropped) if not self._is_released(n)]
        cells += self._end()
        self.done.notebook["cells"] = cells
        self._tell()
        return self.done

    # One of the release's cells

    def _released(self, place: int) -> dict:
        original, number = self.release[place], self.matched.by_place.get(place)
        cell = _bare({key: original[key] for key in ("cell_type", "id", "metadata", "source")})
        if number is None:
            if place in self.matched.elsewhere:
                cell["source"] = f"# {named(original)} is written in another cell."
            return cell
        handed = self.handed[number]
        changed = handed.plain != original["source"].rstrip()
        if is_answer(original):
            if changed:
                cell["source"] = handed.source
                self._tell_new_start(original)
            self._pictures(cell, handed)
        elif changed and is_test(original):
            self.left.append(handed)
        elif changed:
            self._text(cell, handed, place)
        else:
            self._pictures(cell, handed)
        return cell

    def _tell_new_start(self, original: Mapping) -> None:
        if self.older and self.earlier.get(original["id"]):
            self.done.told.append(f"{named(original)} begins otherwise now; your answer stayed as it was.")

    def _text(self, cell: dict, handed: Handed, place: int) -> None:
        """A cell of the lesson in which the student wrote."""
        base = self.earlier.get(cell["id"]) if self.older else None
        merged = handed.source
        if base:
            merged = merge(nearest([cell["source"], *base], handed.source), handed.source, cell["source"])
        name = f"cell {place + 1} ({cell['id']})"
        if merged is None:
            self.behind_new[place] = handed
            self.done.to_settle.append(
                f"You and the lesson changed the same lines of {name}; your version stands behind it."
            )
            return
        if merged != handed.source:
            self.put_together.append(name)
        kind = cell["cell_type"] if handed.kind == cell["cell_type"] else handed.kind
        cell |= {"source": merged, "cell_type": kind}
        _bare(cell)
        self._pictures(cell, handed)

    def _pictures(self, cell: dict, handed: Handed) -> None:
        if (found := _attachments(handed.given)) and cell["cell_type"] != "code":
            cell["attachments"] = found

    # The student's own

    def _stays(self, number: int) -> bool:
        """Whether a cell of the student's own keeps its place; one of a task that is gone has none."""
        cell = self.handed[number]
        if not cell.source.strip() and not _attachments(cell.given):
            return not cell.grade_id
        if cell.grade_id and cell.grade_id not in {named(one) for one in self.release}:
            self.left.append(cell)
            return False
        return True

    def _is_released(self, number: int) -> bool:
        """Whether a cell holds no more than the release cell of its name."""
        name, plain = self.handed[number].grade_id, self.handed[number].plain
        return any(named(cell) == name and cell["source"].rstrip() == plain for cell in self.release)

    def _own(self, handed: Handed, kind: str = "") -> dict:
        cell = {
            "cell_type": kind or handed.kind,
            "id": self._id(handed.id if not handed.grade_id else ""),
            "metadata": {},
            "source": handed.source,
        }
        if found := _attachments(handed.given):
            cell["attachments"] = found
        return _bare(cell)

    def _id(self, wanted: str) -> str:
        if not _ID.fullmatch(wanted) or wanted in self.ids:
            number = 1
            while f"own-{number}" in self.ids:
                number += 1
            wanted = f"own-{number}"
        self.ids.add(wanted)
        return wanted

    def _end(self) -> list[dict]:
        """What found no place, as plain text that nothing runs, under a heading."""
        if not self.left:
            return []
        text = (
            f"## From your earlier notebook, {self.day}\n\n"
            "What stands below found no place in the mended lesson. Nothing runs it and nothing marks it. "
            "Take from it what you need, then delete it."
        )
        heading = {"cell_type": "markdown", "id": self._id("from-your-earlier"), "metadata": {}, "source": text}
        stand = "stands" if len(self.left) == 1 else "stand"
        self.done.to_settle.append(f"{_count(len(self.left), 'cell')} of yours found no place and {stand} at the end.")
        return [heading, *(self._own(cell, "raw" if cell.kind == "code" else "") for cell in self.left)]

    def _tell(self) -> None:
        cells = self.done.notebook["cells"]
        after = [(cell["cell_type"], cell["source"], dict(grading(cell))) for cell in cells]
        left_out = [line for line in self.read if line.startswith("Left out")]
        self.done.same = after == self.before and self.current and not left_out
        if self.put_together:
            self.done.told.append(
                f"Your changes and the lesson's were put together in {', '.join(self.put_together)}: look it over."
            )
        self.done.told += self.matched_told
        self.done.to_settle += left_out


def written(notebook: Mapping) -> bytes:
    """A notebook as the bytes of its file."""
    return (json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def number_of(raw: bytes) -> int:
    """Which release a student's notebook says it was made from, 1 when it says nothing."""
    return read_history(as_stored(raw)).number


def as_stored(raw: bytes) -> Mapping:
    """A notebook as its file has it, {} for a file in another encoding or of another kind."""
    try:
        found = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def is_current(notebook: Mapping) -> bool:
    """Whether it is of a format in which cells have ids: 4.5 or later."""
    minor = notebook.get("nbformat_minor")
    return notebook.get("nbformat") == 4 and type(minor) is int and minor >= 5


def _settings(cell: Handed) -> Mapping:
    metadata = cell.given.get("metadata")
    found = metadata.get("nbgrader") if isinstance(metadata, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _attachments(cell: Mapping) -> dict:
    """All pictures and files pasted into a cell, of whatever kind, as far as they are well formed."""
    found = cell.get("attachments")
    return {
        name: kinds
        for name, kinds in (found.items() if isinstance(found, dict) else ())
        if isinstance(kinds, dict) and all(isinstance(data, str) for data in kinds.values())
    }


def _bare(cell: dict) -> dict:
    """Give a cell what its kind must have, and take from it what its kind must not have."""
    for key in ("outputs", "execution_count"):
        cell.pop(key, None)
    if cell["cell_type"] == "code":
        cell |= {"outputs": [], "execution_count": None}
        cell.pop("attachments", None)
    return cell


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
