"""The tasks of the encoder lesson, in its order."""

from __future__ import annotations

import numpy as np

from .. import counts
from .. import transformer as tf
from ..examples import xavier_limit
from ..sizes import Sizes, shape_in
from ..steps import encoder_steps
from ..trace import course_run
from .draws import (
    FRESH_SIZES,
    draw_ffn,
    draw_ids,
    draw_norm,
    draw_qkv,
    draw_self_attention,
    draw_weights,
    fresh_each,
    matrix,
    plain_cases,
)
from .task import Case, Task

# Keys of the dictionary that `shapes` returns → the step of the table whose shape it is.
SHAPE_KEYS = {
    "X": "X",
    "Q_h": "Q0",
    "K_h": "K0",
    "V_h": "V0",
    "S_h": "S0",
    "A_h": "A0",
    "H_h": "H0",
    "C": "C",
    "M": "M",
    "N1": "N1",
    "F_pre": "F_pre",
    "F_relu": "F_relu",
    "F": "F",
    "Z": "Z",
}


# --- references that are no single function of the engine --------------------------------------


def shapes(n, d_model, h, d_ff):
    """Shapes of the steps of one encoder layer, by the names of SHAPE_KEYS."""
    symbols = Sizes(d_model, h, d_ff, vocab=1).symbols(n_src=n)
    steps = {step.key: step for step in encoder_steps(h)}
    return {name: shape_in(symbols, steps[key].shape) for name, key in SHAPE_KEYS.items()}


def _order_gap(f, X, perm):
    return np.abs(f(X[perm]) - f(X)[perm]).max()


def _binary_code(n, bits):
    return np.arange(n)[:, None] >> np.arange(bits) & 1


def _self_attention(X, Wq, Wk, Wv, Wo, h):
    return tf.multi_head_attention(X, X, Wq, Wk, Wv, Wo, h)


def _dead_units(x, W1, b1):
    return (tf.relu(tf.project(x, W1, b1)) == 0).sum(axis=1)


def _encoder_parameters(d_model, d_ff, layers):
    return counts.encoder_parameters(Sizes(d_model, 1, d_ff, vocab=1, layers=layers))


def _encoder_multiply_adds(n, d_model, d_ff, layers):
    # The number of heads cancels: h heads of width d_model / h.
    return counts.encoder_multiply_adds(Sizes(d_model, 1, d_ff, vocab=1, layers=layers), n)


# --- visible and fresh cases, task by task -----------------------------------------------------


def _on_course(*args, columns=None):
    return Case("the course run", args, rows=course_run().src_words, columns=columns)


def _shapes_cases():
    return [
        Case("the course run", (9, 8, 2, 32)),
        Case("one word", (1, 8, 2, 32)),
        Case("the paper's sizes", (9, 512, 8, 2048)),
    ]


def _shapes_fresh(rng):
    n = int(rng.randint(13, 40))
    return [
        Case("fresh sizes, three heads", (n, 12, 3, 20)),
        Case("fresh sizes, one head", (n + 1, 6, 1, 10)),
    ]


def _token_cases():
    run = course_run()
    unknown = (["the", "zebra", "sat"], run.vocabulary)
    return [
        Case("the course run", (list(run.src_words), run.vocabulary), rows=run.src_words),
        Case("a single word", (["mat"], run.vocabulary)),
        Case("a word that is not in the vocabulary", unknown, raises=True),
    ]


def _token_fresh(rng):
    words = ["a", "dog", "bites", "man", "and", "runs"]
    vocabulary = dict(zip(words, rng.permutation(90)[: len(words)].tolist(), strict=True))
    sentence = [words[k] for k in rng.randint(0, len(words), 9)]
    return [
        Case("a fresh sentence", (sentence, vocabulary)),
        Case("an unknown word in a fresh vocabulary", ([*sentence, "horse"], vocabulary), raises=True),
    ]


def _embed_cases():
    run = course_run()
    return [_on_course(run.encoder.ids, run.E), Case("a single id", (np.array([2]), run.E))]


def _order_cases():
    run = course_run()
    reverse = np.arange(len(run.src_words))[::-1]
    # A cycle is not its own inverse, so it tells f(X)[perm] from f(X) put back in order.
    cycle = np.roll(np.arange(len(run.src_words)), 2)

    def layer(X):
        return tf.encoder_layer(X, run.example.encoder_layers[0], run.sizes.heads)

    def with_positions(X):
        return layer(X + run.encoder.PE)

    return [
        Case("a layer without positions, words reversed", (layer, run.encoder.E_scaled, reverse)),
        Case("a layer with positions, words reversed", (with_positions, run.encoder.E_scaled, reverse)),
        Case("a layer with positions, words moved on by two", (with_positions, run.encoder.E_scaled, cycle)),
    ]


def _order_fresh(rng):
    W = matrix(rng, 6, 6)
    cycle = np.roll(np.arange(5), 2)
    X = matrix(rng, 5, 6)
    return [
        Case("a fresh function that reads the order", (lambda x: np.cumsum(x @ W, axis=0), X, cycle)),
        Case("a fresh function that does not", (lambda x: np.tanh(x @ W), X, cycle)),
    ]


def _shift_cases():
    return [
        Case("k = 3, pair 0 of the course run", (3, 0, 8)),
        Case("k = 3, pair 1 of the course run", (3, 1, 8)),
        Case("k = 0", (0, 2, 8)),
        Case("k = −2", (-2, 1, 8)),
    ]


def _shift_fresh(rng):
    k = int(rng.randint(2, 9))
    return [Case("a fresh step forward", (k, 1, 6)), Case("a fresh step back", (-k, 2, 12))]


def _norm_cases():
    enc = course_run().encoder
    ramp = np.linspace(-1, 1, 8)
    return [
        _on_course(enc.res1, enc.gamma1, enc.beta1),
        Case("a constant row, which becomes beta", (np.full((1, 8), 3.0), 1 + ramp, ramp)),
        Case("gamma and beta that are not 1 and 0", (enc.X, 1 + ramp, ramp)),
        Case("a large eps, 0.5", (enc.X, enc.gamma1, enc.beta1, 0.5)),
    ]


def _norm_fresh(rng):
    gamma, beta = draw_norm(rng, FRESH_SIZES[0], 1)[1:]
    return [
        *fresh_each(rng, draw_norm),
        Case("a fresh constant row", (np.full((2, 6), 7.0), gamma, beta)),
        Case("a fresh eps", (matrix(rng, 3, 6), gamma, beta, 0.1)),
    ]


def _softmax_cases():
    run = course_run()
    return [
        _on_course(run.encoder.S0, columns=run.src_words),
        Case("a single row", (np.array([[1.0, 0.0, 0.5]]),)),
        Case("scores around 1000", (np.array([[1000.0, 1001.0], [1002.0, 1000.0]]),)),
    ]


def _softmax_fresh(rng):
    S = 3 * matrix(rng, 4, 6)
    return [
        Case("fresh scores", (S,)),
        Case("fresh scores far from zero", (S.T - 2000,)),
        Case("one fresh column", (S[:, :1],)),
    ]


def _attention_cases():
    enc = course_run().encoder
    return [
        _on_course(enc.Q0, enc.K0, enc.V0),
        Case("two queries, nine keys", (enc.Q0[:2], enc.K0, enc.V0)),
        Case("values wider than keys", (enc.Q0, enc.K0, enc.X)),
        Case("as many words as a head is wide", (enc.Q0[:4], enc.K0[:4], enc.V0[:4])),
    ]


def _attention_fresh(rng):
    Q, K, V = draw_qkv(rng, FRESH_SIZES[0], 4)
    return [*fresh_each(rng, draw_qkv), Case("fresh scores around 1000", (400 * Q, 400 * K, V))]


def _split_cases():
    Q = course_run().encoder.X
    return [_on_course(Q, 2), Case("one word", (Q[:1], 4)), Case("one head", (Q, 1))]


def _merge_cases():
    return [
        Case(case.label, (tf.split_heads(*case.args),), rows=case.rows)
        for case in _split_cases()
    ]  # fmt: skip


def _self_attention_cases():
    enc = course_run().encoder
    W = enc.Wq, enc.Wk, enc.Wv, enc.Wo
    return [
        _on_course(enc.X, *W, 2),
        Case("one word", (enc.X[:1], *W, 2)),
        Case("four heads", (enc.X, *W, 4)),
        Case("as many words as a head is wide", (enc.X[:4], *W, 2)),
    ]


def _add_norm_cases():
    enc = course_run().encoder
    ramp = np.linspace(-1, 1, 8)
    return [
        _on_course(enc.X, enc.M, enc.gamma1, enc.beta1),
        Case("gamma and beta that are not 1 and 0", (enc.X, enc.M, 1 + ramp, ramp)),
        Case("one word", (enc.X[:1], enc.M[:1], enc.gamma1, enc.beta1)),
    ]


def _ffn_cases():
    enc = course_run().encoder
    b1, b2 = np.linspace(-1, 1, 32), np.linspace(-2, 2, 8)
    return [
        _on_course(enc.N1, enc.W1, enc.b1, enc.W2, enc.b2),
        Case("biases that are not 0", (enc.N1, enc.W1, b1, enc.W2, b2)),
        Case("one word", (enc.N1[:1], enc.W1, b1, enc.W2, b2)),
    ]


def _dead_cases():
    return [Case(case.label, case.args[:3], rows=case.rows) for case in _ffn_cases()]


def _dead_fresh(rng):
    return fresh_each(rng, lambda *draw: draw_ffn(*draw)[:3])


def _layer_cases():
    run = course_run()
    w = run.example.encoder_layers[0]
    other = draw_weights(np.random.RandomState(1), run.sizes)
    return [
        _on_course(run.encoder.X, w, 2),
        Case("one word", (run.encoder.X[:1], w, 2)),
        Case("biases, gamma and beta that are not 0 and 1", (run.encoder.X, other, 4)),
    ]


def _encoder_cases():
    run = course_run()
    w = run.example.encoder_layers[0]
    other = draw_weights(np.random.RandomState(1), run.sizes)
    X = run.encoder.X
    return [
        _on_course(X, [w], 2),
        Case("two layers", (X, [w, other], 2)),
        Case("no layers at all", (X, [], 2)),
    ]


def _encoder_fresh(rng):
    return [
        Case(f"fresh numbers, {layers} layers",
             (matrix(rng, 4, sizes.d_model), [draw_weights(rng, sizes) for _ in range(layers)], sizes.heads))
        for sizes, layers in ((FRESH_SIZES[0], 3), (FRESH_SIZES[1], 1), (FRESH_SIZES[0], 0))
    ]  # fmt: skip


# --- the table of tasks ------------------------------------------------------------------------


def _task(name, signature, reference, visible, fresh, returns=("the result",)):
    return Task(name, "encoder", f"{name}({signature})", returns, reference, visible, fresh)


TASKS = (
    _task("shapes", "n, d_model, h, d_ff", shapes, _shapes_cases, _shapes_fresh, tuple(SHAPE_KEYS)),
    _task("token_ids", "words, vocabulary", tf.token_ids, _token_cases, _token_fresh),
    _task("xavier_limit", "m, n", xavier_limit,
          lambda: plain_cases("a matrix", (8, 8), (8, 32), (500, 8)),
          lambda rng: plain_cases("a fresh matrix", tuple(rng.randint(2, 90, 2).tolist()), (3, 1))),
    _task("embed", "ids, E", tf.embed, _embed_cases, lambda rng: fresh_each(rng, draw_ids)),
    _task("order_gap", "f, X, perm", _order_gap, _order_cases, _order_fresh),
    _task("binary_code", "n, bits", _binary_code,
          lambda: plain_cases("n, bits =", (9, 4), (1, 3), (8, 3)),
          lambda rng: plain_cases("fresh n, bits =", (int(rng.randint(17, 60)), 6), (5, 2))),
    _task("positional_encoding", "n, d_model", tf.positional_encoding,
          lambda: [_on_course(9, 8), *plain_cases("n, d_model =", (1, 8), (6, 4))],
          lambda rng: plain_cases("fresh n, d_model =", (int(rng.randint(20, 60)), 512), (7, 6), (3, 2))),
    _task("shift_matrix", "k, i, d_model", tf.shift_matrix, _shift_cases, _shift_fresh),
    _task("encoder_input", "ids, E", tf.input_vectors, _embed_cases, lambda rng: fresh_each(rng, draw_ids)),
    _task("layer_norm", "x, gamma, beta, eps=1e-5", tf.layer_norm, _norm_cases, _norm_fresh),
    _task("softmax", "s", tf.softmax, _softmax_cases, _softmax_fresh),
    _task("attention", "Q, K, V", tf.attention, _attention_cases, _attention_fresh, ("H", "A")),
    _task("split_heads", "M, h", tf.split_heads, _split_cases,
          lambda rng: fresh_each(rng, lambda r, s, n: (matrix(r, n, s.d_model), s.heads))),
    _task("merge_heads", "H", tf.merge_heads, _merge_cases,
          lambda rng: fresh_each(rng, lambda r, s, n: (matrix(r, s.heads, n, s.d_k),))),
    _task("self_attention", "X, Wq, Wk, Wv, Wo, h", _self_attention, _self_attention_cases,
          lambda rng: fresh_each(rng, draw_self_attention)),
    _task("add_norm", "x, sub, gamma, beta", tf.add_norm, _add_norm_cases,
          lambda rng: fresh_each(rng, lambda r, s, n: (matrix(r, n, s.d_model), *draw_norm(r, s, n)))),
    _task("ffn", "x, W1, b1, W2, b2", tf.ffn, _ffn_cases, lambda rng: fresh_each(rng, draw_ffn)),
    _task("dead_units", "x, W1, b1", _dead_units, _dead_cases, _dead_fresh),
    _task("encoder_layer", "X, w, h", tf.encoder_layer, _layer_cases,
          lambda rng: fresh_each(rng, lambda r, s, n: (matrix(r, n, s.d_model), draw_weights(r, s), s.heads))),
    _task("encoder", "X, layers, h", tf.encoder, _encoder_cases, _encoder_fresh),
    _task("encoder_parameters", "d_model, d_ff, layers", _encoder_parameters,
          lambda: plain_cases("d_model, d_ff, layers =", (8, 32, 1), (512, 2048, 1), (512, 2048, 6)),
          lambda rng: plain_cases("fresh d_model, d_ff, layers =", (12, int(rng.randint(20, 60)), 3), (6, 9, 1))),
    _task("encoder_multiply_adds", "n, d_model, d_ff, layers", _encoder_multiply_adds,
          lambda: plain_cases("n, d_model, d_ff, layers =", (9, 8, 32, 1), (1, 8, 32, 1), (9, 512, 2048, 6)),
          lambda rng: plain_cases("fresh n, d_model, d_ff, layers =", (int(rng.randint(11, 40)), 12, 50, 2))),
)  # fmt: skip
