"""Wrong ways through one attention block. Each rule returns the list of forms in which it can come out."""

import math

from pupils.paper import plus, shape, transpose
from pupils.rules import (
    BLOCKED,
    exponentials,
    masked,
    project,
    raw_scores,
    scores,
    softmax,
)

ROLES = "qkv"


def _source(desk):
    return desk.inputs()[0]


def _whole(desk, role=None):
    """W (d_model, d_model) of this block, all heads: Wq, Wkm, …"""
    return desk.weight(f"W{role or desk.box.family.lower()}{desk.box.mark}")


def _own_columns(desk, W):
    return desk.given.columns(W, desk.box.head)


def _interleaved(desk):
    h = desk.given.heads
    if desk.box.family == "C":
        left, right = desk.inputs()
        return [[[x for pair in zip(a, b, strict=True) for x in pair] for a, b in zip(left, right, strict=True)]]
    W = [row[desk.box.head :: h] for row in _whole(desk)]
    return [project(desk, _source(desk), W)]


def _swapped(desk):
    if desk.box.family == "C":
        left, right = desk.inputs()
        return [[b + a for a, b in zip(left, right, strict=True)]]
    return [project(desk, _source(desk), desk.given.columns(_whole(desk), 1 - desk.box.head))]


def _weights_transposed(desk):
    if desk.box.family == "M":
        return [project(desk, _source(desk), transpose(desk.weight(f"Wo{desk.box.mark}")))]
    return [project(desk, _source(desk), _own_columns(desk, transpose(_whole(desk))))]


def _weights_exchanged(desk):
    others = [role for role in ROLES if role != desk.box.family.lower()]
    return [project(desk, _source(desk), _own_columns(desk, _whole(desk, role))) for role in others]


def _sources_swapped(desk):
    x = desk.see("Z") if desk.box.family == "Q" else desk.see("Y1")
    return [project(desk, x, _own_columns(desk, _whole(desk)))]


def _query_from_y0(desk):
    return [project(desk, desk.see("Y0"), _own_columns(desk, _whole(desk)))]


def _without_positions(desk):
    return [project(desk, desk.see("E_scaled"), _own_columns(desk, _whole(desk)))]


# --- scores --------------------------------------------------------------------------------------


def _raw_over(desk, divisor):
    return [[[r / divisor for r in row] for row in raw_scores(desk, *desk.inputs())]]


def _root(desk, n):
    return desk.pen.note(math.sqrt(n))


def _multiplied(desk):
    root = _root(desk, desk.given.d_k)
    return [[[r * root for r in row] for row in raw_scores(desk, *desk.inputs())]]


def _scores_transposed(desk):
    Q, K = desk.inputs()
    return [scores(desk, K, Q)]


def _k_not_transposed(desk):
    Q, K = desk.inputs()
    product = desk.pen.matmul(Q, K)
    root = _root(desk, desk.given.d_k)
    return [] if product is None else [[[desk.pen.note(r) / root for r in row] for row in product]]


def _heads_mixed(desk):
    return [scores(desk, desk.own("Q"), desk.other("K"))]


def _values_for_keys(desk):
    return [scores(desk, desk.own("Q"), desk.own("V"))]


# --- masks ---------------------------------------------------------------------------------------


def _mask(blocked, filled=BLOCKED):
    """The rule that blocks where blocked(t, j): in B the scores themselves, in A their softmax."""

    def rule(desk):
        S = masked(desk.own("S"), blocked, filled)
        return [S if desk.box.family == "B" else softmax(desk, S)]

    return rule


def _after_softmax(desk):
    return [masked(softmax(desk, desk.own("S")), filled=0.0)]


# --- softmax, mixing -----------------------------------------------------------------------------


def _columns(desk):
    return [transpose(softmax(desk, transpose(_source(desk))))]


def _everything(desk):
    powers = [exponentials(desk, row) for row in _source(desk)]
    total = desk.pen.note(sum(sum(row) for row in powers))
    return [[[power / total for power in row] for row in powers]]


def _no_exp(desk):
    found = []
    for row in _source(desk):
        total = desk.pen.note(sum(s for s in row if not math.isinf(s)))
        if total == 0:
            return []
        found.append([0.0 if math.isinf(s) else s / total for s in row])
    return [found]


def _not_divided(desk):
    return [[exponentials(desk, row) for row in _source(desk)]]


def _copied_scores(desk):
    """Scores for shares; with −∞ among them nobody could go on."""
    if any(math.isinf(s) for row in _source(desk) for s in row):
        return []
    return [[list(row) for row in _source(desk)]]


def _percent(desk):
    return [[[100 * share for share in row] for row in softmax(desk, _source(desk))]]


def _mask_itself(desk):
    """Ones where a key is blocked, or where it may be seen."""
    n = len(_source(desk))
    return [[[float((j > t) == ones) for j in range(n)] for t in range(n)] for ones in (True, False)]


def _stacked(desk):
    left, right = desk.inputs()
    return [[*left, *right]]


def _mix_other_head(desk):
    return [project(desk, desk.own("A"), desk.other("V"))]


def _mix_transposed(desk):
    return [desk.pen.matmul(transpose(desk.own("A")), desk.own("V"))]


def _keys_for_values(desk):
    return [project(desk, desk.own("A"), desk.own("K"))]


def _scores_for_weights(desk):
    return [project(desk, desk.own("S"), desk.own("V"))]


def _summed(desk):
    left, right = desk.inputs()
    return [plus(left, right)] if shape(left) == shape(right) else []


def _no_wo(desk):
    return [[list(row) for row in _source(desk)]]


RULES = {
    "heads.interleaved": _interleaved,
    "heads.swapped": _swapped,
    "weights.transposed": _weights_transposed,
    "weights.exchanged": _weights_exchanged,
    "cross.sources-swapped": _sources_swapped,
    "cross.query-from-y0": _query_from_y0,
    "input.without-positions": _without_positions,
    "scores.not-scaled": lambda desk: _raw_over(desk, 1),
    "scores.divided-by-d_k": lambda desk: _raw_over(desk, desk.given.d_k),
    "scores.divided-by-root-d_model": lambda desk: _raw_over(desk, _root(desk, desk.given.d_model)),
    "scores.multiplied": _multiplied,
    "scores.transposed": _scores_transposed,
    "scores.k-not-transposed": _k_not_transposed,
    "scores.heads-mixed": _heads_mixed,
    "scores.values-for-keys": _values_for_keys,
    "mask.flipped": _mask(lambda t, j: j < t),
    "mask.diagonal": _mask(lambda t, j: j >= t),
    "mask.zero": _mask(lambda t, j: j > t, 0.0),
    "mask.none": _mask(lambda t, j: False),
    "mask.after-softmax": _after_softmax,
    "mask.on-cross": _mask(lambda t, j: j > t),
    "softmax.columns": _columns,
    "softmax.everything": _everything,
    "softmax.no-exp": _no_exp,
    "softmax.not-divided": _not_divided,
    "mix.other-head": _mix_other_head,
    "mix.weights-transposed": _mix_transposed,
    "mix.keys-for-values": _keys_for_values,
    "mix.scores-for-weights": _scores_for_weights,
    "heads.summed": _summed,
    "heads.stacked": _stacked,
    "heads.not-split": lambda desk: [project(desk, _source(desk), _whole(desk))],
    "scores.divided-by-d_model": lambda desk: _raw_over(desk, desk.given.d_model),
    "softmax.forgotten": _copied_scores,
    "softmax.percent": _percent,
    "mask.copied": _mask_itself,
    "output.no-wo": _no_wo,
}
