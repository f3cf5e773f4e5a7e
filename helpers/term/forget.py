"""Forgets a person: all that the course's folder, its gradebook and the exchange hold of one student.

First everything is found and told; it goes only on a second word. What cannot go by itself, such as a page about the
whole class, is removed as a whole and made again by its own command; a mention elsewhere is listed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.utils import notebook_hash
from traitlets.config import Config

from helpers.errors import PlainError
from helpers.grading.classroom import Classroom, as_url, open_course
from helpers.grading.people import CLASS_LIST, Person, folded_id, is_id, read_class
from helpers.grading.submissions import read_regular
from helpers.term import forget_book
from helpers.term.collect_record import RECORD, read_record, write_record
from helpers.term.collect_shelf import BEFORE
from helpers.term.forget_traces import LARGEST, LINES, Words, files, run_together, without_lines

SECRET_FILE = "submission_secret.txt"
SQUEEZED = 7


@dataclass
class Found:
    """All there is of one student. folders, whole: to be removed; lines: files that lose lines; books: gradebooks.

    mentions: files in which the id or name stands and that are left to a person.
    """

    student: str
    words: Words
    folders: list[Path] = field(default_factory=list)
    whole: list[Path] = field(default_factory=list)
    lines: list[Path] = field(default_factory=list)
    books: list[tuple[str, forget_book.Rows]] = field(default_factory=list)
    mentions: list[Path] = field(default_factory=list)
    listed: bool = False
    recorded: int = 0

    def __bool__(self) -> bool:
        return bool(self.folders or self.whole or self.lines or self.books or self.listed or self.recorded)


class Forgetting:
    """One student of one course."""

    def __init__(self, course: Path, student: str, db: str | None = None):
        if not is_id(student):
            raise PlainError(f"{student!r} cannot be an id: it is no plain name of a folder.")
        root = course.resolve()
        units = open_course(root, _any_unit(root)).units()
        self.rooms = [Classroom(root, unit) for unit in units]
        self.root, self.student = root, student
        self.url = as_url(self.rooms[0].course, db)

    # Finding

    def find(self) -> Found:
        """All there is; raises PlainError when there is nothing."""
        listed = read_class(self.root)
        person = self._person(listed)
        books = [(url, rows) for url in self._book_urls() if (rows := forget_book.look(url, self.student))]
        record = [one for one in read_record(self.root) if one.student == self.student]
        found = Found(self.student, Words(self._words(person, books)), listed=person is not None, recorded=len(record))
        found.books = books
        found.folders = self._folders()
        found.whole = self._in_exchange()
        self._search(found)
        if not found:
            raise PlainError(f"There is nothing of {self.student!r} in {self.root}.")
        return found

    def _person(self, listed) -> Person | None:
        if listed is None:
            return None
        person = listed.people.get(self.student)
        others = [one.id for one in listed.people.values() if folded_id(one.id) == folded_id(self.student)]
        if person is None and others:
            raise PlainError(f"{self.student!r} is not in {CLASS_LIST}; {others[0]!r} is.")
        return person

    def _words(self, person: Person | None, books) -> list[str]:
        words = [self.student]
        if person is not None:
            first, last = person.names()
            full = [person.name, f"{first} {last}", f"{last}, {first}"] if first and last else [person.name]
            words += [*full, person.email, person.sis_login_id, person.sis_user_id]
        for _, rows in books:
            words += [*rows.names, rows.email]
        # Canvas's zips write "lovelaceada"; one that is as short as a word would be found everywhere.
        squeezed = {key for name in words[1:] if " " in name for key in run_together(name) if len(key) >= SQUEEZED}
        return [word for word in {*words, *squeezed} if word.strip(", ")]

    def _book_urls(self) -> list[str]:
        """The gradebook, where it is there, and copies of it that lie in the course's folder."""
        copies = [
            f"sqlite:///{file}" for file in files(self.root) if file.stat().st_size and forget_book.is_sqlite(file)
        ]
        own = self.url
        if own.startswith("sqlite:///"):
            place = Path(own.removeprefix("sqlite:///"))
            own = f"sqlite:///{place.resolve()}" if place.is_file() else ""
        return list(dict.fromkeys([*([own] if own else []), *copies]))

    def _folders(self) -> list[Path]:
        """The student's own folders: of every step and unit as nbgrader lays them out, and the earlier versions."""
        found = [self.root / BEFORE / self.student]
        for room in self.rooms:
            course = room.course
            for step in (course.submitted_directory, course.autograded_directory, course.feedback_directory):
                place = Path(room._path(step, self.student))
                above = place.parent
                # With nbgrader's own layout the folder above is the student's, whatever else lies in it.
                found.append(above if above.name == self.student and above != self.root else place)
        return [place for place in dict.fromkeys(found) if place.is_dir() and not place.is_symlink()]

    def _in_exchange(self) -> list[Path]:
        """What the student handed in by nbgrader's exchange, and the feedback that was given back there."""
        inbound, feedback = self._exchange("inbound"), self._exchange("feedback")
        found: list[Path] = []
        if inbound is not None:
            names = [entry for entry in inbound.iterdir() if _sender(entry.name) == self.student]
            found += sorted(names)
        if feedback is not None:
            secrets = [*self._secrets(), *(place / SECRET_FILE for place in found if (place / SECRET_FILE).is_file())]
            for secret in secrets:
                text = read_regular(secret).decode("utf-8", "replace")
                pages = (
                    feedback / room.unit / f"{notebook_hash(secret=text, notebook_id=room.unit)}.html"
                    for room in self.rooms
                )
                found += [page for page in pages if page.is_file()]
        return list(dict.fromkeys(found))

    def _exchange(self, part: str) -> Path | None:
        from nbgrader.exchange import ExchangeFactory

        room = self.rooms[0]
        config = Config(room.config)
        root = ExchangeFactory(config=config).Collect(coursedir=room.course, config=config).root
        place = Path(root) / room.course.course_id / part
        return place if place.is_dir() and os.access(place, os.R_OK | os.X_OK) else None

    def _secrets(self) -> list[Path]:
        return [file for folder in self._folders() for file in folder.rglob(SECRET_FILE) if not file.is_symlink()]

    def _search(self, found: Found) -> None:
        """Look through all other files for the id and the name."""
        reports = self.root / "reports"
        special = {self.root / CLASS_LIST, self.root / RECORD}
        for file in files(self.root, found.folders):
            if file in special or file.stat().st_size > LARGEST or forget_book.is_sqlite(file):
                continue
            named = found.words.in_text(str(file.relative_to(self.root)))
            if not named and not found.words.in_file(file.read_bytes()):
                continue
            ours = file.is_relative_to(reports) or file.is_relative_to(self.root / "exports")
            if not named and file.suffix.lower() in LINES and (ours or file.suffix == ".log"):
                found.lines.append(file)
            elif ours:
                found.whole.append(file)
            else:
                found.mentions.append(file)

    # Forgetting

    def forget(self, found: Found) -> None:
        """Remove what was found. Stopped in between, the same command goes on; the gradebook goes first."""
        for url, _ in found.books:
            forget_book.remove(url, self.student)
        for place in (*found.folders, *found.whole):
            if place.is_dir():
                _writable(place)
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        for file in found.lines:
            _replace(file, without_lines(file, found.words))
        if found.recorded:
            write_record(self.root, [one for one in read_record(self.root) if one.student != self.student])
        if found.listed:
            # Last: as long as the line is there, the command finds the name again.
            self._strike()

    def _strike(self) -> None:
        """Take the line out of the class list; all others stay as they were written."""
        from helpers.worksheets.roster import IDS, plain_titles, read_rows

        file = self.root / CLASS_LIST
        rows, _ = read_rows(file, "The class list")
        titles = plain_titles(rows[0][1])
        place = titles.index(next(title for title in IDS if title in titles))
        gone = {n for n, cells in rows[1:] if place < len(cells) and folded_id(cells[place]) == folded_id(self.student)}
        lines = file.read_bytes().splitlines(keepends=True)
        _replace(file, b"".join(line for n, line in enumerate(lines, start=1) if n not in gone))


def _any_unit(root: Path) -> str:
    """A unit of the course, "" without any; asking for it gives the plain error that fits."""
    found = sorted(path.stem for path in root.glob("*/*/*.ipynb") if path.stem == path.parent.name)
    return found[0] if found else ""


def _sender(name: str) -> str:
    """Who handed in an entry of the exchange: STUDENT+UNIT+TIME, and a random text since nbgrader 0.6."""
    parts = name.rsplit("+", 3)
    return parts[0] if len(parts) >= 3 else ""


def _writable(folder: Path) -> None:
    """autograded/ is read-only: give its folders the right to lose files."""
    for where, _, _ in os.walk(folder):
        os.chmod(where, 0o700)


def _replace(file: Path, content: bytes) -> None:
    new = file.with_name(f".{file.name}.new")
    new.write_bytes(content)
    shutil.copymode(file, new)
    new.replace(file)


def told(found: Found, root: Path, gone: bool, mentions: Sequence[Path]) -> str:
    """The page: what is there of a student, or what went, and which mentions stay."""
    head = f"{'Gone' if gone else 'There'} of {found.student}:"
    parts = [head]
    parts += [f"  {_short(place, root)}{os.sep}" for place in found.folders]
    parts += [f"  {_short(place, root)}" for place in found.whole]
    parts += [f"  {_short(place, root)}: the lines that name {found.student}" for place in found.lines]
    parts += [f"  {url}: {rows}" for url, rows in found.books]
    parts += [f"  {CLASS_LIST}: one line"] if found.listed else []
    parts += [f"  {RECORD}: {found.recorded} line{'s' * (found.recorded > 1)}"] if found.recorded else []
    if mentions:
        parts += ["", "The id or the name also stands here; look at these yourself:"]
        parts += [f"  {_short(place, root)}" for place in mentions]
    return "\n".join(parts) + "\n"


def _short(place: Path, root: Path) -> str:
    from helpers.term.tables import printable

    return printable(str(place.relative_to(root) if place.is_relative_to(root) else place))
