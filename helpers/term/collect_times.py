"""When something was handed in, as far as what was downloaded tells it.

Newer Moodles and Canvas write the moment of the download into their zips, for every file; such times say nothing and
are left aside. Moodle's grading worksheet has the true ones, in its column "Last modified (submission)".
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from dateutil import parser

from helpers.errors import PlainError
from helpers.grading.times import in_utc
from helpers.term.collect_labels import CANVAS, MOODLE, PLAIN
from helpers.term.collect_people import Row
from helpers.term.tables import read_csv

# A download takes less, a class that hands in takes longer.
DOWNLOAD = timedelta(minutes=15)
AUTO, ALWAYS, NEVER = "auto", "files", "none"
NUMBER, NAME, EMAIL, ID_NUMBER = "Identifier", "Full name", "Email address", "ID number"
SUBMITTED = "Last modified (submission)"


def believed(platform: str, times: Iterable[datetime | None], wish: str = AUTO) -> bool:
    """Whether the times of a platform's files are those of handing in."""
    if wish != AUTO or platform == PLAIN:
        return wish != NEVER
    known = [time for time in times if time is not None]
    return platform != CANVAS and len(known) > 1 and max(known) - min(known) > DOWNLOAD


def read_worksheet(file: Path, zone: tzinfo | None) -> tuple[dict[str, Row], dict[str, datetime]]:
    """Moodle's grading worksheet: participant's number → row, and → when it was handed in, in UTC.

    Raises PlainError for a file without the column Identifier, such as one downloaded in another language.
    """
    rows = read_csv(file, "The worksheet")
    titles = [title.strip() for title in rows[0]] if rows else []
    if NUMBER not in titles:
        raise PlainError(
            f"{file} has no column {NUMBER}: download the grading worksheet with Moodle's language set to English."
        )
    people, times = {}, {}
    for cells in rows[1:]:
        row = dict(zip(titles, cells, strict=False))
        number = participant(row[NUMBER])
        if number:
            people[number] = Row(number, row.get(NAME, ""), row.get(EMAIL, ""), row.get(ID_NUMBER, ""))
            moment = _moment(row.get(SUBMITTED, ""), zone)
            if moment is not None:
                times[number] = moment
    return people, times


def participant(text: str) -> str:
    """The number in "Participant 12345", "" without one."""
    digits = text.strip().rpartition(" ")[2]
    return digits if digits.isascii() and digits.isdigit() else ""


def _moment(text: str, zone: tzinfo | None) -> datetime | None:
    """Moodle's "Monday, 1 March 2027, 9:05 PM"; "-" for none."""
    if not any(sign.isdigit() for sign in text):
        return None
    try:
        return in_utc(parser.parse(text), zone)
    except (ValueError, OverflowError):
        return None


PLATFORM_NAMES = {MOODLE: "Moodle's zip", CANVAS: "Canvas's zip", PLAIN: "the files"}
