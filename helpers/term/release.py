"""A unit goes out to students: its release made and registered, a mended one after it, and never a mark lost.

What was last given out is kept in `.byhand-released/`, so that the next release can say what it changes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

import nbformat

from helpers.course.alone import alone
from helpers.course.environment import say
from helpers.course.execute import read, to_bytes
from helpers.course.release import Files, make_release
from helpers.errors import PlainError
from helpers.grading.classroom import Classroom, as_url, open_course
from helpers.grading.gradebook import Writer, wanted_cells
from helpers.grading.times import SETTINGS, due_of
from helpers.grading.unit import plain_notebook
from helpers.term.history import KEY, next_history
from helpers.term.release_book import look, set_due
from helpers.term.release_changes import Changes, Held, compare, count, refuse
from helpers.term.release_exchange import to_exchange
from helpers.term.student_files import replace_file

LAST, REPORTS = ".byhand-released", "reports"


@dataclass(frozen=True)
class Order:
    """What is asked for. update: a mended release may follow one that was given out; points: points may change."""

    course: Path
    db: str | None = None
    due: datetime | None = None
    update: bool = False
    points: bool = False
    exchange: bool = False
    dry_run: bool = False


@dataclass
class Done:
    """What was done for one unit, in sentences."""

    lines: list[str] = field(default_factory=list)


def release(order: Order, unit: str) -> Done:
    """Release one unit, or do what of it is missing.

    Raises PlainError, with nothing written, for a unit that is not there, that nbgrader refuses, that changed since it
    was given out while `update` is not set, or whose marked cells changed in a way that the gradebook cannot follow.
    """
    classroom = open_course(order.course, unit)
    with alone(classroom.root, say):
        return _Releasing(order, classroom).go()


class _Releasing:
    def __init__(self, order: Order, classroom: Classroom):
        self.order, self.classroom, self.unit = order, classroom, classroom.unit
        course = classroom.course
        self.folder = Path(course.format_path(course.release_directory, ".", self.unit))
        self.source = Path(course.format_path(course.source_directory, ".", self.unit)) / f"{self.unit}.ipynb"
        self.last = classroom.root / LAST / self.unit
        self.url = as_url(course, order.db)
        self.name = Path(f"{self.unit}.ipynb")
        self.done = Done()

    def go(self) -> Done:
        """Look at everything, refuse or not, and only then write."""
        held = look(self.url, self.unit)
        due = self._due_date()
        files = make_release(self.classroom.root, self.unit, self.classroom.source)
        new, old = plain_notebook(files[self.name]), self._given_out(held)
        changes = Changes() if old is None else self._changes(old, files)
        if changes and not self.order.update:
            raise PlainError(
                f"{self.unit} was given out already and is another now ({'; '.join(changes.lines()[:3])}): "
                "give --update to let a mended release follow."
            )
        refuse(self.unit, changes, held, new, self.order.points)
        if changes:
            files = self._with_history(old, new)
        if self.order.exchange:
            # Only to hear a refusal before anything is written.
            to_exchange(self.classroom, files, self.order.update, dry_run=True)
        self._write(files, changes, first=old is None)
        self._register(held)
        if due is not None and due != held.due:
            self._due(due)
        if not self.order.dry_run:
            # Last of all: what was interrupted before this is done again.
            for name, content in files.items():
                replace_file(self.last / name, content)
        if self.order.exchange:
            self._say(to_exchange(self.classroom, files, self.order.update, self.order.dry_run))
        if not self.done.lines:
            self._say(f"{self.unit}: nothing changed; it was released already.")
        return self.done

    def _say(self, line: str) -> None:
        if line:
            self.done.lines.append(line)

    # What students have

    def _given_out(self, held: Held) -> Files | None:
        """The files of the last release, None where none went out."""
        if (self.last / self.name).is_file():
            return _files(self.last)
        course = self.classroom.course
        handed_in = Path(course.format_path(course.submitted_directory, ".", ".")).resolve().glob(f"*/{self.unit}")
        stored = (self.folder / self.name).is_file()
        return _files(self.folder) if stored and (held.submissions or any(handed_in)) else None

    def _changes(self, old: Files, files: Files) -> Changes:
        others = ({name: content for name, content in some.items() if name != self.name} for some in (old, files))
        return compare(plain_notebook(old[self.name]), plain_notebook(files[self.name]), *others)

    # What is written

    def _with_history(self, old: Files, new: dict) -> Files:
        """The release again, now with the texts that were others before: they go into the source's metadata."""
        history = next_history(plain_notebook(old[self.name]), new["cells"]).as_metadata()
        whole = read(self.source)
        whole.metadata[KEY] = nbformat.from_dict(history)
        if not self.order.dry_run:
            replace_file(self.source, to_bytes(whole))
        bare = nbformat.from_dict(json.loads(json.dumps(self.classroom.source)))
        bare.metadata[KEY] = nbformat.from_dict(history)
        return make_release(self.classroom.root, self.unit, bare)

    def _write(self, files: Files, changes: Changes, first: bool) -> None:
        stored = _files(self.folder)
        todo = {name: content for name, content in files.items() if stored.get(name) != content}
        would = "would be" if self.order.dry_run else "is"
        if not self.order.dry_run:
            for name, content in todo.items():
                replace_file(self.folder / name, content)
        if first:
            self._say(f"{self.unit} {would} released: {self.folder}.")
        elif changes:
            self._say(f"{self.unit} {would} released anew: {self.folder}.")
            self.done.lines += [f"  {line}" for line in changes.lines()]
            self._note(changes)
        elif todo:
            self._say(f"{self.unit}: {count(len(todo), 'file')} of the release {would} put back: {self.folder}.")
        for name in sorted(stored.keys() - files.keys()):
            self._say(f"  {self.folder / name} belongs to no source any more; it stays until you remove it.")

    def _note(self, changes: Changes) -> None:
        """Add what changed to the unit's page of changes."""
        if self.order.dry_run:
            return
        file = self.classroom.root / REPORTS / f"{self.unit}-changes.md"
        before = file.read_text(encoding="utf-8") if file.is_file() else f"# What changed in {self.unit}\n"
        lines = "".join(f"- {line}\n" for line in changes.lines())
        replace_file(file, f"{before}\n## {date.today().isoformat()}\n\n{lines}".encode())
        self._say(f"  This list is in {file}. Students type byhand update, and keep their answers.")

    # What the gradebook is told

    def _register(self, held: Held) -> None:
        notebook = self.classroom.registered
        wanted = wanted_cells(notebook)
        points = {name: values["max_score"] for (_, name), values in wanted.items() if "max_score" in values}
        cells = {(name, values["source"]) for (_, name), values in wanted.items() if "source" in values}
        if held.points == points and held.cells == cells:
            return
        if not self.order.dry_run:
            writer = Writer(self.url, self.classroom.course.course_id, self.unit, self.classroom.config, _never)
            with writer:
                writer.register(notebook)
        would = "would be" if self.order.dry_run else "is"
        kept = ""
        if held.submissions:
            kept = (
                f"; {count(held.submissions, 'submission')} and {count(held.by_hand, 'mark')} by hand stay as they are"
            )
        self._say(f"{self.unit} {would} registered in the gradebook with {sum(points.values()):g} points{kept}.")

    def _due_date(self) -> datetime | None:
        """The date that was given, or the one of the course's settings; two that differ are refused."""
        asked, settled = self.order.due, due_of(self.classroom.root, self.unit)
        if asked is not None and settled not in (None, asked):
            raise PlainError(
                f"{self.unit} is due on {settled:%Y-%m-%d at %H:%M} UTC by {SETTINGS}, and on "
                f"{asked:%Y-%m-%d at %H:%M} UTC by --due: change the date there."
            )
        return asked or settled

    def _due(self, due: datetime) -> None:
        if not self.order.dry_run:
            set_due(self.url, self.classroom.course.course_id, self.unit, due)
        would = "would be" if self.order.dry_run else "is"
        self._say(f"{self.unit} {would} due on {due:%Y-%m-%d at %H:%M} UTC.")


def _files(folder: Path) -> Files:
    """All files below a folder but what editors leave there; none where there is no folder."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".ipynb_checkpoints" not in path.parts
    }


def _never(student: str, reason: str) -> None:
    raise PlainError(f"{student}: {reason}.")
