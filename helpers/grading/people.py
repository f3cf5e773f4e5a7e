"""The class list, class.csv in the course's folder: the one place where an instructor writes people down.

One line a person. A first line names the columns; `id` is needed, the rest may be missing:

    id               the name of the person's folder in submitted/, and the id in the homework
    name             as the learning platform shows it; or first_name and last_name
    email            the address the platform knows
    canvas_id        Canvas's own number, "ID" in its gradebook file
    sis_user_id, sis_login_id, section    as in Canvas's gradebook file
    id_number        Moodle's "ID number"
    moodle UNIT      the number that Moodle's zip of one unit puts behind the name; it differs from unit to unit
    withdrawn        yes, or the day; whoever has withdrawn is neither marked nor exported
    extension        how much longer someone has, in every unit: 3 d, 48 h
    extension UNIT   in one unit: the same, or a day and time

Other columns are the instructor's own and are left alone. `byhand worksheet --roster class.csv` reads the same file.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.times import read_extension
from helpers.worksheets.roster import FIRST, IDS, LAST, NAMES, plain_titles, read_rows

CLASS_LIST = "class.csv"
PLAIN = ("email", "canvas_id", "sis_user_id", "sis_login_id", "section", "id_number")
OTHER_TITLES = {"e_mail": "email", "email_address": "email", "first": FIRST, "last": LAST, "surname": LAST}
NO, YES = ("", "no", "false", "0"), ("yes", "true", "1", "x")
LONGEST = 100
# Names that Windows keeps for its devices.
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?")
_ID = re.compile(r"[^\W_][\w.@+ -]*")


@dataclass(frozen=True)
class Person:
    """One line of the class list. extensions, moodle: by unit, as written; extensions[""] holds for every unit."""

    id: str
    name: str = ""
    first: str = ""
    last: str = ""
    email: str = ""
    canvas_id: str = ""
    sis_user_id: str = ""
    sis_login_id: str = ""
    section: str = ""
    id_number: str = ""
    withdrawn: bool = False
    extensions: Mapping[str, str] = field(default_factory=dict)
    moodle: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> tuple[str, str]:
        """First names and last name; of a name in one piece, the last word or what stands before a comma."""
        if self.first or self.last or not self.name:
            return self.first, self.last
        if "," in self.name:
            last, first = self.name.split(",", 1)
            return first.strip(), last.strip()
        *first, last = self.name.split()
        return " ".join(first), last


@dataclass(frozen=True)
class ClassList:
    """Everybody, by id, and the sentences on lines that could not be used. extends: units with an extension column."""

    file: Path
    people: Mapping[str, Person]
    problems: tuple[str, ...] = ()
    extends: frozenset[str] = frozenset()

    def withdrawn(self) -> set[str]:
        """Ids of those who have withdrawn."""
        return {person.id for person in self.people.values() if person.withdrawn}

    def present(self) -> list[Person]:
        """Those who have not, in the order of the list."""
        return [person for person in self.people.values() if not person.withdrawn]

    def speaks_of(self, unit: str) -> bool:
        """Whether the list has a column for extensions of the unit: then an empty cell means that there is none."""
        return bool(self.extends & {"", unit})

    def extensions(self, unit: str, due: datetime | None, zone: tzinfo | None) -> tuple[dict, list[str]]:
        """Student → how much longer, and the sentences on extensions that cannot be read."""
        found: dict[str, timedelta] = {}
        problems = []
        for person in self.people.values():
            text = person.extensions.get(unit) or person.extensions.get("", "")
            try:
                if text:
                    found[person.id] = read_extension(text, due, zone)
            except PlainError as error:
                problems.append(f"{person.id}: {error}")
        return found, problems


def read_class(root: Path) -> ClassList | None:
    """The class list of a course, None where there is none. A line that cannot be used stops nobody else.

    Raises PlainError for a list without a column `id`, or with two columns of one title.
    """
    file = root / CLASS_LIST
    if not file.is_file():
        return None
    rows, wrong = read_rows(file, "The class list")
    problems = [f"{CLASS_LIST}, {problem}" for problem in wrong]
    if not rows:
        return ClassList(file, {}, tuple(problems))
    titles = _titles(rows[0][1], file)
    people: dict[str, Person] = {}
    known: dict[str, int] = {}
    for line, cells in rows[1:]:
        try:
            person = _person({title: cell for title, cell in zip(titles, cells, strict=False) if title})
            if folded_id(person.id) in known:
                raise PlainError(f"the id {person.id!r} stands in line {known[folded_id(person.id)]} already.")
        except PlainError as error:
            problems.append(f"{CLASS_LIST}, line {line}: {error}")
            continue
        known[folded_id(person.id)] = line
        people[person.id] = person
    extends = frozenset(title.partition("extension")[2].lstrip("_") for title in titles if _is(title, "extension"))
    return ClassList(file, people, tuple(problems), extends)


def folded_id(text: str) -> str:
    """An id as it is compared: without blanks around it, in one case and one spelling of its letters."""
    return unicodedata.normalize("NFC", text).strip().casefold()


def is_id(text: str) -> bool:
    """Whether a text can name a student's folder on every system, and stand in every file and command."""
    proper = _ID.fullmatch(text) and len(text) <= LONGEST and text[-1] not in ". " and not RESERVED.fullmatch(text)
    return bool(proper) and unicodedata.normalize("NFC", text) == text


def _titles(header: list[str], file: Path) -> list[str]:
    plain = [OTHER_TITLES.get(title, title) for title in plain_titles(header)]
    ids = [title for title in IDS if title in plain]
    names = [title for title in NAMES if title in plain]
    if not ids:
        raise PlainError(f"{file} has no column id; its first line names the columns, such as id,name,email.")
    titles = ["id" if title == ids[0] else "name" if title in names[:1] else title for title in plain]
    twice = sorted({title for title in titles if title and titles.count(title) > 1})
    if twice:
        raise PlainError(f"{file} has two columns {twice[0]}.")
    return titles


def _is(title: str, word: str) -> bool:
    return title == word or title.startswith(f"{word}_")


def _person(cells: Mapping[str, str]) -> Person:
    own = unicodedata.normalize("NFC", cells.get("id", ""))
    if not own:
        raise PlainError("it has no id.")
    if not is_id(own):
        raise PlainError(
            f"{own[:LONGEST]!r} cannot be an id: a letter or digit first, then letters, digits, blanks and . _ - @ +."
        )
    withdrawn = cells.get("withdrawn", "").casefold()
    if withdrawn not in NO + YES and not re.fullmatch(r"\d{4}-\d\d-\d\d", withdrawn):
        raise PlainError(f"withdrawn is {withdrawn!r}; yes, no or a day such as 2027-03-01 is expected.")
    first, last = cells.get(FIRST, ""), cells.get(LAST, "")
    return Person(
        own, cells.get("name") or f"{first} {last}".strip(), first, last,
        **{title: cells.get(title, "") for title in PLAIN}, withdrawn=withdrawn not in NO,
        extensions=_by_unit(cells, "extension"), moodle=_by_unit(cells, "moodle"),
    )  # fmt: skip


def _by_unit(cells: Mapping[str, str], word: str) -> dict[str, str]:
    """What the columns `word UNIT` say, by unit; the column `word` alone goes by ""."""
    return {title[len(word) + 1 :]: cell for title, cell in cells.items() if _is(title, word) and cell}


def list_problems(listed: ClassList | None, units: Iterable[str]) -> list[str]:
    """What is wrong in the list itself: lines that cannot be used, extensions of units that there are not."""
    if listed is None:
        return []
    strangers = sorted(listed.extends - {"", *units})
    wrong = [f"{CLASS_LIST} has a column extension {unit}, and there is no unit {unit}" for unit in strangers]
    return [*listed.problems, *wrong]
