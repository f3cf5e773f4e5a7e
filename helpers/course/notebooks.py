"""Executed solutions and the student release made from them: `byhand notebooks` and its `--check`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from nbformat import NotebookNode

from helpers.course.environment import say
from helpers.course.execute import cell_name, execute, holds, read, to_bytes, write_if_changed
from helpers.course.release import Files, make_release, refuse_if_graded
from helpers.errors import PlainError

SOLUTIONS, RELEASE = "solutions", "notebooks"
# The page that leads from unit to unit: it has no answers, so its release is the page itself.
INDEX = "index.ipynb"
# Cells with this tag hold pictures, which may differ between versions of the plotting library.
PICTURE = "nbval-ignore-output"


def units(project: Path, named: list[str] | None = None) -> list[str]:
    """The units of the course, or those of them that are named; PlainError if there is no such unit."""
    found = sorted(path.stem for path in (project / SOLUTIONS).glob("*/*.ipynb") if path.stem == path.parent.name)
    unknown = set(named or []) - set(found)
    if unknown:
        raise PlainError(f"There is no unit {' or '.join(sorted(unknown))}; the units are: {', '.join(found)}.")
    return [unit for unit in found if not named or unit in named]


def solution_path(project: Path, unit: str) -> Path:
    """Where the source notebook of a unit lies."""
    return project / SOLUTIONS / unit / f"{unit}.ipynb"


def regenerate(project: Path, named: list[str] | None = None) -> int:
    """Execute every unit, write what changed, and make its student release; return 0.

    A unit that students have handed in keeps its release (PlainError), and nothing of it is written.
    """
    for unit in units(project, named):
        path = solution_path(project, unit)
        say(f"executing {path.relative_to(project)}")
        solution = execute(path)
        release = make_release(project, unit, solution)
        folder = project / RELEASE / unit
        if folder.exists() and _read_files(folder) != release:
            refuse_if_graded(project, unit)
        changed = [path] if write_if_changed(path, to_bytes(solution)) else []
        changed += _write_files(folder, release)
        for file in changed:
            say(f"wrote {file.relative_to(project)}")
        if not changed:
            say(f"{unit} was up to date")
    if not named:
        for file, content in _index(project).items():
            if write_if_changed(file, content):
                say(f"wrote {file.relative_to(project)}")
    return 0


def _index(project: Path) -> Files:
    """Path → content of the index page and its release; nothing where a course has no such page."""
    source = project / SOLUTIONS / INDEX
    if not source.is_file():
        return {}
    content = to_bytes(read(source))
    return {source: content, project / RELEASE / INDEX: content}


def _read_files(folder: Path) -> Files:
    """All files below a folder but the checkpoints that an open editor leaves there."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }


def _write_files(folder: Path, files: Files) -> list[Path]:
    """Make `folder` hold just these files; return the paths that were written or removed."""
    gone = [folder / name for name in _read_files(folder) if name not in files]
    for path in gone:
        path.unlink()
    return gone + [folder / name for name, content in files.items() if write_if_changed(folder / name, content)]


def check(project: Path, named: list[str] | None = None) -> int:
    """Compare what is stored with what the sources give now; print each difference, return 1 if there is one."""
    differences = [line for unit in units(project, named) for line in _differences(project, unit)]
    if not named:
        differences += _orphans(project) + _stale_index(project)
    for line in differences:
        say(line)
    say("stale: run make notebooks" if differences else "solutions and release are up to date")
    return 1 if differences else 0


def _differences(project: Path, unit: str) -> Iterator[str]:
    path = solution_path(project, unit)
    stored, fresh = read(path), execute(path)
    yield from compare(path, stored, fresh)
    # Sources are the same in both, and the release has no outputs: one execution serves both comparisons.
    expected, folder = make_release(project, unit, fresh), project / RELEASE / unit
    found = _read_files(folder)
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            state = "is missing" if name not in found else "is stale" if name in expected else "has no source"
            yield f"{(folder / name).relative_to(project)} {state}"


def _stale_index(project: Path) -> list[str]:
    pages = _index(project).items()
    return [f"{file.relative_to(project)} is stale" for file, content in pages if not holds(file, content)]


def _orphans(project: Path) -> list[str]:
    """Released units whose source is gone; nothing here deletes them."""
    sources = set(units(project))
    released = (folder.name for folder in (project / RELEASE).glob("*") if folder.is_dir())
    return [f"{RELEASE}/{name} has no source in {SOLUTIONS}/" for name in sorted(released) if name not in sources]


def compare(path: Path, stored: NotebookNode, fresh: NotebookNode) -> Iterator[str]:
    """Say in which cells a stored notebook differs from the freshly executed one, and where first."""
    alike = True
    for index, (old, new) in enumerate(zip(stored.cells, fresh.cells, strict=True)):
        if _comparable(old) != _comparable(new):
            alike = False
            yield f"{cell_name(path, stored, index)}: {_first_difference(old, new)}"
    if alike and {**stored, "cells": []} != {**fresh, "cells": []}:
        yield f"{path.parent.name}/{path.name}: the notebook's metadata are not as they are written"


def _comparable(cell: NotebookNode) -> dict:
    """A cell without the outputs that may differ."""
    if PICTURE in cell.metadata.get("tags", []):
        return {key: value for key, value in cell.items() if key != "outputs"}
    return dict(cell)


def _first_difference(old: NotebookNode, new: NotebookNode) -> str:
    before, after = _lines(old), _lines(new)
    for was, now in zip_longest(before, after):
        if was != now:
            return f"stored {_short(was)}, now {_short(now)}"
    return "the cell's metadata or counts are not as they are written"


def _lines(cell: NotebookNode) -> list[str]:
    """The text of all outputs of a cell, line by line."""
    lines: list[str] = []
    for output in cell.get("outputs", []):
        texts = [output.get("text", ""), *(str(output.get("data", {}).get(kind)) for kind in output.get("data", {}))]
        lines += [line for text in texts for line in text.splitlines()]
    return lines


def _short(line: str | None) -> str:
    return "nothing" if line is None else repr(line if len(line) <= 100 else line[:97] + "...")
