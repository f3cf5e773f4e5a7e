"""What a course sets for itself: texts under [tool.byhand] in its pyproject.toml, the salt among them."""

from __future__ import annotations

import os
import re
from pathlib import Path

from .errors import PlainError

SALT_VARIABLE = "BYHAND_SALT"
"""What the first cell of a bundled notebook sets: it has no pyproject.toml above it."""


def course_salt(folder: Path | None = None) -> str:
    """The salt of the course: of the notebook's own bundle, else `salt` as in `course_setting`; "" without one.

    Raises PlainError when it is there and cannot be read.
    """
    if folder is None and SALT_VARIABLE in os.environ:
        return os.environ[SALT_VARIABLE]
    return course_setting("salt", folder)


def course_setting(name: str, folder: Path | None = None) -> str:
    """A text under [tool.byhand] in the nearest pyproject.toml with such a table above a folder; "" without one.

    Raises PlainError when it is there and cannot be read.
    """
    folder = Path.cwd() if folder is None else folder
    for parent in (folder, *folder.parents, Path(__file__).resolve().parents[1]):
        file = parent / "pyproject.toml"
        if file.is_file() and (table := _BYHAND.search(file.read_text(encoding="utf-8"))):
            return _setting_in(table[1], name, file)
    return ""


# Python 3.10 has no reader of TOML, and the core needs NumPy alone: one line of one table is read as text.
_BYHAND = re.compile(r"^\[tool\.byhand\]\s*?$(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)


def _setting_in(table: str, name: str, file: Path) -> str:
    if not re.search(rf"^{name}\b", table, re.MULTILINE):
        return ""
    found = re.search(rf"""^{name}\s*=\s*(["'])([^"'\\]*)\1\s*(?:#.*)?$""", table, re.MULTILINE)
    if not found:
        raise PlainError(f'The {name} in {file} cannot be read; write it as {name} = "some text".')
    return found[2]
