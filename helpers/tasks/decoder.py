"""The tasks of the decoder lesson, in its order."""

from __future__ import annotations

import numpy as np

from .. import counts, decoding
from .. import transformer as tf
from ..sizes import Sizes
from ..trace import course_run
from .draws import FRESH_SIZES, draw_weights, fresh_each, matrix, plain_cases
from .task import Case, Task

# --- references that are no single function of the engine --------------------------------------


def _masked_self_attention(Y, Wq, Wk, Wv, Wo, h):
    return tf.multi_head_attention(Y, Y, Wq, Wk, Wv, Wo, h, tf.causal_mask(len(Y)))


def _leaks(decode, ids, t):
    changed = np.array(ids)
    changed[t] = 0 if changed[t] else 1
    return bool(np.abs(decode(changed)[:t] - decode(np.array(ids))[:t]).max() > 1e-9)


def _most_attended(A, words):
    return [words[j] for j in np.argmax(A, axis=1)]


def _decoder_layer(Y, Z, w, h):
    return tf.decoder_layer(Y, Z, w, h, tf.causal_mask(len(Y)))


def _decoder(Y0, Z, layers, h):
    return tf.decoder(Y0, Z, layers, h, tf.causal_mask(len(Y0)))


def _model_parameters(d_model, d_ff, layers, V):
    return counts.model_parameters(Sizes(d_model, 1, d_ff, V, layers))


def _model_multiply_adds(n_src, n_tgt, d_model, d_ff, layers, V):
    return counts.model_multiply_adds(Sizes(d_model, 1, d_ff, V, layers), n_src, n_tgt)


# --- visible and fresh cases, task by task -----------------------------------------------------


def _on_course(*args, columns=None):
    return Case("the course run", args, rows=course_run().tgt_words, columns=columns)


def _course_row():
    return course_run().decoder.logits[-1]


def _shift_cases():
    ids = course_run().decoder.ids[1:]
    return [
        Case("the course run", (ids, 1, 2)),
        Case("a single word", (ids[:1], 1, 2)),
        Case("no word", (ids[:0], 1, 2)),
    ]


def _shift_fresh(rng):
    return [Case("fresh ids", (rng.randint(10, 90, 5), 7, 8))]


def _softmax_cases():
    run = course_run()
    S, blocked = run.decoder.Sm0, run.decoder.blocked
    whole_row = np.array([[True] * 7, [False] * 7])
    return [
        _on_course(S, blocked, columns=run.tgt_words),
        Case("a row that is blocked throughout", (S[:2], whole_row)),
        Case("scores around −1000", (S - 1000, blocked)),
        Case("nothing blocked", (S, np.zeros((7, 7), dtype=bool))),
    ]


def _softmax_fresh(rng):
    blocked = rng.rand(5, 4) < 0.4
    blocked[2] = True
    return [
        Case("fresh scores, one row blocked throughout", (3 * matrix(rng, 5, 4), blocked)),
        Case("fresh scores far from zero", (matrix(rng, 4, 4) - 2000, tf.causal_mask(4))),
    ]


def _masked_attention_cases():
    dec = course_run().decoder
    W = dec.Wqm, dec.Wkm, dec.Wvm, dec.Wom
    return [_on_course(dec.Y0, *W, 2), Case("one row", (dec.Y0[:1], *W, 2)), Case("four heads", (dec.Y0, *W, 4))]


def _masked_attention_fresh(rng):
    def draw(rng, sizes, n):
        w = draw_weights(rng, sizes, "decoder")
        return matrix(rng, n, sizes.d_model), w["Wqm"], w["Wkm"], w["Wvm"], w["Wom"], sizes.heads

    return fresh_each(rng, draw)


def _leak_cases():
    run = course_run()
    Z, layers, h = run.encoder.Z, run.example.decoder_layers, run.sizes.heads

    def masked(ids):
        return decoding.decoder_step(run.example, Z)(ids)

    def unmasked(ids):
        return tf.logits(tf.decoder(tf.input_vectors(ids, run.E), Z, layers, h), run.E)

    ids = run.decoder.ids
    return [
        Case("the course run, its last word changed", (masked, ids, 6)),
        Case("the same without the mask", (unmasked, ids, 6)),
        Case("without the mask, word 1 changed", (unmasked, ids, 1)),
        Case("a decoder that reads nothing", (lambda ids: np.ones((len(ids), 8)), ids, 3)),
    ]


def _leak_fresh(rng):
    table = matrix(rng, 20, 6)
    ids = rng.randint(1, 20, 5)

    def looks_back(ids):
        return np.cumsum(table[ids], axis=0)

    def looks_one_ahead(ids):
        rows = table[ids]
        return rows + np.vstack([rows[1:], rows[:1] * 0])

    return [
        Case("a fresh decoder that looks back", (looks_back, ids, 3)),
        Case("a fresh decoder that looks one word ahead", (looks_one_ahead, ids, 3)),
        Case("a word that is two ahead", (lambda ids: looks_one_ahead(ids)[:2], ids, 4)),
    ]


def _cross_cases():
    run = course_run()
    dec = run.decoder
    W = dec.Wqc, dec.Wkc, dec.Wvc, dec.Woc
    return [
        _on_course(dec.Y1, run.encoder.Z, *W, 2),
        Case("as many words as positions", (dec.Y1, run.encoder.Z[:7], *W, 2)),
        Case("one word read", (dec.Y1, run.encoder.Z[:1], *W, 2)),
        Case("one row that asks", (dec.Y1[:1], run.encoder.Z, *W, 4)),
    ]


def _cross_fresh(rng):
    def draw(rng, sizes, n):
        w = draw_weights(rng, sizes, "decoder")
        Y, Z = matrix(rng, n, sizes.d_model), matrix(rng, n + 3, sizes.d_model)
        return Y, Z, w["Wqc"], w["Wkc"], w["Wvc"], w["Woc"], sizes.heads

    return fresh_each(rng, draw)


def _attended_cases():
    run = course_run()
    return [
        Case("head 0 of the course run", (run.decoder.Ac0, list(run.src_words)), rows=run.tgt_words),
        Case("head 1 of the course run", (run.decoder.Ac1, list(run.src_words)), rows=run.tgt_words),
        Case("two words, one row", (np.array([[0.4, 0.6]]), ["dog", "man"])),
    ]


def _attended_fresh(rng):
    A = tf.softmax(matrix(rng, 6, 4))
    return [Case("fresh weights", (A, ["one", "two", "three", "four"]))]


def _layer_cases():
    run = course_run()
    dec, Z = run.decoder, run.encoder.Z
    other = draw_weights(np.random.RandomState(1), run.sizes, "decoder")
    return [
        _on_course(dec.Y0, Z, run.example.decoder_layers[0], 2),
        Case("one row", (dec.Y0[:1], Z, run.example.decoder_layers[0], 2)),
        Case("biases, gamma and beta that are not 0 and 1", (dec.Y0, Z, other, 4)),
    ]


def _layer_fresh(rng):
    def draw(rng, sizes, n):
        Y, Z = matrix(rng, n, sizes.d_model), matrix(rng, n + 2, sizes.d_model)
        return Y, Z, draw_weights(rng, sizes, "decoder"), sizes.heads

    return fresh_each(rng, draw)


def _decoder_cases():
    run = course_run()
    Y0, Z, w = run.decoder.Y0, run.encoder.Z, run.example.decoder_layers[0]
    other = draw_weights(np.random.RandomState(1), run.sizes, "decoder")
    return [
        _on_course(Y0, Z, [w], 2),
        Case("two layers", (Y0, Z, [w, other], 2)),
        Case("no layers at all", (Y0, Z, [], 2)),
    ]


def _decoder_fresh(rng):
    return [
        Case(
            f"fresh numbers, {layers} layers",
            (
                matrix(rng, 4, sizes.d_model),
                matrix(rng, 6, sizes.d_model),
                [draw_weights(rng, sizes, "decoder") for _ in range(layers)],
                sizes.heads,
            ),
        )
        for sizes, layers in ((FRESH_SIZES[0], 3), (FRESH_SIZES[1], 1), (FRESH_SIZES[0], 0))
    ]


def _logit_cases():
    run = course_run()
    return [_on_course(run.decoder.Y3, run.E), Case("one row, five words", (run.decoder.Y3[:1], run.E[80:85]))]


def _rank_fresh(rng):
    row = matrix(rng, 40)
    return [Case("a fresh row", (row, 11)), Case("its largest entry", (row, int(row.argmax())))]


def _entropy_cases():
    run = course_run()
    return [
        Case("the last row of the course run", (run.decoder.P[-1],)),
        Case("500 equal shares", (np.full(500, 1 / 500),)),
        Case("shares of 0", (np.array([0.5, 0.0, 0.5, 0.0]),)),
    ]


def _row_cases(name, *settings):
    return [Case(f"the last row of the course run, {name} {value}", (_course_row(), value)) for value in settings]


def _row_fresh(rng, name, *settings):
    row = 2 * matrix(rng, 30)
    return [Case(f"a fresh row, {name} {value}", (row, value)) for value in settings]


def _loss_cases():
    run = course_run()
    labels = run.decoder.labels
    return [
        _on_course(run.decoder.logits, labels),
        Case("one row", (run.decoder.logits[:1], labels[:1])),
        Case("logits around 1000", (np.array([[1000.0, 0.0], [0.0, 1000.0]]), np.array([1, 1]))),
    ]


def _loss_fresh(rng):
    return [
        Case("fresh logits", (3 * matrix(rng, 5, 12), rng.randint(0, 12, 5))),
        Case("fresh logits, far apart", (900 * matrix(rng, 4, 6), rng.randint(0, 6, 4))),
    ]


def _smoothed(cases, *eps):
    return [Case(f"{case.label}, eps {e}", (*case.args, e), rows=case.rows) for case, e in zip(cases, eps, strict=True)]


def _generate_cases():
    run = course_run()
    step = decoding.decoder_step(run.example, run.encoder.Z)
    return [
        Case("the course run, eight words at most", (step, 1, 2, 8, decoding.greedy)),
        Case("a decoder that counts down to eos", (_counting(5), 4, 0, 20, decoding.greedy)),
        Case("one word at most", (_counting(5), 4, 0, 1, decoding.greedy)),
    ]


def _counting(V):
    """A step whose last row prefers the id below the newest one; earlier rows prefer nonsense."""

    def step(ids):
        rows = np.zeros((len(ids), V))
        rows[:, V - 1] = 1.0
        rows[-1] = 0.0
        rows[-1, max(ids[-1] - 1, 0)] = 1.0
        return rows

    return step


def _generate_fresh(rng):
    V = int(rng.randint(6, 12))
    return [
        Case("a fresh decoder that stops", (_counting(V), V - 1, 1, 30, decoding.greedy)),
        Case("a fresh decoder and the smallest logit", (_counting(V), V - 1, 1, 5, lambda row: int(np.argmin(row)))),
    ]


def _cache_after(rows, Z, w, h):
    cache = decoding.empty_cache(Z, w, h)
    for y in rows:
        cache = decoding.cached_step(y[None], cache, w, h)[1]
    return cache


def _cache_cases():
    run = course_run()
    Y0, Z, w = run.decoder.Y0, run.encoder.Z, run.example.decoder_layers[0]
    return [
        Case("the course run, its last row", (Y0[-1:], _cache_after(Y0[:-1], Z, w, 2), w, 2)),
        Case("an empty cache", (Y0[:1], _cache_after([], Z, w, 2), w, 2)),
    ]


def _cache_fresh(rng):
    def draw(rng, sizes, n):
        w = draw_weights(rng, sizes, "decoder")
        Y, Z = matrix(rng, n, sizes.d_model), matrix(rng, n + 2, sizes.d_model)
        return Y[-1:], _cache_after(Y[:-1], Z, w, sizes.heads), w, sizes.heads

    return fresh_each(rng, draw)


def _padding_cases():
    return [
        Case("three words and two pads", (np.array([83, 168, 458, 0, 0]), 0)),
        Case("no pad at all", (np.array([83, 168]), 0)),
        Case("a pad that is not 0", (np.array([3, 0, 5, 1, 1]), 1)),
    ]


# --- the table of tasks ------------------------------------------------------------------------


def _task(name, signature, reference, visible, fresh, returns=("the result",)):
    return Task(name, "decoder", f"{name}({signature})", returns, reference, visible, fresh)


TASKS = (
    _task("shift_right", "ids, sos, eos", tf.shift_right, _shift_cases, _shift_fresh, ("inputs", "labels")),
    _task("causal_mask", "n", tf.causal_mask, lambda: plain_cases("n =", (7,), (1,), (3,)),
          lambda rng: plain_cases("fresh n =", (int(rng.randint(9, 20)),), (2,))),
    _task("masked_softmax", "S, blocked", tf.masked_softmax, _softmax_cases, _softmax_fresh),
    _task("masked_self_attention", "Y, Wq, Wk, Wv, Wo, h", _masked_self_attention,
          _masked_attention_cases, _masked_attention_fresh),
    _task("leaks", "decode, ids, t", _leaks, _leak_cases, _leak_fresh),
    _task("cross_attention", "Y, Z, Wq, Wk, Wv, Wo, h", tf.multi_head_attention, _cross_cases, _cross_fresh),
    _task("most_attended", "A, words", _most_attended, _attended_cases, _attended_fresh),
    _task("decoder_layer", "Y, Z, w, h", _decoder_layer, _layer_cases, _layer_fresh),
    _task("decoder", "Y0, Z, layers, h", _decoder, _decoder_cases, _decoder_fresh),
    _task("logits", "Y, E", tf.logits, _logit_cases,
          lambda rng: fresh_each(rng, lambda r, s, n: (matrix(r, n, s.d_model), matrix(r, s.vocab, s.d_model)))),
    _task("rank_of", "row, token", decoding.rank_of, lambda: _row_cases("token", 2, 5, 0), _rank_fresh),
    _task("entropy", "p", decoding.entropy, _entropy_cases,
          lambda rng: [Case("fresh shares with zeros", (decoding.top_k(matrix(rng, 20), 6),))]),
    _task("temperature", "row, T", decoding.temperature, lambda: _row_cases("T", 0.1, 1.0, 5.0),
          lambda rng: _row_fresh(rng, "T", 0.7, 3.0)),
    _task("top_k", "row, k", decoding.top_k, lambda: _row_cases("k", 5, 1, 500),
          lambda rng: _row_fresh(rng, "k", 1, 7)),
    _task("nucleus", "row, p", decoding.nucleus, lambda: _row_cases("p", 0.9, 0.01, 0.5),
          lambda rng: _row_fresh(rng, "p", 1e-6, 0.8)),
    _task("cross_entropy", "logits, labels", tf.cross_entropy, _loss_cases, _loss_fresh),
    _task("smoothed_loss", "logits, labels, eps", tf.smoothed_loss,
          lambda: _smoothed(_loss_cases(), 0.1, 0.0, 0.2), lambda rng: _smoothed(_loss_fresh(rng), 0.1, 0.3)),
    _task("generate", "step, sos, eos, max_len, choose", decoding.generate, _generate_cases, _generate_fresh),
    _task("cached_step", "y, cache, w, h", decoding.cached_step, _cache_cases, _cache_fresh, ("y", "cache")),
    _task("padding_mask", "ids, pad", tf.padding_mask, _padding_cases,
          lambda rng: [Case("fresh ids and another pad", (rng.randint(3, 6, 12), 4))]),
    _task("model_parameters", "d_model, d_ff, layers, V", _model_parameters,
          lambda: plain_cases("d_model, d_ff, layers, V =", (8, 32, 1, 500), (512, 2048, 6, 37000)),
          lambda rng: plain_cases("fresh d_model, d_ff, layers, V =", (12, int(rng.randint(20, 60)), 3, 40))),
    _task("model_multiply_adds", "n_src, n_tgt, d_model, d_ff, layers, V", _model_multiply_adds,
          lambda: plain_cases("n_src, n_tgt, d_model, d_ff, layers, V =",
                              (9, 7, 8, 32, 1, 500), (1, 1, 8, 32, 1, 500)),
          lambda rng: plain_cases("fresh n_src, n_tgt, d_model, d_ff, layers, V =",
                                  (int(rng.randint(11, 40)), 5, 12, 50, 2, 60))),
)  # fmt: skip
