"""A student's own notebook on disk: which release it belongs to, kept before it is changed, written whole."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.commands import course_folder
from helpers.grading.repair import LARGEST_MB
from helpers.grading.unit import plain_notebook

RELEASE = "notebooks"
_GRADE_ID = re.compile(r'"grade_id"\s*:\s*"([^"]*)"')


@dataclass(frozen=True)
class Released:
    """A unit's release as a student has it. file: its notebook, of which `notebook` is the plain data."""

    unit: str
    file: Path
    notebook: Mapping


def read_file(file: Path) -> bytes:
    """The bytes of a student's notebook; raises PlainError when there is none, or it is far too large."""
    try:
        if file.is_dir():
            raise PlainError(f"{file} is a folder; the name of a notebook is expected.")
        if file.stat().st_size > LARGEST_MB << 20:
            raise PlainError(f"{file} is larger than {LARGEST_MB} MB.")
        return file.read_bytes()
    except OSError as error:
        raise PlainError(f"{file} cannot be read: {error.strerror or error}.") from None


def released_for(file: Path, raw: bytes, given: Path | None = None) -> Released:
    """The release that a student's notebook was made from: the one of its name, else that of most of its cells.

    given: a release's notebook, or a folder of such; without one, `notebooks` of the course. Raises PlainError when
    there is none that fits.
    """
    files = _files(given)
    same = [one for one in files if one.stem == file.stem]
    if len(same) == 1:
        return _read(same[0])
    names = set(_GRADE_ID.findall(raw.decode("utf-8", "replace")))
    known = {one: len(names & set(_GRADE_ID.findall(one.read_text("utf-8", "replace")))) for one in files}
    best = max(known, key=known.get)
    if not known[best]:
        units = ", ".join(sorted({one.stem for one in files}))
        raise PlainError(f"{file} is of no unit that was released here: {units}.")
    return _read(best)


def _files(given: Path | None) -> list[Path]:
    folder = given or course_folder(None) / RELEASE
    if folder.is_file():
        return [folder]
    found = [one for one in sorted(folder.glob("**/*.ipynb")) if ".ipynb_checkpoints" not in one.parts]
    found = [one for one in found if _GRADE_ID.search(one.read_text("utf-8", "replace"))]
    if not found:
        raise PlainError(f"There is no released notebook in {folder}; name one with --release.")
    return found


def _read(file: Path) -> Released:
    try:
        notebook = plain_notebook(file.read_bytes())
        if not all(isinstance(cell["id"], str) and isinstance(cell["metadata"], dict) for cell in notebook["cells"]):
            raise ValueError("a cell has no id")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PlainError(f"{file} cannot be read as a released notebook: {error}.") from None
    return Released(file.stem, file, notebook)


def keep_copy(file: Path, raw: bytes, day: date) -> Path:
    """Keep a notebook beside its place under a name with the day in it that nothing has yet; returns where."""
    number = 1
    while True:
        more = f"-{number}" if number > 1 else ""
        kept = file.with_name(f"{file.stem}.before-{day.isoformat()}{more}{file.suffix}")
        try:
            with kept.open("xb") as new:
                new.write(raw)
            return kept
        except FileExistsError:
            number += 1


def replace_file(file: Path, content: bytes) -> None:
    """Write a file beside its place, then put it there; a link stays one, its target is replaced."""
    file = file.resolve()
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}.new-{os.getpid()}")
    try:
        new.write_bytes(content)
        if file.exists():
            os.chmod(new, file.stat().st_mode & 0o777)
        new.replace(file)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise PlainError(f"{file} cannot be written: {error.strerror or error}.") from None
