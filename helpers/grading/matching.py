"""Finds, for each cell of the release, the cell of a submission that stands for it: by name, then by what it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

# A name that a line at the left edge gives a value to; magics and half-written code are no hindrance. It never looks
# past its line: a cell of nothing but "a," lines would keep it busy for hours.
_BOUND = re.compile(
    r"^(?:(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)|([A-Za-z_]\w*(?:[ \t]*,[ \t]*[A-Za-z_]\w*)*)[ \t]*=(?!=))",
    re.MULTILINE,
)
_WORDS = re.compile(r"\w+")


@dataclass
class Handed:
    """One cell as handed in: its text, its kind, the names that nbgrader and the notebook gave it, its pictures.

    given: the cell itself, as it stood in the file.
    """

    source: str
    kind: str
    grade_id: str = ""
    id: str = ""
    attachments: dict = field(default_factory=dict)
    given: Mapping = field(default_factory=dict, repr=False)

    @property
    def plain(self) -> str:
        """The text without blanks at its end."""
        return self.source.rstrip()


@dataclass
class Matched:
    """What was found.

    by_place: number of a release cell → number of the cell handed in. dropped: cells handed in that are mere copies.
    elsewhere: release cells whose answer stands in another cell. known, foreign: how many names of cells are this
    assignment's, and how many another's.
    """

    by_place: dict[int, int] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    elsewhere: set[int] = field(default_factory=set)
    known: int = 0
    foreign: int = 0


def grading(cell: Mapping) -> Mapping:
    """What nbgrader knows of a cell."""
    return cell["metadata"].get("nbgrader", {})


def named(cell: Mapping) -> str:
    """The name by which a release cell is marked or answered, "" for the others."""
    return grading(cell).get("grade_id", "")


def is_test(cell: Mapping) -> bool:
    """Whether a release cell is marked and not written by students."""
    return bool(grading(cell).get("grade")) and not grading(cell).get("solution")


def is_answer(cell: Mapping) -> bool:
    """Whether students write into a release cell."""
    return bool(grading(cell).get("solution"))


@lru_cache(maxsize=4096)
def bound(source: str) -> frozenset[str]:
    """Names that a cell gives a value to at its left edge. Most cells are the same in all submissions."""
    found = set()
    for function, kind, names in _BOUND.findall(source):
        found |= {name.strip() for name in (function or kind or names).split(",")}
    return frozenset(found)


def match(handed: Sequence[Handed], release: Sequence[Mapping], repairs: list[str]) -> Matched:
    """Match the cells of a submission with those of the release, and say what was odd."""
    return _Matching(handed, release, repairs).matched


class _Matching:
    def __init__(self, handed, release, repairs):
        self.handed, self.release, self.repairs = handed, release, repairs
        self.matched = Matched()
        self.taken: set[int] = set()
        self.places = {named(cell): place for place, cell in enumerate(release) if named(cell)}
        self.asked = {
            place: bound(cell["source"])
            for place, cell in enumerate(release)
            if is_answer(cell) and cell["cell_type"] == "code"
        }
        self.given = [bound(cell.source) for cell in handed]
        self._by_grade_id()
        by_name = len(self.taken)
        self._by_id()
        self._by_source()
        self._by_content()
        self._by_neighbour()
        self._written_elsewhere()
        found = sum(1 for place in self.matched.by_place if named(release[place]))
        if found > by_name:
            repairs.append(f"{found - by_name} of {len(self.places)} cells had lost their names and were recognised.")

    def _take(self, place: int, number: int) -> None:
        self.matched.by_place[place] = number
        self.taken.add(number)

    def _open(self) -> list[int]:
        return [place for place in range(len(self.release)) if place not in self.matched.by_place]

    def _free(self) -> list[int]:
        return [n for n in range(len(self.handed)) if n not in self.taken and n not in self.matched.dropped]

    def _by_grade_id(self) -> None:
        claims: dict[int, list[int]] = {}
        for number, cell in enumerate(self.handed):
            if not cell.grade_id:
                continue
            place = self.places.get(cell.grade_id)
            if place is None:
                self.matched.foreign += 1
                continue
            self.matched.known += 1
            if self._may_be(place, number):
                claims.setdefault(place, []).append(number)
        for place, numbers in claims.items():
            self._take(place, self._choose(place, numbers))

    def _may_be(self, place: int, number: int) -> bool:
        """Not when it answers another cell of the release and not this one."""
        wanted = self.asked.get(place, frozenset())
        others = frozenset().union(*self.asked.values()) - wanted
        return bool(self.given[number] & wanted) or not self.given[number] & others

    def _choose(self, place: int, numbers: list[int]) -> int:
        """One of several cells of the same name: the last that was written in; mere copies are dropped."""
        if len(numbers) == 1:
            return numbers[0]
        cell = self.release[place]
        written = [n for n in numbers if self.handed[n].plain != cell["source"].rstrip()]
        answers = [n for n in written if self.given[n] & self.asked.get(place, set())]
        chosen = numbers[0] if is_test(cell) else (answers or written or numbers)[-1]
        copies = [n for n in numbers if n != chosen and (is_test(cell) or n not in written)]
        self.matched.dropped.update(copies)
        kept = "the original was used" if is_test(cell) else "the last that was written in counts"
        self.repairs.append(f"The cell {named(cell)} was there {len(numbers)} times; {kept}.")
        return chosen

    def _by_id(self) -> None:
        numbers = {self.handed[n].id: n for n in reversed(self._free()) if self.handed[n].id}
        for place in self._open():
            number = numbers.get(self.release[place].get("id"))
            if number is not None and number not in self.taken and self._may_be(place, number):
                self._take(place, number)

    def _by_source(self) -> None:
        """The same text; where it occurs several times, in the same order."""
        numbers: dict[str, list[int]] = {}
        for number in self._free():
            numbers.setdefault(self.handed[number].plain, []).append(number)
        for place in self._open():
            same = numbers.get(self.release[place]["source"].rstrip())
            if same:
                self._take(place, same.pop(0))

    def _by_content(self) -> None:
        """Answers by the names they define, tests by their first line; of several the one with the most in common."""
        for place in self._open():
            cell = self.release[place]
            if place in self.asked:
                found = [n for n in self._free() if self.given[n] & self.asked[place] and self._is_code(place, n)]
            elif is_test(cell):
                first = cell["source"].split("\n")[0]
                found = [n for n in self._free() if self.handed[n].source.lstrip().startswith(first)]
            else:
                continue
            if found:
                words = set(_WORDS.findall(cell["source"]))
                common = [len(words & set(_WORDS.findall(self.handed[n].source))) for n in found]
                best = max(common)
                self._take(place, [n for n, count in zip(found, common, strict=True) if count == best][-1])

    def _is_code(self, place: int, number: int) -> bool:
        """Whether it is a code cell, or one that was made something else and still holds most of what was released."""
        words = set(_WORDS.findall(self.release[place]["source"]))
        return (
            self.handed[number].kind == "code"
            or len(words & set(_WORDS.findall(self.handed[number].source))) >= len(words) / 2
        )

    def _by_neighbour(self) -> None:
        """An answer in words has nothing of its own: it stands behind its question."""
        free = set(self._free())
        for place in self._open():
            cell = self.release[place]
            question = self.matched.by_place.get(place - 1)
            if not is_answer(cell) or cell["cell_type"] != "markdown" or question is None:
                continue
            if question + 1 in free and self.handed[question + 1].kind != "code":
                self._take(place, question + 1)

    def _written_elsewhere(self) -> None:
        """Answers without a cell that another cell gives, as when cells were merged."""
        for place in self._open():
            names = self.asked.get(place)
            if names and any(names <= given for given in self.given):
                self.matched.elsewhere.add(place)
