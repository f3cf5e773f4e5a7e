"""Which of the files handed in is the notebook, told by the unit's own cells and never by its name alone."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath

from helpers.errors import PlainError
from helpers.grading.people import RESERVED
from helpers.grading.repair import Unreadable, read_submission
from helpers.grading.submissions import MB, NOTEBOOK_MB, TIMESTAMP
from helpers.term.collect_labels import Label
from helpers.term.collect_sources import Offered, TooLarge, zip_inside
from helpers.term.tables import printable

MOST_OTHERS, OTHERS_MB = 100, 100
Files = dict[PurePosixPath, bytes]


@dataclass
class Chosen:
    """What counts of one person's files; their contents stay where they are until `files` asks for them.

    notebook: None where none was found or it is not clear which; `why` says so. content: its hash. others: further
    files, by path. time: of the notebook, as its source tells it. stamp: what a timestamp.txt beside it says. notes:
    what was odd.
    """

    notebook: Offered | None = None
    content: str = ""
    others: dict[PurePosixPath, Offered] = field(default_factory=dict)
    time: datetime | None = None
    stamp: str = ""
    why: str = ""
    choices: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def files(self, unit: str) -> Files:
        """Path → content of all that counts; raises PlainError when it cannot be read a second time."""
        named = {PurePosixPath(f"{unit}.ipynb"): self.notebook, **self.others}
        try:
            return {path: offered.read(max(NOTEBOOK_MB, OTHERS_MB) * MB) for path, offered in named.items()}
        except (OSError, TooLarge) as error:
            raise PlainError(f"{shown_path(self.notebook)} changed while it was read: {error}.") from None


@dataclass(frozen=True)
class Chooser:
    """Chooses for one unit. releases: unit → the notebook that students were given, this unit's among them."""

    unit: str
    releases: Mapping[str, Mapping]
    largest_file: int = 100 * MB

    def choose(self, label: Label, preferred: Sequence[str] = ()) -> Chosen:
        """Look at all files of a label; `preferred` are paths the instructor named as the ones that count."""
        chosen = Chosen()
        files = list(self._unzipped(label, chosen.notes))
        notebooks = [(path, one) for path, one in files if path.suffix.lower() == ".ipynb"]
        wanted = [pair for pair in notebooks if shown_path(pair[1]) in preferred]
        read = [item for item in (self._read(*pair, chosen) for pair in wanted or notebooks) if item]
        ours, broken = [item for item in read if item.kind == OURS], [item for item in read if item.kind == BROKEN]
        self._decide(_without_copies(read if wanted else ours or broken), read, files, chosen)
        if chosen.notebook is not None:
            self._add_others(files, chosen)
        return chosen

    def _unzipped(self, label: Label, notes: list[str]):
        for path, offered in label.files:
            if path.suffix.lower() == ".zip":
                for inner in zip_inside(offered, notes):
                    yield path.parent / PurePosixPath(*inner.path[len(offered.path) - 1 :]), inner
            else:
                yield path, offered

    def _read(self, path: PurePosixPath, offered: Offered, chosen: Chosen) -> _Read | None:
        name = printable(path.as_posix())
        try:
            content = offered.read(NOTEBOOK_MB * MB)
        except TooLarge:
            chosen.notes.append(f"{name} is larger than {NOTEBOOK_MB} MB and was left out")
            return None
        except OSError as error:
            chosen.notes.append(f"{name} cannot be read and was left out: {printable(str(error))}")
            return None
        return _Read(path, offered, hashlib.sha256(content).hexdigest(), *self._kind(content))

    def _kind(self, content: bytes) -> tuple[str, str]:
        """Whether it is this unit's, another one ("" where no unit knows it) or cannot be read, and which or why."""
        try:
            read_submission(content, self.releases[self.unit])
        except Unreadable as error:
            other = self._other(content)
            if other or _has_cells(content):
                return OTHER, other
            return BROKEN, str(error)
        return OURS, ""

    def _other(self, content: bytes) -> str:
        """The unit that a notebook belongs to by the names of its cells, "" where that cannot be told."""
        try:
            cells = json.loads(content.decode("utf-8-sig", "replace"))["cells"]
            names = {cell["metadata"]["nbgrader"]["grade_id"] for cell in cells if "nbgrader" in cell["metadata"]}
        except (ValueError, KeyError, TypeError, RecursionError):
            return ""
        counts = {unit: len(names & grade_ids(release)) for unit, release in self.releases.items() if unit != self.unit}
        best = max(counts, key=counts.get, default="")
        return best if best and counts[best] > len(names & grade_ids(self.releases[self.unit])) else ""

    def _decide(self, fit: list[_Read], read: list[_Read], files, chosen: Chosen) -> None:
        if len(fit) == 1:
            (item,) = fit
            chosen.notebook, chosen.content, chosen.time = item.offered, item.digest, item.offered.time
            if item.kind == BROKEN:
                chosen.notes.append(f"the notebook cannot be read: {_lower(item.why)}")
            # What browsers and Canvas add to a name that was there before: encoder-1, encoder (2).
            if re.sub(r"[-_ ]*\(?\d*\)?$", "", item.path.stem) != self.unit:
                chosen.notes.append(f"the notebook was called {printable(item.path.name)}")
            left = [printable(one.path.name) for one in read if one.digest != item.digest]
            if left:
                chosen.notes.append(f"left out: {', '.join(left)}")
        elif fit:
            chosen.why = f"{len(fit)} different notebooks were handed in"
            chosen.choices = tuple(shown_path(item.offered) for item in fit)
        elif read:
            units = sorted({item.why for item in read} - {""})
            what = f"is the notebook of {' and '.join(units)}, not of" if units else "holds no cell of"
            chosen.why = f"it {what} {self.unit}"
            chosen.choices = tuple(shown_path(item.offered) for item in read)
        else:
            names = ", ".join(printable(path.name) for path, _ in files[:3])
            chosen.why = f"there is no notebook, only {names}" if names else "there is no notebook"
            chosen.why += f" ({'; '.join(chosen.notes)})" if chosen.notes else ""

    def _add_others(self, files, chosen: Chosen) -> None:
        """Take along what lies beside the notebook, as data files do, within limits."""
        total = 0
        for path, offered in files:
            if path.suffix.lower() == ".ipynb":
                continue
            name = printable(path.as_posix())
            if self._refused(path, chosen.others):
                chosen.notes.append(f"{name} is a name that some systems refuse, and was left out")
                continue
            try:
                content = offered.read(min(self.largest_file, OTHERS_MB * MB - total))
            except TooLarge:
                chosen.notes.append(f"{name} is too large and was left out")
                continue
            except OSError as error:
                chosen.notes.append(f"{name} cannot be read and was left out: {printable(str(error))}")
                continue
            if path == PurePosixPath(TIMESTAMP):
                chosen.stamp = content[:200].decode("utf-8", "replace").strip()
            elif len(chosen.others) >= MOST_OTHERS:
                chosen.notes.append(f"there are more than {MOST_OTHERS} files beside the notebook; {name} was left out")
                return
            else:
                total += len(content)
                chosen.others[path] = offered

    def _refused(self, path: PurePosixPath, others: Mapping) -> bool:
        """Whether a path cannot stand beside the others on every system."""
        odd = any(RESERVED.fullmatch(part) or part[-1] in ". " or set('<>:"|?*') & set(part) for part in path.parts)
        above = {*path.parents, path} & {*others, PurePosixPath(f"{self.unit}.ipynb")}
        return odd or bool(above) or any(path in other.parents for other in others)


OURS, OTHER, BROKEN = "ours", "other", "broken"


@dataclass(frozen=True)
class _Read:
    path: PurePosixPath
    offered: Offered
    digest: str
    kind: str
    why: str


def _without_copies(items: list[_Read]) -> list[_Read]:
    """One of each content; of equal ones the newest."""
    newest: dict[str, _Read] = {}
    for item in sorted(items, key=lambda item: item.offered.time or datetime.min):
        newest[item.digest] = item
    return list(newest.values())


def _has_cells(content: bytes) -> bool:
    """Whether it is a notebook at all, of any format."""
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and isinstance(found.get("cells", found.get("worksheets")), list)


def grade_ids(release: Mapping) -> set[str]:
    """The names of a release's cells."""
    return {
        cell["metadata"]["nbgrader"]["grade_id"] for cell in release["cells"] if "nbgrader" in cell.get("metadata", {})
    }


def shown_path(offered: Offered) -> str:
    """The path of a file in its folder or zip, as it is shown and typed."""
    return "/".join(offered.path)


def _lower(text: str) -> str:
    text = text.rstrip(".")
    return text[:1].lower() + text[1:]
