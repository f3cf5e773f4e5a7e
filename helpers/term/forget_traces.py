"""Where a person may stand in a course's folder: whole files and folders of theirs, lines about them, mere mentions."""

from __future__ import annotations

import csv
import html
import io
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

# The course itself: nothing about anybody in particular stands there.
COURSE = {
    "helpers", "solutions", "notebooks", "tests", "docs", "worksheets", "node_modules", "build", "dist",
    ".git", ".venv", ".tox", ".ci", "__pycache__", ".pytest_cache", ".ruff_cache", ".hypothesis",
}  # fmt: skip
COURSE_FILES = {"README.md", "LICENSE", "Makefile", "pyproject.toml", "nbgrader_config.py", ".byhand-secret"}
# Files with a line for every student, which can lose one.
LINES = (".csv", ".txt", ".log")
LARGEST = 100 * 2**20
OF_PEOPLE = {"student", "students", "id", "name", "email", "login", "who", "identifier"}
_WORDS = re.compile(r"[a-z]+")


class Words:
    """The texts by which a person is known, looked for as whole words, in any case and in every spelling of a file."""

    def __init__(self, words: Iterable[str]):
        self.words = sorted({unicodedata.normalize("NFC", word) for word in words if word.strip()})
        self._text = [re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", re.IGNORECASE) for word in self.words]
        # Most files hold not even these pieces, which every spelling has in common.
        pieces = [max(_PIECES.findall(word), key=len, default="") for word in self.words]
        self._pieces = None if "" in pieces else {piece.lower().encode() for piece in pieces}

    def in_text(self, text: str) -> bool:
        """Whether one of them stands in a text."""
        text = unicodedata.normalize("NFC", text)
        return any(pattern.search(text) for pattern in self._text)

    def in_file(self, content: bytes) -> bool:
        """Whether one of them stands in a file, as text or as JSON and HTML write it."""
        if self._pieces is not None:
            low = content.lower()
            if not any(piece in low for piece in self._pieces):
                return False
        text = content.decode("utf-8", "replace")
        plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), html.unescape(text))
        return self.in_text(text) or self.in_text(plain)


def run_together(name: str) -> set[str]:
    """A name without blanks and signs, in small letters and in either order, as Canvas calls files."""
    words = re.findall(r"[^\W_]+", name.lower())
    return {"".join(words[cut:] + words[:cut]) for cut in range(len(words))}


_PIECES = re.compile(r"[A-Za-z0-9]+")
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def files(root: Path, beside: Sequence[Path] = ()) -> Iterator[Path]:
    """All ordinary files of a course's folder that are not the course itself, nor below the folders `beside`."""
    for where, folders, names in os.walk(root):
        at_top = Path(where) == root
        folders[:] = sorted(
            name
            for name in folders
            if not (at_top and name in COURSE)
            and Path(where, name) not in beside
            and not Path(where, name).is_symlink()
        )
        for name in sorted(names):
            file = Path(where, name)
            if not (at_top and name in COURSE_FILES) and not file.is_symlink() and file.is_file():
                yield file


def without_lines(file: Path, words: Words) -> bytes:
    """A file without the lines about somebody: of a CSV the rows with a cell that names them, else whatever mentions
    them.

    A number stands for somebody only in a column of ids or names, since it may be a mark anywhere else.
    """
    text = file.read_bytes().decode("utf-8", "surrogateescape")
    if file.suffix.lower() != ".csv":
        kept = "".join(line for line in text.splitlines(keepends=True) if not words.in_text(line))
        return kept.encode("utf-8", "surrogateescape")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    whose = {n for n, title in enumerate(rows[0]) if n == 0 or set(_WORDS.findall(title.lower())) & OF_PEOPLE}
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row for row in rows if not _names(row, whose, words))
    return out.getvalue().encode("utf-8", "surrogateescape")


def _names(row: Sequence[str], whose: set[int], words: Words) -> bool:
    """Whether a row is about somebody."""
    known = [(n, text) for n, text in enumerate(row) if n in whose or not text.strip().isdigit()]
    return any(words.in_text(text) for _, text in known)
