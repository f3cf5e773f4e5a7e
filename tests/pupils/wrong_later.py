"""Wrong ways through residual sums, norms and the feed-forward network; each rule returns a list of forms."""

import math

from pupils.paper import BOXES, plus, times, transpose
from pupils.rules import EPS, affine, layer_norm, norm_number, norm_parts, own_norm, project, relu

# What a student may add back, or feed forward, instead of the right stream.
EARLIER = {
    "encoder": {"res1": ("E_scaled",), "res2": ("X",), "F_pre": ("X", "res1")},
    "translation": {"res1": ("E_scaled",), "res2": ("Y0",), "res3": ("Y0", "Y1"), "F_pre": ("Y1", "res2")},
}


def _earlier(desk):
    return [desk.see(name) for name in EARLIER[desk.given.unit][desk.box.key]]


def _residual_forgotten(desk):
    return [desk.inputs()[1]]


def _residual_input_only(desk):
    return [desk.inputs()[0]]


def _residual_doubled(desk):
    x, sub = desk.inputs()
    return [plus(times(x, 2), sub)]


def _residual_wrong_stream(desk):
    sub = desk.inputs()[1]
    return [plus(x, sub) for x in _earlier(desk)]


# --- norms ---------------------------------------------------------------------------------------


def _gamma_beta(desk, M):
    k = norm_number(desk)
    return affine(M, desk.weight(f"gamma{k}"), desk.weight(f"beta{k}"))


def _around(desk):
    """The two summands of this norm's residual sum: what came in, and what the sub-layer made of it."""
    summed = next(b for b in BOXES[desk.given.unit] if b.key == desk.box.inputs[0])
    return [desk.see(name) for name in summed.inputs]


def _columns(desk):
    return [_gamma_beta(desk, transpose(layer_norm(desk, transpose(desk.inputs()[0]))))]


def _sample_variance(desk):
    return [_gamma_beta(desk, layer_norm(desk, desk.inputs()[0], less=1))]


def _row_by_row(rule):
    """A rule on (row, mean, deviations, variance) of each row."""

    def made(desk):
        rows = []
        for row in desk.inputs()[0]:
            rows.append(rule(desk, row, *norm_parts(desk, row)))
        return [_gamma_beta(desk, rows)]

    return made


def _by_variance(desk, row, mean, off, variance):
    return [d / (variance + EPS) for d in off]


def _mean_kept(desk, row, mean, off, variance):
    root = desk.pen.note(math.sqrt(variance + EPS)) or math.sqrt(variance + EPS)
    return [x / root for x in row]


def _not_divided(desk, row, mean, off, variance):
    return [x - mean for x in row]


def _before_residual(desk):
    x, sub = _around(desk)
    return [plus(x, own_norm(desk, sub))]


def _of_sub_layer(desk):
    return [own_norm(desk, _around(desk)[1])]


def _of_input(desk):
    return [own_norm(desk, _around(desk)[0])]


# --- feed-forward --------------------------------------------------------------------------------


def _narrow(desk, x):
    return project(desk, x, desk.weight("W2"), desk.weight("b2"))


def _bias_forgotten(desk):
    W = "W1" if desk.box.family == "F_pre" else "W2"
    return [project(desk, desk.inputs()[0], desk.weight(W))]


def _ffn_wrong_stream(desk):
    return [project(desk, x, desk.weight("W1"), desk.weight("b1")) for x in _earlier(desk)]


def _relu_early(desk):
    return [relu(project(desk, desk.inputs()[0], desk.weight("W1"), desk.weight("b1")))]


def _relu_forgotten(desk):
    F_pre = desk.see("F_pre")
    return [[list(row) for row in F_pre]] if desk.box.family == "F_relu" else [_narrow(desk, F_pre)]


def _relu_flipped(desk):
    return [[[min(0.0, x) for x in row] for row in desk.inputs()[0]]]


def _relu_absolute(desk):
    return [[[abs(x) for x in row] for row in desk.inputs()[0]]]


def _relu_after_second(desk):
    return [relu(_narrow(desk, desk.see(name))) for name in ("F_pre", "F_relu")]


RULES = {
    "residual.forgotten": _residual_forgotten,
    "residual.input-only": _residual_input_only,
    "residual.doubled": _residual_doubled,
    "residual.wrong-stream": _residual_wrong_stream,
    "norm.columns": _columns,
    "norm.sample-variance": _sample_variance,
    "norm.variance": _row_by_row(_by_variance),
    "norm.mean-kept": _row_by_row(_mean_kept),
    "norm.not-divided": _row_by_row(_not_divided),
    "norm.forgotten": lambda desk: [[list(row) for row in desk.inputs()[0]]],
    "norm.before-residual": _before_residual,
    "norm.of-sub-layer": _of_sub_layer,
    "norm.of-input": _of_input,
    "ffn.bias-forgotten": _bias_forgotten,
    "ffn.wrong-stream": _ffn_wrong_stream,
    "relu.early": _relu_early,
    "relu.forgotten": _relu_forgotten,
    "relu.flipped": _relu_flipped,
    "relu.absolute": _relu_absolute,
    "relu.after-second": _relu_after_second,
}
