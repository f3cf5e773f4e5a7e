"""What a new release changes against the one that students have, and what of it the gradebook allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from helpers.errors import PlainError
from helpers.grading.matching import grading, named

FEW = 12


@dataclass(frozen=True)
class Held:
    """What the gradebook holds of a unit.

    points: grade_id → points, as registered; None when the unit is not known there. names: every cell registered.
    submissions, by_hand: how many, and how many marks a person gave. due, extended: the due date, and the last of those
    with an extension, in UTC without a zone, None when not known. cells: (name, source) of all cells, to see whether
    registering would change anything.
    """

    points: Mapping[str, float] | None = None
    names: frozenset[str] = frozenset()
    submissions: int = 0
    by_hand: int = 0
    due: object = None
    extended: object = None
    cells: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Changes:
    """From one release to the next; all as sentences without the full stop, but for points: name → (before, now)."""

    points: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    came: Sequence[str] = ()
    went: Sequence[str] = ()
    cells: Sequence[str] = ()
    files: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.points or self.came or self.went or self.cells or self.files)

    def lines(self) -> list[str]:
        """All of it, a line for each thing."""
        found = [f"{name}: {one:g} points before, {two:g} now" for name, (one, two) in self.points.items()]
        found += [f"{name}: new, marked" for name in self.came] + [f"{name}: no longer there" for name in self.went]
        return [*found, *self.cells, *self.files]


def compare(old: Mapping, new: Mapping, old_files: Mapping, new_files: Mapping) -> Changes:
    """Compare two releases: their notebooks as plain data, and their other files, name → bytes."""
    before, now = points_of(old), points_of(new)
    names = [named(cell) for cell in old["cells"]], [named(cell) for cell in new["cells"]]
    return Changes(
        {name: (before[name], now[name]) for name in before if name in now and before[name] != now[name]},
        [name for name in names[1] if name and name not in names[0]],
        [name for name in names[0] if name and name not in names[1]],
        list(_cells(old["cells"], new["cells"])),
        list(_files(old_files, new_files)),
    )


def _files(old: Mapping, new: Mapping) -> Iterator[str]:
    for name in sorted({*old, *new}, key=str):
        if old.get(name) != new.get(name):
            yield f"{name}: the file {'is new' if name not in old else 'is gone' if name not in new else 'changed'}"


def points_of(notebook: Mapping) -> dict[str, float]:
    """grade_id → points, of what is marked in a notebook."""
    return {named(cell): float(grading(cell)["points"]) for cell in notebook["cells"] if grading(cell).get("grade")}


def _cells(old: Sequence[Mapping], new: Sequence[Mapping]) -> Iterator[str]:
    before, now = ({cell["id"]: cell for cell in cells} for cells in (old, new))
    for number, cell in enumerate(new, start=1):
        other = before.get(cell["id"])
        if other is None:
            yield f"cell {number} ({cell['id']}) is new"
        elif (other["source"], other["cell_type"]) != (cell["source"], cell["cell_type"]):
            yield f"cell {number} ({cell['id']}) says something else"
        elif _settings(other) != _settings(cell):
            yield f"cell {number} ({cell['id']}) has other settings"
    for cell in old:
        if cell["id"] not in now:
            yield f"the cell {cell['id']} is gone"
    kept = [cell["id"] for cell in new if cell["id"] in before]
    if kept != [cell["id"] for cell in old if cell["id"] in now]:
        yield "cells stand in another order"


def _settings(cell: Mapping) -> Mapping:
    """All but the points, which are told by themselves, and the checksum, which follows from the rest."""
    metadata = {key: value for key, value in cell["metadata"].items() if key != "nbgrader"}
    return metadata | {key: value for key, value in grading(cell).items() if key not in ("points", "checksum")}


def refuse(unit: str, changes: Changes, held: Held, new: Mapping, points_may_change: bool) -> None:
    """Raise PlainError for a release that what is held in the gradebook cannot follow.

    Cells that are marked may come and go only while no submission is held; points only when it is said.
    """
    names, now = {named(cell) for cell in new["cells"] if named(cell)}, points_of(new)
    if held.submissions and held.names and names != held.names:
        raise PlainError(
            f"The gradebook holds {count(held.submissions, 'submission')} for {unit}, and its marked cells cannot come "
            f"and go any more: {', '.join(sorted(names ^ held.names)[:FEW])}. Keep them, or make a new unit."
        )
    registered = (held.points or {}).items() if held.submissions else ()
    moved = {**changes.points, **{name: (one, now[name]) for name, one in registered if now.get(name, one) != one}}
    if moved and not points_may_change:
        told = "; ".join(f"{name} {one:g} before, {two:g} now" for name, (one, two) in list(moved.items())[:FEW])
        raise PlainError(f"Points would change in {unit}: {told}. Give --points if that is meant.")


def count(number: int, what: str) -> str:
    """A number and what is counted: "1 submission", "2 submissions"."""
    return f"{number} {what}{'' if number == 1 else 's'}"
