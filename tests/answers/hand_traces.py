"""Answers to the tasks of the hand traces, right and wrong, written with plain loops."""

import math

import numpy as np


def scaled_entry(E, id, c):
    root = len(E[0]) ** 0.5
    return E[id][c], root, E[id][c] * root


def code(t, c, d):
    angle = t / 10000 ** (2 * (c // 2) / d)
    return math.cos(angle) if c % 2 else math.sin(angle)


def input_entry(E, id, t, c, *, first=0):
    scaled = scaled_entry(E, id, c)[2]
    return scaled, code(t + first, c, len(E[0])), scaled + code(t + first, c, len(E[0]))


def projection_terms(x, W, c):
    terms = [x[k] * W[k][c] for k in range(len(x))]
    return terms, math.fsum(terms)


def score_terms(q, k, *, width=math.sqrt):
    terms = [a * b for a, b in zip(q, k, strict=True)]
    return terms, math.fsum(terms), math.fsum(terms) / width(len(q))


def softmax_line(s, *, decimals=None):
    m = max(s)
    e = [math.exp(x - m) for x in s]
    e = e if decimals is None else [round(x, decimals) for x in e]
    return m, e, math.fsum(e), [x / math.fsum(e) for x in e]


def maximum_left_in(s):
    e = np.exp(s)
    return s.max(), e, e.sum(), e / e.sum()


def mix_terms(a, V_h, c):
    terms = [a[j] * V_h[j][c] for j in range(len(a))]
    return terms, math.fsum(terms)


def norm_line(r, eps, *, less=0, inside=True):
    mean = math.fsum(r) / len(r)
    variance = math.fsum((x - mean) ** 2 for x in r) / (len(r) - less)
    divisor = math.sqrt(variance + eps) if inside else math.sqrt(variance) + eps
    return mean, variance, divisor, [(x - mean) / divisor for x in r]


def live_and_dead(x, W1, b1):
    z = [projection_terms(x, W1, u)[1] + b1[u] for u in range(len(b1))]
    return [u for u in range(len(z)) if z[u] > 0], [u for u in range(len(z)) if z[u] <= 0]


def masked_line(s, t, *, sees=lambda j, t: j <= t):
    m = max(x for j, x in enumerate(s) if sees(j, t))
    e = [math.exp(x - m) if sees(j, t) else 0.0 for j, x in enumerate(s)]
    return e, math.fsum(e), [x / math.fsum(e) for x in e]


def loss_two_ways(row, label, *, log=math.log):
    m = max(row)
    total = math.fsum(math.exp(x - m) for x in row)
    return -log(math.exp(row[label] - m) / total), m + log(total) - row[label]


# A second right answer to every task.
RIGHT = {
    "scaled_entry": scaled_entry,
    "input_entry": input_entry,
    "projection_terms": projection_terms,
    "score_terms": score_terms,
    "softmax_line": softmax_line,
    "mix_terms": mix_terms,
    "norm_line": norm_line,
    "live_and_dead": live_and_dead,
    "masked_line": masked_line,
    "loss_two_ways": loss_two_ways,
}

# The slips of the lesson plan and their neighbours: (task, what was done, the wrong function, its label).
SLIPS = [
    ("scaled_entry", "not scaled", lambda E, id, c: (E[id, c], E.shape[1] ** 0.5, E[id, c]), "embedding.not-scaled"),
    ("scaled_entry", "rounded early", lambda E, id, c: (E[id, c], 2.83, E[id, c] * 2.83), "rounding.early"),
    ("input_entry", "position counted from 1", lambda *a: input_entry(*a, first=1), "pe.from-1"),
    ("projection_terms", "a row of W instead of a column",
     lambda x, W, c: (x * W[c], float(np.dot(x, W[c]))), "weights.transposed"),
    ("projection_terms", "rounded early",
     lambda x, W, c: ((x * W[:, c]).round(3), float((x * W[:, c]).round(3).sum())), "rounding.early"),
    ("score_terms", "not scaled", lambda q, k: score_terms(q, k, width=lambda d: 1), "scores.not-scaled"),
    ("score_terms", "divided by d_k", lambda q, k: score_terms(q, k, width=float), "scores.divided-by-d_k"),
    ("softmax_line", "maximum left in", maximum_left_in, "softmax.maximum-left-in"),
    ("softmax_line", "rounded early", lambda s: softmax_line(s, decimals=2), "rounding.early"),
    ("mix_terms", "another column", lambda a, V_h, c: mix_terms(a, V_h, c - 1), "mix.other-column"),
    ("norm_line", "sample variance", lambda r, eps: norm_line(r, eps, less=1), "norm.sample-variance"),
    ("norm_line", "eps outside the root", lambda r, eps: norm_line(r, eps, inside=False), "norm.eps-outside"),
    ("live_and_dead", "bias left out", lambda x, W1, b1: live_and_dead(x, W1, 0 * b1), "ffn.bias-forgotten"),
    ("live_and_dead", "exchanged", lambda *a: live_and_dead(*a)[::-1], "results.exchanged"),
    ("masked_line", "no mask", lambda s, t: masked_line(s, t, sees=lambda j, t: True), "mask.none"),
    ("masked_line", "itself blocked",
     lambda s, t: masked_line(s, t, sees=lambda j, t: j < t or j == t == 0), "mask.diagonal"),
    ("loss_two_ways", "log10", lambda row, label: loss_two_ways(row, label, log=math.log10), "loss.log10"),
    ("loss_two_ways", "without the minus",
     lambda row, label: tuple(-x for x in loss_two_ways(row, label)), "loss.no-minus"),
]  # fmt: skip
