"""Where a collected submission goes, and where the one before it stays: submitted/ and submitted-before/."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from nbgrader.utils import parse_utc

from helpers.grading.submissions import STUDENT, TIMESTAMP, read_regular
from helpers.term.collect_choice import Files

BEFORE = "submitted-before"
NEW, NEWER, SAME, OLDER = "new", "newer", "same", "older"


@dataclass(frozen=True)
class Shelf:
    """The places of one unit. pattern: nbgrader's path with STUDENT in it; before: submitted-before/ of the course."""

    pattern: str
    before: Path
    unit: str

    def place(self, student: str) -> Path:
        """Where a student's submission of the unit lies."""
        return Path(self.pattern.replace(STUDENT, student))

    def earlier(self, student: str) -> Path:
        """Where those before it lie."""
        return self.before / student / self.unit

    def judge(self, student: str, files: Files, time: datetime | None) -> str:
        """What putting these files there would mean: new, newer, same, or older than what is there."""
        place = self.place(student)
        if not place.is_dir():
            return NEW
        own = digest(files)
        if own == digest(held_files(place)):
            return SAME
        held = held_time(place)
        if time is not None and held is not None:
            return OLDER if time < held else NEWER
        return OLDER if own in self._kept(student) else NEWER

    def put(self, student: str, files: Files, time: datetime | None) -> None:
        """Put files in place; what was there moves to submitted-before/. Killed in between, nothing is lost."""
        place = self.place(student)
        new = place.with_name(f".{place.name}.new")
        self._fill(new, files, time)
        if place.exists():
            self._put_by(student, place, held_time(place))
        new.rename(place)

    def put_by(self, student: str, files: Files, time: datetime | None) -> None:
        """Keep files as an earlier version; those that are kept already are left alone."""
        if digest(files) in self._kept(student):
            return
        new = self.earlier(student) / ".new"
        self._fill(new, files, time)
        self._put_by(student, new, time)

    def stamp(self, student: str, time: datetime) -> None:
        """Write when a submission that is there already was handed in."""
        file = self.place(student) / TIMESTAMP
        new = file.with_name(f".{TIMESTAMP}.new")
        new.write_text(written(time), encoding="ascii")
        new.replace(file)

    def _fill(self, folder: Path, files: Files, time: datetime | None) -> None:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        for name, content in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        if time is not None:
            (folder / TIMESTAMP).write_text(written(time), encoding="ascii")

    def _put_by(self, student: str, folder: Path, time: datetime | None) -> None:
        shelf = self.earlier(student)
        shelf.mkdir(parents=True, exist_ok=True)
        name = time.strftime("%Y-%m-%dT%H-%M-%S") if time else "no-time"
        names = (name if number == 1 else f"{name}-{number}" for number in range(1, 10_000))
        folder.rename(next(shelf / name for name in names if not (shelf / name).exists()))

    def _kept(self, student: str) -> set[str]:
        shelf = self.earlier(student)
        return {digest(held_files(folder)) for folder in shelf.glob("[!.]*")} if shelf.is_dir() else set()


def held_files(folder: Path) -> Files:
    """The ordinary files of a folder, its timestamp apart."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = PurePosixPath(os.path.relpath(os.path.join(where, name), folder).replace(os.sep, "/"))
            file = Path(where, name)
            if path != PurePosixPath(TIMESTAMP) and file.is_file() and not file.is_symlink():
                found[path] = read_regular(file)
    return found


def held_time(folder: Path) -> datetime | None:
    """When what lies in a folder was handed in, in UTC; None where that is not said."""
    file = folder / TIMESTAMP
    if not file.is_file() or file.is_symlink():
        return None
    return stamp_time(read_regular(file)[:200].decode("utf-8", "replace").strip())


def stamp_time(text: str) -> datetime | None:
    """What a timestamp.txt says, None where it is no time."""
    try:
        return parse_utc(text) if re.search(r"\d", text) else None
    except (ValueError, OverflowError):
        return None


def written(time: datetime) -> str:
    """A time, given in UTC, as nbgrader writes it."""
    return time.strftime("%Y-%m-%d %H:%M:%S.%f UTC")


def digest(files: Files) -> str:
    """A hash of files and their names."""
    whole = hashlib.sha256()
    for name in sorted(files):
        for part in (name.as_posix().encode("utf-8", "surrogateescape"), files[name]):
            whole.update(f"{len(part)} ".encode() + part)
    return whole.hexdigest()
