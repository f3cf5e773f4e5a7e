"""What a marked notebook says step by step: the checker's verdict as it was shown, and the student's own answer.

The notebook is the one in autograded/. What it shows is made harmless once more here: it may also have been marked by
nbgrader itself, in a process in which the student's code ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from helpers.grading.autograded import digest as digest_of
from helpers.grading.matching import grading, is_answer, is_test, named
from helpers.grading.outputs import harmless
from helpers.grading.submissions import read_regular

RIGHT, FOLLOWED, OFF, STALE, EMPTY, WAITS, UNKNOWN = "right", "followed", "off", "stale", "empty", "waits", ""
_REGIONS = (("BEGIN HIDDEN TESTS", "END HIDDEN TESTS"), ("BEGIN MARK SCHEME", "END MARK SCHEME"))
# What a check shows; its class is the kind of the answer.
_KIND = re.compile(r'<div class="fb (right|off|empty|stale)"')
_FOLLOWED = "Right for your numbers:"
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
# Terminal colours in an error.
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
LONGEST = 20_000


@dataclass(frozen=True)
class Step:
    """One thing that earns points. name: its grade_id. key: the step's own, "Q0". prose: answered in words."""

    name: str
    key: str
    of: float
    prose: bool


@dataclass(frozen=True)
class Shown:
    """One step of one marked notebook.

    kind: right, followed (right for own numbers only), off, stale, empty, or "" where nothing tells. html: the verdict,
    harmless and without its style; text: the same as plain text. answer: what the student wrote; language of it:
    "code" or "markdown". pictures: pasted into it, by name, as data addresses.
    """

    kind: str
    html: str
    text: str
    answer: str = ""
    language: str = "code"
    pictures: Mapping[str, str] | None = None


def steps_of(release: Mapping) -> list[Step]:
    """The unit's steps, in its order."""
    return [
        Step(named(cell), named(cell).removeprefix("check-"), float(grading(cell).get("points", 0)), not is_test(cell))
        for cell in release["cells"]
        if grading(cell).get("grade")
    ]


class Marked:
    """A marked notebook as it lies in autograded/.

    ours: `byhand grade` wrote it, so that nothing a student did decides what its test cells show. Of any other only
    what looks like a check's own verdict is shown: the rest may be what a student's function was told by hidden tests.
    """

    def __init__(self, notebook: Mapping, release: Mapping, ours: bool = False, digest: str = ""):
        self._ours, self.digest = ours, digest
        self._all = notebook.get("cells", ())
        self._cells = {named(cell): cell for cell in self._all if named(cell)}
        self._release = release

    @classmethod
    def read(cls, file: Path, release: Mapping, digest: str = "") -> Marked:
        """Read one; `digest` is that of the notebook that `byhand grade` wrote.

        Raises OSError or ValueError when it is not there or is no notebook.
        """
        raw = read_regular(file)
        found = json.loads(raw)
        if not isinstance(found, dict) or not isinstance(found.get("cells"), list):
            raise ValueError("it is no notebook")
        cells = [cell for cell in found["cells"] if isinstance(cell, dict) and isinstance(cell.get("metadata"), dict)]
        return cls(found | {"cells": cells}, release, digest_of(raw) == digest, digest_of(raw))

    @cached_property
    def answers(self) -> dict[str, Sequence[str]]:
        """grade_id of a step → grade_ids of the answers since the step before it."""
        found, since = {}, []
        for cell in self._release["cells"]:
            if is_answer(cell):
                since.append(named(cell))
            if grading(cell).get("grade"):
                found[named(cell)], since = tuple(since), []
        return found

    @property
    def code(self) -> list[str]:
        """The source of every code cell."""
        return [source_of(cell) for cell in self._all if cell.get("cell_type") == "code"]

    def answer(self, name: str) -> str:
        """What the student wrote for a step."""
        return "\n\n".join(source_of(self._cells[one]) for one in self.answers.get(name, ()) if one in self._cells)

    def kind(self, name: str) -> str:
        """What became of a step, as far as its outputs tell."""
        cell = self._cells.get(name)
        outputs = cell.get("outputs", ()) if cell else ()
        kinds = [_kind(output) for output in outputs]
        return next(filter(None, kinds), UNKNOWN)

    def says(self, name: str, words: str) -> bool:
        """Whether the verdict on a step has some words in it."""
        outputs = self._cells[name].get("outputs", ()) if name in self._cells else ()
        return any(words in _data(output, "text/plain") for output in outputs if isinstance(output, Mapping))

    def shown(self, name: str) -> Shown:
        """One step, ready to be put on a page."""
        cell = self._cells.get(name, {"outputs": ()})
        parts = [_shown(output, self._ours) for output in cell.get("outputs", ()) or ()]
        html, text = ("\n".join(filter(None, part)) for part in zip(*parts, strict=True)) if parts else ("", "")
        language = "code" if cell.get("cell_type", "code") == "code" else "markdown"
        return Shown(self.kind(name), html, text, self.answer(name), language, _pictures(cell))


def source_of(cell: Mapping) -> str:
    """A cell's text, without what only an instructor may see."""
    source = cell.get("source", "")
    return without_hidden("".join(source) if isinstance(source, list) else str(source))


def without_hidden(source: str) -> str:
    """A source without its hidden tests and mark schemes; one that has no end goes on to the end."""
    kept, until = [], None
    for line in source.split("\n"):
        until = until or next((end for begin, end in _REGIONS if begin in line), None)
        if until is None:
            kept.append(line)
        elif until in line:
            until = None
    return "\n".join(kept)


def is_verdict(output: Mapping) -> bool:
    """Whether an output is what a check shows."""
    return bool(_KIND.search(_data(output, "text/html")))


def _data(output: Mapping, kind: str) -> str:
    data = output.get("data")
    value = data.get(kind, "") if isinstance(data, Mapping) else ""
    return "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else ""


def _kind(output: Mapping) -> str:
    if not isinstance(output, Mapping):
        return UNKNOWN
    if output.get("output_type") == "error":
        return EMPTY if output.get("ename") == "NotThere" else OFF
    kinds = _KIND.findall(_data(output, "text/html"))
    if not kinds:
        return UNKNOWN
    if set(kinds) == {"right"}:
        return FOLLOWED if _FOLLOWED in _data(output, "text/plain") else RIGHT
    return next(kind for kind in (OFF, STALE, EMPTY, RIGHT) if kind in kinds)


def _shown(output: Mapping, ours: bool) -> tuple[str, str]:
    """An output as (HTML, text); the bare number of points, in which a test ends, is shown elsewhere."""
    if not isinstance(output, Mapping) or output.get("output_type") == "execute_result":
        return "", ""
    html = _data(output, "text/html")
    if html and (ours or _KIND.search(html)):
        return _STYLE.sub("", harmless(html)), _data(output, "text/plain")
    if output.get("output_type") == "error":
        said = _COLOUR.sub("", str(output.get("evalue", "")))[:LONGEST] if ours else "A test failed."
        return as_pre(said), said
    if not ours:
        return "", ""
    text = output.get("text", "") if output.get("output_type") == "stream" else _data(output, "text/plain")
    text = _COLOUR.sub("", "".join(map(str, text)) if isinstance(text, list) else str(text))[:LONGEST].rstrip()
    return as_pre(text), text


def as_pre(text: str) -> str:
    """A text as it stands."""
    return f"<pre>{escape(text)}</pre>" if text.strip() else ""


def _pictures(cell: Mapping) -> dict[str, str]:
    """The pictures pasted into an answer, as data addresses."""
    found = {}
    attachments = cell.get("attachments")
    for name, kinds in attachments.items() if isinstance(attachments, Mapping) else ():
        for kind in ("image/png", "image/jpeg"):
            data = kinds.get(kind) if isinstance(kinds, Mapping) else None
            if isinstance(data, str) and re.fullmatch(r"[A-Za-z0-9+/=\s]*", data):
                found[name] = f"data:{kind};base64,{''.join(data.split())}"
    return found
