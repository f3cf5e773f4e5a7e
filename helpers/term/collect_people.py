"""Whose work it is: a name in a zip matched with the class list, by ids, then by the full name, never by likeness."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from helpers.grading.people import ClassList, Person, folded_id, is_id
from helpers.term.collect_labels import CANVAS, MOODLE, PLAIN, Label

NOBODY = "-"
# Letters that do not fall apart into a letter and a mark.
_PLAINER = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h", "ŧ": "t"}
)
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})
MOST_WORDS = 12


@dataclass(frozen=True)
class Match:
    """Who it is. student: the id, "-" for nobody by request, None when that is not clear; `why` then says so.

    how: as, id, settled, name or plain.
    """

    student: str | None
    how: str = ""
    why: str = ""
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """What Moodle's grading worksheet says of one participant."""

    number: str
    name: str = ""
    email: str = ""
    id_number: str = ""


@dataclass
class Matcher:
    """Matches labels of one unit.

    told: label → id or "-", as the instructor typed it now. settled: the same, of earlier times.
    worksheet: participant's number → row.
    """

    listed: ClassList | None
    unit: str
    told: Mapping[str, str] = field(default_factory=dict)
    settled: Mapping[str, str] = field(default_factory=dict)
    worksheet: Mapping[str, Row] = field(default_factory=dict)

    def __post_init__(self):
        self._people = list(self.listed.people.values()) if self.listed else []
        self._by_name: dict[str, set[str]] = {}
        for person in self._people:
            for key in name_keys(person.name or f"{person.first} {person.last}"):
                self._by_name.setdefault(key, set()).add(person.id)

    def match(self, label: Label) -> Match:
        """Who handed this in."""
        if label.text in self.told:
            return Match(self.told[label.text], "as")
        by_id, called = self._by_ids(label), self._called(label)
        if len(by_id) == 1:
            (student,) = by_id
            if called and student not in called:
                others = ", ".join(sorted(called))
                why = f"its number is that of {student}, its name that of {others}"
                return Match(None, why=why, candidates=tuple(sorted({student, *called})))
            return Match(student, "id")
        if by_id:
            return Match(None, why="its ids are those of several people", candidates=tuple(sorted(by_id)))
        if label.text in self.settled:
            return Match(self.settled[label.text], "settled")
        if self.listed is None:
            return self._without_list(label)
        # Whose number is known to be another is somebody else of that name.
        by_name = {student for student in called if not self._is_another(self.listed.people[student], label)}
        if len(by_name) == 1:
            return Match(next(iter(by_name)), "name")
        if by_name:
            return Match(None, why=f"{len(by_name)} people are called so", candidates=tuple(sorted(by_name)))
        return Match(None, why="nobody in class.csv is called so")

    def _without_list(self, label: Label) -> Match:
        if label.platform == PLAIN and is_id(label.text):
            return Match(label.text, "plain")
        return Match(None, why="there is no class.csv to find the id in" if is_id(label.text) else "it is no id")

    # By ids

    def _by_ids(self, label: Label) -> set[str]:
        if label.platform == CANVAS:
            return self._having("canvas_id", label.number)
        if label.platform == MOODLE:
            found = {person.id for person in self._people if person.moodle.get(self.unit) == label.number}
            row = self.worksheet.get(label.number)
            return found or (self._of_row(row) if row else set())
        exact = {person.id for person in self._people if person.id == label.text}
        return exact or self._folded(label.text)

    def _folded(self, text: str) -> set[str]:
        """By any of the ids that a plain file may be named after."""
        key = folded_id(text)
        for title in ("id", "email", "sis_login_id", "sis_user_id", "id_number"):
            found = {person.id for person in self._people if key and folded_id(getattr(person, title)) == key}
            if found:
                return found
        return set()

    def _of_row(self, row: Row) -> set[str]:
        for title, text in (("id_number", row.id_number), ("id", row.id_number), ("email", row.email)):
            found = {
                person.id for person in self._people if text and folded_id(getattr(person, title)) == folded_id(text)
            }
            if found:
                return found
        return set()

    def _having(self, title: str, value: str) -> set[str]:
        return {person.id for person in self._people if value and getattr(person, title) == value}

    # By name

    def _called(self, label: Label) -> set[str]:
        """Everybody who is called so."""
        row = self.worksheet.get(label.number) if label.platform == MOODLE else None
        keys = name_keys(row.name if row and row.name else label.name)
        return set().union(*(self._by_name.get(key, set()) for key in keys)) if keys else set()

    def _is_another(self, person: Person, label: Label) -> bool:
        known = {CANVAS: person.canvas_id, MOODLE: person.moodle.get(self.unit, "")}.get(label.platform, "")
        return bool(known and label.number and known != label.number)


def name_keys(name: str) -> set[str]:
    """All ways in which a platform may write a full name, folded: either order, ä as a or ae, no case, marks or signs.

    Only the whole name counts: "Kim" is not "Kim Lee".
    """
    keys = set()
    for text in {folded_name(name), folded_name(name, german=True)}:
        words = text.split()[:MOST_WORDS]
        keys |= {"".join(words[cut:] + words[:cut]) for cut in range(len(words))}
    return keys - {""}


def folded_name(name: str, german: bool = False) -> str:
    """A name in plain small letters, words apart; `german` writes ä as ae."""
    text = unicodedata.normalize("NFC", name).casefold()
    if german:
        text = text.translate(_GERMAN)
    text = unicodedata.normalize("NFKD", text).translate(_PLAINER)
    text = "".join(sign for sign in text if not unicodedata.combining(sign))
    return " ".join(re.findall(r"[^\W_]+", text.replace("'", "").replace("’", "")))


def read_told(given: Iterable[str]) -> dict[str, str]:
    """What was typed after --as, label → id; raises PlainError for what is not LABEL=ID."""
    from helpers.errors import PlainError

    told = {}
    for text in given:
        label, sign, student = text.rpartition("=")
        if not sign or not label or not student:
            raise PlainError(f'{text!r} is not of the form NAME=ID, as in --as "Kim Lee_123=kim2".')
        told[unicodedata.normalize("NFC", label)] = student
    return told
