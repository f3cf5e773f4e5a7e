"""Under which names the learning platforms put what students handed in.

Moodle, `mod/assign/classes/downloader.php`: a folder "Full Name_12345_assignsubmission_file" (older versions with one
more "_") with the student's files, or, without folders, "Full Name_12345_assignsubmission_file_name.ipynb". The number
belongs to the person in this one assignment; with blind marking the name is "Participant".

Canvas, `lib/content_zipper.rb`: "lastfirst_LATE_123_456_name.ipynb", the name in lower case without blanks and signs,
LATE only if so, the user's number, the file's number, the file's own name; an anonymous one begins with "anon_".

All others: "ada.ipynb", or a folder "ada" with any files.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from helpers.grading.people import folded_id
from helpers.term.collect_sources import Offered

MOODLE, CANVAS, PLAIN = "moodle", "canvas", "plain"
_MOODLE = re.compile(r"(?P<name>.*?)_(?P<number>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<rest>.*))?")
_CANVAS = re.compile(r"(?P<name>.*?)_(?:(?P<late>LATE)_)?(?P<number>\d+)_(?:\d+_(?P<rest>.+)|(?:text|link)\.html)")
_ANONYMOUS = re.compile(r"(?:(?P<late>LATE)_)?(?P<name>anon_[^_]+)_(?:\d+_(?P<rest>.+)|(?:text|link)\.html)")


@dataclass
class Label:
    """What was handed in under one name. text: that name, as it is shown and typed; name, number: its parts.

    files: each with its path below the label. folder: whether it was one.
    """

    text: str
    platform: str
    name: str = ""
    number: str = ""
    late: bool = False
    files: list[tuple[PurePosixPath, Offered]] = field(default_factory=list)


def labelled(files: Iterable[Offered], unit: str, ids: Collection[str] = ()) -> list[Label]:
    """Sort files by the names they were handed in under. `ids`, as `folded_id` writes them, are names by themselves.

    Of a folder ada/ that has a folder of the unit, as nbgrader's has, only that one is looked at.
    """
    found: dict[tuple[str, str], Label] = {}
    for offered in _below_the_top(list(files), ids):
        label, rest = _label(offered, ids)
        # Two files of one person differ in what stands behind the name only.
        kept = found.setdefault((label.platform, label.text), label)
        kept.late = kept.late or label.late
        kept.files.append((rest, offered))
    for label in found.values():
        inside = [(path, one) for path, one in label.files if path.parts[0] == unit and len(path.parts) > 1]
        if label.platform == PLAIN and inside:
            label.files = [(PurePosixPath(*path.parts[1:]), one) for path, one in inside]
    return sorted(found.values(), key=lambda label: label.text)


def _label(offered: Offered, ids: Collection[str]) -> tuple[Label, PurePosixPath]:
    first, *inner = offered.path
    stem = first if inner else PurePosixPath(first).stem
    if folded_id(stem) not in ids:
        if found := _MOODLE.fullmatch(first):
            text = f"{found['name']}_{found['number']}"
            rest = PurePosixPath(*inner) if inner else PurePosixPath(found["rest"] or first)
            return Label(text, MOODLE, found["name"], found["number"]), rest
        found = None if inner else _CANVAS.fullmatch(first) or _ANONYMOUS.fullmatch(first)
        if found:
            number = found.groupdict().get("number") or ""
            name = "" if found["name"].startswith("anon_") or found["name"] == "anon" else found["name"]
            text = f"{found['name']}_{number}" if number else found["name"]
            rest = PurePosixPath(found["rest"] or first)
            return Label(text, CANVAS, name, number, bool(found["late"])), rest
    return Label(stem, PLAIN, stem), PurePosixPath(*inner) if inner else PurePosixPath(first)


def _below_the_top(files: list[Offered], ids: Collection[str]) -> list[Offered]:
    """Without the one folder that a zip of a folder begins with, where nobody in the class is called so."""
    tops = {offered.path[0] for offered in files}
    top = next(iter(tops), "")
    alone = len(tops) == 1 and all(len(offered.path) > 1 for offered in files)
    if not alone or not ids or folded_id(top) in ids or _MOODLE.fullmatch(top):
        return files
    below = [Offered(offered.path[1:], offered.time, offered.read) for offered in files]
    named = any(folded_id(PurePosixPath(one.path[0]).stem) in ids for one in below)
    return (
        below
        if named or any(_MOODLE.fullmatch(one.path[0]) or _CANVAS.fullmatch(one.path[0]) for one in below)
        else files
    )
