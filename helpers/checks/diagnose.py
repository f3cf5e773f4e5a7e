"""Find the mistake: which known wrong rule gives what is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..mistakes import Mistake, mistakes_in
from ..mistakes.writing import RIGHT
from . import pen
from .judge import Basis, without_infinity
from .read import Written

# From this many entries on, one may be mistyped on top of a mistake.
ROOM_FOR_A_TYPO = 6
TYPO, EARLY = "entry.typo", "rounding.early"
# A second mistake is named beside the first when it explains the entries this well: units an entry.
AS_GOOD = 1.0
# A wrong rule can enlarge roundings more than the right one does, up to this factor.
LARGEST_GAIN = 4.0
# Units from a wrong rule within which it is worth finding out how much it amplifies roundings.
NEAR = 60.0


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


@dataclass(frozen=True)
class Candidate:
    """What one mistake makes of a box: variant number `which`, and how far honest rounding takes each entry from it."""

    mistake: Mistake
    which: int
    values: np.ndarray
    tolerance: np.ndarray


def _candidates(basis: Basis, tolerance: np.ndarray, shape: tuple[int, ...]) -> list[Candidate]:
    """Every wrong way to make this box that gives a matrix of this shape."""
    box, found = basis.box, []
    for mistake in mistakes_in(box):
        variants = mistake.variants(box, basis.values, basis.result)
        if mistake.takes == RIGHT:
            # A slip of the pen moves the entries, and how far each may be off moves with them.
            tolerances = [np.abs(t) for t in mistake.variants(box, basis.values, tolerance)]
        else:
            tolerances = [_gained(v, basis.result, tolerance) for v in variants]
        found += [
            Candidate(mistake, which, made, allowed)
            for which, (made, allowed) in enumerate(zip(variants, tolerances, strict=True))
            if made.shape == shape
        ]
    return found


def _gained(variant: np.ndarray, right: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """The right rule's tolerance, enlarged for a variant that is larger than the right result."""
    size, made = (np.where(np.abs(a) < 1e8, np.abs(a), 0.0).max() for a in (right, variant))
    gain = min(max(made / size, 1.0), LARGEST_GAIN) if size > 0 else 1.0
    return gain * tolerance if variant.shape == tolerance.shape else np.full(variant.shape, gain * tolerance.max())


def _claims(given, written: Written, basis: Basis, tolerance, off) -> Iterator[Claim]:
    candidates = _candidates(basis, tolerance, given.shape)
    if not candidates:
        return
    room = int(written.filled.sum() >= ROOM_FOR_A_TYPO)
    with np.errstate(invalid="ignore"):
        distances = np.abs(np.stack([c.values for c in candidates]) - given)
    fits = (distances <= np.stack([c.tolerance for c in candidates])) | ~written.filled
    misfits = (~fits).sum(axis=tuple(range(1, fits.ndim)))
    for k, candidate in enumerate(candidates):
        if misfits[k] > room and candidate.mistake.takes != RIGHT and _near(distances[k], written, room):
            fits[k] = (distances[k] <= _reach(candidate, basis, written.unit)) | ~written.filled
            misfits[k] = (~fits[k]).sum()
        explains = (fits[k] & off).any() if off.shape == given.shape else True
        if explains and _is_claimed(candidate.mistake, misfits[k], room):
            apart = np.where(fits[k] & written.filled, distances[k], 0.0).sum() / written.unit
            yield Claim(candidate.mistake, int(misfits[k]), float(apart))


def _is_claimed(mistake: Mistake, misfits: int, room: int) -> bool:
    if mistake.label == TYPO:
        return bool(misfits == 1 and room)
    return bool(misfits <= (0 if mistake.label == EARLY else room))


def _near(distances: np.ndarray, written: Written, room: int) -> bool:
    """Whether a wrong rule that amplifies roundings could explain a box: all its entries are near, or all but one."""
    with np.errstate(invalid="ignore"):
        return (distances > NEAR * written.unit).sum() <= room


def _reach(candidate: Candidate, basis: Basis, unit: float) -> np.ndarray:
    """The tolerance of a wrong rule: how far it moves when one entry of what it takes moves by half a unit.

    A small variance or a small sum makes it much larger than the right rule's.
    """
    mistake, box = candidate.mistake, basis.box
    moved = [np.zeros_like(candidate.values)]
    for name in mistake.names(box):
        error = basis.error(name)
        for at in () if error is None else np.argwhere(error > 0):
            value = np.array(basis.values[name], dtype=float)
            value[tuple(at)] += error[tuple(at)]
            variants = mistake.variants(box, {**basis.values, name: value}, basis.result)
            moved.append(variants[candidate.which] - candidate.values)
    # What is rounded on the way adds about as much again.
    return np.maximum(2 * pen.tolerance(np.stack(moved), unit), candidate.tolerance)
