"""What `byhand export` takes and does; light to load, since every command loads it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from helpers.course import environment
from helpers.grading.commands import course_folder, course_options

EPILOG = """\
examples:
  byhand export encoder --format canvas --into Grades-COURSE.csv    fill in what Canvas exported
  byhand export encoder --format moodle --into Grades-encoder.csv   fill in Moodle's grading worksheet
  byhand export encoder decoder --format moodle                     a new file for Moodle's grade import
  byhand export encoder --format csv --out grades.csv               one line for every student and unit

Without --into, ids come from class.csv alone. A column is called as the unit is, or as pyproject.toml says:

  [tool.byhand.canvas]
  encoder = "Encoder (4711)"

Late penalties are taken off. Who waits for marks by hand, or handed in again since, is listed and gets an empty cell;
an empty cell changes nothing in Canvas. Who has withdrawn is left out.

Exit codes: 0 all exported, 1 told why nothing was, 2 wrong usage, 3 exported but what is listed.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(export, "export grades for Canvas, Moodle or a spreadsheet")
    add = sub.add_argument
    add("units", nargs="+", metavar="UNIT", help="the units to export, such as encoder")
    add("--format", choices=("canvas", "moodle", "csv"), required=True, help="for whom")
    add(
        "--into",
        type=Path,
        metavar="CSV",
        help="a file downloaded from the platform, to be filled in; it stays as it is",
    )
    add("--out", type=Path, metavar="CSV", help="the file to write (default: exports/FORMAT-UNITS.csv in the course)")
    add("--unfinished", action="store_true", help="export what is not final, too")
    add("--missing", choices=("empty", "zero"), default="empty", help="who handed in nothing gets (default: empty)")
    add("--scale", action="store_true", help="with --into: convert points to what the platform counts")
    course_options(add)
    add("--force", action="store_true", help="replace a file that is there already")
    add("--dry-run", action="store_true", help="say what would be written, and write nothing")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def export(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Export the grades of units."""
    environment.enter("instructor", argv)
    from helpers.errors import PlainError
    from helpers.term.export import Wish
    from helpers.term.export import export as write

    if arguments.format == "csv" and arguments.into is not None:
        raise PlainError("--into goes with --format canvas or moodle; a plain CSV is always new.")
    wish = Wish(
        arguments.units, course_folder(arguments.course), arguments.format, arguments.into, arguments.out, arguments.db,
        arguments.unfinished, arguments.missing == "zero", arguments.scale, arguments.force, arguments.dry_run,
    )  # fmt: skip
    report = write(wish)
    print(report.text(), end="")
    return report.code()
