"""Name the mistake in a student's function: which known wrong version returns what it returned.

The wrong versions of a task are its walk over the table with one mistake, and its own slips. One of them is named only
if it gives the student's results on every case, to the last digits, and if these are wrong somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress
from math import isfinite
from time import perf_counter

import numpy as np

from ..tasks import Case, Task, Wrong
from .compare import ATOL, RTOL

# More than this many that fit alike name nothing.
MOST_NAMED = 2

# A result that cannot be had: the call stopped, or what it returned cannot be read.
NOTHING = object()


@dataclass(frozen=True)
class Named:
    """The mistakes that were found: stable labels, and what to ask."""

    labels: tuple[str, ...]
    question: str


@dataclass
class _Tried:
    """One case: what the student returned (read), what is right, the right walk to start from, and seconds it took."""

    case: Case
    given: object
    right: object
    layers: Sequence
    cost: float


@dataclass(frozen=True)
class _Variant:
    """One wrong version: result(tried) is what it returns, read; NOTHING where it cannot be carried out.

    lenient: where it goes beyond numbers (∞, NaN) it says nothing, since another way of writing it may not.
    """

    label: str
    question: str
    result: Callable[[_Tried], object]
    lenient: bool = False


def name_mistake(task: Task, tried: Sequence[tuple[Case, object]]) -> Named | None:
    """Find the known mistakes that explain what a function returned, or None.

    tried: cases with what the student's function returned, NOTHING where it stopped with an error.
    """
    with np.errstate(all="ignore"):
        found = _find(task, [_tried(task, case, _read(given)) for case, given in tried if given is not NOTHING])
    if not found or len(found) > MOST_NAMED:
        return None
    return Named(tuple(found), " Or: ".join(dict.fromkeys(found.values())))


def _find(task: Task, told: list[_Tried]) -> dict[str, str]:
    """Label → question of every known wrong version that explains all results."""
    if any(one.given is NOTHING for one in told):
        return {}
    # Wrong and quick ones first: most versions fall there.
    told.sort(key=lambda one: (_agree(one.right, one.given) is True, one.cost))
    found = {}
    for variant in _variants(task, told):
        if variant.label not in found and _explains(variant, told):
            found[variant.label] = variant.question
    return found


def _tried(task: Task, case: Case, given) -> _Tried:
    return _Tried(case, given, *case.once(("right", task.reference, task.name), lambda: _right(task, case)))


def _right(task: Task, case: Case) -> tuple[object, Sequence, float]:
    """What is right, the right walk, and the seconds that both took."""
    started = perf_counter()
    right = _read(_carried_out(lambda: task.reference(*case.args)))
    layers = task.walk.right(case.args) if task.walk else ()
    return right, layers, perf_counter() - started


def _carried_out(work: Callable):
    try:
        return work()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return NOTHING


# --- the wrong versions ------------------------------------------------------------------------


def _variants(task: Task, told: Sequence[_Tried]) -> Iterator[_Variant]:
    """Every known wrong version of a task."""
    for slip in task.slips:
        for way in slip.ways:
            yield _Variant(slip.label, slip.question, partial(_wrong_way, way))
    if task.walk:
        yield from _walked(task, told)


def _wrong_way(way: Callable, one: _Tried):
    return one.case.once(("way", way), lambda: _read(_carried_out(lambda: way(*one.case.args))))


def _walked(task: Task, told: Sequence[_Tried]) -> Iterator[_Variant]:
    """The walks with one mistake that are not ruled out by the shortest case."""
    walked = [one for one in told if one.layers]
    if not walked:
        return
    first = min(walked, key=lambda one: len(one.layers))
    for wrong in first.case.once(("wrongs", task.name), lambda: _wrongs(task, first.layers)).like(first.given):
        yield _Variant(wrong.label, wrong.question, partial(_spoilt, task, wrong), lenient=True)


@dataclass(frozen=True)
class _Wrongs:
    """Every walk with one mistake, and what it comes to.

    stacks: shape → numbers of those whose (first) result is finite and has this shape, the results as one array, and
    how far another may be from them. apart: numbers of the others.
    """

    made: Sequence[tuple[Wrong, object]]
    stacks: Mapping[tuple[int, ...], tuple[Sequence[int], np.ndarray, np.ndarray]]
    apart: Sequence[int]

    def like(self, given) -> Iterator[Wrong]:
        """Those that a result does not rule out, in their order."""
        for k in self._near(_first(given)):
            wrong, result = self.made[k]
            if _agree(result, given) is not False:
                yield wrong

    def _near(self, first) -> Sequence[int]:
        """Numbers of those that one look at all first results together does not rule out."""
        if not isinstance(first, np.ndarray) or not np.isfinite(first).all():
            return range(len(self.made))
        if first.shape not in self.stacks:
            return self.apart
        numbers, stack, bounds = self.stacks[first.shape]
        near = (abs(stack - first) <= bounds).all(axis=tuple(range(1, stack.ndim)))
        return sorted([*self.apart, *compress(numbers, near)])


def _wrongs(task: Task, layers: Sequence) -> _Wrongs:
    wrongs = task.walk.wrongs(layers)
    results = task.walk.spoil_each(layers, wrongs)
    made = [(wrong, _read(result)) for wrong, result in zip(wrongs, results, strict=True) if result is not None]
    stacks, apart = {}, []
    for k, (_, result) in enumerate(made):
        first = _first(result)
        alike = isinstance(first, np.ndarray) and np.isfinite(first).all()
        (stacks.setdefault(first.shape, []) if alike else apart).append(k)
    for shape, numbers in stacks.items():
        stack = np.stack([_first(made[k][1]) for k in numbers])
        stacks[shape] = numbers, stack, _bound(stack)
    return _Wrongs(made, stacks, apart)


def _first(result):
    """The first of several results, or the only one."""
    return result[0] if isinstance(result, tuple) and result else result


def _spoilt(task: Task, wrong: Wrong, one: _Tried):
    # A stack without layers has no place for a mistake.
    return _read(_carried_out(lambda: task.walk.spoil(one.layers, wrong))) if one.layers else one.right


# --- do two results agree? ---------------------------------------------------------------------


def _explains(variant: _Variant, told: Sequence[_Tried]) -> bool:
    """Whether a wrong version returns what the student's function returned, and is wrong somewhere."""
    wrong_somewhere = False
    for one in told:
        made = variant.result(one)
        agrees = _agree(made, one.given)
        if agrees is False or (agrees is None and not variant.lenient and not _finite(made)):
            return False
        wrong_somewhere |= agrees is True and _agree(one.right, made) is not True
    return wrong_somewhere


def _agree(made, given) -> bool | None:
    """Whether two results that were read are the same; None when just one of them is beyond numbers (∞, NaN)."""
    if made is NOTHING or given is NOTHING:
        return False
    if isinstance(made, np.ndarray) and isinstance(given, np.ndarray):
        return _agree_in_numbers(made, given)
    if isinstance(made, dict) and isinstance(given, dict):
        return _all(_agree(made[key], given.get(key, NOTHING)) for key in made)
    if isinstance(made, tuple) and isinstance(given, tuple):
        return len(made) == len(given) and _all(map(_agree, made, given))
    return type(made) is type(given) and made == given


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    """False as soon as one is False, else None if one is None."""
    together = True
    for verdict in verdicts:
        if verdict is False:
            return False
        together = together and verdict
    return together


def _agree_in_numbers(made: np.ndarray, given: np.ndarray) -> bool | None:
    if made.shape != given.shape:
        return False
    if not made.size:
        return True
    gaps = np.abs(made - given)
    # The widest gap alone tells of most results; argmax takes NaN for wider than any number.
    widest = gaps.argmax()
    gap = gaps.item(widest)
    if isfinite(gap):
        if gap <= ATOL:
            return True
        return gap <= _bound(made.item(widest)) and bool((gaps <= _bound(made)).all())
    beyond = not np.isfinite(made).all(), not np.isfinite(given).all()
    if any(beyond):
        return np.allclose(made, given, RTOL, ATOL, equal_nan=True) if all(beyond) else None
    # Finite and so far apart that a gap is beyond numbers.
    return False


def _bound(made):
    """How far from each number another may be and still be the same."""
    return ATOL + RTOL * abs(made)


def _read(value):
    """A result as arrays of floats, and tuples, dictionaries and words around them; NOTHING if it is none of these."""
    try:
        return _read_part(value)
    except Exception:  # an object of the student's own class runs the student's code when it is read
        return NOTHING


def _read_part(value):
    if value is None or type(value) is str:
        return value
    if type(value) is not np.ndarray and isinstance(value, Mapping):
        return {key: _read_part(part) for key, part in value.items()}
    try:
        array = np.asarray(value)
    except ValueError:  # parts of several shapes
        array = None
    if array is not None and array.dtype.kind in "biuf":
        return array.astype(float)
    if isinstance(value, (list, tuple)) or (array is not None and array.dtype.kind == "U" and array.ndim == 1):
        return tuple(map(_read_part, value))
    return NOTHING if not isinstance(value, np.str_) else str(value)


def _finite(value) -> bool:
    if isinstance(value, np.ndarray):
        return bool(np.isfinite(value).all())
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else ()
    return all(map(_finite, parts))
