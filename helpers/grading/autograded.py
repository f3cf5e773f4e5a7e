"""The folder that a marked submission gets in autograded/: as nbgrader fills it, put in place in one step."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from helpers.grading.submissions import STUDENT, Submission, read_regular


@dataclass(frozen=True)
class Shelf:
    """Where marked submissions go.

    pattern: nbgrader's path with STUDENT in it. notebook: the unit's file name. master: path → the unit's own
    files, which replace a student's of the same name. mode: of files, as nbgrader sets it.
    """

    pattern: str
    notebook: str
    master: tuple[tuple[Path, Path], ...] = ()
    mode: int = 0o444

    def place(self, student: str) -> Path:
        """The folder of one student."""
        return Path(self.pattern.replace(STUDENT, student))

    def digest(self, student: str) -> str:
        """A hash of the notebook that is there, "" without one."""
        try:
            return digest(read_regular(self.place(student) / self.notebook))
        except OSError:
            return ""

    def put(self, submission: Submission, notebook: bytes) -> None:
        """Write the folder beside its place, then put it there; raises OSError.

        Killed in between, it leaves a folder whose name begins with a dot, which the next call removes, and an
        old place or none: never half a folder.
        """
        place = self.place(submission.student)
        place.parent.mkdir(parents=True, exist_ok=True)
        new, old = (place.with_name(f".{place.name}.{word}") for word in ("new", "old"))
        for leftover in (new, old):
            if leftover.exists():
                shutil.rmtree(leftover)
        new.mkdir()
        self._fill(new, submission, notebook)
        if place.exists():
            place.rename(old)
        new.rename(place)
        if old.exists():
            shutil.rmtree(old)

    def _fill(self, folder: Path, submission: Submission, notebook: bytes) -> None:
        sources: Iterable[tuple[Path, Path]] = [(name, submission.folder / name) for name in submission.kept]
        for name, source in (*sources, *self.master):
            self._write(folder, Path(name), read_regular(source))
        self._write(folder, Path(self.notebook), notebook)

    def _write(self, folder: Path, name: Path, content: bytes) -> None:
        """Write one file; what lies in its way, a file for a folder or a folder for a file, makes room."""
        for above in reversed(name.parents):
            if (folder / above).is_file():
                (folder / above).unlink()
            (folder / above).mkdir(exist_ok=True)
        target = folder / name
        if target.is_dir():
            shutil.rmtree(target)
        elif target.exists():
            target.unlink()
        target.write_bytes(content)
        os.chmod(target, self.mode)


def digest(content: bytes) -> str:
    """The hash that `Shelf.digest` gives for a notebook of this content."""
    return hashlib.sha256(content).hexdigest()
