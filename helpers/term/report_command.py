"""What `byhand report` takes and does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from helpers.course import environment
from helpers.grading.commands import course_folder, course_options, without

EPILOG = """\
examples:
  byhand report encoder                                  reports/encoder.html and reports/encoder-steps.csv
  byhand report encoder --anonymous                      the same with made-up names, to be shown to others
  byhand report encoder --before last/encoder-steps.csv  compared with the class before
  byhand report encoder --dry-run                        read everything, write nothing

The page has the marks of each step, the commonest mistakes, where passes first went wrong, limits and repairs, and
submissions that are alike. --before takes the CSV of an earlier report, that of an earlier byhand grade, or an earlier
gradebook.db.

Exit codes: 0 written, 1 told why not, 2 wrong usage, 3 written, but some marked notebooks could not be read,
130 interrupted.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(report, "show what the class got wrong in a unit, on one page")
    add = sub.add_argument
    add("unit", metavar="UNIT", help="the unit, such as encoder")
    course_options(add)
    add("--before", type=Path, metavar="FILE", help="a report, a table of marks or a gradebook of the class before")
    add("--anonymous", action="store_true", help="made-up names, and nothing that students typed themselves")
    add("--dry-run", action="store_true", help="write nothing; say what would be written")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def report(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Write the report of one unit."""
    environment.enter("instructor", argv)
    with without("rfc3987_syntax"):
        from helpers.term.report import REPORTS, class_report, places, write_report

    course = course_folder(arguments.course)
    made = class_report(course, arguments.unit, arguments.db, arguments.before, arguments.anonymous)
    files = places(arguments.unit, course / REPORTS)
    if not arguments.dry_run:
        files = write_report(made, course / REPORTS)
    would = "would be " if arguments.dry_run else ""
    print(made.line())
    print(f"All of it {would or 'is '}in {files[0]} and {files[1]}.")
    return 3 if made.tally.unseen else 0
