"""`byhand update`: a student's notebook goes on in the mended lesson."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.commands import course_folder

TO_SETTLE = 3
EPILOG = """\
examples:
  byhand update                               every notebook in work/ that a newer release is there for
  byhand update work/encoder/encoder.ipynb    only this one
  byhand update encoder.ipynb --release new/encoder.ipynb
  byhand update --dry-run                     say what would happen, write nothing

Your answers go into the new notebook, each into its cell; cells of your own stay where they stood; what finds no place
is appended at the end. The notebook as it was stays beside it, with the day in its name. Save and close it in
JupyterLab first, open it again afterwards, and run it from the top.

Exit codes: 0 done or nothing to do, 1 told why nothing was done, 2 wrong usage, 3 done, and something is listed that
you should look at.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(update, "bring your notebooks onto a mended lesson, with all that you wrote in them")
    add = sub.add_argument
    add("files", nargs="*", type=Path, metavar="FILE", help="your notebooks (default: all in work/)")
    add("--release", type=Path, metavar="PATH", help="the new release: a notebook, or a folder (default: notebooks/)")
    add("--dry-run", action="store_true", help="say what would happen and write nothing")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def update(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Update each file; one that cannot be read stops no other."""
    files = arguments.files or _all(Path.cwd() / "work") or _all(course_folder(None) / "work")
    if not files:
        raise PlainError("There is no work/ with notebooks here; name the notebook to update.")
    codes, failed = [], []
    for file in files:
        try:
            codes.append(_update(file, arguments))
        except PlainError as error:
            failed.append(f"{error}" if str(file) in str(error) else f"{file}: {error}")
    for line in failed:
        print(f"byhand: {line}", file=sys.stderr)
    if not codes:
        return 1
    return TO_SETTLE if failed else max(codes)


def _all(work: Path) -> list[Path]:
    """The units' notebooks of a folder, each in a folder of its own name."""
    return sorted(file for file in work.glob("*/*.ipynb") if file.stem == file.parent.name)


def _update(file: Path, arguments: argparse.Namespace) -> int:
    from helpers.term.student_files import keep_copy, read_file, released_for, replace_file
    from helpers.term.update import update as updated
    from helpers.term.update import written

    raw = read_file(file)
    day = date.today()
    done = updated(raw, released_for(file, raw, arguments.release).notebook, day.isoformat())
    if done.same:
        print(f"{file} is up to date.")
        return 0
    if arguments.dry_run:
        print(f"{file} would be updated.")
    else:
        if read_file(file) != raw:
            raise PlainError("it was saved by another program just now: give the same command again.")
        kept = keep_copy(file, raw, day)
        replace_file(file, written(done.notebook))
        print(f"{file} is updated; as it was, it stays in {kept.name}.")
    for line in [*done.told, *done.to_settle]:
        print(f"  {line}")
    return TO_SETTLE if done.to_settle else 0
