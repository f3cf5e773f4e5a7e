"""A class list: one line a student, read so that a bad line stops nobody else."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from ..codes import Recipe
from ..errors import PlainError
from ..personal import folded

IDS = ("student", "id", "student_id", "username")
NAMES = ("name", "full_name")
FIRST, LAST = "first_name", "last_name"
SEPARATORS = ",;\t"


@dataclass(frozen=True)
class Student:
    """One line of a class list: its number, counted from 1, the id and the name (the id where there is none)."""

    line: int
    id: str
    name: str


@dataclass(frozen=True)
class Problem:
    """A line that gives no sheet, or not the whole of one, and why."""

    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.why}"


def read_roster(path: Path | str) -> tuple[list[Student], list[Problem]]:
    """Read a class list: its students in order, and the lines that are none.

    Comma, semicolon or tab separate; a first line may name the columns (student or id; name, or first_name and
    last_name, are optional). Without it the id comes first and the name second.
    Raises PlainError when there is no such file, or no student in it.
    """
    path = Path(path)
    rows, problems = read_rows(path, "The roster")
    columns = _columns(rows[0][1]) if rows else None
    if columns is not None:
        rows = rows[1:]
    students = _students(rows, columns or {"id": 0, "name": 1}, problems)
    if not students:
        raise PlainError(f"There is no student in {path}.{f' {problems[0]}' if problems else ''}")
    return students, problems


def read_rows(path: Path, what: str) -> tuple[list[tuple[int, list[str]]], list[Problem]]:
    """Read (number of the line, cells) of every line of a file that is not empty, and the lines that are none.

    Comma, semicolon or tab separate. Raises PlainError, which says `what` it is, when there is no such file.
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise PlainError(f"{what} {path} cannot be read: {error.strerror or error}.") from error
    rows, problems, separator = [], [], None
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode("utf-8")
            if not text.strip():
                continue
            separator = separator or max(SEPARATORS, key=text.count)
            rows.append((number, [cell.strip() for cell in next(csv.reader([text], delimiter=separator, strict=True))]))
        except UnicodeDecodeError:
            problems.append(Problem(number, "it is not written in UTF-8."))
        except csv.Error as error:
            problems.append(Problem(number, f"it is no line of a CSV file: {error}."))
    return rows, problems


def plain_titles(header: list[str]) -> list[str]:
    """Write the titles of columns in one way: "First Name" and "first-name" are both first_name."""
    return [title.casefold().replace(" ", "_").replace("-", "_") for title in header]


def _columns(header: list[str]) -> dict[str, int] | None:
    """Which column holds what, or None when the line is no header."""
    titles = plain_titles(header)
    ids = [title for title in IDS if title in titles]
    if not ids:
        return None
    known = {"id": IDS, "name": NAMES, "first": (FIRST,), "last": (LAST,)}
    found = {part: [titles.index(title) for title in wanted if title in titles] for part, wanted in known.items()}
    return {part: places[0] for part, places in found.items() if places}


def _students(rows, columns: dict[str, int], problems: list[Problem]) -> list[Student]:
    """Make students of rows; what is none is added to the problems."""
    students, taken = [], {}
    for number, cells in rows:
        cell = {part: cells[place] for part, place in columns.items() if place < len(cells)}
        student = cell.get("id", "")
        if not student:
            problems.append(Problem(number, "it has no id."))
            continue
        try:
            Recipe(student=student)
        except PlainError as error:
            problems.append(Problem(number, str(error)))
            continue
        if folded(student) in taken:
            problems.append(Problem(number, f"the id {student!r} stands in line {taken[folded(student)]} already."))
            continue
        taken[folded(student)] = number
        name = cell.get("name") or f"{cell.get('first', '')} {cell.get('last', '')}".strip()
        students.append(Student(number, student, name or student))
    problems.sort(key=lambda problem: problem.line)
    return students
