"""A task as a walk over the boxes of the table, and the same walk with one mistake in it.

What a student's function computes in one go is a few boxes of the table, from its arguments to its results. Its known
wrong versions are the catalogue's: the walk with one mistake in every box that one piece of code serves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from ..boxes import Box, decoder_boxes, encoder_boxes
from ..mistakes import Mistake, mistakes_in
from .coding import CODING

# Slips of the pen, and of the eye in one row alone: code treats every row and entry alike.
NOT_IN_CODE = frozenset(
    {
        "entry.sign", "entry.typo", "rows.exchanged", "columns.exchanged", "matrix.transposed", "row.copied",
        "rounding.early", "rows.wrong-row",
        # In code the same as residual.forgotten and residual.input-only.
        "norm.of-sub-layer", "norm.of-input",
    }
)  # fmt: skip
# Mistakes inside a function that serves every norm: it makes them at all of them or nowhere.
IN_EVERY_NORM = frozenset(
    {
        "norm.columns", "norm.sample-variance", "norm.variance", "norm.mean-kept", "norm.not-divided",
        "norm.gamma-beta", "norm.eps-outside", "norm.eps",
    }
)  # fmt: skip

# One layer of a walk: its boxes with their places (see place_of), and givens and results by name.
Placed = tuple[tuple[str, Box], ...]
Layer = tuple[Placed, dict]


class NotHere(LookupError):
    """A mistake that cannot be made on these arguments."""


@dataclass(frozen=True, eq=False)
class Wrong:
    """One mistake somewhere in a walk.

    places: place → the mistake made there (see place_of). number: which of the mistake's results.
    """

    label: str
    question: str
    places: Mapping[str, Mistake]
    number: int


@dataclass(frozen=True, eq=False)
class Walk:
    """One task's part of the table.

    stack: "encoder" or "decoder". places: the boxes it walks, heads alike, as in "Q K V"; "" for a whole layer.
    bind: its arguments → givens by the names of the table, h among them if there are heads, one dictionary a layer.
    returns: names of its results. carried: what a layer hands on and its name there, ("Z", "X"), in a stack of
    layers.
    eps: whether its norm takes eps as well.
    """

    stack: str
    places: str
    bind: Callable[..., Sequence[dict]]
    returns: tuple[str, ...]
    carried: tuple[str, str] | None = None
    eps: bool = False

    @np.errstate(all="ignore")
    def right(self, args: tuple) -> list[Layer]:
        """Walk the boxes without a mistake, layer by layer."""
        layers, handed_on = [], {}
        for givens in self.bind(*args):
            boxes = _boxes(self, givens.get("h", 1))
            values = _work_out(boxes, givens | handed_on)
            layers.append((boxes, values))
            handed_on = self._hand_on(values)
        return layers

    @np.errstate(all="ignore")
    def spoil(self, layers: Sequence[Layer], wrong: Wrong):
        """Walk again with a mistake in it. Raises NotHere or a ValueError when it cannot be made on these numbers."""
        handed_on, values = {}, {}
        for boxes, right in layers:
            start = 0 if handed_on else _span(boxes, tuple(wrong.places))[0]
            values = _spoilt(boxes[start:], right | handed_on, set(handed_on), wrong)
            handed_on = self._hand_on(values)
        results = tuple(values[name] for name in self.returns)
        return results if len(results) > 1 else results[0]

    @np.errstate(all="ignore")
    def spoil_each(self, layers: Sequence[Layer], wrongs: Sequence[Wrong]) -> list:
        """What spoil gives for many mistakes, None where it raises; in one layer they share the way to its end."""
        if len(layers) != 1 or len(self.returns) != 1:
            return [_tried(partial(self.spoil, layers, wrong)) for wrong in wrongs]
        ((boxes, right),) = layers
        results, waiting = [None] * len(wrongs), {}
        for k, wrong in enumerate(wrongs):
            start, end = _span(boxes, tuple(wrong.places))
            values = _tried(partial(_spoilt, boxes[start:end], dict(right), set(), wrong))
            if values is not None and end < len(boxes):
                waist = boxes[end - 1][1].key
                waiting.setdefault((end, waist, values[waist].shape), []).append((k, values[waist]))
            elif values is not None:
                results[k] = values[self.returns[0]]
        for (end, waist, _), group in waiting.items():
            stack = np.stack([value for _, value in group])
            values = _tried(partial(_go_on, boxes[end:], right | {waist: stack}, waist))
            for (k, _), result in zip(group, () if values is None else values[self.returns[0]], strict=False):
                results[k] = result
        return results

    def _hand_on(self, values: dict) -> dict:
        return {self.carried[1]: values[self.carried[0]]} if self.carried else {}

    def wrongs(self, layers: Sequence[Layer]) -> tuple[Wrong, ...]:
        """Every mistake that the names at hand allow, in every set of places that one piece of code may serve."""
        boxes, values = layers[0]
        key = boxes, frozenset(values)
        if key not in _KNOWN:
            _KNOWN[key] = tuple(_wrongs(boxes, values))
        return _KNOWN[key]


# Boxes and names at hand → the mistakes they allow; the same for all cases of a task with as many heads.
_KNOWN: dict[tuple[Placed, frozenset], tuple[Wrong, ...]] = {}


def _wrongs(boxes: Placed, values: dict) -> Iterator[Wrong]:
    for label, found in _possible(boxes, values).items():
        numbers = {place: [_results(mistake, place, boxes, values) for mistake in found[place]] for place in found}
        for places in _scopes(label, tuple(found)):
            for at in range(max(len(found[place]) for place in places)):
                which = {place: min(at, len(found[place]) - 1) for place in places}
                made = {place: found[place][k] for place, k in which.items()}
                for number in range(max(numbers[place][k] for place, k in which.items())):
                    yield Wrong(label, made[places[0]].question, made, number)


def place_of(box: Box) -> str:
    """Name of a box without its head, since one function serves all heads: Qm0 and Qm1 are Qm."""
    return box.key if box.head is None else box.key.removesuffix(str(box.head))


@cache
def _boxes(walk: Walk, heads: int) -> Placed:
    boxes = {"encoder": encoder_boxes, "decoder": decoder_boxes}[walk.stack](heads)
    placed = tuple((place_of(box), box) for box in boxes)
    if not walk.places:
        return tuple((place, box) for place, box in placed if box.step.part == "layer")
    chosen = walk.places.split()
    return tuple((place, _with_eps(box) if walk.eps else box) for place, box in placed if place in chosen)


def _with_eps(box: Box) -> Box:
    return replace(box, inputs=(*box.inputs, "eps"))


def _results(mistake: Mistake, place: str, boxes: Placed, values: dict) -> int:
    """How many wrong results a mistake gives in a place."""
    box = next(box for here, box in boxes if here == place)
    return max(1, len(mistake.variants(box, values)))


def _work_out(boxes: Placed, values: dict) -> dict:
    """Walk the boxes as far as the givens allow: an unknown word has no id, and a mistake may still give it one."""
    for _, box in boxes:
        try:
            values[box.step.key] = box.work_out(values)
        except (KeyError, ValueError):
            break
    return values


def _spoilt(boxes: Placed, values: dict, moved: set, wrong: Wrong) -> dict:
    """Work out again what a mistake touches; moved names the givens that are no longer right."""
    for place, box in boxes:
        mistake = wrong.places.get(place)
        if mistake is not None:
            made = mistake.variants(box, values)
            if len(made) <= wrong.number:
                raise NotHere
            values[box.step.key] = made[wrong.number]
        elif not moved.isdisjoint(box.inputs):
            values[box.step.key] = box.work_out(values)
        else:
            continue
        moved.add(box.step.key)
    return values


def _tried(work: Callable):
    """What some work gives, or None where it cannot be done with these numbers."""
    try:
        return work()
    except (LookupError, ValueError):
        return None


@cache
def _span(boxes: Placed, places: tuple[str, ...]) -> tuple[int, int]:
    """Where a mistake begins, and where all that it has changed is in one matrix again (up to and with that matrix).

    A norm is such a matrix; the output of a sub-layer is one too, as long as no norm before it has changed.
    """
    made = [k for k, (place, _) in enumerate(boxes) if place in places]
    waists = {"norm", "M", "F"}
    for k in range(made[0], len(boxes)):
        family = boxes[k][1].family
        if k >= made[-1] and family in waists:
            return made[0], k + 1
        if family == "norm":
            waists = {"norm"}
    return made[0], len(boxes)


def _go_on(boxes: Placed, values: dict, waist: str) -> dict:
    """Walk on from a stack of changed matrices, one for each mistake."""
    moved = {waist}
    for _, box in boxes:
        if not moved.isdisjoint(box.inputs):
            rule = STACKED.get(box.family, box.rule)
            values[box.step.key] = rule(*[values[name] for name in box.inputs])
            moved.add(box.step.key)
    return values


def _join(*heads):
    return np.concatenate(heads, axis=-1)


def _add(a, b):
    if a.shape[-2:] != b.shape[-2:]:
        raise NotHere
    return a + b


# The rules that take no stack as they stand.
STACKED = {"C": _join, "res": _add}


def _possible(boxes: Placed, values: Mapping) -> dict[str, dict[str, list[Mistake]]]:
    """Label → place → the mistakes of that label that can be made there."""
    found: dict[str, dict[str, list[Mistake]]] = {}
    for place, box in boxes:
        for mistake in (*mistakes_in(box), *(m for m in CODING if m.happens_in(box))):
            if mistake.label in NOT_IN_CODE or not mistake.at_hand(box, values):
                continue
            here = found.setdefault(mistake.label, {}).setdefault(place, [])
            if mistake not in here:
                here.append(mistake)
    for places in found.values():
        if "Bm" in places:  # the weights follow from the masked scores
            places.pop("Am", None)
    return found


@cache
def _scopes(label: str, places: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Sets of places where one mistake may sit: all, those of one block, those of one kind, each alone."""
    if label in IN_EVERY_NORM:
        return (places,)
    blocks = [places, *(tuple(p for p in places if p[1:] == mark) for mark in ("", "m", "c"))]
    # One function splits queries, keys and values; keys and values share their source.
    cut_alike = label.startswith(("heads.", "weights.transposed"))
    kinds = ("QKV", "C", "M") if cut_alike else ("QKV", "KV", *"QKVSBAHM")
    alike = [_of_kind(blocks[0], "QKV"), *(_of_kind(block, kind) for block in blocks[1:] for kind in kinds)]
    alone = [(place,) for place in places if not _of_kind((place,), "QKVSBAHCM")]
    scopes = dict.fromkeys([*blocks, *alike, *alone])
    return tuple(scope for scope in scopes if scope)


def _of_kind(places: Sequence[str], letters: str) -> tuple[str, ...]:
    """Those of some places that belong to an attention block and have one of these letters: Qm is of kind QKV."""
    return tuple(place for place in places if place[0] in letters and place[1:] in ("", "m", "c"))
