"""What `byhand bundle` takes and does; light to load, since every command loads it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from helpers.course import environment
from helpers.errors import PlainError

FOLDER = "dist"
EPILOG = """\
examples:
  byhand bundle               write dist/transformer-by-hand.zip and dist/stand-alone/
  byhand bundle --check       write nothing; say whether they are up to date
  byhand bundle --out week1   write to another folder

The zip file holds the notebooks, the wheel, the worksheets without their keys, and START-HERE.html. Each notebook in
stand-alone/ works when it is given out or uploaded alone. What is given out is the release in notebooks/; run byhand
notebooks before, if you changed a lesson. The same files always give the same bytes.

With an address in pyproject.toml each notebook gets a badge that opens it in Colab, from where you put stand-alone/:

  [tool.byhand]
  colab = "https://colab.research.google.com/github/you/course/blob/main/stand-alone"

Exit codes: 0 written, or up to date; 1 told why not, or what is stale; 2 wrong usage.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(bundle, "write what students are given: one zip file, and notebooks that work alone")
    sub.add_argument(
        "--out", type=Path, metavar="DIR", help=f"the folder to write to (default: {FOLDER}/ of the clone)"
    )
    sub.add_argument("--check", action="store_true", help="write nothing; exit with 1 if anything is stale")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def bundle(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Write the bundle, or say what of it is stale."""
    project = environment.project_folder()
    if project is None:
        raise PlainError("What students are given is made from the project's clone only: run this there.")
    environment.enter("instructor", argv)
    from helpers.bundle.make import check, write

    return (check if arguments.check else write)(project, arguments.out or project / FOLDER)
