"""What goes wrong in the tasks of the hand traces, task by task: the catalogue's mistakes in one line of a trace."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from ..mistakes.inputs import codes
from .hand_traces import TASKS
from .task import slip

_RIGHT = {task.name: task.reference for task in TASKS}
# Digits that a line may have been rounded to too early.
_DIGITS = range(1, 7)


def _rounded(wrong):
    """Name the slip of rounding too early; wrong(decimals, *args) is the line with rounded parts."""
    return slip(
        "rounding.early", "Your last digits are off. Which digit went first?",
        "Rounds to too few decimals before going on.",
        *(lambda *args, decimals=decimals, wrong=wrong: wrong(decimals, *args) for decimals in _DIGITS),
    )  # fmt: skip


# --- entries -----------------------------------------------------------------------------------


def _scaled(E, id, c, by=lambda d: d**0.5):
    root = E.shape[1] ** 0.5
    return E[id, c], root, E[id, c] * by(E.shape[1])


def _scaled_rounded(decimals, E, id, c):
    root = round(E.shape[1] ** 0.5, decimals)
    return E[id, c], root, E[id, c] * root


def _input(E, id, t, c, scale=True, **choices):
    d = E.shape[1]
    scaled, code = E[id, c] * (d**0.5 if scale else 1), codes(t + 1, d, **choices)[t, c]
    return scaled, code, scaled + code


def _other_wave(E, id, t, c):
    """The neighbour's code: cosine on even columns, sine on odd ones."""
    scaled, code = E[id, c] * E.shape[1] ** 0.5, codes(t + 1, E.shape[1])[t, c ^ 1]
    return scaled, code, scaled + code


_ENTRIES = {
    "scaled_entry": (
        slip("embedding.not-scaled", "This is still the entry of the table. By which number is it multiplied?",
             "Leaves out the factor √d_model.", lambda *args: _scaled(*args, by=lambda d: 1)),
        slip("embedding.times-d_model", "You multiplied by d_model itself. What is √d_model?",
             "Multiplies by d_model, not by its root.", lambda *args: _scaled(*args, by=lambda d: d),
             lambda E, id, c: (E[id, c], float(E.shape[1]), E[id, c] * E.shape[1])),
        _rounded(_scaled_rounded),
    ),
    "input_entry": (
        slip("embedding.not-scaled", "You added the code to an entry as it stands. By which number is it multiplied?",
             "Leaves out the factor √d_model.", lambda *args: _input(*args, scale=False)),
        slip("pe.from-1", "You began with position 1. Which position has the first word?", "Counts positions from 1.",
             lambda *args: _input(*args, start=1)),
        slip("pe.column-as-i", "You used the column's number as i. Columns 2 and 3 share one i: which?",
             "Takes the column index for the pair index i.", lambda *args: _input(*args, exponents=lambda c: 2 * c)),
        slip("pe.cosine-next", "Your cosine turns too slowly. Do sine and cosine of a pair share their angle?",
             "Uses the next pair's divisor for the cosine.",
             lambda *args: _input(*args, exponents=lambda c: 2 * ((c + 1) // 2))),
        slip("pe.base-1000", "Your slower pairs turn too fast. Which base stands in the formula?",
             "Uses base 1,000 instead of 10,000.", lambda *args: _input(*args, base=1000.0)),
        slip("pe.swapped", "An even column has a cosine here. Which of the two comes first?",
             "Exchanges sine and cosine.", _other_wave),
        _rounded(lambda decimals, *args: (
            *(parts := [round(float(x), decimals) for x in _input(*args)[:2]]), sum(parts))),
    ),
}  # fmt: skip


# --- products ----------------------------------------------------------------------------------


def _sum(terms):
    return terms, terms.sum()


def _terms_rounded(decimals, terms):
    return _sum(np.round(terms, decimals))


def _divided(q, k, by):
    terms = q * k
    return terms, terms.sum(), terms.sum() / by


def _column(V_h, c):
    return V_h[:, c % V_h.shape[1]]


_PRODUCTS = {
    "projection_terms": (
        slip("weights.transposed", "You went along a row of W. Does an entry meet a row of W or a column?",
             "Multiplies by a row of W.", lambda x, W, c: _sum(x * W[c])),
        slip("projection.other-column", "These come from another column of W. From which number do columns count?",
             "Takes a neighbouring column.", lambda x, W, c: _sum(x * _column(W, c - 1)),
             lambda x, W, c: _sum(x * _column(W, c + 1))),
        _rounded(lambda decimals, x, W, c: _terms_rounded(decimals, x * W[:, c])),
    ),
    "score_terms": (
        slip("scores.not-scaled", "This is the raw product. Where is the root?", "Does not divide the score by √d_k.",
             lambda q, k: _divided(q, k, 1)),
        slip("scores.divided-by-d_k", "You divided by d_k itself. Where is the root?",
             "Divides the score by d_k, not by its root.", lambda q, k: _divided(q, k, len(q))),
        slip("scores.multiplied", "Your score grew. Is √d_k a factor or a divisor?", "Multiplies the score by √d_k.",
             lambda q, k: _divided(q, k, len(q) ** -0.5)),
        _rounded(lambda decimals, q, k: (
            terms := np.round(q * k, decimals), terms.sum(), terms.sum() / len(q) ** 0.5)),
    ),
    "mix_terms": (
        slip("mix.other-column", "These terms come from another column of V_h. Is c below d_k?",
             "Takes another column of the values, or another head's.",
             *(lambda a, V_h, c, by=by: _sum(a * _column(V_h, c + by)) for by in (-1, 1, 2, -2))),
        _rounded(lambda decimals, a, V_h, c: _terms_rounded(decimals, a * V_h[:, c])),
    ),
}  # fmt: skip


# --- lines -------------------------------------------------------------------------------------


def _shares(m, e):
    return m, e, e.sum(), e / e.sum()


def _softmax_rounded(decimals, s):
    return _shares(s.max(), np.round(np.exp(s - s.max()), decimals))


def _norm(r, eps, ddof=0, root=True, inside=True):
    mean, variance = r.mean(), r.var(ddof=ddof)
    divisor = (np.sqrt(variance + eps) if inside else np.sqrt(variance) + eps) if root else variance + eps
    return mean, variance, divisor, (r - mean) / divisor


def _norm_rounded(decimals, r, eps):
    mean = np.round(r.mean(), decimals)
    variance = np.round(((r - mean) ** 2).mean(), decimals)
    divisor = np.round(np.sqrt(variance + eps), decimals)
    return mean, variance, divisor, (r - mean) / divisor


def _units(alive):
    return np.flatnonzero(alive), np.flatnonzero(~alive)


def _masked(s, seen):
    """A line of exponentials over the entries that are seen; the largest of these is subtracted."""
    e = np.where(seen, np.exp(s - np.max(s, where=seen, initial=-np.inf)), 0.0)
    return e, e.sum(), e / e.sum()


def _not_shared_again(s, t):
    e, total, weights = _masked(s, np.arange(len(s)) >= 0)
    return np.where(np.arange(len(s)) > t, 0, e), total, np.where(np.arange(len(s)) > t, 0, weights)


def _losses(scale):
    return lambda row, label: tuple(scale * loss for loss in _RIGHT["loss_two_ways"](row, label))


def _at(row):
    return np.arange(len(row))


_LINES = {
    "softmax_line": (
        slip("softmax.maximum-left-in", "Is your largest exponential 1?", "Does not subtract the maximum.",
             lambda s: _shares(s.max(), np.exp(s))),
        slip("softmax.not-divided", "These are the exponentials. By what is each of them divided?",
             "Does not divide by the row's sum.", lambda s: (*_shares(s.max(), np.exp(s - s.max()))[:3],
                                                             np.exp(s - s.max()))),
        _rounded(_softmax_rounded),
    ),
    "norm_line": (
        slip("norm.sample-variance", "Did you divide by the row's width, or by one less?",
             "Uses the sample variance (width − 1).", lambda r, eps: _norm(r, eps, ddof=1)),
        slip("norm.eps-outside", "You added eps to the deviation. Is it added before the root is taken or after?",
             "Adds eps outside the root.", lambda r, eps: _norm(r, eps, inside=False)),
        slip("norm.variance", "You divided by the variance. Where is its root?",
             "Divides by the variance, not by its root.", lambda r, eps: _norm(r, eps, root=False)),
        slip("norm.eps", "Your line does not follow eps. Where does it enter the formula?",
             "Leaves out eps, or uses 1e-5 whatever eps was given.", lambda r, eps: _norm(r, 0.0),
             lambda r, eps: _norm(r, tf.EPS)),
        _rounded(_norm_rounded),
    ),
    "live_and_dead": (
        slip("ffn.bias-forgotten", "The product is right. What is added to it?", "Leaves out the bias.",
             lambda x, W1, b1: _units(x @ W1 > 0)),
        slip("units.counted", "These are counts. Which units are they?", "Returns how many units instead of which.",
             lambda x, W1, b1: ((x @ W1 + b1 > 0).sum(), (x @ W1 + b1 <= 0).sum())),
    ),
    "masked_line": (
        slip("mask.none", "Every word is seen. Which of them come later?", "Applies no mask.",
             lambda s, t: _masked(s, _at(s) >= 0)),
        slip("mask.diagonal", "The word does not see itself. What is left for row 0?", "Blocks the word itself too.",
             lambda s, t: _masked(s, _at(s) < t), lambda s, t: _masked(s, _at(s) < max(t, 1))),
        slip("mask.flipped", "Your line looks ahead and not back. Whose past is that?",
             "Blocks the past instead of the future.", lambda s, t: _masked(s, _at(s) >= t),
             lambda s, t: _masked(s, _at(s) > t)),
        slip("mask.zero", "Your blocked scores are 0. How much does e⁰ weigh?",
             "Sets blocked scores to 0 instead of −∞.",
             lambda s, t: _masked(np.where(_at(s) > t, 0.0, s), _at(s) >= 0)),
        slip("mask.after-softmax", "You cut weights away after the softmax. What does your line add up to?",
             "Masks after the softmax, so the line no longer sums to 1.", _not_shared_again),
        slip("softmax.maximum-left-in", "Is your largest exponential 1?", "Does not subtract the maximum.",
             lambda s, t: (e := np.where(_at(s) > t, 0.0, np.exp(s)), e.sum(), e / e.sum())),
        _rounded(lambda decimals, s, t: _shares(0, np.round(_RIGHT["masked_line"](s, t)[0], decimals))[1:]),
    ),
    "loss_two_ways": (
        slip("loss.log10", "Which base undoes eˣ?", "Uses the logarithm to base 10.", _losses(1 / np.log(10)),
             lambda row, label: _other_log(row, label, np.log10)),
        slip("loss.log2", "You used base 2. Which base undoes eˣ?", "Uses the logarithm to base 2.",
             _losses(1 / np.log(2)), lambda row, label: _other_log(row, label, np.log2)),
        slip("loss.no-minus", "The logarithm of a probability is negative. What turns it into a loss?",
             "Leaves out the minus sign.", _losses(-1)),
    ),
}  # fmt: skip


def _other_log(row, label, log):
    """Both ways with one logarithm: the one from logits subtracts a logit from it, which mixes two bases."""
    e = np.exp(row - row.max())
    return -log(e[label] / e.sum()), row.max() + log(e.sum()) - row[label]


SLIPS = _ENTRIES | _PRODUCTS | _LINES
