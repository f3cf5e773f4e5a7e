"""What a class run has to say at its end: a page of text, and a table with a row for every student."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from helpers.grading.marker import FAILED, MARKED, UNREADABLE

# Exit codes beside 1 (nothing was done, told why) and 2 (wrong usage).
ALL_MARKED, SOME_UNREADABLE, SOME_FAILED, INTERRUPTED = 0, 3, 4, 130
# On the screen so many lines of a section; all of them are in the file.
SHOWN = 12
KEPT = ("points", "repairs", "limits", "remarks", "labels", "notes")


@dataclass(frozen=True)
class Mark:
    """What the gradebook holds of one submission now: marks by hand and extra credit included."""

    score: float
    by_hand: int
    late: float = 0.0
    penalty: float = 0.0


@dataclass
class Line:
    """One student. status: marked, unreadable or failed; again: it was marked by an earlier run and stays so."""

    student: str
    status: str
    reason: str = ""
    again: bool = False
    points: dict[str, float] = field(default_factory=dict)
    repairs: list[str] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    labels: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    mark: Mark | None = None

    def kept(self) -> dict:
        """What the next run is to know, as plain data."""
        return {name: value for name, value in asdict(self).items() if name in KEPT}

    @classmethod
    def restored(cls, student: str, kept: Mapping) -> Line:
        """The line of a submission that an earlier run marked."""
        return cls(student, MARKED, again=True, **{name: kept[name] for name in KEPT if name in kept})


@dataclass
class Report:
    """One run. lines: student → line. points: grade_id → what it can earn. left: not reached before an interrupt.

    dry: nothing was written down, so the page lists what each would earn.
    listed: what the class list says, in sentences: who has withdrawn, who is not on it, what is wrong with it.
    """

    unit: str
    points: Mapping[str, float]
    lines: dict[str, Line] = field(default_factory=dict)
    seconds: float = 0.0
    retried: int = 0
    left: int = 0
    dry: bool = False
    listed: list[str] = field(default_factory=list)

    def complete(self, marks: Mapping[str, Mark]) -> None:
        """Add what the gradebook holds."""
        for student, line in self.lines.items():
            line.mark = marks.get(student)

    def of(self, *statuses: str) -> list[Line]:
        """The lines of these statuses, by student."""
        return [line for _, line in sorted(self.lines.items()) if line.status in statuses]

    def code(self) -> int:
        """The exit code."""
        if self.left:
            return INTERRUPTED
        if self.of(FAILED):
            return SOME_FAILED
        return SOME_UNREADABLE if self.of(UNREADABLE) else ALL_MARKED

    # As text

    def text(self, most: int | None = None) -> str:
        """The page; at most so many lines of each section, all of them without a number."""
        parts = [self._headline()]
        for title, lines in self._sections():
            if lines:
                parts += ["", title, *_cut([f"  {_clean(line)}" for line in lines], most)]
        return "\n".join(parts) + "\n"

    def _headline(self) -> str:
        marked = self.of(MARKED)
        before = sum(line.again for line in marked)
        text = f"{self.unit}: {len(marked)} of {len(self.lines) + self.left} marked"
        text += f" ({len(marked) - before} now, {before} before)" if before else ""
        text += f" in {self.seconds:.1f} s" if self.seconds else ""
        scores = [line.mark.score for line in marked if line.mark is not None]
        if scores:
            text += f", {sum(scores) / len(scores):.1f} of {sum(self.points.values()):g} points on average"
        hand = sum(line.mark.by_hand > 0 for line in marked if line.mark is not None)
        text += f"; {hand} wait for a person's marks" if hand else ""
        text += f"; {self.retried} tried twice" if self.retried else ""
        return text + (f"; {self.left} left: give the same command to go on." if self.left else ".")

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        if self.dry:
            most = f"{sum(self.points.values()):g}"
            yield "Would earn", [_earned(line, most) for line in self.of(MARKED) if line.mark is not None]
        yield "Could not be read", [f"{line.student}: {line.reason}{_earlier(line)}" for line in self.of(UNREADABLE)]
        failed = [f"{line.student}: {line.reason}{_earlier(line)}" for line in self.of(FAILED)]
        yield "Could not be marked, by a fault that is not the student's", failed
        yield "The class list", self.listed
        yield "Late", [_late(line) for line in self.of(MARKED) if line.mark is not None and line.mark.late]
        yield "Limits that were reached", self._each("limits")
        yield "What was repaired", self._each("repairs")
        yield "To be looked at", self._each("remarks")
        yield "Found in the folders", self._each("notes")
        yield "Mistakes named most often", [f"{label}: {_count(n)}" for label, n in self.mistakes().most_common()]

    def _each(self, what: str) -> list[str]:
        lines = self.of(MARKED, UNREADABLE, FAILED)
        return [f"{line.student}: {said}" for line in lines for said in getattr(line, what)]

    def mistakes(self) -> Counter:
        """Label of a mistake → how many students made it."""
        return Counter(label for line in self.of(MARKED) for label in {x for xs in line.labels.values() for x in xs})

    # As a table

    def table(self) -> str:
        """A CSV with a row for every student, points of each cell included."""
        cells = list(self.points)
        head = ["student", "status", "score", "of", "to_mark_by_hand", "seconds_late", "penalty", *cells]
        head += ["reason", "limits", "repairs", "remarks", "notes", "mistakes"]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(head)
        for line in self.of(MARKED, UNREADABLE, FAILED):
            writer.writerow([_safe(value) for value in self._row(line, cells)])
        return out.getvalue()

    def _row(self, line: Line, cells: Sequence[str]) -> list:
        mark = line.mark
        values = [line.student, line.status]
        values += ["", "", "", "", ""] if mark is None else [
            mark.score, sum(self.points.values()), mark.by_hand, mark.late, mark.penalty,
        ]  # fmt: skip
        values += [line.points.get(cell, "") for cell in cells]
        mistakes = sorted({label for labels in line.labels.values() for label in labels})
        said = (line.limits, line.repairs, line.remarks, line.notes, mistakes)
        return [*values, line.reason, *("; ".join(sentences) for sentences in said)]

    def write(self, folder: Path) -> list[Path]:
        """Write both into a folder; returns the files."""
        folder.mkdir(exist_ok=True)
        files = []
        for name, content in ((f"{self.unit}.txt", self.text()), (f"{self.unit}.csv", self.table())):
            new = folder / f".{name}.new"
            new.write_text(content, encoding="utf-8", errors="replace")
            files.append(new.replace(folder / name))
        return files


def _earlier(line: Line) -> str:
    return "; the marks of an earlier version stay" if line.mark is not None else ""


def _earned(line: Line, most: str) -> str:
    hand = f", {line.mark.by_hand} to mark by hand" if line.mark.by_hand else ""
    return f"{line.student}: {line.mark.score:g} of {most}{hand}"


def _late(line: Line) -> str:
    minutes = round(line.mark.late / 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    long = f"{days} d {hours} h" if days else f"{hours} h {minutes} min" if hours else f"{minutes} min"
    return f"{line.student}: {long}" + (f", penalty {line.mark.penalty:g}" if line.mark.penalty else "")


def _count(number: int) -> str:
    return f"{number} student{'' if number == 1 else 's'}"


def _cut(lines: list[str], most: int | None) -> list[str]:
    if most is None or len(lines) <= most:
        return lines
    return [*lines[:most], f"  … and {len(lines) - most} more"]


def _clean(text: str) -> str:
    """Without signs that steer a terminal: file names and messages are students' words."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def _safe(value):
    """A cell that no spreadsheet takes for a formula."""
    if not isinstance(value, str):
        return value
    value = _clean(value)
    return f"'{value}" if value.startswith(("=", "+", "-", "@")) else value
