"""What `byhand feedback` takes and does."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from helpers.course import environment
from helpers.grading.commands import course_folder, course_options, without

EPILOG = """\
examples:
  byhand feedback encoder                      a page for every student whose marks changed
  byhand feedback encoder --students ada "b*"  only these
  byhand feedback encoder --dry-run            say which pages would be written
  byhand feedback encoder --force              all again, also where a page of another program stands

Writes feedback/STUDENT/UNIT/UNIT.html from the gradebook and autograded/: marks, the checks' verdicts, the first step
that is off, and what you wrote by hand. No hidden test, no right answer and no other student is in it. The page is
where nbgrader keeps feedback, so nbgrader release_feedback UNIT brings it to the students.

Exit codes: 0 all pages are there, 1 told why none is, 2 wrong usage, 3 some pages are listed that a person must look
at, 130 interrupted.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(feedback, "write one page of feedback for each student")
    add = sub.add_argument
    add("unit", metavar="UNIT", help="the unit, such as encoder")
    add("--students", nargs="+", default=[], metavar="NAME", help="only these; a pattern such as 'b*' is a name too")
    course_options(add)
    add("--force", action="store_true", help="write all pages again, and replace those of other programs")
    add("--dry-run", action="store_true", help="write nothing; say what would be written")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def feedback(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Write the feedback of one unit."""
    environment.enter("instructor", argv)
    with without("rfc3987_syntax"):
        from helpers.term.feedback import write_feedback

    done = write_feedback(
        course_folder(arguments.course), arguments.unit, arguments.students, arguments.db, arguments.force,
        arguments.dry_run,
    )  # fmt: skip
    print(done.text(), end="")
    return done.code()
