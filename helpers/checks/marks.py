"""Mark boxes: each on the student's own earlier boxes first, on the true ones second, with the mistake named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..boxes import Box, work_out
from .diagnose import diagnose
from .judge import Basis, Judgement, follows, judge, without_infinity
from .read import Written
from .words import shape_words

# Versions of a box that a later one may still be built on.
KEPT = 3
# How many units a number may be taken to be off that was worked out on paper and is not filled in.
MOST_UNITS = 6


@dataclass(frozen=True)
class Mark:
    """What is to be said of one box.

    kind: "right", "off", "empty" or "stale". share: part of its points it earns. off: entries that are off.
    followed: right for own earlier numbers only. earlier: the box that is to be mended first, or changed since.
    claims: the mistakes named. remark: index of an entry to look at again. problem: why its shape is wrong.
    missing: earlier boxes that it is made of and that nothing usable was written in.
    """

    box: Box
    kind: str
    share: float
    written: Written | None = None
    off: np.ndarray | None = None
    judgement: Judgement | None = None
    followed: bool = False
    earlier: str = ""
    claims: tuple = ()
    remark: tuple[int, ...] | None = None
    problem: str = ""
    missing: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the mistakes that are named, the likelier first."""
        return tuple(claim.mistake.label for claim in self.claims)


class Marker:
    """Marks the boxes of one homework, with what was written in each so far.

    boxes: in the order of the pass. givens: what is printed, by name.
    """

    def __init__(self, boxes: Iterable[Box], givens: Mapping):
        self.boxes = {box.key: box for box in boxes}
        self.givens = dict(givens)
        # Versions of every box, the newest last: a later box may have been built on an earlier one.
        self.versions: dict[str, list[Written]] = {}
        # What later boxes are built on: the newest version of each box that is complete and of the right shape.
        self.own: dict[str, np.ndarray] = {}
        self.units: dict[str, float] = {}
        self.marks: dict[str, Mark] = {}
        self._true: dict[str, Basis] = {}

    @cached_property
    def exact(self) -> dict:
        """Every value of the pass, worked out without a slip and without rounding."""
        return work_out(tuple(self.boxes.values()), self.givens)

    def mark(self, key: str, written: Written) -> Mark:
        """Mark what is written in one box, and keep it for the boxes that are built on it."""
        box = self.boxes[key]
        versions = self.versions.setdefault(key, [])
        if not versions or not _same(versions[-1], written):
            versions.append(written)
            del versions[:-KEPT]
        self._build_on(key, written)
        self.marks[key] = self._mark(box, written)
        return self.marks[key]

    def _mark(self, box: Box, written: Written) -> Mark:
        if written.empty:
            return Mark(box, "empty", 0.0, written)
        exact = self._exact_basis(box)
        if written.values.shape != exact.result.shape:
            return self._of_wrong_shape(box, written, exact)
        own = self._own_basis(box)
        found = judge(written, own, exact, self._mended_basis(box, written.unit))
        if not written.complete:
            kind = "off" if found.off.any() else "empty"
            mark = Mark(box, kind, 0.0, written, found.off, found)
            return self._rejected(mark, self._bases(exact, found.tolerance, own))
        if found.accepted:
            earlier = self._still_off(box) if found.on_own else ""
            followed = bool(earlier) and not self._right_anyway(written, exact)
            return Mark(
                box, "right", 1.0, written, found.off, found, followed, earlier if followed else "", (), found.remark
            )
        changed = self._built_on_earlier(box, written)
        if changed:
            return Mark(box, "stale", 0.0, written, np.zeros_like(found.off), found, earlier=changed)
        mark = Mark(box, "off", 0.0, written, found.off, found)
        return self._rejected(mark, self._bases(exact, found.tolerance, own))

    def _bases(self, exact: Basis, tolerance: np.ndarray, own: Basis | None = None) -> list[Basis]:
        """On what to look for the mistake: own values and the true ones, or own ones alone where they say the same.

        A wrong rule may read a box that the right one does not, so own values count even where none is an input.
        """
        own = own or _with_a_result(Basis(exact.box, self.exact | self.own, self.units, self.exact))
        if own is None:
            return [exact]
        return [own] if (np.abs(own.result - exact.result) <= tolerance).all() else [own, exact]

    def _rejected(self, mark: Mark, bases: list[Basis]) -> Mark:
        """Add what a box that is off still earns, and the mistake behind it."""
        right = mark.written.filled & ~mark.off
        share = 0.0 if self._earns_nothing(mark) else 0.5 * float(right.mean())
        claims = ()
        if mark.kind == "off":
            claims = diagnose(mark.written, bases, mark.judgement.tolerance, mark.off)
        return replace(mark, share=share, claims=claims, missing=self._missing(mark.box))

    def _missing(self, box: Box) -> tuple[str, ...]:
        return tuple(name for name in box.inputs if name in self.boxes and name not in self.own)

    def _of_wrong_shape(self, box: Box, written: Written, exact: Basis) -> Mark:
        tolerance = exact.tolerance(written.unit)
        off = np.ones_like(exact.result, dtype=bool)
        wanted, given = (shape_words(a.shape) for a in (exact.result, written.values))
        bases = self._bases(exact, tolerance)
        claims = diagnose(written, bases, bases[0].tolerance(written.unit), off) if written.complete else ()
        problem = f"It should be {wanted}; yours is {given}."
        if _cut_by_commas(written.values, exact.result):
            problem += ' A decimal comma needs quotation marks: "0,67".'
        return Mark(box, "off", 0.0, written, claims=claims, problem=problem)

    # --- what a box is judged on ---

    @property
    def seen(self) -> dict:
        """The values of the pass with one's own in their place, as far as they can be built on."""
        return self.exact | self.own

    def _build_on(self, key: str, written: Written) -> None:
        self.own.pop(key, None)
        self.units.pop(key, None)
        if self._usable(key, written):
            self.own[key], self.units[key] = self._as_input(key, written), written.unit

    def _usable(self, key: str, written: Written) -> bool:
        return written.complete and written.values.shape == np.shape(self.exact[key])

    def _as_input(self, key: str, written: Written) -> np.ndarray:
        values = self._whole(key, without_infinity(written.values))
        # A probability that rounds to 0 has a logarithm all the same.
        return np.maximum(values, written.unit / 2) if key == "P" else values

    def _whole(self, key: str, values: np.ndarray) -> np.ndarray:
        return np.round(values).astype(int) if self.boxes[key].step.kind == "ids" else values

    def _exact_basis(self, box: Box) -> Basis:
        # Kept, since its result never changes.
        if box.key not in self._true:
            self._true[box.key] = Basis(box, self.exact, self.units, self.exact)
        return self._true[box.key]

    def _own_basis(self, box: Box, earlier: Mapping[str, Written] | None = None) -> Basis | None:
        """The values of the pass with one's own in their place; None when nothing is to be followed."""
        own, units = self.own, self.units
        for key, written in (earlier or {}).items():
            own, units = own | {key: self._as_input(key, written)}, units | {key: written.unit}
        inputs = [name for name in box.inputs if name in own]
        if not inputs or any(degenerate(own[name], self.exact[name], units[name]) for name in inputs):
            return None
        return _with_a_result(Basis(box, self.exact | own, units, self.exact))

    def _mended_basis(self, box: Box, unit: float) -> Basis | None:
        """Own values, but what should stand in inputs that are off or not filled in; None when there are none."""
        inputs = [name for name in box.inputs if name in self.boxes]
        if all(name in self.own and not self._is_off(name) for name in inputs):
            return None
        values, units = {}, {}
        try:
            for name in inputs:
                self._work_out_anew(name, values, units, unit)
        except (ValueError, IndexError):  # an id without a row, for one
            return None
        return Basis(box, self.exact | values, {name: units[name] for name in inputs}, self.exact)

    def _work_out_anew(self, name: str, values: dict, units: dict, unit: float) -> None:
        """Find what should stand in a box, given what stands before it: one's own numbers where they are not off.

        What is not filled in was rounded on paper, and so was what it was made of: its unit grows with each such box.
        """
        if name not in self.boxes or name in values:
            return
        if name in self.own:
            result = self.marks[name].judgement.basis.result if self._is_off(name) else self.own[name]
            values[name], units[name] = self._whole(name, result), self.units[name]
            return
        box = self.boxes[name]
        for earlier in box.inputs:
            self._work_out_anew(earlier, values, units, unit)
        values[name] = self._whole(name, box.work_out(self.exact | values))
        missing = [units[n] for n in box.inputs if n in units and n not in self.own]
        units[name] = min(unit + max(missing, default=0.0), MOST_UNITS * unit)

    def _is_off(self, name: str) -> bool:
        return name in self.marks and self.marks[name].kind == "off"

    def _still_off(self, box: Box) -> str:
        """The first box in the line of this one that is off, "" when none is."""
        for name in box.inputs:
            mark = self.marks.get(name)
            if mark is not None and mark.kind in ("off", "stale"):
                return name
            if mark is not None and mark.followed:
                return mark.earlier
        return ""

    def _right_anyway(self, written: Written, exact: Basis) -> bool:
        return judge(written, None, exact).accepted

    def _built_on_earlier(self, box: Box, written: Written) -> str:
        """The input that was changed since this box was rightly made of it, "" when there is none."""
        for name in box.inputs:
            for version in self.versions.get(name, ())[:-1]:
                if not self._usable(name, version):
                    continue
                basis = self._own_basis(box, {name: version})
                if basis is not None and follows(written, basis):
                    return name
        return ""

    def _earns_nothing(self, mark: Mark) -> bool:
        """Whether a wrong box is filled with one number, with one row, or with a copy of another box."""
        given, exact = without_infinity(mark.written.values), self.exact[mark.box.key]
        if degenerate(given, exact, mark.written.unit):
            return True
        others = (other for key, other in self.own.items() if key != mark.box.key and other.shape == given.shape)
        return any((given == other).all() for other in others)


def _with_a_result(basis: Basis) -> Basis | None:
    """The basis itself, or None when its values give no result: an id without a row, a sum that overflows."""
    try:
        return basis if np.isfinite(basis.result).all() else None
    except (ValueError, IndexError):
        return None


def degenerate(values: np.ndarray, exact: np.ndarray, unit: float) -> bool:
    """Whether all entries, or all rows, are alike where the true ones are not: such numbers prove nothing."""
    return _alike(values, 0.0) and not _alike(exact, 2 * unit)


def _alike(values: np.ndarray, within: float) -> bool:
    values = np.asarray(values, dtype=float)
    if values.size < 2:
        return False
    one = values[:1] if len(values) > 1 else values.flat[0]
    return bool((np.abs(values - one) <= within).all())


def _cut_by_commas(values: np.ndarray, exact: np.ndarray) -> bool:
    """Whether decimal commas outside of quotation marks have made two whole numbers of each number."""
    wider = values.ndim == exact.ndim > 0 and values.shape[-1] > exact.shape[-1]
    return wider and bool((values == np.round(values)).all())


def _same(a: Written, b: Written) -> bool:
    return a.values.shape == b.values.shape and np.array_equal(a.values, b.values, equal_nan=True)


# --- the whole pass ----------------------------------------------------------------------------


def mark_pass(boxes: tuple[Box, ...], givens: Mapping, written: Mapping[str, Written]) -> dict[str, Mark]:
    """Mark a finished pass: a Mark for every box, in order. Boxes that are missing count as empty."""
    marker = Marker(boxes, givens)
    nothing = Written(np.array(np.nan), np.array(False), 0.001)
    marks = {box.key: marker.mark(box.key, written.get(box.key, nothing)) for box in boxes}
    return _without_borrowed(_without_shuffled(marks, marker.exact), marker)


def first_off(marks: Mapping[str, Mark]) -> str:
    """Key of the first box that is off, "" when none is."""
    return next((key for key, mark in marks.items() if mark.kind in ("off", "stale")), "")


def _without_shuffled(marks: dict[str, Mark], exact: Mapping) -> dict[str, Mark]:
    """Take the points from a pass whose rows are the true ones in another order throughout.

    One exchange of rows is a slip, and what follows from it is right. When the same order turns up in two boxes that do
    not follow from one another, it is the key, shuffled.
    """
    slips = [_order(mark, exact[key]) for key, mark in marks.items() if mark.kind == "off"]
    shuffled = {order for order in slips if order and slips.count(order) > 1}
    taken = {key for key, mark in marks.items() if any(_holds(mark, exact[key], order) for order in shuffled)}
    return {key: replace(mark, share=0.0) if key in taken else mark for key, mark in marks.items()}


def _without_borrowed(marks: dict[str, Mark], marker: Marker) -> dict[str, Mark]:
    """Take what was followed through from a pass that was worked out with somebody else's weights.

    Its boxes follow from one another, save those that read a table or a weight: these are off, and no mistake explains
    them.
    """
    reading = [
        key for key, box in marker.boxes.items() if any(name[0] in "EW" for name in box.inputs if name in marker.givens)
    ]
    strange = [key for key in reading if marks[key].kind == "off" and not marks[key].claims]
    if len(strange) <= len(reading) / 2:
        return marks
    return {key: replace(mark, share=0.0) if mark.followed else mark for key, mark in marks.items()}


def _rows_alike(mark: Mark, exact) -> np.ndarray:
    """Which written row may be which true one: (n, n) booleans; (0, 0) when the box holds no rows to compare."""
    exact = np.asarray(exact)
    if exact.ndim == 0 or mark.written is None or mark.written.values.shape != exact.shape:
        return np.zeros((0, 0), dtype=bool)
    near = np.abs(without_infinity(mark.written.values)[:, None] - exact[None]) <= 3 * mark.written.unit
    return near.reshape(len(exact), len(exact), -1).all(axis=-1)


def _order(mark: Mark, exact) -> tuple[int, ...]:
    """The order in which a box holds the true rows, () when it does not, or holds them in their own."""
    near = _rows_alike(mark, exact)
    if not near.size or near.diagonal().all() or not near.any(axis=1).all():
        return ()
    order = tuple(int(k) for k in near.argmax(axis=1))
    return order if len(set(order)) == len(order) else ()


def _holds(mark: Mark, exact, order: tuple[int, ...]) -> bool:
    """Whether a box holds the true rows in this order, and not in their own."""
    near = _rows_alike(mark, exact)
    if len(near) != len(order) or near.diagonal().all():
        return False
    return bool(near[np.arange(len(order)), order].all())
