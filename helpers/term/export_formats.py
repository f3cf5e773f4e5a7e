"""The files that Canvas and Moodle read grades from, new or filled into one that was downloaded there.

Canvas ("How do I import grades in the Gradebook?", community.canvaslms.com; read by `lib/gradebook_importer.rb`): the
columns Student, ID, SIS User ID, SIS Login ID, Section, then assignments called "name (id)"; a row "Points Possible";
an empty cell changes nothing. A name without an id is looked for by title; where there is none, Canvas makes a new
assignment.

Moodle, grade import (docs.moodle.org, "Grade import"): any columns, told apart on a page that maps them; one of them,
"ID number" or "Email address", says who it is, and grade items are called "Assignment: name (Real)" as in Moodle's
own export. Moodle's grading worksheet (docs.moodle.org, "Assignment settings", offline grading worksheet; read by
`mod/assign/feedback/offline/importgradeslib.php`) has the columns Identifier ("Participant 12345"), Grade and Last
modified (grade); Moodle passes a row over whose grade there is newer than that time, so all but Grade stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.people import ClassList, Person, folded_id
from helpers.term.collect_people import folded_name, name_keys
from helpers.term.collect_times import EMAIL, ID_NUMBER, NAME, NUMBER, participant
from helpers.term.tables import read_csv

STUDENT, CANVAS_ID, SIS_USER, SIS_LOGIN, SECTION = "Student", "ID", "SIS User ID", "SIS Login ID", "Section"
POSSIBLE, TEST_STUDENT = "Points Possible", "Student, Test"
CANVAS_TITLES = (STUDENT, CANVAS_ID, SIS_USER, SIS_LOGIN, SECTION)
OTHER_CANVAS = ("Integration ID", "Root Account", "LastName", "FirstName")
# The row in which Canvas says how grades are posted.
_POSTING = re.compile(r"(?i)\s*(muted|manual posting.*)?\s*")
GRADE, MAXIMUM = "Grade", ("Maximum Grade", "Maximum grade")
Rows = list[list[object]]
# student, unit, what the unit counts there (None for as here) → the cell
Cell = Callable[[str, str, "float | None"], str]


@dataclass
class Filled:
    """A table to be written. unknown: rows of the platform's file that are nobody's in the class list.

    absent: students with points who have no row there. other: units that count otherwise there, in sentences.
    """

    rows: Rows
    unknown: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    by_name: list[str] = field(default_factory=list)


def number(points: float) -> str:
    """Points as both platforms read them: at most two decimals, a dot, no zeros at the end."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def title_of(table: Mapping, unit: str) -> str:
    """What a unit is called on a platform, by the course's settings."""
    title = table.get(unit, unit)
    if not isinstance(title, str) or not title.strip():
        raise PlainError(f'The title of {unit} is {title!r}; a text such as "Encoder (4711)" is expected.')
    return title.strip()


# New files


def canvas(people: Sequence[Person], titles: Mapping[str, str], of: Mapping[str, float], cell: Cell) -> Filled:
    """A new file for Canvas."""
    filled = Filled([[*CANVAS_TITLES, *titles.values()]])
    filled.rows.append([f"    {POSSIBLE}", "", "", "", "", *(number(of[unit]) for unit in titles)])
    for person in people:
        if not (person.canvas_id or person.sis_user_id or person.sis_login_id):
            filled.by_name.append(person.id)
        row = [_last_first(person), person.canvas_id, person.sis_user_id, person.sis_login_id, person.section]
        filled.rows.append([*row, *(cell(person.id, unit, None) for unit in titles)])
    return filled


def moodle(people: Sequence[Person], titles: Mapping[str, str], cell: Cell) -> Filled:
    """A new file for Moodle's grade import; whoever has nothing to be told is left out, since Moodle may take an
    empty cell for "no grade".
    """
    items = [title if title.startswith("Assignment: ") else f"Assignment: {title} (Real)" for title in titles.values()]
    filled = Filled([["First name", "Last name", ID_NUMBER, EMAIL, *items]])
    for person in people:
        cells = [cell(person.id, unit, None) for unit in titles]
        if not any(cells):
            continue
        if not (person.id_number or person.email):
            filled.by_name.append(person.id)
        filled.rows.append([*person.names(), person.id_number, person.email, *cells])
    return filled


def _last_first(person: Person) -> str:
    first, last = person.names()
    return f"{last}, {first}" if first and last else first or last or person.id


# Files that were downloaded


class Finder:
    """Whose row it is: by ids, then by the full name where only one person is called so."""

    def __init__(self, listed: ClassList):
        self._people = list(listed.people.values())

    def find(self, ids: Sequence[tuple[str, str]], name: str) -> str | None:
        """ids: (attribute of a person, value), the surest first."""
        for attribute, value in ids:
            found = [one.id for one in self._people if value and folded_id(getattr(one, attribute)) == folded_id(value)]
            if len(found) == 1:
                return found[0]
        keys = name_keys(name)
        found = [one.id for one in self._people if keys & name_keys(one.name)]
        return found[0] if len(found) == 1 else None


def into_canvas(
    file: Path, listed: ClassList, titles: Mapping[str, str], of: Mapping[str, float], cell: Cell
) -> Filled:
    """Canvas's own gradebook file with the units' columns filled in; other assignments' columns are left out, so that
    nothing else can change. Raises PlainError for a file that is none, or has no column of a unit.
    """
    table = read_csv(file, "The gradebook")
    head = [title.strip() for title in table[0]] if table else []
    if STUDENT not in head or CANVAS_ID not in head:
        raise PlainError(f"{file} is no gradebook of Canvas: it has no columns {STUDENT} and {CANVAS_ID}.")
    places = {unit: _column(head, title, unit, file) for unit, title in titles.items()}
    kept = [n for n, title in enumerate(head) if title in CANVAS_TITLES + OTHER_CANVAS]
    filled, finder, seen = Filled([[head[n] for n in kept] + [head[n] for n in places.values()]]), Finder(listed), set()
    possible: dict[str, float | None] = dict.fromkeys(titles)
    for row in table[1:]:
        row = row + [""] * (len(head) - len(row))
        at = dict(zip(head, row, strict=False))
        own = [row[n] for n in kept]
        if POSSIBLE in row[0]:
            possible = {unit: _number(row[n]) for unit, n in places.items()}
            filled.other += [_other(unit, possible[unit], of[unit]) for unit in titles if _differs(possible, of, unit)]
            filled.rows.append(own + [row[n] for n in places.values()])
            continue
        if all(_POSTING.fullmatch(text) for text in row):
            filled.rows.append(own + [row[n] for n in places.values()])
            continue
        ids = [
            ("canvas_id", at[CANVAS_ID]),
            ("sis_user_id", at.get(SIS_USER, "")),
            ("sis_login_id", at.get(SIS_LOGIN, "")),
        ]
        student = finder.find(ids, at[STUDENT])
        seen.add(student)
        if student is None and at[STUDENT] != TEST_STUDENT:
            filled.unknown.append(at[STUDENT])
        cells = [cell(student, unit, possible[unit]) if student else "" for unit in titles]
        filled.rows.append(own + cells)
    filled.absent = _absent(listed, seen, titles, cell)
    return filled


def into_worksheet(
    file: Path, listed: ClassList, unit: str, of: float, numbers: Mapping[str, str], cell: Cell
) -> Filled:
    """Moodle's grading worksheet with the column Grade filled in, where there is something to fill in; the rest stays.

    numbers: participant's number → student, as collected. Raises PlainError for a file that is no worksheet.
    """
    table = read_csv(file, "The worksheet")
    head = [title.strip() for title in table[0]] if table else []
    if NUMBER not in head or GRADE not in head:
        raise PlainError(
            f"{file} has no columns {NUMBER} and {GRADE}: download the grading worksheet with Moodle's language set to "
            "English."
        )
    filled, finder, seen = Filled([list(head)]), Finder(listed), set()
    counts: set[float] = set()
    for row in table[1:]:
        row = row + [""] * (len(head) - len(row))
        at = dict(zip(head, row, strict=False))
        most = next((_number(at[title]) for title in MAXIMUM if title in at), None)
        ids = [("id_number", at.get(ID_NUMBER, "")), ("id", at.get(ID_NUMBER, "")), ("email", at.get(EMAIL, ""))]
        known = numbers.get(participant(at[NUMBER]))
        student = known if known in listed.people else finder.find(ids, at.get(NAME, ""))
        seen.add(student)
        if student is None:
            filled.unknown.append(at.get(NAME) or at[NUMBER])
        elif cell(student, unit, most):
            row[head.index(GRADE)] = cell(student, unit, most)
        if most is not None and most != of:
            counts.add(most)
        filled.rows.append(list(row))
    filled.other = [_other(unit, most, of) for most in sorted(counts)]
    filled.absent = _absent(listed, seen, {unit: unit}, cell)
    return filled


def _column(head: Sequence[str], title: str, unit: str, file: Path) -> int:
    """The column of a unit: called as it, its title, or its title without the id behind it."""
    exact = [n for n, one in enumerate(head) if one == title]
    wanted = {_plain(title), _plain(unit)}
    found = exact or [n for n, one in enumerate(head) if _plain(one) in wanted]
    if len(found) != 1:
        there = ", ".join(one for one in head if one not in CANVAS_TITLES + OTHER_CANVAS)
        raise PlainError(
            f"{file} has {len(found) or 'no'} column{'s' if len(found) > 1 else ''} for {unit}; name the one that is "
            f'meant in pyproject.toml, under [tool.byhand.canvas], as in {unit} = "Encoder (4711)". There are: {there}.'
        )
    return found[0]


def _plain(title: str) -> str:
    return folded_name(re.sub(r"\s*\(\d+\)\s*$", "", title).replace("_", " "))


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _differs(possible: Mapping[str, float | None], of: Mapping[str, float], unit: str) -> bool:
    return possible[unit] is not None and possible[unit] != of[unit]


def _other(unit: str, there: float | None, here: float) -> str:
    return f"{unit} counts {number(there)} points there, and {number(here)} here"


def _absent(listed: ClassList, seen: set, units: Mapping[str, str], cell: Cell) -> list[str]:
    return [
        one.id for one in listed.present() if one.id not in seen and any(cell(one.id, unit, None) for unit in units)
    ]
