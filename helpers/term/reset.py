"""One task of a student's notebook back to its start; what was written stays below it, as plain text.

The rest of the notebook is left as it is, to the byte of each cell.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

from helpers.errors import PlainError
from helpers.grading.matching import Handed, is_answer, named
from helpers.grading.repair import find_cells, read_cells
from helpers.term.update import as_stored, is_current


@dataclass(frozen=True)
class Reset:
    """A notebook with one task back at its start. same: it was there already; was_missing: its cell was put back."""

    notebook: Mapping
    same: bool = False
    was_missing: bool = False


@dataclass(frozen=True)
class Task:
    """A task of a unit. state: "written", "as released" or "missing"."""

    name: str
    state: str


def tasks_of(raw: bytes, release: Mapping) -> list[Task]:
    """Every task of a unit, and what stands in its cell; raises Unreadable for what is no notebook of the unit."""
    handed = read_cells(raw, [])
    matched = find_cells(handed, release, [])
    found = []
    for place, cell in enumerate(release["cells"]):
        if is_answer(cell):
            number = matched.by_place.get(place)
            state = "missing" if number is None else "as released" if _as_released(handed[number], cell) else "written"
            found.append(Task(named(cell), "written" if place in matched.elsewhere else state))
    return found


def place_of(task: str, release: Mapping) -> int:
    """The number of a task's cell in the release, by its name or that of its check; raises PlainError."""
    places = {named(cell): place for place, cell in enumerate(release["cells"]) if is_answer(cell)}
    name = task if task in places else task.removeprefix("check-")
    if name in places:
        return places[name]
    near = difflib.get_close_matches(task, places, n=1)
    guess = f" Did you mean {near[0]}?" if near else ""
    raise PlainError(f"There is no task {task[:60]!r}.{guess} The tasks are: {', '.join(places)}.")


def reset(raw: bytes, release: Mapping, task: str) -> Reset:
    """Take what was written for a task out of its cell and put it below, where nothing runs it.

    Raises PlainError for a task that the unit does not have and a notebook of an old format, Unreadable for what is no
    notebook of the unit.
    """
    place = place_of(task, release)
    start = release["cells"][place]
    handed = read_cells(raw, [])
    matched = find_cells(handed, release, [])
    notebook = _current(raw)
    cells = notebook["cells"]
    if len(cells) != len(handed):
        raise PlainError("The notebook has cells that cannot be read; byhand update mends that first.")
    number, aside = matched.by_place.get(place), []
    while number is not None and not _as_released(handed[number], start):
        # Of several cells of its name another may count as soon as this one is as released.
        aside.append(cells[number])
        handed[number].source = start["source"]
        number = find_cells(handed, release, []).by_place.get(place)
    if not aside and number is not None:
        return Reset(notebook, same=True)
    kept = [_aside(cell, f"kept-{len(aside) - n}", cells) for n, cell in enumerate(aside)]
    for cell in aside:
        _begin_again(cell, start)
    if number is None:
        at = 1 + max((n for p, n in matched.by_place.items() if p < place), default=-1)
        cells.insert(at, _fresh(start))
        number = at
    cells[number + 1 : number + 1] = kept
    return Reset(notebook, was_missing=not aside)


def _current(raw: bytes) -> dict:
    """The notebook's own settings; raises PlainError for a format in which cells have no id."""
    notebook = as_stored(raw)
    if not is_current(notebook):
        raise PlainError("The notebook is of an old format or in another encoding; byhand update mends that first.")
    return notebook


def _as_released(cell: Handed, start: Mapping) -> bool:
    return cell.plain == start["source"].rstrip()


def _fresh(start: Mapping) -> dict:
    cell = {key: start[key] for key in ("cell_type", "id", "metadata", "source")}
    return cell | {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else cell


def _begin_again(cell: dict, start: Mapping) -> None:
    for key in ("outputs", "execution_count", "attachments"):
        cell.pop(key, None)
    cell |= {key: value for key, value in _fresh(start).items() if key != "id"}


def _aside(cell: Mapping, name: str, cells: list[Mapping]) -> dict:
    """A cell that holds what another held, as plain text."""
    taken = {one.get("id") for one in cells}
    number, wanted = 1, name
    while wanted in taken:
        number += 1
        wanted = f"{name}-{number}"
    kept = {"cell_type": "raw", "id": wanted, "metadata": {}, "source": cell["source"]}
    return kept | ({"attachments": cell["attachments"]} if cell.get("attachments") else {})
