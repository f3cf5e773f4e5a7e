"""What a collection has to say at its end: what was done, and what a person must settle, with what to type."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from helpers.term.tables import printable

DONE, TO_SETTLE = 0, 3
WORDS = {
    "new": ("{n} new", "{n} would be new"),
    "newer": ("{n} newer than before", "{n} would replace what is there"),
    "same": ("{n} unchanged", "{n} unchanged"),
    "older": ("{n} older than what is there", "{n} older than what is there"),
}


@dataclass
class Report:
    """One run. verdicts: new, newer, same, older → students. unclear: (what, why, what to type)."""

    unit: str
    dry: bool = False
    verdicts: dict[str, list[str]] = field(default_factory=dict)
    unclear: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    no_time: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    due: bool = False

    # What is not clear

    def unclear_person(self, label: str, why: str, candidates: Sequence[str]) -> None:
        """Nobody, or more than one, may have handed this in."""
        ids = candidates or ("ID",)
        typed = " or ".join(f"--as {shlex.quote(f'{label}={one}')}" for one in ids[:4])
        named = f" ({', '.join(candidates)})" if candidates else ""
        self.unclear.append(f"{label}: {why}{named}. Add {typed}, or --as {shlex.quote(f'{label}=-')} to leave it out.")

    def unclear_file(self, student: str, label: str, why: str, choices: Sequence[str]) -> None:
        """It is known whose it is, and not which file counts."""
        text = f"{student} ({label}): {why}."
        if choices:
            typed = " or ".join(f"--as {shlex.quote(f'{path}={student}')}" for path in choices[:6])
            text += f" Add {typed} for the one that counts."
        self.unclear.append(text)

    def doubled(self, student: str, labels: Sequence[str]) -> None:
        """Several things were handed in for one person, and no time tells which is the newest."""
        typed = " ".join(f"--as {shlex.quote(f'{label}=-')}" for label in labels[:-1])
        what = f"was handed in {len(labels)} times, as {' and as '.join(labels)}"
        self.unclear.append(
            f"{student}: {what}, and nothing tells which is the newest. Leave out what does not count, as with {typed}."
        )

    def late_without_time(self, student: str) -> None:
        """Canvas says late and not since when."""
        self.unclear.append(
            f"{student}: is late, says Canvas, and its zip does not say how late. "
            f"Add --time {shlex.quote(f'{student}=2027-03-02 10:00')} with the time that Canvas shows."
        )

    # As text

    def code(self) -> int:
        """The exit code."""
        times = self.due and self.no_time
        return TO_SETTLE if self.unclear or self.problems or times else DONE

    def text(self) -> str:
        """The page."""
        counts = [
            WORDS[verdict][self.dry].format(n=len(students))
            for verdict in WORDS
            if (students := self.verdicts.get(verdict))
        ]
        total = sum(map(len, self.verdicts.values()))
        parts = [f"{self.unit}: {total} handed in" + (f": {', '.join(counts)}." if counts else ".")]
        for title, lines in self._sections():
            if lines:
                parts += ["", title, *(f"  {printable(line)}" for line in lines)]
        if self.dry:
            parts += ["", "This was a dry run: nothing was written."]
        return "\n".join(parts) + "\n"

    def _sections(self) -> Iterator[tuple[str, list[str]]]:
        yield "To be settled by you", self.unclear
        yield "Wrong in the class list", self.problems
        yield "Late", self.late
        yield "Without a time, so that nobody is late", self._times() if self.due else []
        yield "Withdrawn; collected, and not marked", self.withdrawn
        newer = [f"{student}: the version before is in submitted-before/" for student in self.verdicts.get("newer", [])]
        yield "Handed in again", newer if not self.dry else []
        older = [f"{student}: kept in submitted-before/" for student in self.verdicts.get("older", [])]
        yield "Older than what was collected before", older if not self.dry else []
        yield "Odd, and taken as it is", self.notes
        yield "Left out", self.left_out
        yield "Not handed in", [", ".join(self.missing)] if self.missing else []

    def _times(self) -> list[str]:
        if not self.no_time:
            return []
        return [
            f"{', '.join(self.no_time)}: what was downloaded says when it was downloaded, not when it was handed in.",
            "Add --worksheet with Moodle's grading worksheet, --time ID=WHEN for single ones, or --times files.",
        ]
