"""One case, and the few lines that make one."""

from collections.abc import Callable
from dataclasses import dataclass

from handing_in import cell as cell_of
from handing_in import raw

from hostile.honest import every_test, half, half_of, points_of, put, right

UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Case:
    """One submission.

    group: for the table. make: (unit, course folder) → notebook as bytes. fill: what to do with the student's folder
    beside writing the notebook. answers: those that are right, "half", "all", "none", or UNREADABLE; lost: tests that
    earn nothing nevertheless. units: () for every one.
    """

    name: str
    group: str
    make: Callable[[str, str], bytes]
    fill: Callable | None = None
    answers: str = "half"
    lost: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    def deserves(self, name):
        """grade_id → points of its honest content; None for what cannot be read."""
        if self.answers == UNREADABLE:
            return None
        answers = {"half": half_of(name), "all": "all", "none": ()}[self.answers]
        return {test: points * (test not in self.lost) for test, points in points_of(name, answers).items()}


CASES: list[Case] = []


def _add(name, group, make, **how):
    assert name not in {case.name for case in CASES}, name
    CASES.append(Case(name, group, make, **how))


def of_unit(name):
    """The cases that can be made of a unit."""
    return [case for case in CASES if not case.units or name in case.units]


# Where a cell looks for the gradebook.
BOOKS = "['{course}/gradebook.db', *('../' * n + 'gradebook.db' for n in range(5))]"


def cell(name, source, group, **how):
    """A half-finished notebook with a cell behind its imports.

    In it "{course}" stands for the course's folder, "{books}" for a list of places where the gradebook may lie.
    """
    source = source.strip("\n").replace("{books}", BOOKS)
    _add(name, group, lambda unit, course: raw(put(half(unit), source.replace("{course}", course))), **how)


# What follows softmax in the lesson works with this, so that the answer stands alone.
OWN = "def own(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n\n"


def softmax(name, source, group):
    """All answers of the encoder's lesson are right, but for softmax, which is this."""

    def make(unit, _course):
        notebook = right(unit)
        cell_of(notebook, "softmax")["source"] = source.strip("\n")
        attention = cell_of(notebook, "attention")
        attention["source"] = OWN + attention["source"].replace("softmax(", "own(")
        return raw(notebook)

    _add(name, group, make, answers="all", lost=("check-softmax",), units=("encoder",))


def answer(name, unit, sources, lost):
    """All answers of a unit are right, but for those named in `sources`; the tests in `lost` earn nothing."""

    def make(unit, _course):
        notebook = right(unit)
        for grade_id, source in sources.items():
            cell_of(notebook, grade_id)["source"] = source
        return raw(notebook)

    _add(name, "marks", make, answers="all", lost=tuple(f"check-{one}" for one in lost), units=(unit,))


def damage(name, answers="half"):
    """Decorates a function of a notebook that gives it back damaged, as plain data or as bytes."""

    def take(change):
        def make(unit, _course):
            changed = change(half(unit) if answers in ("half", UNREADABLE) else right(unit))
            return changed if isinstance(changed, bytes) else raw(changed)

        _add(name, "damaged", make, answers=answers)

    return take


def folder(name, answers="half", group="folder"):
    """Decorates a function that does something to the student's folder, in which a half-finished notebook lies."""

    def take(fill):
        _add(name, group, lambda unit, _course: raw(half(unit)), fill=fill, answers=answers)

    return take


__all__ = ["CASES", "UNREADABLE", "Case", "cell", "damage", "every_test", "folder", "of_unit", "softmax"]
