"""The commands for whoever keeps the house: make's targets without make, and the doctor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from helpers.course import environment
from helpers.errors import PlainError
from helpers.house import chores, doctor

CHORES = {
    "test": "prove that everything holds, on small samples",
    "test-all": "what is slow, spans of Python and NumPy, and the lessons in a real browser",
    "bench": "print the measured tables",
    "format": "let ruff format and mend the code",
    "lint": "let ruff check the code and its format",
}


def add_to(command: Callable) -> None:
    """Add the commands to the command line."""
    sub = command(examine, "say what is installed here, what is missing, and what to type", name="doctor")
    sub.epilog = "Exit codes: 0 a student can work here, 1 something is missing for that."
    for name, text in CHORES.items():
        command(chore, f"{text} (make {name})", name=name)
    command(clean, "remove the environment and all caches; work/ stays (make clean)")


def examine(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Print what the doctor finds, in the clone's own environment where there is one."""
    inner = doctor.inner_python()
    if inner is not None and not inner.parent.samefile(Path(sys.executable).parent):
        environment.hand_over([str(inner), "-m", "helpers", *argv])
    findings = doctor.examine(_why_no_sandbox)
    print(doctor.text(findings))
    return doctor.code(findings)


def _why_no_sandbox() -> str:
    from helpers.grading.sandbox import probe

    return probe()


def chore(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Run the commands of one of make's targets."""
    project = _project()
    environment.enter("dev", argv)
    return chores.do(arguments.name, project)


def clean(arguments: argparse.Namespace, argv: list[str]) -> None:
    """Remove what can be made again."""
    chores.clean(_project())


def _project() -> Path:
    project = environment.project_folder()
    if project is None:
        raise PlainError("This works in the project's clone only: there is none here.")
    return project
