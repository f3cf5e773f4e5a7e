"""collected.csv: under which name everybody's work was handed in, so that a question is answered once in a term."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from pathlib import Path

from helpers.errors import PlainError
from helpers.term.tables import bare, csv_text, read_csv, write_whole

RECORD = "collected.csv"


@dataclass(frozen=True)
class Taken:
    """One line. label: the name it was handed in under. how: by whom that was told (id, name, as, plain).

    number: of the person, on the platform. time: when it was handed in, "" where that is not known. late: what the
    platform says of it, yes or "".
    """

    unit: str
    label: str
    student: str
    how: str
    platform: str = ""
    number: str = ""
    time: str = ""
    late: str = ""


TITLES = [one.name for one in fields(Taken)]


def read_record(root: Path) -> list[Taken]:
    """All lines, [] without the file."""
    file = root / RECORD
    if not file.is_file():
        return []
    rows = read_csv(file, "The record")
    if not rows or rows[0] != TITLES or any(len(row) != len(TITLES) for row in rows):
        raise PlainError(f"{file} is not as byhand writes it: its columns are {', '.join(TITLES)}.")
    return [Taken(*map(bare, row)) for row in rows[1:]]


def write_record(root: Path, taken: list[Taken]) -> None:
    """Write all lines; without any, the file goes."""
    if taken:
        write_whole(root / RECORD, csv_text([TITLES, *map(astuple, sorted(taken, key=astuple))]))
    else:
        (root / RECORD).unlink(missing_ok=True)


def settled(taken: list[Taken], unit: str) -> dict[str, str]:
    """Label → id, or "-" for nobody, of what an instructor settled for a unit."""
    return {one.label: one.student for one in taken if one.unit == unit and one.how in ("as", "settled")}
