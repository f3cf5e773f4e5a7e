"""A dry run of the marking for one notebook: what `byhand grade` would make of it, and nothing is written.

With the release alone it is marked on what its own checks try; in the instructor's clone on hidden tests too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading.limits import Limits
from helpers.grading.matching import named
from helpers.grading.submissions import read_regular

SECRET, SOURCES = ".byhand-secret", "solutions"
FIRST = 100
_POINTS = re.compile(r"\s*\([\d.]+ of [\d.]+ points?\)$")


@dataclass(frozen=True)
class Row:
    """One step: what it earned of how much, and what is said of it. points: None where a person marks."""

    name: str
    points: float | None
    of: float
    said: str


@dataclass(frozen=True)
class Tried:
    """What marking came to. hidden: hidden tests were among the tests. plain: it ran without a sandbox, and why."""

    unit: str
    rows: Sequence[Row]
    hidden: bool = False
    plain: str = ""
    student: str = ""
    repairs: Sequence[str] = ()
    limits: Sequence[str] = ()
    remarks: Sequence[str] = ()
    points: float = field(init=False)
    of: float = field(init=False)

    def __post_init__(self):
        marked = [row for row in self.rows if row.points is not None]
        object.__setattr__(self, "points", sum(row.points for row in marked))
        object.__setattr__(self, "of", sum(row.of for row in marked))


def try_marks(
    raw: bytes,
    release: Path,
    student: str = "",
    project: Path | None = None,
    no_sandbox: bool = False,
    limits: Limits | None = None,
) -> Tried:
    """Mark one notebook. release: the released notebook; project: the folder whose solutions/ and salt count, if any.

    Where the system has no sandbox the notebook runs in a plain process: only in the hands of who wrote it, so with
    hidden tests it must be asked for. Raises PlainError without one, or without the id that salted numbers need, and
    Unreadable for what is no notebook of the unit.
    """
    from helpers.grading.marking import Unit, mark, sandbox_for, sources_of, typed_student
    from helpers.grading.repair import read_submission
    from helpers.grading.sandbox import NoSandbox, trial
    from helpers.settings import course_salt

    source = _source(project, release.stem)
    salt = course_salt(project or release.parent)
    unit = Unit.read(source or release, release, salt, _secret(project))
    student = student or typed_student(sources_of(read_submission(raw, unit.release)))
    if unit.homework[0] and salt and not student:
        raise PlainError(
            "This course has numbers of your own: write your id into the notebook's first cell, or give --student."
        )
    why = ""
    if not no_sandbox:
        try:
            with sandbox_for(unit, limits) as sandbox:
                if why := trial(sandbox):
                    raise NoSandbox(why)
                return _tried(mark(raw, unit, student or "you", sandbox), unit, student, bool(source), "")
        except NoSandbox as error:
            if source:
                raise
            why = str(error)
    why = why or "--no-sandbox was given"
    with sandbox_for(unit, limits, safe=False) as sandbox:
        return _tried(mark(raw, unit, student or "you", sandbox), unit, student, bool(source), why)


def _source(project: Path | None, unit: str) -> Path | None:
    """The notebook with hidden tests, in an instructor's clone."""
    source = project / SOURCES / unit / f"{unit}.ipynb" if project else None
    return source if source is not None and source.is_file() else None


def _secret(project: Path | None) -> bytes:
    """The course's, where it has one already: none is made for a dry run."""
    if project is None or not (project / SECRET).is_file():
        return b""
    try:
        return bytes.fromhex(read_regular(project / SECRET).decode("ascii").strip())
    except (OSError, ValueError):
        raise PlainError(f"{project / SECRET} should hold one line of hexadecimal digits.") from None


def _tried(marked, unit, student: str, hidden: bool, plain: str) -> Tried:
    cells = {named(cell): cell for cell in marked.notebook["cells"] if named(cell)}
    return Tried(
        unit.name, [_row(name, of, marked, cells[name]) for name, of in unit.points.items()], hidden, plain, student,
        marked.repairs, marked.limits, [line for line in marked.remarks if student or "handed in by" not in line],
    )  # fmt: skip


def _row(name: str, of: float, marked, cell: Mapping) -> Row:
    if cell["cell_type"] == "markdown":
        if name in marked.by_hand:
            words = len(cell["source"].split())
            return Row(name, None, of, f"a person marks it; {words} word{'' if words == 1 else 's'}")
        return Row(name, 0.0, of, "left as released")
    return Row(name.removeprefix("check-"), marked.points[name], of, _said(cell))


def _said(cell: Mapping) -> str:
    """The first line of what the check says: its verdict, without the step and points it begins with."""
    for output in cell.get("outputs", ()):
        text = output.get("data", {}).get("text/plain", "")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        if output["output_type"] == "display_data" and lines:
            verdict = lines[0].partition(": ")[2] or lines[0]
            return _POINTS.sub("", verdict)[:FIRST]
    return ""


# What is printed


def as_text(tried: Tried, rich: bool | None = None) -> str:
    """The table, then what was repaired, which limits were hit, what else a marker would see.

    rich: draw it with the library of that name; by default where it is installed and the output is a terminal.
    """
    parts = [_table(tried, sys.stdout.isatty() if rich is None else rich), _sum(tried)]
    sections = (
        ("What would be repaired", tried.repairs),
        ("Limits that were reached", tried.limits),
        ("What a marker would see", tried.remarks),
    )
    for title, lines in sections:
        if lines:
            parts.append("\n".join([title, *(f"  {_clean(line)}" for line in lines)]))
    return "\n\n".join(parts) + "\n"


def _sum(tried: Tried) -> str:
    hand = [row for row in tried.rows if row.points is None]
    text = f"{tried.unit}: {tried.points:g} of {tried.of:g} points"
    if hand:
        text += f", and {sum(row.of for row in hand):g} that a person gives"
    text += "." if tried.hidden else ", as far as the checks in your notebook tell; marking tries more."
    if tried.plain:
        text += f" It ran without a sandbox: {tried.plain.rstrip('.')}."
    return text


def _table(tried: Tried, rich: bool) -> str:
    rows = [(row.name, "–" if row.points is None else f"{row.points:g}", f"{row.of:g}", row.said) for row in tried.rows]
    rows = [tuple(map(_clean, row)) for row in rows]
    if rich and (drawn := _drawn(rows)):
        return drawn
    head = ("step", "points", "of", "")
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(3)]
    lines = [
        f"{name:<{widths[0]}}  {points:>{widths[1]}}  {of:>{widths[2]}}  {said}".rstrip()
        for name, points, of, said in (head, *rows)
    ]
    return "\n".join(lines)


def _drawn(rows: Sequence[tuple[str, ...]]) -> str:
    """The table as `rich` draws it, "" where it is not installed."""
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return ""
    table = Table("step", "points", "of", "", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console()
    with console.capture() as captured:
        console.print(table)
    return captured.get().rstrip("\n")


def _clean(text: str) -> str:
    """Without signs that steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
