"""What `byhand collect` takes and does; light to load, since every command loads it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from helpers.course import environment

EPILOG = """\
examples:
  byhand collect encoder --from ~/Downloads/encoder-submissions.zip --dry-run
  byhand collect encoder --from submissions.zip --worksheet Grades-encoder.csv
  byhand collect encoder --from submissions.zip --as "Kim Lee_123=kim2" --as "Guest_77=-"
  byhand collect encoder --from scanned/            a folder of id.ipynb, or of id/anything.ipynb
  byhand collect encoder --from exchange            nbgrader's exchange

Reads Moodle's and Canvas's zip of all submissions, a folder or zip of your own, or nbgrader's exchange. Whose work
it is, is told by class.csv: by ids first, then by the full name. What is not clear is listed with what to type, and
waits; your answers are kept in collected.csv. The newest version goes to submitted/ID/UNIT/, the one before it to
submitted-before/ID/UNIT/. What is there already stays as it is.

Exit codes: 0 all collected, 1 told why nothing was, 2 wrong usage, 3 all collected but what is listed for you to
settle.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(collect, "collect what students handed in, from a folder, a zip or nbgrader's exchange")
    add = sub.add_argument
    add("unit", metavar="UNIT", help="the unit to collect, such as encoder")
    add("--from", dest="source", required=True, metavar="WHERE", help="a folder, a zip, or the word exchange")
    add("--as", dest="told", nargs="+", action="extend", default=[], metavar="NAME=ID",
        help="whose it is: a name as it is listed, or a file's path, and an id; - for nobody's")  # fmt: skip
    add("--worksheet", type=Path, metavar="CSV", help="Moodle's grading worksheet: it knows people and times")
    add("--time", dest="moments", nargs="+", action="extend", default=[], metavar="ID=WHEN",
        help='when one person handed in, as in --time "ada=2027-03-02 10:00"')  # fmt: skip
    add("--times", choices=("auto", "files", "none"), default="auto",
        help="believe the times of the files (default: auto, not where they are those of the download)")  # fmt: skip
    add("--course", type=Path, metavar="DIR", help="the course's folder (default: here, or the project's clone)")
    add("--dry-run", action="store_true", help="say what would happen, and write nothing")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def collect(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Collect one unit."""
    environment.enter("instructor", argv)
    from helpers.course.alone import alone
    from helpers.course.environment import say
    from helpers.errors import PlainError
    from helpers.grading.commands import course_folder
    from helpers.grading.times import read_time, zone_of
    from helpers.term.collect import Collection, Wish
    from helpers.term.collect_people import read_told
    from helpers.term.collect_sources import opened

    root = course_folder(arguments.course)
    times = {}
    for text in arguments.moments:
        student, sign, moment = text.partition("=")
        if not sign:
            raise PlainError(f'{text!r} is not of the form ID=WHEN, as in --time "ada=2027-03-02 10:00".')
        times[student] = read_time(moment, zone_of(root))
    wish = Wish(
        arguments.unit, root, read_told(arguments.told), times, arguments.worksheet, arguments.times, arguments.dry_run
    )
    with alone(root, say):
        collection = Collection(wish)
        # A folder of that name is ./exchange.
        if arguments.source == "exchange":
            from helpers.term.collect_exchange import from_exchange

            with from_exchange(collection.room) as source:
                report = collection.take(source)
        else:
            with opened(Path(arguments.source).expanduser()) as source:
                report = collection.take(source)
    print(report.text(), end="")
    return report.code()
