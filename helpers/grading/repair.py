"""Makes a notebook of what was handed in: the release's cells in the release's order, with the student's answers.

Notebooks are plain data here, the JSON of their files; nothing of nbformat is needed, or could refuse a broken one.
"""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helpers.bundle.cells import is_bundles
from helpers.errors import PlainError
from helpers.grading.matching import Handed, Matched, is_test, match, named

LARGEST_MB, MOST_CELLS = 20, 3000
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PICTURE = re.compile(r"[A-Za-z0-9+/\s]*={0,2}")
_PICTURE_NAME = re.compile(r"[\w. -]{1,80}")


class Unreadable(PlainError):
    """A submission that cannot be marked; the sentence says why: no notebook, another assignment, too large."""


@dataclass(frozen=True)
class Repaired:
    """A submission made fit for marking.

    notebook: of format 4.5. places: for each of its cells the number of the release's cell it stands for, None for a
    cell of the student's own. changed: numbers of the release's cells in which the student wrote something.
    repairs: what was done, in sentences.
    """

    notebook: dict
    places: Sequence[int | None]
    changed: frozenset[int]
    repairs: list[str] = field(default_factory=list)


def read_submission(raw: bytes, release: Mapping) -> Repaired:
    """Read a notebook as handed in, whatever became of it on the way; raises Unreadable when nothing can be made of it.

    release: the notebook that students were given, as plain data.
    """
    repairs: list[str] = []
    handed = read_cells(raw, repairs)
    return _rebuild(handed, find_cells(handed, release, repairs), release, repairs)


def read_cells(raw: bytes, repairs: list[str]) -> list[Handed]:
    """The cells of a notebook's file, of any format; says what was odd, raises Unreadable when it is no notebook."""
    return [cell for cell in _cells(_parse(_decode(raw, repairs)), repairs) if not is_bundles(cell.source)]


def find_cells(handed: list[Handed], release: Mapping, repairs: list[str]) -> Matched:
    """Which cell stands for which of the release; raises Unreadable for a notebook of another assignment."""
    matched = match(handed, release["cells"], repairs)
    if not matched.by_place and not matched.foreign:
        raise Unreadable("It holds none of this assignment's cells.")
    if _is_another(len(handed), len(release["cells"]), matched):
        raise Unreadable("It is the notebook of another assignment.")
    return matched


def _is_another(handed: int, released: int, matched: Matched) -> bool:
    """Judged by the names of its cells; where all were lost, by how much of it is known."""
    found = len(matched.by_place)
    if matched.known or matched.foreign:
        return matched.foreign > matched.known
    return found < handed / 2 and found < released * 3 / 4


def _decode(raw: bytes, repairs: list[str]) -> str:
    if len(raw) > LARGEST_MB << 20:
        raise Unreadable(f"It is larger than {LARGEST_MB} MB.")
    if not raw.strip():
        raise Unreadable("The file is empty.")
    encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), "utf-8")
    if encoding != "utf-8":
        repairs.append("The file began with a byte-order mark, which was left out.")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        repairs.append("The file is not in UTF-8: it was read as Windows-1252, so some letters may be wrong.")
        return raw.decode("cp1252", "replace")


def _parse(text: str) -> dict:
    try:
        found = json.loads(text)
    except ValueError as error:
        place = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Unreadable(f"It is no notebook: its JSON is broken{place}.") from None
    except RecursionError:
        raise Unreadable("It is no notebook: its JSON is nested too deep.") from None
    if not isinstance(found, dict):
        raise Unreadable("It is no notebook: its JSON holds no cells.")
    return found


def _cells(found: dict, repairs: list[str]) -> list[Handed]:
    """The cells, of a notebook of any format."""
    listed = found.get("cells")
    if not isinstance(listed, list):
        sheets = found.get("worksheets")
        sheets = [sheet for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
        listed = [cell for sheet in sheets if isinstance(sheet.get("cells"), list) for cell in sheet["cells"]]
        if not sheets:
            raise Unreadable("It is no notebook: its JSON holds no cells.")
        was = found.get("nbformat")
        was = was if type(was) is int and 0 < was < 100 else "unknown"
        repairs.append(f"The notebook was of format {was} and was made one of format 4.")
    if len(listed) > MOST_CELLS:
        raise Unreadable(f"It has more than {MOST_CELLS:,} cells.")
    kernel = _inside(found, "metadata", "kernelspec", "name")
    if kernel != "python3":
        asked = f"asked for the kernel {kernel[:40]!r}" if isinstance(kernel, str) else "named no kernel"
        repairs.append(f"The notebook {asked}; it was run with python3.")
    handed = [_cell(cell) for cell in listed]
    if None in handed:
        repairs.append(f"Left out, since it could not be read: {_count(handed.count(None), 'cell')}.")
    handed = [cell for cell in handed if cell is not None]
    if any("\r" in cell.source for cell in handed):
        repairs.append("Line ends were those of Windows or of an old Mac; they were changed.")
    for cell in handed:
        cell.source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
    return handed


def _cell(cell) -> Handed | None:
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return None
    kind = cell.get("cell_type")
    if kind == "heading":
        level = cell.get("level")
        source, kind = "#" * (level if type(level) is int and 0 < level < 7 else 1) + " " + source, "markdown"
    own = cell.get("id")
    grade_id = _inside(cell, "metadata", "nbgrader", "grade_id")
    return Handed(
        source.encode("utf-8", "replace").decode(),
        kind if kind in ("code", "markdown", "raw") else "raw",
        grade_id if isinstance(grade_id, str) else "",
        own if isinstance(own, str) else "",
        _attachments(cell.get("attachments")),
        cell,
    )


def _inside(found, *keys: str):
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _attachments(found) -> dict:
    """The pictures pasted into a text."""
    kept = {}
    for name, kinds in found.items() if isinstance(found, dict) else ():
        pictures = {
            kind: data
            for kind, data in (kinds.items() if isinstance(kinds, dict) else ())
            if kind in ("image/png", "image/jpeg") and isinstance(data, str) and _PICTURE.fullmatch(data)
        }
        if pictures and _PICTURE_NAME.fullmatch(name):
            kept[name] = pictures
    return kept


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


# The notebook anew


def _rebuild(handed: list[Handed], matched: Matched, release: Mapping, repairs: list[str]) -> Repaired:
    """The release's cells in their order, each followed by the student's own that stood behind it."""
    cells, places, changed, put_back = [], [], set(), []
    behind = own_cells(handed, matched)
    own = 0
    for place in range(-1, len(release["cells"])):
        if place >= 0:
            original = release["cells"][place]
            number = matched.by_place.get(place)
            cell = _filled(original, None if number is None else handed[number], place in matched.elsewhere, repairs)
            put_back += [original] if number is None and place not in matched.elsewhere else []
            if cell["source"] != original["source"]:
                changed.add(place)
            cells.append(cell)
            places.append(place)
        for number in behind.get(place, ()):
            own += 1
            cells.append(_own(handed[number], f"own-{own}"))
            places.append(None)
    _tell_changed(handed, matched, release, repairs)
    _tell_put_back(put_back, repairs)
    _tell_moved(matched, release, repairs)
    notebook = {"cells": cells, "metadata": release["metadata"], "nbformat": 4, "nbformat_minor": 5}
    return Repaired(notebook, places, frozenset(changed), repairs)


def own_cells(handed: list[Handed], matched: Matched) -> dict[int, list[int]]:
    """Place in the release, -1 for before it → the student's own cells that stood behind it."""
    place_of = {number: place for place, number in matched.by_place.items()}
    behind: dict[int, list[int]] = {}
    place = -1
    for number in range(len(handed)):
        place = place_of.get(number, place)
        if number not in place_of and number not in matched.dropped:
            behind.setdefault(place, []).append(number)
    return behind


def _filled(original: Mapping, handed: Handed | None, elsewhere: bool, repairs: list[str]) -> dict:
    """One of the release's cells with what the student made of it."""
    cell = {key: original[key] for key in ("cell_type", "id", "metadata", "source")}
    name = named(original)
    if handed is None and elsewhere:
        cell["source"] = f"# {name} is written in another cell."
    elif handed is not None and not is_test(original):
        cell["source"] = handed.source
        if handed.kind != original["cell_type"] and name:
            repairs.append(f"The cell {name} was made a {handed.kind} cell; it was marked as {original['cell_type']}.")
        if original["cell_type"] == "markdown" and handed.attachments:
            cell["attachments"] = handed.attachments
    return _with_outputs(cell)


def _own(handed: Handed, name: str) -> dict:
    kind = "code" if handed.kind == "code" else "markdown"
    source = f"```\n{handed.source}\n```" if handed.kind == "raw" and handed.source.strip() else handed.source
    cell = {"cell_type": kind, "id": name, "metadata": {}, "source": source}
    if kind == "markdown" and handed.attachments:
        cell["attachments"] = handed.attachments
    return _with_outputs(cell)


def _with_outputs(cell: dict) -> dict:
    return cell | {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else cell


def _tell_changed(handed: list[Handed], matched: Matched, release: Mapping, repairs: list[str]) -> None:
    tests = [(release["cells"][place], number) for place, number in sorted(matched.by_place.items())]
    tests = [cell for cell, n in tests if is_test(cell) and handed[n].plain != cell["source"].rstrip()]
    if tests:
        repairs.append(f"Changed test cells, for which the originals were used: {', '.join(map(named, tests))}.")


def _tell_put_back(missing: list[Mapping], repairs: list[str]) -> None:
    names = [named(cell) for cell in missing if named(cell)]
    others = len(missing) - len(names)
    if names:
        repairs.append(f"Missing and put back as released: {', '.join(names)}.")
    if others:
        repairs.append(f"{_count(others, 'other cell')} of the release {'was' if others == 1 else 'were'} put back.")


def _tell_moved(matched: Matched, release: Mapping, repairs: list[str]) -> None:
    """Name the cells that stand out of order: the fewest whose moving explains it."""
    order = [place for place, _ in sorted(matched.by_place.items(), key=lambda pair: pair[1])]
    if order == sorted(order):
        return
    stayed = _longest_rising(order)
    moved = [named(release["cells"][place]) for place in order if place not in stayed]
    names = [name for name in moved if name]
    what = ", ".join(names) if names else _count(len(moved), "cell")
    repairs.append(f"Moved, and put back in place: {what}.")


def _longest_rising(order: list[int]) -> set[int]:
    """The longest rising subsequence, in n log n steps."""
    tails, ends, before = [], [], {}
    for place in order:
        at = bisect_left(tails, place)
        before[place] = ends[at - 1] if at else None
        tails[at:at + 1], ends[at:at + 1] = [place], [place]  # fmt: skip
    kept, place = set(), ends[-1] if ends else None
    while place is not None:
        kept.add(place)
        place = before[place]
    return kept
