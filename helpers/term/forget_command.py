"""What `byhand forget` takes and does; light to load, since every command loads it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from helpers.course import environment
from helpers.grading.commands import course_folder, course_options

TO_SETTLE = 3
EPILOG = """\
examples:
  byhand forget ada          list everything about ada, and remove nothing
  byhand forget ada --yes    remove it

Removes ada's folders in submitted/, submitted-before/, autograded/ and feedback/, what lies in nbgrader's exchange,
ada's lines in class.csv, collected.csv, reports/ and exports/, and ada's rows in the gradebook and in copies of it; of
an SQLite file, the bytes as well. Pages about the whole class that name ada are removed; byhand report makes them
again. It cannot reach backups, the history of git, logs of a database server, and what was sent to others.

Exit codes: 0 all gone, 1 told why nothing was done, 2 wrong usage, 3 nothing was removed without --yes, or the id or
the name still stands in files that are listed.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(forget, "remove everything about one student from the course's files and gradebook")
    add = sub.add_argument
    add("student", metavar="STUDENT", help="the student's id, as in class.csv")
    add("--yes", action="store_true", help="really do it; without it everything is listed and stays")
    add("--dry-run", action="store_true", help="list everything, and remove nothing")
    course_options(add)
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def forget(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Forget one student, or list what there is."""
    if arguments.yes and arguments.dry_run:
        print("byhand forget: error: --dry-run and --yes exclude each other", file=sys.stderr)
        return 2
    environment.enter("instructor", argv)
    from helpers.course.alone import alone
    from helpers.course.environment import say
    from helpers.term.forget import Forgetting, told

    root = course_folder(arguments.course)
    with alone(root, say):
        forgetting = Forgetting(root, arguments.student, arguments.db)
        found = forgetting.find()
        if arguments.yes:
            forgetting.forget(found)
    print(told(found, root, arguments.yes, found.mentions), end="")
    if arguments.yes:
        return TO_SETTLE if found.mentions else 0
    print(f"\nNothing was removed. To remove all this: byhand forget {arguments.student} --yes")
    return 0 if arguments.dry_run else TO_SETTLE
