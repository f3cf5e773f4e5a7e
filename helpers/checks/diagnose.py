"""Find the mistake: which known wrong rule gives what is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from .. import pen
from ..boxes import Box
from ..mistakes import Mistake, mistakes_in
from ..mistakes.writing import RIGHT
from .judge import Basis, without_infinity
from .read import Written

# From this many entries on, one may be mistyped on top of a mistake.
ROOM_FOR_A_TYPO = 6
TYPO, EARLY, COPIED_ROW = "entry.typo", "rounding.early", "row.copied"
# A second mistake is named beside the first when it explains the entries this well: units an entry.
AS_GOOD = 1.0
# A wrong rule can enlarge roundings more than the right one does, up to this factor.
LARGEST_GAIN = 4.0
# Units from a wrong rule within which it is worth finding out how much it amplifies roundings.
NEAR = 100.0


@dataclass(frozen=True)
class Claim:
    """A mistake that explains a box, with how many entries it leaves unexplained, and how far off the others are."""

    mistake: Mistake
    misfits: int
    distance: float

    @property
    def rank(self) -> tuple:
        """Fewest misfits first, then the plain slip of one entry, then what lies closest."""
        return self.misfits, self.mistake.label != TYPO, self.distance


def diagnose(written: Written, bases: Sequence[Basis], tolerance: np.ndarray, off: np.ndarray) -> tuple[Claim, ...]:
    """Name the mistake behind a box that is off: at most two claims, the likelier first; () when nothing fits.

    bases: one's own inputs and the true ones. tolerance: of the right rule. off: the entries it rejects, of another
    shape than the box when its shape is wrong.
    """
    given = without_infinity(written.values)
    claims = {}
    for basis in bases:
        for claim in _claims(given, written, basis, tolerance, off):
            kept = claims.get(claim.mistake.label)
            if kept is None or claim.rank < kept.rank:
                claims[claim.mistake.label] = claim
    ranked = sorted(claims.values(), key=lambda claim: claim.rank)
    if not ranked:
        return ()
    first, *others = ranked
    if first.mistake.label == TYPO:
        return (first,)
    reach = first.distance + AS_GOOD * given.size
    alike = [c for c in others if c.misfits == first.misfits and c.distance <= reach and c.mistake.label != TYPO]
    return (first, *alike[:1])


def _candidates(basis: Basis, tolerance: np.ndarray, shape: tuple[int, ...]):
    """Every wrong way to make this box that gives a matrix of this shape.

    Three lists of one length: (mistake, number of the variant), and stacks of the matrices and of how far honest
    rounding takes each entry from them.
    """
    pen_slips = _slips_of_the_pen(basis.box, basis.result.shape, shape)
    names, made = [], [np.empty((0, *shape))]
    with np.errstate(all="ignore"):
        for mistake in _wrong_rules(basis.box):
            variants = mistake.stack_in_silence(basis.box, basis.values, basis.result)
            if variants.shape[1:] == shape and len(variants):
                names += [(mistake, which) for which in range(len(variants))]
                made.append(variants)
    moved = np.ravel(basis.result)[pen_slips.source] * pen_slips.sign
    # A slip of the pen moves the entries, and how far each may be off moves with them.
    reach = np.abs(np.ravel(tolerance)[pen_slips.source])
    variants = np.concatenate(made)
    allowed = np.concatenate([_gained(variants, basis.result, tolerance), reach])
    return [*names, *pen_slips.names], np.concatenate([variants, moved]), allowed


@cache
def _wrong_rules(box: Box) -> tuple[Mistake, ...]:
    """The mistakes of a box that are no slips of the pen."""
    return tuple(mistake for mistake in mistakes_in(box) if mistake.takes != RIGHT)


class _PenSlips(NamedTuple):
    """The slips of the pen of one box: their names, and for every entry where it comes from and with which sign."""

    names: tuple[tuple[Mistake, int], ...]
    source: np.ndarray
    sign: np.ndarray


@lru_cache(maxsize=1024)
def _slips_of_the_pen(box: Box, right: tuple[int, ...], shape: tuple[int, ...]) -> _PenSlips:
    """What they do to a right result of one shape, when they make one of another (or the same) of it.

    A slip of the pen moves entries and turns signs, whatever the numbers: done once to the numbers 1, 2, 3, …, it
    tells what it does to all others.
    """
    numbered = 1.0 + np.arange(float(np.prod(right))).reshape(right)
    names, made = [], [np.empty((0, *shape))]
    for mistake in mistakes_in(box):
        if mistake.takes != RIGHT:
            continue
        variants = mistake.stack(box, {}, numbered)
        if variants.shape[1:] == shape:
            names += [(mistake, which) for which in range(len(variants))]
            made.append(variants)
    stacked = np.concatenate(made)
    return _PenSlips(tuple(names), np.abs(stacked).astype(int) - 1, np.sign(stacked))


def _gained(variants: np.ndarray, right: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """The right rule's tolerance, enlarged for variants that are larger than the right result."""
    axes = tuple(range(1, variants.ndim))
    size = np.abs(right).max(where=np.abs(right) < 1e8, initial=0.0)
    made = np.abs(variants).max(axis=axes, where=np.abs(variants) < 1e8, initial=0.0, keepdims=True)
    gain = np.clip(made / size, 1.0, LARGEST_GAIN) if size > 0 else np.ones_like(made)
    own_shape = variants.shape[1:] == tolerance.shape
    return gain * tolerance if own_shape else np.broadcast_to(gain * tolerance.max(), variants.shape)


def _claims(given, written: Written, basis: Basis, tolerance, off) -> Iterator[Claim]:
    names, variants, allowed = _candidates(basis, tolerance, given.shape)
    room = int(written.filled.sum() >= ROOM_FOR_A_TYPO)
    axes = tuple(range(1, variants.ndim))
    with np.errstate(invalid="ignore"):
        distances = np.abs(variants - given)
        fits = (distances <= allowed) | ~written.filled  # an entry not filled in fits everything
        far = (distances > NEAR * written.unit).sum(axis=axes)
    misfits = (~fits).sum(axis=axes)
    for k in np.flatnonzero((misfits <= room) | (far <= room)):
        mistake, which = names[k]
        if misfits[k] > room and mistake.takes != RIGHT:
            fits[k] = (distances[k] <= _reach(mistake, which, variants[k], basis, written.unit)) | ~written.filled
            misfits[k] = (~fits[k]).sum()
        explained = (fits[k] & off).sum() if off.shape == given.shape else off.size
        if _is_claimed(mistake, int(misfits[k]), room, int(explained)):
            apart = np.where(fits[k] & written.filled, distances[k], 0.0).sum() / written.unit
            yield Claim(mistake, int(misfits[k]), float(apart))


def _is_claimed(mistake: Mistake, misfits: int, room: int, explained: int) -> bool:
    """Whether a mistake explains enough: all but one entry at most, and something that is off."""
    if mistake.label == TYPO:
        return misfits == 1 == room
    if misfits > room or (misfits and mistake.label == EARLY):
        return False
    # Two mistyped entries can look like a copied row and one mistyped entry; one is not enough to tell.
    return explained > (misfits if mistake.label == COPIED_ROW else 0)


def _reach(mistake: Mistake, which: int, made: np.ndarray, basis: Basis, unit: float) -> np.ndarray:
    """The tolerance of a wrong rule: how far it moves when one entry of what it takes moves by half a unit.

    A small variance or a small sum makes it much larger than the right rule's.
    """
    names = mistake.names(basis.box)
    if mistake.jotted:
        inputs, errors = [basis.values[n] for n in names], [basis.error(n) for n in names]
        moved = pen.moves(lambda jot, *values: mistake.wrong(*values, jot=jot), inputs, errors, unit, made.shape)
        return np.nan_to_num(pen.tolerance(moved, unit))
    with np.errstate(all="ignore"):
        moved = list(_moved(mistake, which, made, basis, names))
    if not moved:
        return np.full(made.shape, unit)
    # What is rounded on the way adds about as much again.
    return np.nan_to_num(2 * pen.tolerance(np.stack([np.zeros_like(made), *moved]), unit))


def _moved(mistake: Mistake, which: int, made: np.ndarray, basis: Basis, names) -> Iterator[np.ndarray]:
    """How far a wrong result moves with each entry of what it takes that may be off."""
    for name in names:
        error = basis.error(name)
        for at in () if error is None else map(tuple, np.argwhere(error > 0)):
            value = np.array(basis.values[name], dtype=float)
            value[at] += error[at]
            moved = mistake.stack_in_silence(basis.box, {**basis.values, name: value}, basis.result)
            yield moved[which] - made
