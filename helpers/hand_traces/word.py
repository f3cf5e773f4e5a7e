"""The trace of one token, whole or one step of it."""

from __future__ import annotations

from functools import reduce
from operator import add

from ..displays.output import Display, shown
from ..trace import Run
from .flow import flow
from .place import Place, index, place_of
from .plan import TRACES, chosen, steps_of
from .sheet import Sheet

MOST_DECIMALS = 12


@shown
def trace_word(
    word: str | int,
    run: Run | None = None,
    side: str = "encoder",
    step: str | None = None,
    component: int | None = None,
    head: int | None = None,
    layer: int = 1,
    decimals: int = 6,
    key: str | int | None = None,
    unit: int | None = None,
    candidates: object = None,
) -> Display:
    """Show every operation on one token, written out and compared with the arrays of the run.

    Args:
        word: the token, as a word or as a position counted from 0; a word that occurs twice needs its position.
        run: from forward_pass(example); without it the course run.
        side: "encoder" (steps A.1 to A.11, §3.1 to §3.5) or "decoder" (B.0 to B.10, and §5.4).
        step: one step, such as "A.5"; without it the complete trace of one layer.
        component: the component to write out, 0 to d_model − 1; it belongs to head component // d_k.
        head: the head to follow; alone it means that head's first component. Without both, component 0 of head 0.
        layer: which layer of the stack, from 1; from layer 2 on, the trace starts with the row from the layer below.
        decimals: digits after the point; the factors of a product have four.
        key: word or position of the key to write out, else the one with the largest score.
        unit: FFN unit to write out, else the liveliest one and the one cut deepest.
        candidates: ids or words whose logits are written out, else the label and the favourite.

    Raises:
        PlainError: the word, the step or another argument does not fit the run.
    """
    decimals = index("decimals", decimals, MOST_DECIMALS + 1)
    place = place_of(word, run, side, layer, component, head, key, unit, candidates)
    layers = place.run.sizes.layers
    there = [(label, TRACES[side][label].makes) for label in steps_of(side, layer, layers)]
    start = "word" if layer == 1 else f"layer {layer - 1}"
    parts, checked, off = [], 0, 0
    for label, writers in chosen(step, side, layer, layers).items():
        sheet = Sheet(decimals)
        for write in writers:
            write(place, sheet)
        sheet.close()
        parts.append(flow(_whereabouts(place), start, there, label) + sheet.display)
        checked, off = checked + sheet.checked, off + sheet.off
    if step is None:
        parts = [_opening(place), *parts, _closing(place, checked, off)]
    return reduce(add, parts)


def _whereabouts(place: Place) -> str:
    layers = place.run.sizes.layers
    depth = f", layer {place.layer} of {layers}" if layers > 1 else ""
    return f"{place.word}, position {place.row} of the {place.side}{depth}"


def _opening(place: Place) -> Display:
    sheet = Sheet()
    sheet.title(f"Trace of {_whereabouts(place)}", f"component {place.component} written out, head {place.head}")
    return sheet.display


def _closing(place: Place, checked: int, off: int) -> Display:
    sheet = Sheet()
    sheet.checked, sheet.off = checked, off
    sheet.title(f"End of the trace of {_whereabouts(place)}")
    sheet.close()
    return sheet.display
