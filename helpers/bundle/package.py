"""The package for students: the wheel, whole, and the part of it that a notebook carries along."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from helpers.bundle.archives import unzipped, zipped
from helpers.errors import PlainError

# Rooms of the command line and of the instructor, which no notebook calls; a test compares them with the map.
LEFT_OUT = (
    "__main__.py", "bundle/", "course/", "grading/", "house/", "site/", "term/", "trained/train.py",
)  # fmt: skip
# Of all times the one that hatchling takes when it is told none.
EPOCH = "1580601600"


def wheel(project: Path) -> tuple[str, bytes]:
    """Build the project's wheel; its name and its content.

    The same files give the same bytes. Raises PlainError when hatchling is missing or refuses.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
        surroundings = {key: value for key, value in os.environ.items() if not key.startswith("HATCH")}
        surroundings["SOURCE_DATE_EPOCH"] = EPOCH
        done = subprocess.run(command, cwd=project, env=surroundings, capture_output=True, text=True, check=False)
        made = sorted(Path(folder).glob("*.whl"))
        if done.returncode or len(made) != 1:
            said = ((done.stderr or done.stdout).strip().splitlines() or ["it said nothing"])[-1]
            raise PlainError(f"The wheel cannot be built: {said}")
        return made[0].name, made[0].read_bytes()


def carried(built: bytes) -> bytes:
    """The zip file of what a notebook needs of a wheel: engine, checks, displays, cards and worksheets."""
    files = unzipped(built)
    skipped = tuple(f"helpers/{name}" for name in LEFT_OUT)
    return zipped({name: files[name] for name in files if name.startswith("helpers/") and not name.startswith(skipped)})
