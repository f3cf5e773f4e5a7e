"""A student's own copy of the notebooks, and JupyterLab on it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from helpers.course.environment import hand_over, say

LEFT_BEHIND = {".ipynb_checkpoints", "__pycache__", ".DS_Store"}


@dataclass
class Copied:
    """What a copy did, as paths below the folder copied to."""

    added: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)


def copy_release(release: Path, work: Path) -> Copied:
    """Copy every file of `release` that `work` does not have; what is there stays as it is."""
    copied = Copied()
    for source in _files(release):
        name = source.relative_to(release)
        (copied.added if _copy_new(source, work, name) else copied.kept).append(name)
    return copied


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not LEFT_BEHIND.intersection(path.relative_to(folder).parts):
            yield path


def _copy_new(source: Path, work: Path, name: Path) -> bool:
    """Copy one file unless its name, or that of a folder on the way to it, is taken by something else."""
    target = work / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as new:  # "x": of two commands at once, only one creates the file
            new.write(source.read_bytes())
    except (FileExistsError, NotADirectoryError):
        return False
    return True


def begun_on_older(release: Path, work: Path) -> list[Path]:
    """Notebooks of `work`, as paths below it, that were made from an older release than the one of their name."""
    names = [source.relative_to(release) for source in _files(release) if source.suffix == ".ipynb"]
    return [name for name in names if (work / name).is_file() and _number(work / name) < _number(release / name)]


def _number(notebook: Path) -> int:
    """Which release a notebook says it is; the first, where it says nothing that can be read."""
    try:
        number = json.loads(notebook.read_text(encoding="utf-8"))["metadata"]["byhand"]["release"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return 1
    return number if type(number) is int else 1


def _files_count(names: list[Path]) -> str:
    return f"{len(names)} file{'' if len(names) == 1 else 's'}"


def lab_command(work: Path) -> list[str]:
    """The command that starts this Python's JupyterLab on a folder, as the cards need it."""
    return [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={work}",
        "--ServerApp.kernel_websocket_connection_class=helpers.course.prompt.PromptConnection",
    ]


def open_lab(release: Path, work: Path, unit: str | None, options: list[str]) -> None:
    """Copy the release to `work`, then let JupyterLab take this process's place, opened on a unit or the index."""
    copied = copy_release(release, work)
    say(f"{work}: {_files_count(copied.added)} added, {_files_count(copied.kept)} kept as found")
    for name in begun_on_older(release, work):
        say(f"{name} was mended since you began it: byhand update {work / name} brings your answers along")
    lesson = f"{unit}/{unit}.ipynb" if unit else "index.ipynb"
    page = f"/lab/tree/{lesson}" if (work / lesson).is_file() else "/lab"
    if page == "/lab":
        say(f"there is no {lesson} in {work}; opening the folder")
    else:
        say(f"opening {work / lesson} in JupyterLab; Ctrl-C stops it")
    command = [*lab_command(work), f"--LabApp.default_url={page}", *options]
    if hasattr(os, "geteuid") and os.geteuid() == 0 and "--allow-root" not in options:
        command.append("--allow-root")  # a container's only user is often root, and Jupyter refuses it by default
    # A kernel called python3 in the student's home must not take the place of this environment's own.
    hand_over(command, {**os.environ, "JUPYTER_PREFER_ENV_PATH": "1"})
