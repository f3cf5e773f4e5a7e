"""Collects what students handed in for a unit: whose it is, which file counts, which version is the newest.

Everything is decided first and done then, so that a dry run says what would happen. What is not clear is listed with
what to type, and left where it is; nothing that was collected before is lost.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.classroom import Classroom, open_course
from helpers.grading.enrolment import Enrolment, read_enrolment
from helpers.grading.people import folded_id
from helpers.grading.submissions import STUDENT
from helpers.grading.times import in_utc, shown, zone_of
from helpers.term.collect_choice import Chooser, Chosen, Files
from helpers.term.collect_labels import Label, labelled
from helpers.term.collect_people import NOBODY, Match, Matcher
from helpers.term.collect_record import Taken, read_record, settled, write_record
from helpers.term.collect_report import Report
from helpers.term.collect_shelf import BEFORE, NEW, NEWER, OLDER, SAME, Shelf, held_time, stamp_time
from helpers.term.collect_sources import Source
from helpers.term.collect_times import AUTO, believed, read_worksheet
from helpers.term.tables import printable


@dataclass(frozen=True)
class Wish:
    """What is asked for. told: label → id, path → id; times: id → when it was handed in, in UTC."""

    unit: str
    course: Path
    told: Mapping[str, str] = field(default_factory=dict)
    times: Mapping[str, datetime] = field(default_factory=dict)
    worksheet: Path | None = None
    clock: str = AUTO
    dry: bool = False


@dataclass
class Candidate:
    """One label that is somebody's: what counts of it, and when it was handed in."""

    label: Label
    match: Match
    chosen: Chosen
    time: datetime | None = None


class Collection:
    """One run over one source."""

    def __init__(self, wish: Wish):
        self.wish = wish
        self.room: Classroom = open_course(wish.course, wish.unit)
        self.root = self.room.root
        self.zone: tzinfo | None = zone_of(self.root)
        self.units = self.room.units()
        self.enrolment: Enrolment = read_enrolment(self.root, wish.unit, self.units)
        self.record = read_record(self.root)
        self.rows, self.handed = read_worksheet(wish.worksheet, self.zone) if wish.worksheet else ({}, {})
        told = self._told()
        self.matcher = Matcher(self.enrolment.listed, wish.unit, told, settled(self.record, wish.unit), self.rows)
        self.chooser = Chooser(wish.unit, self._releases(), 1000 * self.room.course.max_file_size)
        self.shelf = Shelf(self._pattern(), self.root / BEFORE, wish.unit)
        self.report = Report(wish.unit, wish.dry)

    def _told(self) -> dict[str, str]:
        """What was typed, with ids as the class list writes them."""
        listed = self.enrolment.listed
        if listed is None:
            return dict(self.wish.told)
        known = {folded_id(student): student for student in listed.people} | {NOBODY: NOBODY}
        for label, student in self.wish.told.items():
            if folded_id(student) not in known:
                raise PlainError(f"{student!r}, named for {label!r}, is not in {listed.file.name}.")
        return {label: known[folded_id(student)] for label, student in self.wish.told.items()}

    def _releases(self) -> dict[str, Mapping]:
        """The releases of all units: whose notebook it is is told by their cells. A unit without one is passed over."""
        found = {self.wish.unit: self.room.release}
        for unit in self.units:
            if unit not in found:
                other = Classroom(self.root, unit)
                if (Path(other._path(other.course.release_directory, ".")) / f"{unit}.ipynb").is_file():
                    found[unit] = other.release
        return found

    def _pattern(self) -> str:
        course = self.room.course
        return os.path.normpath(course.format_path(course.submitted_directory, STUDENT, self.wish.unit))

    # Deciding

    def take(self, source: Source) -> Report:
        """Decide on all that a source holds, do it unless this is a dry run, and report."""
        listed = self.enrolment.listed
        ids = {folded_id(student) for student in listed.people} if listed else set()
        labels = labelled(source.files, self.wish.unit, ids)
        self.report.problems += self.enrolment.problems
        self.report.left_out += [printable(note) for note in source.notes]
        if not labels:
            raise PlainError("There is nothing in it that was handed in.")
        self._check_told(labels)
        by_student: dict[str, list[Candidate]] = {}
        for label in labels:
            candidate = self._candidate(label)
            if candidate is not None:
                by_student.setdefault(candidate.match.student, []).append(candidate)
        self._tell_times([one for several in by_student.values() for one in several])
        for student, candidates in sorted(by_student.items()):
            self._settle(student, candidates)
        self._tell_missing(set(by_student))
        if not self.wish.dry:
            write_record(self.root, self.record)
        return self.report

    def _check_told(self, labels: Sequence[Label]) -> None:
        texts = {label.text for label in labels}
        paths = {"/".join(one.path) for label in labels for _, one in label.files}
        for text in self.wish.told:
            if text not in texts | paths and not any(text.startswith(f"{path.rpartition('/')[0]}/") for path in paths):
                raise PlainError(f"Nothing was handed in under the name {text!r}.")

    def _candidate(self, label: Label) -> Candidate | None:
        paths = [path for path in self.matcher.told if any(path == "/".join(one.path) for _, one in label.files)]
        inside = [path for path in self.matcher.told if path.startswith(tuple(_folders(label)))]
        preferred = [path for path in {*paths, *inside} if path != label.text]
        match = self.matcher.match(label)
        if preferred and match.how != "as":
            match = Match(self.matcher.told[preferred[0]], "as")
        if match.student is None:
            self.report.unclear_person(label.text, match.why, match.candidates)
            return None
        if match.student == NOBODY:
            self._note_down(label, match, None)
            self.report.left_out.append(f"{label.text}: is nobody's, as was said")
            return None
        chosen = self.chooser.choose(label, preferred)
        if chosen.notebook is None:
            self.report.unclear_file(match.student, label.text, chosen.why, chosen.choices)
            return None
        return Candidate(label, match, chosen)

    # Times

    def _tell_times(self, candidates: list[Candidate]) -> None:
        """Set when each was handed in, from the surest source there is."""
        by_platform: dict[str, list[Candidate]] = {}
        for one in candidates:
            by_platform.setdefault(one.label.platform, []).append(one)
        for platform, several in by_platform.items():
            trusted = believed(platform, [one.chosen.time for one in several], self.wish.clock)
            for one in several:
                one.time = self._time(one, trusted)

    def _time(self, one: Candidate, trusted: bool) -> datetime | None:
        if one.match.student in self.wish.times:
            return self.wish.times[one.match.student]
        if one.label.number in self.handed:
            return self.handed[one.label.number]
        if one.chosen.stamp:
            stamp = stamp_time(one.chosen.stamp)
            if stamp is None:
                one.chosen.notes.append(f"timestamp.txt says {printable(one.chosen.stamp[:50])!r}, which is no time")
            return stamp
        return in_utc(one.chosen.time, self.zone) if trusted and one.chosen.time else None

    # Doing

    def _settle(self, student: str, candidates: list[Candidate]) -> None:
        """Put one student's work in place; of several labels the newest counts."""
        if len(candidates) > 1:
            candidates = self._in_order(student, candidates)
        for one in candidates:
            self._put(student, one, one.chosen.files(self.wish.unit))
            self._note_down(one.label, one.match, one.time)

    def _in_order(self, student: str, candidates: list[Candidate]) -> list[Candidate]:
        """Several labels of one student, the oldest first; [] where nothing tells which is the newest."""
        contents = {one.chosen.content for one in candidates}
        if len(contents) == 1:
            return candidates[-1:]
        times = [one.time for one in candidates]
        if None in times or len(set(times)) < len(times):
            self.report.doubled(student, [one.label.text for one in candidates])
            return []
        return sorted(candidates, key=lambda one: one.time)

    def _put(self, student: str, one: Candidate, files: Files) -> None:
        verdict = self.shelf.judge(student, files, one.time)
        self.report.verdicts.setdefault(verdict, []).append(student)
        held = held_time(self.shelf.place(student)) if verdict == SAME else None
        self.report.notes += [f"{student}: {note}" for note in one.chosen.notes]
        self._tell_time(student, one, one.time or held)
        late = self._late(student, one.time or held)
        if late and verdict != OLDER:
            self.report.late.append(late)
        if student in self.enrolment.withdrawn():
            self.report.withdrawn.append(student)
        if self.wish.dry:
            return
        if verdict in (NEW, NEWER):
            self.shelf.put(student, files, one.time)
        elif verdict == OLDER:
            self.shelf.put_by(student, files, one.time)
        elif one.time is not None and (held is None or student in self.wish.times) and held != one.time:
            self.shelf.stamp(student, one.time)

    def _tell_time(self, student: str, one: Candidate, time: datetime | None) -> None:
        if time is None:
            self.report.no_time.append(student)
            if one.label.late:
                self.report.late_without_time(student)

    def _late(self, student: str, time: datetime | None) -> str:
        due = self.enrolment.due
        extension = self.enrolment.extensions.get(student)
        until = due + extension if due is not None and extension is not None else due
        if time is None or until is None or time <= until:
            return ""
        longer = " with the extension" if extension else ""
        return f"{student}: {shown(time, self.zone)}, was due {shown(until, self.zone)}{longer}"

    def _note_down(self, label: Label, match: Match, time: datetime | None) -> None:
        how = "as" if match.how == "settled" else match.how
        written = time.strftime("%Y-%m-%d %H:%M:%S UTC") if time else ""
        line = Taken(
            self.wish.unit, label.text, match.student, how, label.platform, label.number, written,
            "yes" if label.late else "",
        )  # fmt: skip
        self.record = [one for one in self.record if (one.unit, one.label) != (line.unit, line.label)] + [line]

    def _tell_missing(self, here: set[str]) -> None:
        listed = self.enrolment.listed
        self.report.due = self.enrolment.due is not None
        for person in listed.present() if listed else ():
            if person.id not in here and not self.shelf.place(person.id).is_dir():
                self.report.missing.append(person.id)


def _folders(label: Label) -> list[str]:
    """What the paths inside a label's own zips begin with."""
    zips = [one for path, one in label.files if path.suffix.lower() == ".zip"]
    return ["/".join(one.path[:-1]) + "/" for one in zips if len(one.path) > 1]
