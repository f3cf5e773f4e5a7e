"""From docs/, the units and the worksheets to a folder of pages: staged, built by Sphinx, put in place as a whole."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from helpers.course.execute import to_bytes
from helpers.course.notebooks import units
from helpers.errors import PlainError
from helpers.site.pages import public, take_styles
from helpers.site.vendor import vendor

DOCS, SHEETS = "docs", "worksheets"
# The homework's sheets have the homework's numbers, so their keys are its answers.
SECRET = "homework-*-key.pdf"
# What Sphinx leaves in a site of its own.
MARK = ".buildinfo"
MOST_LINES = 5


def build(project: Path, out: Path) -> Path:
    """Build the site into `out`, a new folder or one that holds an earlier site; return its first page.

    Raises PlainError when a page has a fault, such as a link to nothing, or when `out` is somebody else's.
    """
    if out.exists() and not (out / MARK).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise PlainError(f"{out} holds something else than a site: choose another folder with --out.")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".site-") as scratch:
        source, pages = Path(scratch) / "source", Path(scratch) / "pages"
        stage(project, source)
        run_sphinx(source, pages)
        if out.exists():
            out.rename(Path(scratch) / "before")
        pages.rename(out)
    return out / "index.html"


def stage(project: Path, source: Path) -> None:
    """Lay out in `source` all that Sphinx reads."""
    shutil.copytree(project / DOCS, source)
    for page in source.glob("*.md"):
        page.write_text(_inside(page.read_text(encoding="utf-8")), encoding="utf-8")
    rules: dict[str, None] = {}
    for unit in units(project):
        page = public(project, unit)
        rules |= dict.fromkeys(take_styles(page))
        (source / unit).mkdir()
        (source / unit / f"{unit}.ipynb").write_bytes(to_bytes(page))
    (source / "_static" / "displays.css").write_text("\n".join(rules) + "\n", encoding="utf-8")
    _stage_worksheets(project / SHEETS, source / SHEETS)
    vendor(source / "_static" / "vendor")


def _inside(text: str) -> str:
    """A page whose links to files of the clone, which the site does not have, name the file instead."""
    return re.sub(r"(?<!!)\[([^\]]*)\]\(\.\./([^)\s]*)\)", r"\1 (`\2`)", text)


def _stage_worksheets(folder: Path, target: Path) -> None:
    """The sheets, their page, and the keys of those that are not homework."""
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns(SECRET, "README.md"))
    text = (folder / "README.md").read_text(encoding="utf-8")
    (target / "index.md").write_text(re.sub(r" \(\[key\]\(homework-[^)]*\)\)", "", text), encoding="utf-8")


def run_sphinx(source: Path, pages: Path) -> None:
    """Run Sphinx, for which every warning is an error."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-E", "-W", "--keep-going", "-j", "auto",
               "-d", str(source.parent / "doctrees"), str(source), str(pages)]  # fmt: skip
    steady = {"PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "0", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **steady})
    if done.returncode:
        said = (done.stderr or done.stdout).replace(f"{source}{os.sep}", f"{DOCS}/").strip().splitlines()
        raise PlainError(f"The site was not built: {' | '.join(said[:MOST_LINES])}")
