"""Writes the grades of units for a learning platform, and says whose are not final."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.classroom import open_course
from helpers.grading.people import CLASS_LIST, ClassList, Person
from helpers.grading.times import settings, shown, zone_of
from helpers.term import export_formats as formats
from helpers.term.collect_record import read_record
from helpers.term.scores import CHANGED, FINAL, MISSING, WAITING, Score, UnitScores, read_scores
from helpers.term.tables import csv_text, printable, write_whole

CANVAS, MOODLE, CSV = "canvas", "moodle", "csv"
FOLDER = "exports"
DONE, TO_SETTLE = 0, 3
TITLES = ["student", "name", "email", "unit", "status", "points", "penalty", "final", "of", "handed_in", "seconds_late"]


@dataclass(frozen=True)
class Wish:
    """What is asked for. into: a file downloaded from the platform, to be filled in."""

    units: Sequence[str]
    course: Path
    format: str
    into: Path | None = None
    out: Path | None = None
    db: str | None = None
    unfinished: bool = False
    zero: bool = False
    scale: bool = False
    force: bool = False
    dry: bool = False


@dataclass
class Report:
    """What an export has to say. held: grades that are not final, and why; told: what is to be looked at."""

    file: Path
    count: int = 0
    held: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unfinished: bool = False
    dry: bool = False

    def code(self) -> int:
        """The exit code."""
        return TO_SETTLE if self.wrong or (self.held and not self.unfinished) else DONE

    def text(self) -> str:
        """The page."""
        grades = f"{self.count} grade{'' if self.count == 1 else 's'}"
        head = f"{self.file} would get {grades}." if self.dry else f"{self.file} has {grades}."
        parts = [head]
        for title, lines in self._sections():
            if lines:
                parts += ["", title, *(f"  {printable(line)}" for line in lines)]
        return "\n".join(parts) + "\n"

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        how = "exported as they are" if self.unfinished else "left empty; --unfinished exports them as they are"
        yield f"Not final, {how}", self.held
        yield "To be settled by you", self.wrong
        yield "To be looked at", self.told
        yield "Not handed in", self.missing


def export(wish: Wish) -> Report:
    """Write one file; raises PlainError when nothing can be written."""
    rooms = [open_course(wish.course, unit) for unit in dict.fromkeys(wish.units)]
    units = {room.unit: read_scores(room, wish.db) for room in rooms}
    root = rooms[0].root
    own = Path(FOLDER) / f"{wish.format}-{'-'.join(units)}.csv"
    report = Report(wish.out or root / own, unfinished=wish.unfinished, dry=wish.dry)
    _Export(wish, root, units, report).go()
    return report


class _Export:
    def __init__(self, wish: Wish, root: Path, units: dict[str, UnitScores], report: Report):
        self.wish, self.root, self.units, self.report = wish, root, units, report
        first = next(iter(units.values()))
        self.listed: ClassList | None = first.enrolment.listed
        self.of = {unit: scores.of for unit, scores in units.items()}

    def go(self) -> None:
        self._tell()
        rows = self._rows()
        # What a platform wrote goes back to it as it is: a sign added to a name or a comment would be taken for theirs.
        text = csv_text(rows, as_they_are=self.wish.into is not None)
        if self.report.file.exists() and not self.wish.force and self.report.file.read_bytes() != text.encode():
            raise PlainError(f"{self.report.file} is there already, with other grades; --force replaces it.")
        if not self.wish.dry:
            write_whole(self.report.file, text)

    # What goes into a cell

    def _cell(self, student: str, unit: str, most: float | None) -> str:
        score = self.units[unit].scores.get(student)
        if score is None or student in self.units[unit].enrolment.withdrawn():
            return ""
        if score.state == MISSING:
            return "0" if self.wish.zero else ""
        if score.state != FINAL and not (self.wish.unfinished and score.marked):
            return ""
        of = self.of[unit]
        return formats.number(score.points * most / of if self.wish.scale and most is not None and of else score.points)

    # What is told

    def _tell(self) -> None:
        for unit, scores in self.units.items():
            for student in scores.whose():
                score = scores.scores.get(student, Score(student, MISSING))
                self.report.count += bool(self._cell(student, unit, None))
                if score.state == MISSING:
                    self.report.missing.append(f"{unit}: {student}")
                elif score.state != FINAL:
                    self.report.held.append(f"{unit}, {student}: {_why(score, unit)}")
                elif score.again:
                    self.report.told.append(
                        f"{unit}, {student}: {_answers(score.again)} marked by hand before the notebook was marked last"
                    )
            self.report.wrong += [f"{unit}, {one}: is not in {CLASS_LIST}" for one in scores.strangers()]
        first = next(iter(self.units.values()))
        self.report.wrong += first.enrolment.problems
        if self.listed is None and self.wish.format != CSV:
            raise PlainError(f"There is no {CLASS_LIST} in {self.root}, which says who everybody is on the platform.")

    # The table

    def _rows(self) -> list[list[object]]:
        if self.wish.format == CSV:
            return self._plain()
        filled = self._filled()
        told, wrong = self.report.told, self.report.wrong
        told += [f"{name}: is in {self.wish.into.name}, and not in {CLASS_LIST}" for name in filled.unknown]
        wrong += [f"{one}: has points, and no row in {self.wish.into.name}" for one in filled.absent]
        if not self.wish.scale:
            wrong += [f"{line}: add --scale to convert, or change it there" for line in filled.other]
        ids = "canvas_id, sis_user_id or sis_login_id" if self.wish.format == CANVAS else "id_number or email"
        wrong += [
            f"{one}: {CLASS_LIST} has no {ids}, so the platform would go by the name alone" for one in filled.by_name
        ]
        return filled.rows

    def _filled(self) -> formats.Filled:
        titles = {unit: formats.title_of(self._titles(), unit) for unit in self.units}
        people: list[Person] = self.listed.present()
        into = self.wish.into
        if self.wish.format == CANVAS:
            if into is not None:
                return formats.into_canvas(into, self.listed, titles, self.of, self._cell)
            return formats.canvas(people, titles, self.of, self._cell)
        if into is None:
            return formats.moodle(people, titles, self._cell)
        if len(self.units) > 1:
            raise PlainError("A grading worksheet of Moodle is of one assignment: name one unit.")
        (unit,) = self.units
        numbers = {one.number: one.student for one in read_record(self.root) if one.unit == unit and one.number}
        numbers |= {one.moodle[unit]: one.id for one in self.listed.people.values() if unit in one.moodle}
        return formats.into_worksheet(into, self.listed, unit, self.of[unit], numbers, self._cell)

    def _titles(self) -> dict:
        table = settings(self.root).get(self.wish.format, {})
        return table if isinstance(table, dict) else {}

    def _plain(self) -> list[list[object]]:
        zone = zone_of(self.root)
        rows: list[list[object]] = [list(TITLES)]
        for unit, scores in self.units.items():
            for student in scores.whose():
                person = self.listed.people[student] if self.listed else Person(student)
                score = scores.scores.get(student, Score(student, MISSING))
                rows.append(
                    [student, person.name, person.email, unit, score.state, *self._numbers(score, scores, zone)]
                )
        return rows

    def _numbers(self, score: Score, scores: UnitScores, zone) -> list[object]:
        final = self._cell(score.student, scores.unit, None)
        handed = shown(score.handed, zone) if score.handed else ""
        if not score.marked:
            return ["", "", final, formats.number(scores.of), handed, ""]
        points = [formats.number(score.raw), formats.number(score.penalty), final, formats.number(scores.of)]
        return [*points, handed, formats.number(score.late)]


def _why(score: Score, unit: str) -> str:
    if score.state == WAITING:
        waits = "waits" if score.by_hand == 1 else "wait"
        return f"{score.by_hand} answer{'' if score.by_hand == 1 else 's'} {waits} for marks by hand"
    if score.state == CHANGED:
        return f"was handed in again since it was marked: byhand grade {unit}"
    return f"was handed in and is not marked: byhand grade {unit}"


def _answers(count: int) -> str:
    return f"{count} answer{' was' if count == 1 else 's were'}"
