"""What lies in a folder or a zip, as a list of files that can be read one by one, however the zip is meant.

Nothing is unpacked: a file's content is read into memory up to a limit, and its path is a list of plain names, from
which only names chosen here are ever written. (nbgrader's own `zip_collect` unpacks everything, follows a regular
expression for the names, and overwrites what is there; students' zips deserve more suspicion.)
"""

from __future__ import annotations

import io
import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from helpers.errors import PlainError

MB = 2**20
MOST_FILES = 50_000
LARGEST_ZIP_INSIDE = 100 * MB
DEEPEST = 24
JUNK = {"__MACOSX", ".ipynb_checkpoints", "__pycache__", "Thumbs.db", "desktop.ini"}
_UTF8, _ENCRYPTED = 0x800, 0x1


class TooLarge(Exception):
    """A file holds more than may be read."""


@dataclass(frozen=True)
class Offered:
    """One file: its path in plain names, its time as the source tells it (local, None for none), and its content.

    read: takes the most bytes wanted, and raises TooLarge or OSError.
    """

    path: tuple[str, ...]
    time: datetime | None
    read: Callable[[int], bytes]

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path[-1]


@dataclass
class Source:
    """All files of a folder or zip. notes: what was left out and why, in sentences."""

    files: list[Offered] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@contextmanager
def opened(place: Path) -> Iterator[Source]:
    """The files of a folder or zip, while it is open; raises PlainError for anything else."""
    if place.is_dir():
        source = Source()
        source.files += _in_folder(place, source.notes)
        yield source
        return
    if not place.exists():
        raise PlainError(f"There is nothing at {place}; a folder, a zip or the word exchange is expected.")
    try:
        with zipfile.ZipFile(place) as archive:
            source = Source()
            source.files += _in_zip(archive, source.notes)
            yield source
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError) as error:
        raise PlainError(f"{place} is no zip that can be read: {error}.") from None


def zip_inside(offered: Offered, notes: list[str]) -> list[Offered]:
    """The files of a zip that a student handed in, below its own path; one that cannot be read is noted."""
    name = "/".join(offered.path)
    try:
        archive = zipfile.ZipFile(io.BytesIO(offered.read(LARGEST_ZIP_INSIDE)))
        inner = list(_in_zip(archive, notes))
    except TooLarge:
        notes.append(f"{name} is larger than {LARGEST_ZIP_INSIDE // MB} MB and was left out")
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, PlainError) as error:
        notes.append(f"{name} is no zip that can be read: {error}")
    else:
        return [Offered((*offered.path[:-1], *one.path), one.time, one.read) for one in inner]
    return []


def is_junk(names: tuple[str, ...]) -> bool:
    """Whether a path is what systems and editors leave behind."""
    return any(name in JUNK or name.startswith(".") for name in names)


def plain_path(name: str) -> tuple[str, ...] | None:
    """A path in a zip as plain names, or None for one that leads out of its folder or cannot be a path."""
    text = unicodedata.normalize("NFC", name.replace("\\", "/"))
    parts = tuple(part for part in text.split("/") if part not in ("", "."))
    odd = text.startswith("/") or ".." in parts or (parts and len(parts[0]) > 1 and parts[0][1] == ":")
    if odd or not parts or len(parts) > DEEPEST or any(not sign.isprintable() for sign in "".join(parts)):
        return None
    return parts if all(len(part.encode("utf-8", "replace")) <= 255 for part in parts) else None


# A folder


def _in_folder(top: Path, notes: list[str]) -> Iterator[Offered]:
    count = 0
    for where, folders, files in os.walk(top):
        links = [name for name in folders if os.path.islink(os.path.join(where, name))]
        folders[:] = sorted(name for name in folders if name not in links)
        for name in sorted([*files, *links]):
            file = Path(where, name)
            path = plain_path(file.relative_to(top).as_posix())
            if path is not None and is_junk(path):
                continue
            info = file.lstat()
            if path is None or not stat.S_ISREG(info.st_mode):
                notes.append(f"{file.relative_to(top)} is a link, no ordinary file or oddly named, and was left out")
                continue
            count += 1
            _not_too_many(count, top)
            yield Offered(path, datetime.fromtimestamp(info.st_mtime), _reader(file))


def _reader(file: Path) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        from helpers.grading.submissions import read_regular

        if file.lstat().st_size > most:
            raise TooLarge
        return read_regular(file)

    return read


# A zip


def _in_zip(archive: zipfile.ZipFile, notes: list[str]) -> Iterator[Offered]:
    seen: dict[str, str] = {}
    _not_too_many(len(archive.infolist()), archive.filename)
    for info in archive.infolist():
        name = _name(info)
        path = plain_path(name)
        if info.is_dir() or (path is not None and is_junk(path)):
            continue
        reason = _refused(info, path)
        if reason:
            notes.append(f"{name!r} {reason}, and was left out")
            continue
        folded = "/".join(path).casefold()
        if folded in seen:
            other = (
                "stands in the zip twice" if seen[folded] == name else f"differs from {seen[folded]!r} by case alone"
            )
            notes.append(f"{name!r} {other}, and the second was left out")
            continue
        seen[folded] = name
        yield Offered(path, _time(info), _unpacker(archive, info))


def _name(info: zipfile.ZipInfo) -> str:
    """The name of an entry; one written in UTF-8 without saying so is read as that."""
    if info.flag_bits & _UTF8:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename


def _refused(info: zipfile.ZipInfo, path: tuple[str, ...] | None) -> str:
    if path is None:
        return "is no path inside the zip"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        return "is a link or no ordinary file"
    return "is locked with a password" if info.flag_bits & _ENCRYPTED else ""


def _time(info: zipfile.ZipInfo) -> datetime | None:
    try:
        moment = datetime(*info.date_time)
    except ValueError:
        return None
    # The oldest time there is stands for none.
    return moment if moment.year > 1980 else None


def _unpacker(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            with archive.open(info) as stream:
                # What the zip says of its sizes is not believed.
                content = stream.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
            raise OSError(str(error)) from None
        if len(content) > most:
            raise TooLarge
        return content

    return read


def _not_too_many(count: int, where: object) -> None:
    if count > MOST_FILES:
        raise PlainError(f"{where} holds more than {MOST_FILES:,} files.")
