"""A class of 60 for a unit: honest students of four kinds among all that means harm or was damaged."""

import os
import random
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from handing_in import PROJECT, raw
from hostile import Case, of_unit
from hostile.honest import HONEST

SIZE, FEWEST_HONEST = 60, 8


@dataclass(frozen=True)
class Seat:
    """One student: an honest one of a kind, or a case."""

    student: str
    kind: str
    case: Case | None = None


def make_course(root, unit):
    """The course with one unit, without anything handed in."""
    root.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(PROJECT / "nbgrader_config.py", root / "nbgrader_config.py")
    for folder in ("solutions", "notebooks"):
        shutil.copytree(PROJECT / folder / unit, root / folder / unit)
    return root


def hand_in(root, unit, seat):
    """Write one student's folder; returns what the notebook holds."""
    folder = root / "submitted" / seat.student / unit
    folder.mkdir(parents=True)
    content = raw(HONEST[seat.kind](unit)) if seat.case is None else seat.case.make(unit, str(root))
    (folder / f"{unit}.ipynb").write_bytes(content)
    if seat.case is not None and seat.case.fill:
        seat.case.fill(folder)
    return content


def seats(unit):
    """Everybody, in an order that puts honest students among the others."""
    cases, kinds = of_unit(unit), list(HONEST)
    honest = max(FEWEST_HONEST, SIZE - len(cases))
    found = [("hostile", case) for case in cases] + [(kinds[n % len(kinds)], None) for n in range(honest)]
    random.Random(3).shuffle(found)
    return [Seat(f"s{number:02}", kind, case) for number, (kind, case) in enumerate(found)]


def tree(*tops):
    """All files below some folders → what they are and hold."""
    found = {}
    for top in tops:
        for place, folders, files in os.walk(top):
            folders[:] = [name for name in folders if name not in ("__pycache__", ".git", ".pytest_cache")]
            for name in [*folders, *files]:
                path = os.path.join(place, name)
                info = os.lstat(path)
                content = Path(path).read_bytes() if stat.S_ISREG(info.st_mode) else b""
                found[path] = (info.st_mode, info.st_uid, hash(content))
    return found
