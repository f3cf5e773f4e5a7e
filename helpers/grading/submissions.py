"""What students handed in, in nbgrader's folders: found, read, and told apart by what would change a mark."""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helpers.errors import PlainError

NOTEBOOK_MB, TIMESTAMP = 50, "timestamp.txt"
MB = 2**20


@dataclass(frozen=True)
class Submission:
    """One student's folder. notebook: the file to mark, None without one, `reason` then says why.

    kept: the other files, as paths below the folder. notes: what was found odd, in sentences.
    """

    student: str
    folder: Path
    notebook: Path | None
    kept: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str = ""

    def content(self) -> bytes:
        """The notebook's bytes."""
        return read_regular(self.folder / self.notebook)

    def timestamp(self) -> str:
        """What timestamp.txt says, "" without one."""
        if Path(TIMESTAMP) not in self.kept:
            return ""
        return read_regular(self.folder / TIMESTAMP)[:200].decode("utf-8", "replace").strip()

    def fingerprint(self, token: str = "") -> str:
        """A hash of all that was handed in and of `token`, which stands for all else that decides the mark."""
        whole = hashlib.sha256(token.encode())
        for name in (self.notebook, *self.kept):
            content = read_regular(self.folder / name)
            for part in (name.as_posix().encode("utf-8", "surrogateescape"), content):
                whole.update(f"{len(part)} ".encode() + part)
        return whole.hexdigest()


def read_regular(path: Path) -> bytes:
    """The content of a file that is one; a link or a pipe put in its place is refused (OSError)."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{path} is no ordinary file")
        return file.read()


@dataclass(frozen=True)
class Finder:
    """Where a unit's submissions lie. pattern: nbgrader's path with STUDENT in it; names: grade_ids of the unit."""

    unit: str
    pattern: str
    ignore: Sequence[str] = ()
    largest_file: int = 100_000_000
    names: Sequence[str] = field(default_factory=tuple)

    def students(self) -> dict[str, Path]:
        """Student → folder, in the order of their names."""
        before, _, after = self.pattern.partition(STUDENT)
        found = {}
        for folder in Path(os.path.dirname(before) or ".").glob("*"):
            name = folder.name[len(os.path.basename(before)) :]
            # What follows the student in a folder's own name, as in "ada-encoder".
            tail = after.split(os.sep)[0]
            if folder.name.startswith(".") or not folder.name.endswith(tail):
                continue
            student = name[: len(name) - len(tail)]
            place = Path(before + student + after)
            if student and place.is_dir():
                found[student] = place
        return dict(sorted(found.items()))

    def find(self, wanted: Sequence[str] = ()) -> list[Submission]:
        """The submissions, of all or of the students that names and patterns such as "a*" want.

        Raises PlainError when there is none, or a name has none.
        """
        students = self.students()
        if not students:
            raise PlainError(f"Nothing was handed in for {self.unit}: {self.pattern.replace(STUDENT, '*')} is empty.")
        unknown = [name for name in wanted if not fnmatch.filter(students, name)]
        if unknown:
            raise PlainError(f"{self.unit} was not handed in by {' or '.join(sorted(unknown))}.")
        chosen = [name for name in students if not wanted or any(fnmatch.fnmatchcase(name, one) for one in wanted)]
        return [self.read(student, students[student]) for student in chosen]

    def read(self, student: str, folder: Path) -> Submission:
        """Look at one student's folder: which notebook to mark, which files go along."""
        kept, notebooks, notes = [], [], []
        for path, size in self._files(folder, notes):
            if path.suffix.lower() == ".ipynb":
                notebooks.append(path)
            elif size > self.largest_file:
                notes.append(f"{path} is larger than {self.largest_file / MB:.0f} MB and was left out")
            else:
                kept.append(path)
        notebook, reason = self._choose(folder, sorted(notebooks), notes)
        if notebook is not None and (folder / notebook).stat().st_size > NOTEBOOK_MB * MB:
            reason, notebook = f"{notebook} is larger than {NOTEBOOK_MB} MB", None
        return Submission(student, folder, notebook, tuple(sorted(kept)), tuple(notes), reason)

    def _files(self, folder: Path, notes: list[str]) -> Iterator[tuple[Path, int]]:
        """(path below the folder, size) of every ordinary file; links and pipes are noted and passed over."""
        for where, folders, files in os.walk(folder):
            links = [name for name in folders if os.path.islink(os.path.join(where, name))]
            folders[:] = sorted(name for name in folders if name not in links and not self._ignored(name))
            for name in sorted([*files, *links]):
                full = Path(where, name)
                info, path = full.lstat(), full.relative_to(folder)
                if self._ignored(name):
                    continue
                if stat.S_ISREG(info.st_mode):
                    yield path, info.st_size
                else:
                    notes.append(f"{path} is a link or no ordinary file and was left out")

    def _ignored(self, name: str) -> bool:
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.ignore)

    def _choose(self, folder: Path, notebooks: list[Path], notes: list[str]) -> tuple[Path | None, str]:
        """The notebook to mark: the one with the unit's name, else the one with most of the unit's cells."""
        right = Path(f"{self.unit}.ipynb")
        if right in notebooks:
            return right, ""
        if not notebooks:
            return None, "no notebook was handed in"
        best = max(notebooks, key=lambda path: (self._known(folder / path), _alike(path.stem, self.unit)))
        notes.append(f"the notebook was called {best.as_posix()}")
        if len(notebooks) > 1:
            notes.append(f"{len(notebooks)} notebooks were handed in, none of them called {right}")
        return best, ""

    def _known(self, path: Path) -> int:
        if path.stat().st_size > NOTEBOOK_MB * MB:
            return 0
        text = read_regular(path).decode("utf-8", "replace")
        return len(set(re.findall(r'"grade_id"\s*:\s*"([^"]*)"', text)) & set(self.names))


STUDENT = "{student}"


def _alike(stem: str, unit: str) -> float:
    return difflib.SequenceMatcher(None, stem.lower(), unit.lower()).ratio()
