"""What `byhand grade` takes and does; light to load, since every command loads it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from helpers.course import environment
from helpers.grading.limits import Limits

SHOWN, REPORTS = 12, "reports"
EPILOG = """\
examples:
  byhand grade encoder                      mark what was handed in and is not marked yet
  byhand grade encoder --students ada "b*"  only these
  byhand grade encoder --force              mark all again; what a person marked stays
  byhand grade encoder --dry-run            mark and print, write nothing
  byhand grade encoder --limit cell_seconds=20 memory_mb=2048
  byhand grade encoder --db postgresql://me@host/grades --scheduler tcp://host:8786

Reads submitted/STUDENT/UNIT/, writes autograded/STUDENT/UNIT/, the gradebook and reports/UNIT.txt and .csv. It may be
stopped at any moment: the same command goes on. A Dask cluster's workers are sent hidden tests, so they must be
machines you trust.

Exit codes: 0 all marked, 1 told why nothing was, 2 wrong usage, 3 some could not be read, 4 some could not be marked
by a fault that is not the student's, 130 interrupted.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(grade, "mark what students handed in, safely and all at once")
    add = sub.add_argument
    add("unit", metavar="UNIT", help="the unit to mark, such as encoder")
    add("--students", nargs="+", default=[], metavar="NAME", help="only these; a pattern such as 'b*' is a name too")
    course_options(add)
    add("--workers", type=int, metavar="N", help="how many to mark at once (default: one for each processor)")
    add("--scheduler", metavar="ADDRESS", help="a Dask scheduler whose workers mark, as tcp://host:8786")
    add("--force", action="store_true", help="mark again what is marked already")
    add("--limit", "--limits", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help=_limits())
    add("--dry-run", action="store_true", help="mark all that is named, print what each would earn, write nothing")
    add("--no-sandbox", action="store_true",
        help="run what students wrote with your own rights, where the system offers no sandbox")  # fmt: skip
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def course_options(add: Callable) -> None:
    """Add what every command on a course's gradebook takes: where the course lies, and where the gradebook does."""
    add("--course", type=Path, metavar="DIR", help="the course's folder (default: here, or the project's clone)")
    add("--db", metavar="URL", help="the gradebook's address (default: gradebook.db in the course's folder)")


def _limits() -> str:
    import dataclasses

    known = ", ".join(f"{one.name}={one.default:g}" for one in dataclasses.fields(Limits))
    return f"limits of one notebook: {known}"


def grade(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Mark one unit of the class."""
    if arguments.workers is not None and arguments.workers < 1:
        print("byhand grade: error: --workers is 1 or more", file=sys.stderr)
        return 2
    limits = Limits().changed(arguments.limit)
    environment.enter("instructor", argv)
    from helpers.grading.work import prepared

    workers = arguments.workers or _processors()
    with prepared(0 if arguments.scheduler else workers):
        return _grade(arguments, workers, limits)


def _grade(arguments: argparse.Namespace, workers: int, limits: Limits) -> int:
    with without("rfc3987_syntax"):
        from helpers.grading.progress import Bar
        from helpers.grading.run import Order, Stopped
        from helpers.grading.run import grade as run

    if arguments.no_sandbox:
        print("byhand: without a sandbox students' code can read and change all that you can.", file=sys.stderr)
    order = Order(
        unit=arguments.unit, course=course_folder(arguments.course), students=arguments.students, db=arguments.db,
        scheduler=arguments.scheduler, workers=workers, force=arguments.force,
        sandbox="plain" if arguments.no_sandbox else "safe", limits=limits,
        dry=arguments.dry_run,
    )  # fmt: skip
    try:
        with Bar() as bar:
            report = run(order, bar)
    except Stopped as stopped:
        report = stopped.report
    if order.dry:
        print(f"{report.text()}Nothing was written.")
        return report.code()
    files = report.write(order.course / REPORTS)
    print(report.text(SHOWN), end="")
    print(f"All of it is in {files[0]} and {files[1]}.")
    return report.code()


@contextmanager
def without(module: str) -> Iterator[None]:
    """Load other modules as if this one were not installed.

    jsonschema, which nbformat loads, takes it for a check that no notebook's schema asks for; it needs 2 s to load.
    """
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None
    try:
        yield
    finally:
        del sys.modules[module]


def course_folder(given: Path | None) -> Path:
    """The course's folder: the one given, the one we stand in, or the project's clone."""
    if given is not None:
        return given.resolve()
    here = Path.cwd()
    project = environment.project_folder()
    return here if (here / "nbgrader_config.py").is_file() or project is None else project


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
