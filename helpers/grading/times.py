"""When work is due: [tool.byhand.due] in the course's pyproject.toml, and times as people write them.

The dates stand there, and not in nbgrader's gradebook alone, because a text is read, compared and kept with the course;
`byhand grade` hands them on to nbgrader's Assignment.duedate. A unit without a line there keeps the date that the
gradebook has. As nbgrader does, everything here counts in UTC, without a zone.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from helpers.errors import PlainError

SETTINGS = "pyproject.toml"
END_OF_DAY = time(23, 59, 59)
_LENGTH = re.compile(r"\+?(\d+(?:\.\d+)?)\s*(h|hours?|d|days?|w|weeks?)")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


def settings(root: Path) -> dict:
    """The table [tool.byhand] of the nearest pyproject.toml above the course's folder that has one, {} without any.

    Raises PlainError when the file is no TOML.
    """
    for folder in (root, *root.parents):
        file = folder / SETTINGS
        if file.is_file() and (table := _toml(file).get("tool", {}).get("byhand")) is not None:
            return table
    return {}


def _toml(file: Path) -> dict:
    try:
        import tomllib
    except ModuleNotFoundError:
        # Python 3.10: JupyterLab brings it along.
        import tomli as tomllib
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise PlainError(f"{file} is no TOML: {error}.") from None


def zone_of(root: Path) -> tzinfo | None:
    """The zone of times that name none: `timezone` in [tool.byhand]; None stands for this machine's."""
    name = settings(root).get("timezone")
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, TypeError):
        raise PlainError(f"{name!r} is no time zone; one looks like Europe/Berlin.") from None


def due_of(root: Path, unit: str) -> datetime | None:
    """When a unit is due by [tool.byhand.due], in UTC without a zone; None where nothing is said."""
    value = settings(root).get("due", {}).get(unit)
    if value is None:
        return None
    if isinstance(value, str):
        return read_time(value, zone_of(root))
    if isinstance(value, datetime):
        return in_utc(value, zone_of(root))
    if isinstance(value, date):
        return in_utc(datetime.combine(value, END_OF_DAY), zone_of(root))
    raise PlainError(f"The due date of {unit} is {value!r}; one looks like 2027-03-01 23:59.")


def read_time(text: str, zone: tzinfo | None) -> datetime:
    """Read a time as people write it, in UTC without a zone; a day alone means its end.

    Raises PlainError for what is no time.
    """
    words = text.strip().replace("Z", "+00:00")
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", words):
            return in_utc(datetime.combine(date.fromisoformat(words), END_OF_DAY), zone)
        # Python 3.10 wants no blank before the offset.
        return in_utc(datetime.fromisoformat(re.sub(r"\s+([+-]\d\d:?\d\d)$", r"\1", words)), zone)
    except (ValueError, OverflowError):
        raise PlainError(f"{text!r} is no time; one looks like 2027-03-01 23:59.") from None


def in_utc(moment: datetime, zone: tzinfo | None) -> datetime:
    """A moment in UTC without a zone; one that names no zone is of `zone`, or of this machine's."""
    if moment.tzinfo is None and zone is not None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(timezone.utc).replace(tzinfo=None)


def shown(moment: datetime, zone: tzinfo | None = None) -> str:
    """A moment, given in UTC, as the course's people read it: 2027-03-01 23:59."""
    return moment.replace(tzinfo=timezone.utc).astimezone(zone).strftime("%Y-%m-%d %H:%M")


def read_extension(text: str, due: datetime | None, zone: tzinfo | None) -> timedelta:
    """Read how much longer someone has: a length, such as "3 d" or "48 h", or the moment until which.

    Raises PlainError for what is neither, and for a moment where there is no due date to count from.
    """
    found = _LENGTH.fullmatch(text.strip().lower())
    if found:
        return timedelta(hours=float(found[1]) * _HOURS[found[2][0]])
    try:
        until = read_time(text, zone)
    except PlainError:
        raise PlainError(f"{text!r} is no extension; one looks like 3 d, 48 h or 2027-03-05 23:59.") from None
    if due is None:
        raise PlainError(f"The extension {text!r} is a date, and there is no due date that it extends.")
    return max(until - due, timedelta(0))
