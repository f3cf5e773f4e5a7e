"""The catalogue of slips as students make them: where each can happen, and how the box comes out then.

`slipped(label, desk, written, rng)` makes one box the wrong way, or returns None where the slip cannot happen.
"""

from functools import cache

from pupils import writing, wrong_attention, wrong_inputs, wrong_later, wrong_output
from pupils.paper import BOXES
from pupils.rules import Stuck

# label → families, and marks: "" encoder, "m" masked block, "c" cross block, "d" the rest of the decoder.
_EVERY = ("", "m", "c", "d")
_MATRICES = "E_rows E_scaled PE input Q K V S B A H C M res norm F_pre F_relu F logits P"
# Where rounding can carry on: boxes that are neither looked up nor copied.
_WORKED_OUT = "E_scaled input Q K V S A H M res norm F_pre F logits P"
WHERE = {
    "ids.by-position": ("ids", _EVERY),
    "ids.counted-from-1": ("ids", _EVERY),
    "ids.not-shifted": ("ids", ("d",)),
    "rows.counted-from-1": ("E_rows", _EVERY),
    "rows.by-position": ("E_rows", _EVERY),
    "rows.wrong-row": ("E_rows", _EVERY),
    "embedding.not-scaled": ("E_scaled input", _EVERY),
    "embedding.times-d_model": ("E_scaled", _EVERY),
    "embedding.divided": ("E_scaled", _EVERY),
    "embedding.scaled-after-pe": ("input", _EVERY),
    "pe.column-as-i": ("PE", _EVERY),
    "pe.cosine-next": ("PE", _EVERY),
    "pe.base-1000": ("PE", _EVERY),
    "pe.halves": ("PE", _EVERY),
    "pe.swapped": ("PE", _EVERY),
    "pe.from-1": ("PE", _EVERY),
    "pe.degrees": ("PE", _EVERY),
    "input.no-pe": ("input", _EVERY),
    "sum.subtracted": ("input res", _EVERY),
    "heads.interleaved": ("Q K V C", _EVERY),
    "heads.swapped": ("Q K V C", _EVERY),
    "weights.transposed": ("Q K V M", _EVERY),
    "weights.exchanged": ("Q K V", _EVERY),
    "cross.sources-swapped": ("Q K V", ("c",)),
    "cross.query-from-y0": ("Q", ("c",)),
    "input.without-positions": ("Q K V", ("", "m")),
    "scores.not-scaled": ("S", _EVERY),
    "scores.divided-by-d_k": ("S", _EVERY),
    "scores.divided-by-root-d_model": ("S", _EVERY),
    "scores.multiplied": ("S", _EVERY),
    "scores.transposed": ("S", _EVERY),
    "scores.k-not-transposed": ("S", _EVERY),
    "scores.heads-mixed": ("S", _EVERY),
    "scores.values-for-keys": ("S", _EVERY),
    "mask.flipped": ("B A", ("m",)),
    "mask.diagonal": ("B A", ("m",)),
    "mask.zero": ("B A", ("m",)),
    "mask.none": ("B A", ("m",)),
    "mask.after-softmax": ("A", ("m",)),
    "mask.on-cross": ("A", ("c",)),
    "softmax.columns": ("A P", _EVERY),
    "softmax.everything": ("A P", _EVERY),
    "softmax.no-exp": ("A P", _EVERY),
    "softmax.not-divided": ("A P", _EVERY),
    "mix.other-head": ("H", _EVERY),
    "mix.weights-transposed": ("H", _EVERY),
    "mix.keys-for-values": ("H", _EVERY),
    "mix.scores-for-weights": ("H", _EVERY),
    "heads.summed": ("C", _EVERY),
    "heads.stacked": ("C", _EVERY),
    "heads.not-split": ("Q K V", _EVERY),
    "scores.divided-by-d_model": ("S", _EVERY),
    "softmax.forgotten": ("A P", ("", "c", "d")),
    "softmax.percent": ("A P", _EVERY),
    "mask.copied": ("B", ("m",)),
    "norm.forgotten": ("norm", _EVERY),
    "loss.perplexity": ("loss", _EVERY),
    "output.no-wo": ("M", _EVERY),
    "residual.forgotten": ("res", _EVERY),
    "residual.input-only": ("res", _EVERY),
    "residual.doubled": ("res", _EVERY),
    "residual.wrong-stream": ("res", _EVERY),
    "norm.columns": ("norm", _EVERY),
    "norm.sample-variance": ("norm", _EVERY),
    "norm.variance": ("norm", _EVERY),
    "norm.mean-kept": ("norm", _EVERY),
    "norm.not-divided": ("norm", _EVERY),
    "norm.before-residual": ("norm", _EVERY),
    "norm.of-sub-layer": ("norm", _EVERY),
    "norm.of-input": ("norm", _EVERY),
    "ffn.bias-forgotten": ("F_pre F", _EVERY),
    "ffn.wrong-stream": ("F_pre", _EVERY),
    "relu.early": ("F_pre", _EVERY),
    "relu.forgotten": ("F_relu F", _EVERY),
    "relu.flipped": ("F_relu", _EVERY),
    "relu.absolute": ("F_relu", _EVERY),
    "relu.after-second": ("F", _EVERY),
    "logits.scaled-table": ("logits", _EVERY),
    "logits.input-rows": ("logits", _EVERY),
    "logits.wrong-stream": ("logits", _EVERY),
    "loss.log10": ("losses", _EVERY),
    "loss.log2": ("losses", _EVERY),
    "loss.no-minus": ("losses loss", _EVERY),
    "loss.not-logged": ("losses", _EVERY),
    "loss.wrong-row": ("losses", _EVERY),
    "loss.of-largest": ("losses", _EVERY),
    "loss.sum": ("loss", _EVERY),
    "loss.of-mean-probability": ("loss", _EVERY),
    "next.first-row": ("next_word", _EVERY),
    "next.smallest": ("next_word", _EVERY),
    "next.column": ("next_word", _EVERY),
    "entry.sign": (f"{_MATRICES} losses", _EVERY),
    "entry.typo": (_MATRICES, _EVERY),
    "rows.exchanged": (f"ids {_MATRICES} losses", _EVERY),
    "columns.exchanged": (_MATRICES, _EVERY),
    "matrix.transposed": (_MATRICES, _EVERY),
    "row.copied": (_MATRICES, _EVERY),
    "rounding.early": (f"{_WORKED_OUT} losses", _EVERY),
}
RULES = wrong_inputs.RULES | wrong_attention.RULES | wrong_later.RULES | wrong_output.RULES
LABELS = tuple(WHERE)
WRITING = writing.WRITING


@cache
def labels_at(box):
    """Every label that the catalogue lists for a box."""
    return tuple(label for label in LABELS if happens_at(label, box))


def happens_at(label, box):
    """Does the catalogue list this slip for this box?"""
    families, marks = WHERE[label]
    return box.family in families.split() and box.mark in marks


def pairs(unit):
    """Every (label, key) of a unit that the catalogue lists; at homework sizes a few of them cannot happen."""
    return [(label, b.key) for b in BOXES[unit] for label in labels_at(b)]


def variants(label, desk):
    """Every way in which this wrong rule can come out at this box, unrounded; [] where it cannot happen."""
    if label not in RULES or not happens_at(label, desk.box):
        return []
    try:
        found = RULES[label](desk)
    except Stuck:
        return []
    return [value for value in found if value is not None]


def slipped(label, desk, written, rng):
    """Make the box the wrong way: (as carried on unrounded, as written), or None where the slip cannot happen.

    desk: what the student works from. written: the box as it should have been written, for slips of writing.
    Where a slip has several forms (which row, which entry, which other stream), rng picks one.
    """
    if not happens_at(label, desk.box):
        return None
    if label in WRITING:
        found = writing.forms(label, desk, written, rng)
        return None if found is None else (found, found)
    found = variants(label, desk)
    if not found:
        return None
    chosen = found[int(rng.integers(len(found)))]
    return chosen, desk.pen.write(chosen)
