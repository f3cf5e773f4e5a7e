"""The class report of a unit: reads the gradebook and the marked notebooks, writes one page and one CSV."""

from __future__ import annotations

import csv
import hmac
import io
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from helpers.grading.classroom import Classroom, as_url, open_course
from helpers.grading.submissions import STUDENT
from helpers.settings import course_salt
from helpers.term.before import TOTAL, Change, changes, read_before
from helpers.term.feedback import heading
from helpers.term.feedback_page import state
from helpers.term.gradebook import Student, read_class
from helpers.term.names import title
from helpers.term.release_changes import count
from helpers.term.similar import Group, Sign, Traits, groups_of, normalised, parsed, right_code, traits_of
from helpers.term.tally import BARE, FULL, NONE, PART, Tally, deviation, tally
from helpers.term.verdicts import Marked, steps_of

REPORTS = "reports"
# Of one group so many signs are set side by side, and so much of each answer.
SHOWN_SIGNS, SHOWN_LETTERS = 3, 1500


@dataclass(frozen=True)
class Beside:
    """One sign of a group, with what each of the students wrote."""

    sign: Sign
    wrote: Mapping[str, str]


@dataclass
class ClassReport:
    """All that the page says. named: student → the name on the page, a made-up one in an anonymous report."""

    heading: str
    tally: Tally
    groups: list[tuple[Group, list[Beside]]]
    changes: list[Change]
    named: Callable[[str], str]
    anonymous: bool

    def line(self) -> str:
        """The report in one line, for the screen."""
        whole = self.tally
        text = f"{whole.unit}: {len(whole.students)} with marks, {whole.mean:.1f} of {whole.of:g} points on average"
        text += f"; {count(len(whole.mistakes), 'mistake')} named" if whole.mistakes else ""
        text += f"; {count(len(self.groups), 'group')} of submissions that are alike" if self.groups else ""
        unseen = f"; {count(len(whole.unseen), 'marked notebook')} could not be read" if whole.unseen else ""
        return f"{text}{unseen}."

    def table(self) -> str:
        """The CSV: a row for each step, and one for all together."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        head = "step title of students mean deviation share_full full part none not_filled_in waiting"
        writer.writerow([*head.split(), "first_off", "lost_from_there", "mistakes"])
        whole = self.tally
        for one in whole.steps:
            kinds = [one.kinds[kind] for kind in (FULL, PART, NONE, BARE)]
            mistakes = "; ".join(f"{label} {number}" for label, number in one.mistakes.most_common())
            numbers = (one.step.of, len(one.scores), one.mean, one.deviation, one.share_full)
            writer.writerow([
                one.step.key, title(whole.unit, one.step.key), *map(_plain, numbers), *kinds, one.waiting, one.first,
                _plain(one.lost), mistakes,
            ])  # fmt: skip
        full = sum(total >= whole.of for total in whole.totals)
        numbers = (whole.of, len(whole.totals), whole.mean, deviation(whole.totals), full / len(whole.totals))
        writer.writerow([TOTAL, "", *map(_plain, numbers), full, "", "", "", whole.waiting, "", "", ""])
        return out.getvalue()


def _plain(number: float) -> str:
    return f"{round(number, 4):g}"


def class_report(
    course: Path, unit: str, db: str | None = None, before: Path | None = None, anonymous: bool = False
) -> ClassReport:
    """Look at a class's unit.

    before: a report or gradebook of the class before. anonymous: made-up names, and nothing that students typed.
    Raises PlainError when there is no course, no such unit, no marks, or nothing to compare with in `before`.
    """
    classroom = open_course(course, unit)
    students = read_class(as_url(classroom.course, db), unit)
    earlier = read_before(before, unit) if before is not None else {}
    reading = _Reading(classroom, students)
    traits, seen = reading.all()
    counted = tally(unit, reading.steps, students, seen)
    groups = [(group, [reading.beside(sign, anonymous) for sign in group.signs[:SHOWN_SIGNS]])
              for group in groups_of(traits, reading.solution())]  # fmt: skip
    named = _made_up(classroom.secret(), students) if anonymous else str
    return ClassReport(heading(reading.release, unit), counted, groups, changes(counted, earlier), named, anonymous)


class _Reading:
    """Reads the marked notebooks one after another, and keeps of each only what is counted."""

    def __init__(self, classroom: Classroom, students: Mapping[str, Student]):
        self.unit, self.students = classroom.unit, students
        self.release = json.loads(json.dumps(classroom.release))
        self.steps = steps_of(self.release)
        self._source = classroom.source
        self.salt = course_salt(classroom.root)
        path = classroom.course.format_path(classroom.course.autograded_directory, STUDENT, self.unit)
        self._pattern = os.path.normpath(path)

    def _marked(self, name: str) -> Marked | None:
        folder = Path(self._pattern.replace(STUDENT, name))
        try:
            return Marked.read(folder / f"{self.unit}.ipynb", self.release, self.students[name].digest)
        except (OSError, ValueError):
            return None

    def all(self) -> tuple[dict, dict]:
        """(student → traits, student → what became of each step)."""
        traits, seen = {}, {}
        for name, student in self.students.items():
            marked = self._marked(name)
            if marked is not None:
                seen[name] = {step.name: state(step, student.marks.get(step.name), marked) for step in self.steps}
                traits[name] = traits_of(self.unit, self.steps, student, marked, seen[name], self.salt)
        return traits, seen

    def solution(self) -> Traits:
        """The code of the unit's own solution."""
        return right_code(self.steps, Marked(json.loads(json.dumps(self._source)), self.release))

    def beside(self, sign: Sign, anonymous: bool) -> Beside:
        """What each wrote for the step of a sign; in an anonymous report without what could tell who it was."""
        name = next((step.name for step in self.steps if step.key == sign.key), "")
        wrote = {}
        for student in sign.students if name else ():
            marked = self._marked(student)
            answer = marked.answer(name) if marked else ""
            wrote[student] = (_nameless(answer) if anonymous else answer)[:SHOWN_LETTERS]
        return Beside(sign, wrote)


def _nameless(answer: str) -> str:
    """Code without comments, names of the student's own, and texts."""
    tree = parsed(answer)
    return normalised(tree, texts=False)[0] if tree is not None else ""


def _made_up(secret: bytes, students: Mapping[str, Student]) -> Callable[[str], str]:
    """Student → a name that tells nothing, the same in every report of this course."""
    return {name: f"S-{hmac.new(secret, name.encode(), sha256).hexdigest()[:8]}" for name in students}.__getitem__


def write_report(report: ClassReport, folder: Path) -> list[Path]:
    """Write the page and the CSV; returns the files."""
    from helpers.term.report_page import report_page

    folder.mkdir(exist_ok=True)
    files = []
    for place, content in zip(places(report.tally.unit, folder), (report_page(report), report.table()), strict=True):
        new = place.with_name(f".{place.name}.new")
        new.write_text(content, encoding="utf-8", errors="replace")
        files.append(new.replace(place))
    return files


def places(unit: str, folder: Path) -> tuple[Path, Path]:
    """Where the page and the CSV go."""
    return folder / f"{unit}.html", folder / f"{unit}-steps.csv"
