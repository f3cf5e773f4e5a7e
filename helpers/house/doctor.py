"""What is installed here, what is missing, and what to type."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from helpers.course import environment

OLDEST = (3, 10)
# What a student's, an instructor's and a maintainer's part ask for: extra → what it is for, and what shows it.
PARTS = {
    "core": ("the engine and the checks", ("numpy",)),
    "lab": (
        "JupyterLab, cards, pictures, worksheets",
        ("jupyterlab", "ipykernel", "ipywidgets", "matplotlib", "typst", "pikepdf"),
    ),
    "instructor": ("releasing and grading", ("nbgrader", "nbformat", "nbclient", "dask", "distributed", "rich")),
    "test": ("testing the code and its numbers", ("pytest", "nbval", "hypothesis")),
    "dev": ("testing everything, and tidying", ("playwright", "ruff", "tox")),
}
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


@dataclass(frozen=True)
class Finding:
    """One line of what was found. state: "ok", "missing" (of what only some need) or "broken". fix: what to type."""

    what: str
    state: str
    said: str
    fix: str = ""


def examine(sandbox: Callable[[], str]) -> list[Finding]:
    """Look at everything. sandbox: says why there is none on this system, or nothing."""
    findings = [_python(), _course(), *(_part(extra) for extra in PARTS)]
    grades = all(map(_installed, PARTS["instructor"][1]))
    return [*findings, *([_sandbox(sandbox)] if grades else []), _browser(), _make()]


def text(findings: list[Finding]) -> str:
    """The findings as lines: a word for the state, what it is, what was found, and what to type below it."""
    width = max(len(finding.what) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{finding.state:8} {finding.what:{width}}  {finding.said}")
        if finding.fix:
            lines.append(f"{'':8} {'':{width}}  type: {finding.fix}")
    return "\n".join(lines)


def _python() -> Finding:
    said = f"{platform.python_version()} in {sys.executable}"
    return Finding("Python", "ok" if sys.version_info >= OLDEST else "broken", said)


def _course() -> Finding:
    project = environment.project_folder()
    if project is None:
        return Finding("course", "ok", f"installed in {environment.PACKAGE}")
    if inner_python() is not None:
        return Finding("course", "ok", f"a clone in {project}; its environment is in .venv")
    said = f"a clone in {project}, without an environment yet"
    if importlib.util.find_spec("ensurepip") is None:
        name = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
        return Finding("course", "broken", f"{said}, and this Python cannot make one", f"sudo apt install {name}")
    return Finding("course", "missing", said, "make lab, or python3 -m helpers lab")


def inner_python() -> Path | None:
    """The Python of the clone's own environment, None where there is none yet."""
    project = environment.project_folder()
    python = None if project is None else environment.venv_python(project / ".venv")
    return python if python is not None and python.exists() else None


def _part(extra: str) -> Finding:
    purpose, names = PARTS[extra]
    missing = [name for name in names if not _installed(name)]
    if not missing:
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
        return Finding(extra, "ok", f"{purpose}: {versions}")
    in_a_clone = environment.project_folder() is not None
    # A clone makes its environment when it is first asked to.
    needed = extra in ("core", "lab") and (not in_a_clone or inner_python() is not None)
    said = f"{purpose}: {', '.join(missing)} not installed"
    return Finding(extra, "broken" if needed else "missing", said, _install(extra, in_a_clone))


def _install(extra: str, in_a_clone: bool) -> str:
    if in_a_clone:
        return f"python3 -m helpers setup {'lab' if extra == 'core' else extra}"
    return f'pip install "{environment.DISTRIBUTION}[{extra}]"'


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _sandbox(sandbox: Callable[[], str]) -> Finding:
    why = sandbox()
    return Finding("sandbox", "missing" if why else "ok", why or "students' code can be run safely here")


def _browser() -> Finding:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return Finding("Chromium", "ok", f"for the browser tests: {found}")
    return Finding("Chromium", "missing", "only the browser tests need one", "sudo apt install chromium (on Debian)")


def _make() -> Finding:
    found = shutil.which("make")
    said = found or "not needed: every target is a command of byhand too, as in python3 -m helpers test"
    return Finding("make", "ok" if found else "missing", said)


def code(findings: list[Finding]) -> int:
    """The exit code: 0 when a student can work here, else 1."""
    return int(any(finding.state == "broken" for finding in findings))
