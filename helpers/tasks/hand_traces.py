"""The tasks of the hand traces: one line of a trace each, with its terms and its result."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from ..trace import course_run
from .draws import FRESH_SIZES, draw_ffn, draw_ids, fresh_each, matrix
from .task import Case, Task

# --- references --------------------------------------------------------------------------------


def _scaled_entry(E, id, c):
    root = np.sqrt(E.shape[1])
    return E[id, c], root, tf.embed([id], E)[0, c]


def _input_entry(E, id, t, c):
    scaled, code = tf.embed([id], E)[0, c], tf.positional_encoding(t + 1, E.shape[1])[t, c]
    return scaled, code, tf.add(scaled, code)


def _projection_terms(x, W, c):
    return x * W[:, c], tf.project(x, W)[c]


def _score_terms(q, k):
    raw = tf.raw_scores(q[None], k[None])[0, 0]
    return q * k, raw, tf.scale_scores(raw, len(q))


def _softmax_line(s):
    m = s.max()
    e = np.exp(s - m)
    return m, e, e.sum(), tf.softmax(s)


def _mix_terms(a, V_h, c):
    return a * V_h[:, c], tf.mix(a, V_h)[c]


def _norm_line(r, eps):
    mean = r.mean()
    variance = ((r - mean) ** 2).mean()
    ones = np.ones_like(r)
    return mean, variance, np.sqrt(variance + eps), tf.layer_norm(r, ones, 0 * ones, eps)


def _live_and_dead(x, W1, b1):
    active = tf.relu(tf.project(x, W1, b1)) > 0
    return np.flatnonzero(active), np.flatnonzero(~active)


def _masked_line(s, t):
    blocked = tf.causal_mask(len(s))[t]
    _, e, _, weights = _softmax_line(tf.block(s, blocked))
    return e, e.sum(), weights


def _loss_two_ways(row, label):
    return tf.nll(tf.softmax(row[None]), [label])[0], tf.cross_entropy(row[None], [label])[0]


# --- visible and fresh cases -------------------------------------------------------------------


def _word(words, row):
    """A word as the label of a case, with its position when it comes twice."""
    return f"word {words[row]}" + (f" (position {row})" if words.count(words[row]) > 1 else "")


def _read(row):
    return _word(list(course_run().src_words), row)


def _written(row):
    return _word(list(course_run().tgt_words), row)


def _entry_cases(row):
    """Entries of the course run's table, three words at three components."""
    run = course_run()
    places = ((row, 0), (1, 7), (4, 2))
    return [Case(f"{_read(t)}, component {c}", (run.E, int(run.encoder.ids[t]), t, c)) for t, c in places]


def _without_position(cases):
    return [Case(case.label, (case.args[0], case.args[1], case.args[3])) for case in cases]


def _entry_fresh(rng):
    (ids, E), d = draw_ids(rng, FRESH_SIZES[1], 2), FRESH_SIZES[1].d_model
    return [
        Case(
            "a fresh table, an even component", (E, int(ids[0]), int(rng.randint(1, 9)), int(2 * rng.randint(d // 2)))
        ),
        Case(
            "a fresh table, an odd component",
            (E, int(ids[1]), int(rng.randint(1, 9)), int(2 * rng.randint(d // 2) + 1)),
        ),
    ]


def _projection_cases(row):
    enc = course_run().encoder
    return [
        Case(f"{_read(row)}, component 0 of Q", (enc.X[row], enc.Wq, 0)),
        Case(f"{_read(row)}, component 7 of V", (enc.X[row], enc.Wv, 7)),
        Case("a matrix that is not square", (enc.N1[row], enc.W1, 31)),
    ]


def _score_cases(row):
    enc = course_run().encoder
    return [
        Case(f"{_read(row)} asks, word cat answers, head 0", (enc.Q0[row], enc.K0[1])),
        Case(f"{_read(row)} asks itself, head 1", (enc.Q1[row], enc.K1[row])),
        Case("vectors of nine numbers", (enc.S0[0], enc.S0[1])),
    ]


def _line_cases(row):
    enc = course_run().encoder
    return [
        Case(f"{_read(row)}, head 0", (enc.S0[row],)),
        Case(f"{_read(row)}, head 1", (enc.S1[row],)),
        Case("scores around 1000", (np.array([1000.0, 1001.0, 999.0]),)),
    ]


def _mix_cases(row):
    enc = course_run().encoder
    return [
        Case(f"{_read(row)}, head 0, component 0", (enc.A0[row], enc.V0, 0)),
        Case(f"{_read(row)}, head 1, component 3", (enc.A1[row], enc.V1, 3)),
    ]


def _norm_cases(row):
    enc = course_run().encoder
    return [
        Case(f"{_read(row)}, before N1", (enc.res1[row], 1e-5)),
        Case(f"{_read(row)}, before Z", (enc.res2[row], 1e-5)),
        Case("a row of equal numbers and a large eps", (np.full(4, 3.0), 0.5)),
    ]


def _dead_cases(row):
    enc = course_run().encoder
    return [
        Case(_read(row), (enc.N1[row], enc.W1, enc.b1)),
        Case(f"{_read(row)}, with a bias", (enc.N1[row], enc.W1, np.linspace(-1, 1, 32))),
    ]


def _masked_cases(row):
    dec = course_run().decoder
    return [
        Case(f"{_written(row)}, head 0", (dec.Sm0[row], row)),
        Case("the first row, which sees itself alone", (dec.Sm0[0], 0)),
        Case("the last row, which sees all", (dec.Sm1[6], 6)),
    ]


def _loss_cases(row):
    dec = course_run().decoder
    return [
        Case(_written(row), (dec.logits[row], int(dec.labels[row]))),
        Case("word by", (dec.logits[6], 2)),
    ]


def _rows_fresh(rng, *shapes):
    return [Case("fresh numbers", tuple(matrix(rng, *shape) for shape in shapes))]


# --- the table of tasks ------------------------------------------------------------------------


# The words that are taken when the student chooses none: mat and tiny.
_ROWS = {"encoder": 5, "decoder": 3}


def _task(name, signature, reference, cases, fresh, *returns, side="encoder"):
    def visible(row=_ROWS[side]):
        return cases(row)

    return Task(name, "hand_traces", f"{name}({signature})", returns, reference, visible, fresh, side)


TASKS = (
    _task("scaled_entry", "E, id, c", _scaled_entry, lambda row: _without_position(_entry_cases(row)),
          lambda rng: _without_position(_entry_fresh(rng)), "entry", "root", "scaled"),
    _task("input_entry", "E, id, t, c", _input_entry, _entry_cases, _entry_fresh,
          "scaled", "code", "sum"),
    _task("projection_terms", "x, W, c", _projection_terms, _projection_cases,
          lambda rng: [Case("fresh numbers", (matrix(rng, 6), matrix(rng, 6, 10), int(rng.randint(10))))],
          "terms", "result"),
    _task("score_terms", "q, k", _score_terms, _score_cases, lambda rng: _rows_fresh(rng, (3,), (3,)),
          "terms", "raw", "scaled"),
    _task("softmax_line", "s", _softmax_line, _line_cases, lambda rng: _rows_fresh(rng, (6,)),
          "m", "exponentials", "total", "weights"),
    _task("mix_terms", "a, V_h, c", _mix_terms, _mix_cases,
          lambda rng: [Case("fresh numbers", (tf.softmax(matrix(rng, 5)), matrix(rng, 5, 3), int(rng.randint(3))))],
          "terms", "result"),
    _task("norm_line", "r, eps", _norm_line, _norm_cases,
          lambda rng: [Case("fresh numbers", (2 * matrix(rng, 6) + 1, 1e-5)),
                       Case("a fresh eps", (matrix(rng, 6), 0.1))],
          "mean", "variance", "divisor", "row"),
    _task("live_and_dead", "x, W1, b1", _live_and_dead, _dead_cases,
          lambda rng: fresh_each(rng, lambda r, s, n: (draw_ffn(r, s, 1)[0][0], *draw_ffn(r, s, 1)[1:3])),
          "live", "dead"),
    _task("masked_line", "s, t", _masked_line, _masked_cases,
          lambda rng: [Case("fresh scores", (2 * matrix(rng, 6), int(rng.randint(1, 5))))],
          "exponentials", "total", "weights", side="decoder"),
    _task("loss_two_ways", "row, label", _loss_two_ways, _loss_cases,
          lambda rng: [Case("fresh logits", (3 * matrix(rng, 12), int(rng.randint(12))))],
          "from_probability", "from_logits", side="decoder"),
)  # fmt: skip
