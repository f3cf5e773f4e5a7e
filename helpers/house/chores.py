"""What keeps the house in order, as lists of commands: make's targets and `byhand` run the same ones."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from helpers.errors import PlainError

NBVAL = ("--nbval", "--nbval-current-env", "--nbval-cell-timeout=120")
# What a fresh clone does not have; work/ and what students handed in are nobody's to throw away.
RUBBISH = (".venv", ".tox", ".pytest_cache", ".ruff_cache", ".hypothesis", "build", "dist")

# Chore → the commands of the project's Python, one after the other.
CHORES: dict[str, list[Sequence[str]]] = {
    "lint": [("-m", "ruff", "check"), ("-m", "ruff", "format", "--check")],
    "format": [("-m", "ruff", "format"), ("-m", "ruff", "check", "--fix")],
    "bench": [("-m", "pytest", "tests/benchmarks", "-s", "-q")],
    "test-all": [
        ("-m", "pytest", "-n", "auto", "--dist", "loadscope", "-m", "slow"),
        ("tests/spans.py",),
        ("-m", "pytest", "tests/browser", "-n", "2", "--dist", "loadfile"),
    ],
}
CHORES["test"] = [
    *CHORES["lint"],
    ("-m", "pytest", "-n", "auto", "-m", "not slow"),
    ("-m", "pytest", *NBVAL, "-n", "auto", "--dist", "loadscope", "solutions"),
    ("-m", "helpers", "notebooks", "--check"),
    ("tests/browser/chromium.py",),
]


def do(chore: str, project: Path) -> int:
    """Run the commands of a chore in the project's folder; the exit code of the first that fails, else 0."""
    for command in CHORES[chore]:
        print("byhand:", "python", *command, flush=True)
        code = subprocess.run([sys.executable, *command], cwd=project, check=False).returncode
        if code:
            return code
    return 0


def clean(project: Path) -> None:
    """Remove the environment and all caches.

    Raises PlainError when the running Python would go with them.
    """
    if Path(sys.prefix).resolve() == (project / ".venv").resolve():
        raise PlainError(
            f"{sys.executable} is in the environment that is to go; use another: python3 -m helpers clean."
        )
    for name in RUBBISH:
        shutil.rmtree(project / name, ignore_errors=not (project / name).exists())
    for folder in [*project.rglob("__pycache__")]:
        shutil.rmtree(folder)
