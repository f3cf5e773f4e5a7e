"""`byhand release`: a unit goes out to students, mended ones after it, and its solutions at the end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from helpers.course import environment
from helpers.errors import PlainError
from helpers.grading.commands import course_folder, course_options

SOME_REFUSED = 3
EPILOG = """\
examples:
  byhand release encoder                      make the students' notebook and register it in the gradebook
  byhand release encoder --due 2027-05-01     with a due date: the end of that day
  byhand release encoder decoder --to exchange
  byhand release encoder --update             a mended lesson follows; students type byhand update
  byhand release encoder --solutions          the answers, once the due date and all extensions are over
  byhand release encoder --dry-run            say what would happen, write nothing

Reads solutions/UNIT/, writes notebooks/UNIT/ and the gradebook; what was given out is kept in .byhand-released/. Marks
and submissions are never touched. A unit that changed since it was given out needs --update, and --points when it is
to earn other points.

Exit codes: 0 done or nothing to do, 1 told why nothing was done, 2 wrong usage, 3 some units were refused.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(release, "make a unit's student notebook, register it, and let mended ones follow")
    add = sub.add_argument
    add("units", nargs="+", metavar="UNIT", help="the units, such as encoder")
    what = sub.add_mutually_exclusive_group()
    what.add_argument("--update", action="store_true", help="a mended release follows one that was given out")
    what.add_argument("--solutions", action="store_true", help="write the answers for students")
    add("--due", metavar="DATE", help="when it is due: 2027-05-01, or 2027-05-01T18:00+02:00")
    add("--to", choices=["exchange"], help="put it into nbgrader's exchange as well")
    add("--points", action="store_true", help="points may change")
    add("--early", action="store_true", help="with --solutions: before the deadline")
    course_options(add)
    add("--dry-run", action="store_true", help="say what would happen and write nothing")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def release(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Release one unit after the other."""
    if wrong := _wrong_usage(arguments):
        print(f"byhand release: error: {wrong}", file=sys.stderr)
        return 2
    environment.enter("instructor", argv)
    act = _solutions(arguments) if arguments.solutions else _releases(arguments)
    refused = 0
    for unit in dict.fromkeys(arguments.units):
        try:
            for line in act(unit):
                print(line)
        except PlainError as error:
            refused += 1
            print(f"byhand: {error}", file=sys.stderr)
    if not refused:
        return 0
    return 1 if refused == len(set(arguments.units)) else SOME_REFUSED


def _wrong_usage(arguments: argparse.Namespace) -> str:
    if arguments.early and not arguments.solutions:
        return "--early goes with --solutions"
    if arguments.solutions and (arguments.due or arguments.to or arguments.points):
        return "--due, --to and --points do not go with --solutions"
    return ""


def _releases(arguments: argparse.Namespace) -> Callable:
    from helpers.term.release import Order
    from helpers.term.release import release as released
    from helpers.term.release_book import due_date

    order = Order(
        course_folder(arguments.course), arguments.db, due_date(arguments.due) if arguments.due else None,
        arguments.update, arguments.points, arguments.to == "exchange", arguments.dry_run,
    )  # fmt: skip
    return lambda unit: released(order, unit).lines


def _solutions(arguments: argparse.Namespace) -> Callable:
    from helpers.term.release_solutions import release_solutions

    course = course_folder(arguments.course)
    return lambda unit: [release_solutions(course, unit, arguments.db, arguments.early, arguments.dry_run)]
