"""Answers to the encoder's tasks, right and wrong, written as a student would and not as the engine does."""

import math

import numpy as np


def softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def blocks(M, h):
    return [M[:, k * M.shape[1] // h : (k + 1) * M.shape[1] // h] for k in range(h)]


def self_attention(X, Wq, Wk, Wv, Wo, h, *, divisor=math.sqrt, axis=-1, cut=blocks):
    """Self-attention with its choices open, so that a slip is one argument."""
    heads = []
    for Q, K, V in zip(*(cut(X @ W, h) for W in (Wq, Wk, Wv)), strict=True):
        heads.append(softmax(Q @ K.T / divisor(Q.shape[1]), axis) @ V)
    return np.hstack(heads) @ Wo


def layer_norm(x, gamma, beta, eps=1e-5, *, axis=-1, ddof=0, root=True):
    mean, var = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True, ddof=ddof)
    return gamma * (x - mean) / (np.sqrt(var + eps) if root else var + eps) + beta


def ffn(x, W1, b1, W2, b2):
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


def positional_encoding(n, d_model, *, base=10000.0, start=0, pair=lambda c: c // 2):
    PE = np.empty((n, d_model))
    for t in range(n):
        for c in range(d_model):
            angle = (t + start) / base ** (2 * pair(c) / d_model)
            PE[t, c] = math.sin(angle) if c % 2 == 0 else math.cos(angle)
    return PE


def encoder_layer(X, w, h, *, residual="N1"):
    M = self_attention(X, w["Wq"], w["Wk"], w["Wv"], w["Wo"], h)
    N1 = layer_norm(X + M, w["gamma1"], w["beta1"])
    F = ffn(N1, w["W1"], w["b1"], w["W2"], w["b2"])
    return layer_norm({"N1": N1, "X": X}[residual] + F, w["gamma2"], w["beta2"])


def shapes(n, d_model, h, d_ff, **changed):
    d_k, wide, square = d_model // h, (n, d_model), (n, n)
    right = dict(X=wide, C=wide, M=wide, N1=wide, F=wide, Z=wide, S_h=square, A_h=square)
    right |= dict(Q_h=(n, d_k), K_h=(n, d_k), V_h=(n, d_k), H_h=(n, d_k), F_pre=(n, d_ff), F_relu=(n, d_ff))
    return right | changed


# A second right answer to every task.
RIGHT = {
    "shapes": shapes,
    "token_ids": lambda words, vocabulary: [vocabulary[w] for w in words],
    "xavier_limit": lambda m, n: math.sqrt(6) / math.sqrt(m + n),
    "embed": lambda ids, E: E[ids] * E.shape[1] ** 0.5,
    "order_gap": lambda f, X, perm: np.max(np.abs(f(X)[perm] - f(X[perm]))),
    "binary_code": lambda n, bits: [[t // 2**b % 2 for b in range(bits)] for t in range(n)],
    "positional_encoding": positional_encoding,
    "shift_matrix": lambda k, i, d: [
        [math.cos(k / 10000 ** (2 * i / d)), math.sin(k / 10000 ** (2 * i / d))],
        [-math.sin(k / 10000 ** (2 * i / d)), math.cos(k / 10000 ** (2 * i / d))],
    ],
    "encoder_input": lambda ids, E: E[ids] * math.sqrt(E.shape[1]) + positional_encoding(len(ids), E.shape[1]),
    "layer_norm": layer_norm,
    "softmax": softmax,
    "attention": lambda Q, K, V: (
        softmax(Q @ K.T / math.sqrt(Q.shape[1])) @ V,
        softmax(Q @ K.T / math.sqrt(Q.shape[1])),
    ),
    "split_heads": lambda M, h: np.stack(blocks(M, h)),
    "merge_heads": lambda H: np.hstack(list(H)),
    "self_attention": self_attention,
    "add_norm": lambda x, sub, gamma, beta: layer_norm(x + sub, gamma, beta),
    "ffn": ffn,
    "dead_units": lambda x, W1, b1: ((x @ W1 + b1) <= 0).sum(axis=1),
    "encoder_layer": encoder_layer,
    "encoder": lambda X, layers, h: (
        X if not layers else RIGHT["encoder"](encoder_layer(X, layers[0], h), layers[1:], h)
    ),
    "encoder_parameters": lambda d, f, layers: layers * (4 * d * d + 2 * d * f + f + d + 4 * d),
    "encoder_multiply_adds": lambda n, d, f, layers: layers * (4 * n * d * d + 2 * n * n * d + 2 * n * d * f),
}

# The slips of the lesson plan and their neighbours: (task, what was done, the wrong function, its label).
SLIPS = [
    ("shapes", "words along the columns", lambda n, d, h, f: shapes(n, d, h, f, X=(d, n)), "shapes.turned"),
    ("shapes", "heads as wide as the model",
     lambda n, d, h, f: shapes(n, d, h, f, Q_h=(n, d)), "shapes.heads-full-width"),
    ("shapes", "A·V as wide as the words are many",
     lambda n, d, h, f: shapes(n, d, h, f, H_h=(n, n)), "shapes.keys-kept"),
    ("token_ids", "numbered by position", lambda words, v: list(range(len(words))), "ids.by-position"),
    ("token_ids", "unknown word becomes 0", lambda words, v: [v.get(w, 0) for w in words], "ids.unknown-word"),
    ("xavier_limit", "deviation instead of limit", lambda m, n: math.sqrt(2 / (m + n)), "xavier.deviation"),
    ("xavier_limit", "inputs only", lambda m, n: math.sqrt(3 / m), "xavier.one-side"),
    ("embed", "not scaled", lambda ids, E: E[ids], "embedding.not-scaled"),
    ("embed", "scaled by the width", lambda ids, E: E[ids] * E.shape[1], "embedding.times-d_model"),
    ("order_gap", "outputs not put in order",
     lambda f, X, perm: np.abs(f(X[perm]) - f(X)).max(), "order.rows-not-matched"),
    ("order_gap", "the inverse order", lambda f, X, perm: np.abs(f(X[perm])[perm] - f(X)).max(), "order.inverse"),
    ("order_gap", "always 0", lambda f, X, perm: 0.0, "order.constant"),
    ("binary_code", "highest bit first",
     lambda n, b: [[t // 2**k % 2 for k in reversed(range(b))] for t in range(n)], "binary.highest-first"),
    ("binary_code", "counted from 1",
     lambda n, b: [[(t + 1) // 2**k % 2 for k in range(b)] for t in range(n)], "binary.from-1"),
    ("positional_encoding", "column used as i",
     lambda n, d: positional_encoding(n, d, pair=lambda c: c), "pe.column-as-i"),
    ("positional_encoding", "position from 1", lambda n, d: positional_encoding(n, d, start=1), "pe.from-1"),
    ("positional_encoding", "base 1000", lambda n, d: positional_encoding(n, d, base=1000), "pe.base-1000"),
    ("positional_encoding", "cosine with i + 1",
     lambda n, d: positional_encoding(n, d, pair=lambda c: (c + 1) // 2), "pe.cosine-next"),
    ("positional_encoding", "sine half, cosine half",
     lambda n, d: np.hstack([positional_encoding(n, d)[:, 0::2], positional_encoding(n, d)[:, 1::2]]), "pe.halves"),
    ("shift_matrix", "the textbook's sign",
     lambda k, i, d: np.array(RIGHT["shift_matrix"](k, i, d)).T, "shift_matrix.textbook-sign"),
    ("encoder_input", "scaled after adding", lambda ids, E: (
        E[ids] + positional_encoding(len(ids), E.shape[1])) * math.sqrt(E.shape[1]), "embedding.scaled-after-pe"),
    ("encoder_input", "counted from 1", lambda ids, E: (
        E[ids] * math.sqrt(E.shape[1]) + positional_encoding(len(ids), E.shape[1], start=1)), "pe.from-1"),
    ("encoder_input", "no positions", RIGHT["embed"], "input.no-pe"),
    ("layer_norm", "over columns", lambda x, g, b, eps=1e-5: layer_norm(x, g, b, eps, axis=0), "norm.columns"),
    ("layer_norm", "sample variance",
     lambda x, g, b, eps=1e-5: layer_norm(x, g, b, eps, ddof=1), "norm.sample-variance"),
    ("layer_norm", "no root", lambda x, g, b, eps=1e-5: layer_norm(x, g, b, eps, root=False), "norm.variance"),
    ("layer_norm", "gamma and beta left out", lambda x, g, b, eps=1e-5: layer_norm(x, 1, 0, eps), "norm.gamma-beta"),
    ("layer_norm", "eps not used", lambda x, g, b, eps=1e-5: layer_norm(x, g, b), "norm.eps"),
    ("softmax", "over columns", lambda s: softmax(s, axis=0), "softmax.columns"),
    ("softmax", "over everything", lambda s: np.exp(s - s.max()) / np.exp(s - s.max()).sum(), "softmax.everything"),
    ("softmax", "without exp", lambda s: s / s.sum(axis=-1, keepdims=True), "softmax.no-exp"),
    ("softmax", "overflows", lambda s: np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True), "softmax.overflows"),
    ("attention", "not scaled", lambda Q, K, V: (softmax(Q @ K.T) @ V, softmax(Q @ K.T)), "scores.not-scaled"),
    ("attention", "divided by d_k",
     lambda Q, K, V: (softmax(Q @ K.T / Q.shape[1]) @ V, softmax(Q @ K.T / Q.shape[1])), "scores.divided-by-d_k"),
    ("attention", "K not transposed", lambda Q, K, V: (
        softmax(Q @ K / math.sqrt(Q.shape[1])) @ V, softmax(Q @ K / math.sqrt(Q.shape[1]))), "scores.k-not-transposed"),
    ("attention", "weights and output exchanged",
     lambda Q, K, V: RIGHT["attention"](Q, K, V)[::-1], "results.exchanged"),
    ("split_heads", "reshaped straight", lambda M, h: M.reshape(h, len(M), -1), "heads.reshaped"),
    ("split_heads", "interleaved", lambda M, h: np.stack([M[:, k::h] for k in range(h)]), "heads.interleaved"),
    ("merge_heads", "reshaped straight", lambda H: H.reshape(H.shape[1], -1), "heads.reshaped"),
    ("self_attention", "W_O left out",
     lambda X, q, k, v, o, h: self_attention(X, q, k, v, np.eye(len(o)), h), "output.no-wo"),
    ("self_attention", "K not transposed", lambda X, q, k, v, o, h: (
        np.hstack([softmax(X @ a @ (X @ b) / math.sqrt(a.shape[1])) @ X @ c for a, b, c in zip(
            blocks(q, h), blocks(k, h), blocks(v, h), strict=True)]) @ o), "scores.k-not-transposed"),
    ("self_attention", "divided by h", lambda *a: self_attention(*a, divisor=lambda _: a[-1]), "scores.divided-by-h"),
    ("self_attention", "divided by √d_model",
     lambda *a: self_attention(*a, divisor=lambda d: math.sqrt(d * a[-1])), "scores.divided-by-root-d_model"),
    ("self_attention", "softmax over columns", lambda *a: self_attention(*a, axis=0), "softmax.columns"),
    ("self_attention", "heads interleaved",
     lambda *a: self_attention(*a, cut=lambda M, h: [M[:, k::h] for k in range(h)]), "heads.interleaved"),
    ("add_norm", "norm first", lambda x, sub, g, b: x + layer_norm(sub, g, b), "norm.before-residual"),
    ("add_norm", "residual left out", lambda x, sub, g, b: layer_norm(sub, g, b), "residual.forgotten"),
    ("add_norm", "residual doubled", lambda x, sub, g, b: layer_norm(2 * x + sub, g, b), "residual.doubled"),
    ("ffn", "no ReLU", lambda x, W1, b1, W2, b2: (x @ W1 + b1) @ W2 + b2, "relu.forgotten"),
    ("ffn", "ReLU last", lambda x, W1, b1, W2, b2: np.maximum((x @ W1 + b1) @ W2 + b2, 0), "relu.after-second"),
    ("ffn", "biases left out", lambda x, W1, b1, W2, b2: np.maximum(x @ W1, 0) @ W2, "ffn.bias-forgotten"),
    ("dead_units", "counted per unit", lambda x, W1, b1: ((x @ W1 + b1) <= 0).sum(axis=0), "units.per-unit"),
    ("dead_units", "counts the living", lambda x, W1, b1: ((x @ W1 + b1) > 0).sum(axis=1), "units.living"),
    ("encoder_layer", "residual from X", lambda X, w, h: encoder_layer(X, w, h, residual="X"), "residual.wrong-stream"),
    ("encoder", "one layer over and over",
     lambda X, layers, h: RIGHT["encoder"](X, layers[:1] * len(layers), h), "layers.first-repeated"),
    ("encoder", "layers from the top", lambda X, layers, h: RIGHT["encoder"](X, layers[::-1], h), "layers.reversed"),
    ("encoder_parameters", "h full-width matrices",
     lambda d, f, layers: (layers * (3 * 2 * d * d + d * d + 2 * d * f + f + 5 * d)), "counts.heads-full-width"),
    ("encoder_parameters", "biases and norms left out",
     lambda d, f, layers: layers * (4 * d * d + 2 * d * f), "counts.only-matrices"),
    ("encoder_multiply_adds", "no scores",
     lambda n, d, f, layers: layers * (4 * n * d * d + 2 * n * d * f), "counts.no-scores"),
]  # fmt: skip
