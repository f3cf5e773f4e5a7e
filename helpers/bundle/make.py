"""Everything that `byhand bundle` writes, made in memory: the zip file, and the notebooks that work alone."""

from __future__ import annotations

import base64
import copy
import re
from collections.abc import Mapping
from pathlib import Path

from nbformat import NotebookNode, from_dict

from helpers.bundle.archives import zipped
from helpers.bundle.cells import badge_cell, copy_cell, first_cell
from helpers.bundle.package import carried, wheel
from helpers.bundle.start_here import NAME, start_here
from helpers.bundle.vscode import vscode_files
from helpers.course.environment import say
from helpers.course.execute import holds, read, to_bytes, write_if_changed
from helpers.course.notebooks import INDEX, RELEASE, units
from helpers.course.release import check_release
from helpers.errors import PlainError
from helpers.settings import course_setting

ZIP, ALONE = "transformer-by-hand.zip", "stand-alone"
ROOT = "transformer-by-hand"
WORKSHEETS = Path("worksheets")
KEY = "-key.pdf"
# Of the worksheets' page only the sections for students go along, and no link to a key.
_NOT_FOR_STUDENTS = re.compile(r"^## (?:The keys|For maintainers)\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_KEY_LINK = re.compile(rf" \(\[key\]\([\w-]+{re.escape(KEY)}\)\)")
_ADDRESS = re.compile(r"https://[^\s()<>\[\]\"']+")

Files = dict[str, bytes]


def bundle(project: Path) -> Files:
    """Every file by its path below dist/; the same project gives the same bytes.

    Raises PlainError when something is missing or would give an answer away.
    """
    salt, in_colab = course_setting("salt", project), colab_addresses(project)
    notebooks = {unit: _release(project, unit) for unit in units(project)}
    name, built = wheel(project)
    packed = base64.b64encode(carried(built)).decode()
    page = start_here(project, in_colab)
    whole: Files = {name: built, NAME: page, **vscode_files(notebooks.values()), **_given(project)}
    alone: Files = {}
    for unit, notebook in notebooks.items():
        badge = in_colab.get(unit, "")
        whole[f"{unit}/{unit}.ipynb"] = to_bytes(ready(notebook, badge, salt))
        alone[f"{ALONE}/{unit}.ipynb"] = to_bytes(ready(notebook, badge, salt, packed))
    return {ZIP: zipped({f"{ROOT}/{path}": content for path, content in whole.items()}), **alone}


def colab_addresses(project: Path) -> dict[str, str]:
    """Unit → the address that opens its stand-alone notebook in Colab; nothing while `colab` is not set."""
    target = course_setting("colab", project).rstrip("/")
    if target and not _ADDRESS.fullmatch(target):
        raise PlainError(
            f"colab is {target!r}; it must be the address of a folder, as https://colab.research.google.com/…"
        )
    return {unit: f"{target}/{unit}.ipynb" for unit in units(project)} if target else {}


def ready(notebook: NotebookNode, badge: str = "", salt: str = "", packed: str = "") -> NotebookNode:
    """A released notebook with the cells that find the package; packed: the package, for one that stands alone."""
    notebook = copy.deepcopy(notebook)
    added = [first_cell(bool(packed), salt)] + ([copy_cell(packed)] if packed else [])
    first = next((n for n, cell in enumerate(notebook.cells) if cell.cell_type == "code"), len(notebook.cells))
    notebook.cells[first:first] = map(from_dict, added)
    if badge:
        notebook.cells.insert(0, from_dict(badge_cell(badge)))
    return notebook


def _release(project: Path, unit: str) -> NotebookNode:
    path = project / RELEASE / unit / f"{unit}.ipynb"
    if not path.is_file():
        raise PlainError(f"{path} is missing: run byhand notebooks first.")
    notebook = read(path)
    check_release(path, notebook)
    return notebook


def _given(project: Path) -> Files:
    """What goes along as it is: the index, a unit's other files, the licence, the worksheets without their keys."""
    files = {INDEX: project / RELEASE / INDEX, "LICENSE": project / "LICENSE"}
    for unit in units(project):
        folder = project / RELEASE / unit
        for path in folder.rglob("*"):
            name = path.relative_to(project / RELEASE)
            if path.is_file() and path.suffix != ".ipynb" and ".ipynb_checkpoints" not in name.parts:
                files[name.as_posix()] = path
    sheets = (project / WORKSHEETS).glob("*.pdf")
    files |= {f"{WORKSHEETS}/{path.name}": path for path in sheets if not path.name.endswith(KEY)}
    contents = {name: path.read_bytes() for name, path in files.items() if path.is_file()}
    page = project / WORKSHEETS / "README.md"
    if page.is_file():
        text = _NOT_FOR_STUDENTS.sub("", page.read_text(encoding="utf-8"))
        contents[f"{WORKSHEETS}/README.md"] = _KEY_LINK.sub("", text).rstrip().encode() + b"\n"
    return contents


# On the disk


def write(project: Path, folder: Path) -> int:
    """Write the bundle below a folder, and say what changed; 0."""
    made = bundle(project)
    changed = [name for name, content in made.items() if write_if_changed(folder / name, content)]
    for name in changed:
        say(f"wrote {folder / name} ({_size(made[name])})")
    for path in _leftovers(folder, made):
        path.unlink()
        say(f"removed {path}, which is no notebook of the course any more")
    if not changed:
        say(f"{folder} was up to date")
    return 0


def check(project: Path, folder: Path) -> int:
    """Write nothing; say what in a folder is stale: 1 if anything is, else 0."""
    made = bundle(project)
    stale = [folder / name for name, content in made.items() if not holds(folder / name, content)]
    stale += _leftovers(folder, made)
    for path in stale:
        say(f"{path} is {'stale' if path.is_file() else 'missing'}")
    say("run byhand bundle" if stale else f"{folder} is up to date")
    return 1 if stale else 0


def _leftovers(folder: Path, made: Mapping[str, bytes]) -> list[Path]:
    """Notebooks in stand-alone/ that the course does not have."""
    there = sorted((folder / ALONE).glob("*.ipynb"))
    return [path for path in there if path.relative_to(folder).as_posix() not in made]


def _size(content: bytes) -> str:
    return f"{len(content) / 1e6:.1f} MB" if len(content) > 1e6 else f"{len(content) / 1e3:.0f} kB"
