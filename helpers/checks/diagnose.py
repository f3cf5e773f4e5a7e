"""Find the mistake: which known wrong rule gives what is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..mistakes import Mistake, mistakes_in
from .judge import Basis, without_infinity
from .read import Written

# From this many entries on, one may be mistyped on top of a mistake.
ROOM_FOR_A_TYPO = 6
TYPO, EARLY = "entry.typo", "rounding.early"
# A second mistake is named beside the first when it explains the entries this well: units an entry.
AS_GOOD = 1.0
# A wrong rule can enlarge roundings more than the right one does, up to this factor.
LARGEST_GAIN = 4.0


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

    bases: one's own inputs and the true ones. tolerance: of the right rule, as judged. off: the entries it rejects, or
    an array of another shape when the box has a wrong one.
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


def _claims(given, written: Written, basis: Basis, tolerance, off) -> Iterator[Claim]:
    made = [
        (mistake, variant)
        for mistake in mistakes_in(basis.box)
        for variant in mistake.variants(basis.box, basis.values, basis.result)
        if variant.shape == given.shape
    ]
    if not made:
        return
    same_shape = given.shape == basis.result.shape
    variants = np.stack([variant for _, variant in made])
    tolerances = _tolerances(variants, basis.result, tolerance, written.unit) if same_shape else 2 * written.unit
    with np.errstate(invalid="ignore"):
        distances = np.abs(variants - given)
        fits = (distances <= tolerances) | ~written.filled  # an entry not filled in fits everything
    axes = tuple(range(1, variants.ndim))
    misfits = (~fits).sum(axis=axes)
    units = np.where(fits & written.filled, distances, 0.0).sum(axis=axes) / written.unit
    explains = (fits & off).any(axis=axes) if same_shape else np.ones(len(made), dtype=bool)
    room = int(same_shape and written.filled.sum() >= ROOM_FOR_A_TYPO)
    for k, (mistake, _) in enumerate(made):
        if mistake.label == TYPO:
            fitting = misfits[k] == 1 and room
        else:
            fitting = misfits[k] <= (0 if mistake.label == EARLY else room) and explains[k]
        if fitting:
            yield Claim(mistake, int(misfits[k]), float(units[k]))


def _tolerances(variants: np.ndarray, right: np.ndarray, tolerance: np.ndarray, unit: float) -> np.ndarray:
    """The right rule's tolerance, enlarged for variants that are larger than the right result."""
    axes = tuple(range(1, variants.ndim))
    sizes = np.where(np.abs(variants) < 1e8, np.abs(variants), 0.0).max(axis=axes)
    size = np.where(np.abs(right) < 1e8, np.abs(right), 0.0).max()
    gain = np.clip(sizes / max(size, unit), 1.0, LARGEST_GAIN)
    return gain.reshape(-1, *[1] * len(axes)) * tolerance
