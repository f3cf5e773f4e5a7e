"""Judge a box: right for one's own earlier numbers, right after all, or off, and in which entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import pen
from ..boxes import Box
from ..transformer import BLOCKED
from .read import Written

# A person rounds to the nearest unit or cuts the rest off; the twentieth is for what binary numbers lose.
NARROW = 1.05
# Copied, not worked out: the digits must be those of the source.
COPIED = frozenset({"ids", "E_rows", "next_word"})
COPIED_TOLERANCE = 1e-9
# Units from the rule beyond which an entry that only the wider tolerance accepts is worth a second look.
# A box whose inputs are the true ones is never right this many units away, however its roundings add up.
FURTHEST = 9.5
# ln 2: a probability written as 0.00 is taken for half a unit, and may be a whole one.
LEAST_LOSS = 0.7
STANDS_OUT, STANDS_FAR_OUT, NUMBER_STANDS_OUT = 3.0, 4.0, 2.0


def without_infinity(values: np.ndarray) -> np.ndarray:
    """Read anything as low as a blocked score as one: −∞ and −1e9 are the same answer."""
    return np.where(values <= -1e8, BLOCKED, values)


@dataclass(frozen=True)
class Basis:
    """What a box is judged on: values by name, those that are written with their units, and the result they give."""

    box: Box
    values: Mapping
    units: Mapping[str, float]
    exact: Mapping

    @cached_property
    def result(self) -> np.ndarray:
        """What the rule makes of these values."""
        with np.errstate(all="ignore"):
            return np.asarray(self.box.work_out(self.values), dtype=float)

    @cached_property
    def is_true(self) -> bool:
        """Whether the inputs are the true ones, as far as their digits go."""
        written = [name for name in self.box.inputs if name in self.units]
        apart = [np.abs(self.values[name] - self.exact[name]).max() / self.units[name] for name in written]
        return max(apart, default=0.0) <= NARROW

    def tolerance(self, unit: float) -> np.ndarray:
        """How far honest rounding can take each entry from the result."""
        if self.box.family in COPIED or self.box.family not in pen.RULES:
            return np.full(self.result.shape, COPIED_TOLERANCE)
        inputs = [self.values[name] for name in self.box.inputs]
        errors = [self.error(name) for name in self.box.inputs]
        with np.errstate(all="ignore"):
            moved = pen.moves(pen.RULES[self.box.family], inputs, errors, unit, self.result.shape)
            wide = pen.tolerance(moved, unit)
        # A probability written as 0.00 bounds the loss on one side only.
        unbounded = np.inf if self.box.family == "losses" else NARROW * unit
        return np.where(np.isfinite(wide), np.maximum(wide, NARROW * unit), unbounded)

    def error(self, name: str) -> np.ndarray | None:
        """Half a unit for every entry of a value that was rounded, or has to be; None where nothing was."""
        if name not in self.units or self.values[name].dtype.kind != "f":
            return None
        unit, values = self.units[name], self.values[name]
        inexact = np.abs(values - (values / unit).round() * unit) > 1e-9  # it has to be rounded
        if values is not self.exact[name]:
            inexact |= np.abs(values - self.exact[name]) > 1e-9  # it was
        return np.where(inexact, unit / 2, 0.0)


@dataclass(frozen=True)
class Judgement:
    """What was found: accepted or not, which entries are off, which one to look at again, on which basis."""

    accepted: bool
    off: np.ndarray
    basis: Basis
    tolerance: np.ndarray
    on_own: bool
    remark: tuple[int, ...] | None = None


def judge(written: Written, own: Basis | None, exact: Basis, mended: Basis | None = None) -> Judgement:
    """Compare a box, whose shape is right, with the rule on own inputs (None: not followed) and on the true ones.

    mended: own inputs, with what should stand in those that are off or empty, for whoever has them right on paper.
    Entries that are not filled in are not off; whether a box is complete is for the caller to say.
    """
    given, unit = without_infinity(written.values), written.unit
    narrow = _narrow(exact.box, unit)
    bases = [basis for basis in (own, exact, mended) if basis is not None]
    nothing = np.zeros(given.shape, dtype=bool)
    for basis in bases:
        if not _beyond(given, basis, narrow).any():
            return Judgement(True, nothing, basis, nothing + narrow, basis is own)
    first = bases[0]
    wide = _wide(first, unit)
    off = _beyond(given, first, wide)
    if not off.any():
        return Judgement(True, nothing, first, wide, first is own, _stands_out(given, bases, unit))
    if mended is not None:
        reach = _wide(mended, unit)
        if not _beyond(given, mended, reach).any():
            return Judgement(True, nothing, mended, reach, False, _stands_out(given, bases, unit))
    if first is not exact:
        off_exact = _beyond(given, exact, np.maximum(narrow, np.minimum(wide, 3 * narrow)))
        if not off_exact.any():  # all are near, and one at least is not near enough
            off_exact = _beyond(given, exact, narrow)
        if off_exact.sum() < off.sum():
            return Judgement(False, off_exact, exact, wide, False)
    return Judgement(False, off, first, wide, first is own)


def follows(written: Written, basis: Basis) -> bool:
    """Whether a box is right on one basis alone, within what honest rounding can move it."""
    given, unit = without_infinity(written.values), written.unit
    if not _beyond(given, basis, _narrow(basis.box, unit)).any():
        return True
    return not _beyond(given, basis, _wide(basis, unit)).any()


def _narrow(box: Box, unit: float) -> float:
    """The tolerance of an entry that only its own rounding moves."""
    return COPIED_TOLERANCE if box.family in COPIED else NARROW * unit + 1e-12


def _wide(basis: Basis, unit: float) -> np.ndarray:
    """The tolerance of a basis, with an end where its inputs are the true ones."""
    wide = basis.tolerance(unit)
    return np.minimum(wide, FURTHEST * unit) if basis.is_true else wide


def _beyond(given: np.ndarray, basis: Basis, tolerance) -> np.ndarray:
    if basis.box.family == "next_word":
        return ~_is_a_favourite(given, basis)
    with np.errstate(invalid="ignore"):
        # An entry that is not filled in is NaN, and no comparison with it is true.
        beyond = np.abs(given - basis.result) > tolerance
        if basis.box.family == "losses":
            # Where the tolerance has no end, a loss is still at least that of half a unit more.
            beyond |= np.isinf(tolerance) & (given < basis.result - LEAST_LOSS)
        return beyond


def _is_a_favourite(given: np.ndarray, basis: Basis) -> np.ndarray:
    """Whether no word has a larger share than the one given, as far as the written digits of P tell."""
    if np.isnan(given):
        return np.array(True)
    shares = basis.values["P"][-1]
    return np.array(shares[int(given)] >= shares.max() - NARROW * basis.units.get("P", 0.0))


def _stands_out(given: np.ndarray, bases: list[Basis], unit: float) -> tuple[int, ...] | None:
    """The entry to look at again, of a box that honest rounding explains only just; None when none stands out."""
    units_away = np.min([np.abs(given - basis.result) for basis in bases], axis=0) / unit
    units_away = np.where(np.isnan(units_away), 0.0, units_away)
    if given.size == 1:
        found = units_away > NUMBER_STANDS_OUT
    else:
        found = units_away > STANDS_FAR_OUT
        alone = units_away > STANDS_OUT
        found = alone if alone.sum() == 1 else found
    return tuple(int(k) for k in np.argwhere(found)[0]) if found.any() else None
