"""Marks one submission: its cells run in a session of the sandbox, its answers are judged out here.

marked = mark(notebook, unit, "ada", sandbox)
marked.points["check-softmax"]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helpers.errors import PlainError

Notebook = dict
"""A notebook of format 4.5 as plain data: the JSON of its file, each source one string."""


class Unreadable(PlainError):
    """A submission that cannot be marked; the sentence says why: no notebook, another assignment, too large."""


@dataclass(frozen=True)
class Unit:
    """What marking needs to know of one unit; made once, then only read. All of it can be pickled for a worker.

    name: "encoder". source: the notebook with answers and hidden tests. release: what students were given.
    points: grade_id → what it can earn, in the order of the unit; cells marked by hand among them.
    salt: the course's, for personal numbers ("" for none). secret: what fresh inputs are made from.
    """

    name: str
    source: Notebook
    release: Notebook
    points: Mapping[str, float]
    salt: str = ""
    secret: bytes = b""


@dataclass(frozen=True)
class Marked:
    """A marked submission.

    notebook: for autograded/, with outputs and verdicts. points: grade_id → what it earned, of the cells that are
    marked here. by_hand: grade_id of the cells that a person marks and that hold an answer.
    repairs, limits, remarks: sentences for the report. labels: grade_id → mistakes that were named.
    """

    notebook: Notebook
    points: Mapping[str, float]
    by_hand: Sequence[str] = ()
    repairs: Sequence[str] = ()
    limits: Sequence[str] = ()
    remarks: Sequence[str] = ()
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)


def mark(notebook: bytes, unit: Unit, student: str, sandbox) -> Marked:
    """Mark one notebook as handed in by `student`; the same bytes get the same marks. Raises Unreadable."""
    raise NotImplementedError
