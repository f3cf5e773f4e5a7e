"""The cells that a bundled notebook has besides its own: they make the package ready, and lead to Colab.

They are the bundle's, not the student's: what marks a notebook takes them out again, by what they say.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from helpers.settings import SALT_VARIABLE

COPY_TITLE = "# @title The course's package, as text. Run this cell; there is nothing to read in it."
WITH_COPY = """\
if not make_ready():
    print("The package is not installed here: the next cell brings a copy. Run it too.")"""
WITHOUT_COPY = """\
if not make_ready():
    print("The course's package is missing: unzip all of transformer-by-hand.zip, and open the notebook there.")"""
BADGE = "https://colab.research.google.com/assets/colab-badge.svg"
# JupyterLab folds by the first, Colab by the second; in VS Code the one long line is folded as it is.
FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form", "tags": ["hide-input"]}
LOCKED = {"deletable": False, "editable": False}

_COPY = re.compile(rf'{re.escape(COPY_TITLE)}\nmake_ready\("[A-Za-z0-9+/=]*"\);')
_BADGE = re.compile(rf"\[!\[Open in Colab\]\({re.escape(BADGE)}\)\]\([^()\s]*\)")
# What follows where the course has a salt, which stands between these two on one line.
_SALT = f"\n\nimport os\n\nos.environ[{SALT_VARIABLE!r}] = ", "  # the numbers of your course"


@cache
def _finder() -> str:
    """The part that is the same in every first cell: the file first_cell.py below its first line."""
    return (Path(__file__).with_name("first_cell.py")).read_text(encoding="utf-8").partition("\n\n")[2].strip()


def first_cell(copy: bool, salt: str = "") -> dict:
    """The cell that looks for the package; copy: whether the next cell carries one."""
    source = f"{_finder()}\n\n\n{WITH_COPY if copy else WITHOUT_COPY}"
    if salt:
        source += repr(salt).join(_SALT)
    return _code("bundle-first", source, LOCKED)


def copy_cell(data: str) -> dict:
    """The folded cell that carries the package; data: a zip file in base64."""
    return _code("bundle-copy", f'{COPY_TITLE}\nmake_ready("{data}");', FOLDED | LOCKED)


def badge_cell(address: str) -> dict:
    """The badge that opens a notebook in Colab."""
    source = f"[![Open in Colab]({BADGE})]({address})"
    return {"cell_type": "markdown", "id": "bundle-colab", "metadata": {}, "source": source}


def _code(name: str, source: str, metadata: dict) -> dict:
    return {
        "cell_type": "code", "execution_count": None, "id": name, "metadata": metadata, "outputs": [],
        "source": source,
    }  # fmt: skip


def is_bundles(source: str) -> bool:
    """Whether a cell is one of these, as it was given out; one that a student wrote in is the student's."""
    source = source.strip()
    if source.startswith(COPY_TITLE):
        return bool(_COPY.fullmatch(source))
    if source.startswith(_finder()):
        rest = source[len(_finder()) :].lstrip()
        rest = rest.removeprefix(WITH_COPY if rest.startswith(WITH_COPY) else WITHOUT_COPY)
        salt = rest.startswith(_SALT[0]) and rest.endswith(_SALT[1]) and rest.count("\n") == _SALT[0].count("\n")
        return salt or not rest
    return bool(_BADGE.fullmatch(source))
