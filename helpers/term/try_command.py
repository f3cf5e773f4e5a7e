"""`byhand try`: what a notebook would earn, before it is handed in."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from helpers.course import environment
from helpers.grading.commands import course_folder
from helpers.grading.limits import Limits

EPILOG = """\
examples:
  byhand try work/encoder/encoder.ipynb        what it would earn, step by step
  byhand try homework_encoder.ipynb --student ada
  byhand try encoder.ipynb --release notebooks/encoder/encoder.ipynb

The notebook is marked as `byhand grade` does it, and nothing is written. In a student's folder there are no hidden
tests: marking tries each function on more than its check shows. On Linux the notebook runs in the sandbox that marking
uses; elsewhere in a process of yours, since it is your own.

Exit codes: 0 marked, 1 told why not, 2 wrong usage.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(try_, "try what your notebook would earn; nothing is written")
    add = sub.add_argument
    add("file", type=Path, metavar="FILE", help="your notebook, saved")
    add("--student", default="", metavar="ID", help="your id (default: the one in the notebook)")
    add("--release", type=Path, metavar="PATH", help="the release: a notebook, or a folder (default: notebooks/)")
    add("--course", type=Path, metavar="DIR", help="the course's folder (default: the project's)")
    add("--limit", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="limits, as in byhand grade")
    add("--no-sandbox", action="store_true", help="run the notebook with your own rights; only if it is yours")
    add("--dry-run", action="store_true", help="changes nothing: this command never writes")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def try_(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Mark one file and print what came of it."""
    limits = Limits().changed(arguments.limit)
    environment.enter("lab", argv)
    from helpers.term.student_files import read_file, released_for
    from helpers.term.try_marks import as_text, try_marks

    project = course_folder(arguments.course)
    raw = read_file(arguments.file)
    release = released_for(arguments.file, raw, arguments.release or project / "notebooks").file
    print(as_text(try_marks(raw, release, arguments.student, project, arguments.no_sandbox, limits)), end="")
    return 0
