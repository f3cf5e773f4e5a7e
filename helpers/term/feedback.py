"""Writes the feedback of a class: one page for each student, where nbgrader keeps feedback.

The page is feedback/STUDENT/UNIT/UNIT.html, the very file that `nbgrader generate_feedback` would write, so that
`nbgrader release_feedback` takes it to the student without knowing whose it is. It asks for timestamp.txt and
submission_secret.txt beside the page; these go along when the student's submission has them, and nothing else does.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.classroom import Classroom, as_url, open_course
from helpers.grading.matching import grading, named
from helpers.grading.pool import package_hash
from helpers.grading.submissions import STUDENT, read_regular
from helpers.term.feedback_page import MARK, Sheet, feedback_page
from helpers.term.gradebook import Student, read_class
from helpers.term.verdicts import Marked, Step, source_of, steps_of

# What the exchange of nbgrader asks for beside a page.
ALONG = ("timestamp.txt", "submission_secret.txt")
WRITTEN, SAME, FOREIGN, MISSING, FAILED = "written", "unchanged", "foreign", "missing", "failed"


@dataclass
class Done:
    """What became of a class's pages: student → (one of the words above, why)."""

    unit: str
    folder: str
    dry: bool = False
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)

    def of(self, *words: str) -> list[str]:
        """The students of whose pages this is true."""
        return [student for student, (word, _) in self.pages.items() if word in words]

    def text(self) -> str:
        """What the command prints."""
        new, same = len(self.of(WRITTEN)), len(self.of(SAME))
        would = "would be " if self.dry else ""
        lines = [f"{self.unit}: {_count(new, 'page')} {would}written, {same} unchanged, in {self.folder}."]
        for word, heading in (
            (FOREIGN, "There stands a page that byhand did not write; --force replaces it"),
            (MISSING, "No page: there is no marked notebook to show"),
            (FAILED, "Could not be written"),
        ):
            listed = [f"  {one}: {self.pages[one][1]}" for one in self.of(word)]
            lines += [f"{heading}:", *listed] if listed else []
        return "".join("".join(sign if sign.isprintable() else "?" for sign in line) + "\n" for line in lines)

    def code(self) -> int:
        """The exit code: 0 all there, 3 something is listed that a person must settle."""
        return 3 if self.of(FOREIGN, MISSING, FAILED) else 0


def write_feedback(
    course: Path, unit: str, students: Sequence[str] = (), db: str | None = None, force: bool = False, dry: bool = False
) -> Done:
    """Write the pages of a unit that are missing or no longer true; of all, or of the students that patterns want.

    force: all of them again, and in the place of pages that came from elsewhere. dry: only say what would be written.
    Raises PlainError when there is no course, no such unit, no marks, or a name has none.
    """
    classroom = open_course(course, unit)
    found = chosen(read_class(as_url(classroom.course, db), unit), students, unit)
    return _Writing(classroom, force, dry).go(found)


def chosen(found: dict[str, Student], wanted: Sequence[str], unit: str) -> dict[str, Student]:
    """The students that names and patterns such as "a*" want, all without any; raises PlainError for one of nobody."""
    unknown = [name for name in wanted if not fnmatch.filter(found, name)]
    if unknown:
        raise PlainError(f"There are no marks for {unit} of {' or '.join(sorted(unknown))}.")
    return {
        name: student
        for name, student in found.items()
        if not wanted or any(fnmatch.fnmatchcase(name, one) for one in wanted)
    }


class _Writing:
    def __init__(self, classroom: Classroom, force: bool, dry: bool):
        self.classroom, self.force, self.dry = classroom, force, dry
        self.unit = classroom.unit
        self.release = json.loads(json.dumps(classroom.release))
        self.steps: list[Step] = steps_of(self.release)
        self.heading, self.questions = heading(self.release, self.unit), _questions(self.release)
        whole = json.dumps([self.release, package_hash()], sort_keys=True)
        self._same_for_all = hashlib.sha256(whole.encode()).hexdigest()
        self.mode = 0o664 if classroom.course.groupshared else 0o644

    def go(self, found: dict[str, Student]) -> Done:
        done = Done(self.unit, f"{self.classroom.course.feedback_directory}/", self.dry)
        for name, student in found.items():
            try:
                done.pages[name] = self._one(student)
            except OSError as error:
                done.pages[name] = (FAILED, f"{error.strerror or error}")
        return done

    def _folder(self, step: str, student: str) -> Path:
        path = self.classroom.course.format_path(step, STUDENT, self.unit)
        return Path(os.path.normpath(path).replace(STUDENT, student))

    def _one(self, student: Student) -> tuple[str, str]:
        if not _is_a_name(student.student):
            return FAILED, "its name is no name of a folder"
        marked_at = self._folder(self.classroom.course.autograded_directory, student.student)
        try:
            marked = Marked.read(marked_at / f"{self.unit}.ipynb", self.release, student.digest)
        except (OSError, ValueError):
            return MISSING, f"{marked_at / f'{self.unit}.ipynb'} is not there or cannot be read"
        folder = self._folder(self.classroom.course.feedback_directory, student.student)
        file, print_ = folder / f"{self.unit}.html", self._print(student, marked)
        held = _fingerprint_in(file)
        if held is None and not self.force:
            return FOREIGN, str(file)
        if held == print_ and not self.force:
            if not self.dry:
                self._along(marked_at, folder)
            return SAME, ""
        if not self.dry:
            sheet = Sheet(self.unit, self.heading, self.steps, student, marked, self.questions)
            folder.mkdir(parents=True, exist_ok=True)
            self._along(marked_at, folder)
            self._put(file, feedback_page(sheet, print_).encode("utf-8", "replace"))
        return WRITTEN, ""

    def _print(self, student: Student, marked: Marked) -> str:
        """A hash of all that the page is made of."""
        parts = [asdict(student), marked.digest, self._same_for_all]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()

    def _along(self, source: Path, folder: Path) -> None:
        for name in ALONG:
            try:
                content = read_regular(source / name)
            except FileNotFoundError:
                continue
            try:
                if read_regular(folder / name) == content:
                    continue
            except FileNotFoundError:
                pass
            self._put(folder / name, content)

    def _put(self, file: Path, content: bytes) -> None:
        """Write a file beside its place, then put it there."""
        new = file.with_name(f".{file.name}.new")
        new.unlink(missing_ok=True)
        new.write_bytes(content)
        os.chmod(new, self.mode)
        new.replace(file)


def _is_a_name(student: str) -> bool:
    """Whether a student's id can be a folder's name; ids come from a gradebook that others may write too."""
    return student not in ("", ".", "..") and not set(student) & {"/", "\\", "\0"}


def _fingerprint_in(file: Path) -> str | None:
    """The fingerprint of a page of ours, "" where there is no page, None where one stands that is not ours."""
    try:
        head = read_regular(file)[:2000].decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    found = re.search(rf'<meta name="{MARK}" content="([0-9a-f]+)">', head)
    return found[1] if found else None


def heading(release: dict, unit: str) -> str:
    """The title of a unit: the first heading of its release."""
    for cell in release["cells"]:
        if cell["cell_type"] == "markdown" and (found := re.search(r"(?m)^# +(.+)$", source_of(cell))):
            return re.sub(r"[*_`]", "", found[1]).strip()
    return unit


def _questions(release: dict) -> dict[str, str]:
    """grade_id of an answer in words → its question, the text before it; and what stands there unanswered."""
    return dict(_each_question(release["cells"]))


def _each_question(cells: list[dict]) -> Iterator[tuple[str, str]]:
    for before, cell in zip([None, *cells], cells, strict=False):
        if grading(cell).get("grade") and grading(cell).get("solution") and cell["cell_type"] == "markdown":
            yield f"{named(cell)} empty", source_of(cell).strip()
            if before is not None and before["cell_type"] == "markdown":
                yield named(cell), source_of(before)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
