"""Answers to the decoder's tasks, right and wrong, written as a student would and not as the engine does."""

import math

import numpy as np

from .encoder import blocks, ffn, layer_norm, softmax


def causal_mask(n):
    return [[j > t for j in range(n)] for t in range(n)]


def masked_softmax(S, blocked, *, fill=-1e9):
    return softmax(np.where(blocked, fill, S))


def attend(x_q, x_kv, Wq, Wk, Wv, Wo, h, blocked=None):
    """Multi-head attention with a loop over the heads."""
    heads = []
    for Q, K, V in zip(blocks(x_q @ Wq, h), blocks(x_kv @ Wk, h), blocks(x_kv @ Wv, h), strict=True):
        S = Q @ K.T / math.sqrt(Q.shape[1])
        heads.append((softmax(S) if blocked is None else masked_softmax(S, blocked)) @ V)
    return np.hstack(heads) @ Wo


def masked_self_attention(Y, Wq, Wk, Wv, Wo, h):
    return attend(Y, Y, Wq, Wk, Wv, Wo, h, causal_mask(len(Y)))


def cross_attention(Y, Z, Wq, Wk, Wv, Wo, h):
    return attend(Y, Z, Wq, Wk, Wv, Wo, h)


def norm(w, k, x):
    return layer_norm(x, w[f"gamma{k}"], w[f"beta{k}"])


def decoder_layer(Y, Z, w, h, *, mask=causal_mask, source=None, added="Y1"):
    Y1 = norm(w, 1, Y + attend(Y, Y, w["Wqm"], w["Wkm"], w["Wvm"], w["Wom"], h, mask(len(Y))))
    cross = attend(Y1, Z if source is None else source(Z), w["Wqc"], w["Wkc"], w["Wvc"], w["Woc"], h)
    Y2 = norm(w, 2, {"Y1": Y1, "Y": Y, "Z": Z}[added] + cross)
    return norm(w, 3, Y2 + ffn(Y2, w["W1"], w["b1"], w["W2"], w["b2"]))


def no_mask(n):
    return np.zeros((n, n), dtype=bool)


def decoder(Y0, Z, layers, h):
    for w in layers:
        Y0 = decoder_layer(Y0, Z, w, h)
    return Y0


def decoder_that_reads_itself(Y0, Z, layers, h):
    for w in layers:
        Y0 = decoder_layer(Y0, Z, w, h)
        Z = Y0
    return Y0


def leaks(decode, ids, t):
    other = ids.copy()
    other[t] = 1 if ids[t] == 0 else 0
    return not np.allclose(decode(other)[:t], decode(ids)[:t], atol=1e-9)


def keep(row, kept):
    e = np.exp(row - row.max())
    e[[k for k in range(len(row)) if k not in kept]] = 0
    return e / e.sum()


def top_k(row, k):
    return keep(row, sorted(range(len(row)), key=lambda j: -row[j])[:k])


def nucleus(row, p, *, crossing=True):
    chances = softmax(row)
    kept, mass = [], 0.0
    for j in sorted(range(len(row)), key=lambda j: -row[j]):
        if not crossing and kept and mass + chances[j] > p:
            break
        kept.append(j)
        mass += chances[j]
        if mass >= p:
            break
    return keep(row, kept)


def log_sum_exp(row):
    return row.max() + math.log(np.exp(row - row.max()).sum())


def cross_entropy(logits, labels):
    return [log_sum_exp(row) - row[label] for row, label in zip(logits, labels, strict=True)]


def smoothed_loss(logits, labels, eps, *, others_only=False):
    losses = []
    for row, label in zip(logits, labels, strict=True):
        V = len(row)
        target = np.full(V, eps / (V - 1) if others_only else eps / V)
        target[label] = 1 - eps if others_only else 1 - eps + eps / V
        losses.append(-(target * (row - log_sum_exp(row))).sum())
    return losses


def generate(step, sos, eos, max_len, choose, *, row=-1, stop=True):
    ids = [sos]
    while len(ids) <= max_len and not (stop and len(ids) > 1 and ids[-1] == eos):
        ids.append(choose(step(ids)[row]))
    return ids


def cached_step(y, cache, w, h, *, keep_query=False, own=True):
    d_k = y.shape[1] // h
    q, k, v = (np.stack(blocks(y @ w[name], h)) for name in ("Wqm", "Wkm", "Wvm"))
    longer = dict(cache)
    if own:
        longer["K"], longer["V"] = np.concatenate([cache["K"], k], 1), np.concatenate([cache["V"], v], 1)
    if keep_query:
        longer["Q"] = q
        longer["K"] = np.concatenate([cache["K"], q], 1)
    heads = [softmax(q[i] @ longer["K"][i].T / math.sqrt(d_k)) @ longer["V"][i] for i in range(h)]
    y1 = norm(w, 1, y + np.hstack(heads) @ w["Wom"])
    q = blocks(y1 @ w["Wqc"], h)
    heads = [softmax(q[i] @ cache["Kc"][i].T / math.sqrt(d_k)) @ cache["Vc"][i] for i in range(h)]
    y2 = norm(w, 2, y1 + np.hstack(heads) @ w["Woc"])
    return norm(w, 3, y2 + ffn(y2, w["W1"], w["b1"], w["W2"], w["b2"])), longer


def model_parameters(d, f, layers, V, *, tables=1):
    one_ffn = 2 * d * f + f + d
    return tables * V * d + layers * ((4 * d * d + one_ffn + 4 * d) + (8 * d * d + one_ffn + 6 * d))


def model_multiply_adds(n, m, d, f, layers, V, *, cross=True):
    encoder = 4 * n * d * d + 2 * n * n * d + 2 * n * d * f
    decoder = 4 * m * d * d + 2 * m * m * d + 2 * m * d * f
    decoder += cross * (2 * m * d * d + 2 * n * d * d + 2 * m * n * d)
    return layers * (encoder + decoder) + m * V * d


# A second right answer to every task.
RIGHT = {
    "shift_right": lambda ids, sos, eos: ([sos, *list(ids)], [*list(ids), eos]),
    "causal_mask": causal_mask,
    "masked_softmax": masked_softmax,
    "masked_self_attention": masked_self_attention,
    "leaks": leaks,
    "cross_attention": cross_attention,
    "most_attended": lambda A, words: [words[max(range(len(row)), key=lambda j: row[j])] for row in A],
    "decoder_layer": decoder_layer,
    "decoder": decoder,
    "logits": lambda Y, E: [[float(np.dot(y, e)) for e in E] for y in Y],
    "rank_of": lambda row, token: sorted(row, reverse=True).index(row[token]) + 1,
    "entropy": lambda p: -sum(x * math.log(x) for x in p if x > 0),
    "temperature": lambda row, T: softmax(row / T),
    "top_k": top_k,
    "nucleus": nucleus,
    "cross_entropy": cross_entropy,
    "smoothed_loss": smoothed_loss,
    "generate": generate,
    "cached_step": cached_step,
    "padding_mask": lambda ids, pad: [i == pad for i in ids],
    "model_parameters": model_parameters,
    "model_multiply_adds": model_multiply_adds,
}

# The slips of the lesson plan and their neighbours: (task, what was done, the wrong function, its label).
SLIPS = [
    ("shift_right", "inputs equal labels", lambda ids, sos, eos: ([*ids, eos], [*ids, eos]), "ids.not-shifted"),
    ("shift_right", "no end of sequence", lambda ids, sos, eos: ([sos, *ids[:-1]], list(ids)), "labels.no-end"),
    ("causal_mask", "diagonal blocked", lambda n: [[j >= t for j in range(n)] for t in range(n)], "mask.diagonal"),
    ("causal_mask", "mask flipped", lambda n: [[j < t for j in range(n)] for t in range(n)], "mask.flipped"),
    ("causal_mask", "True for allowed", lambda n: [[j <= t for j in range(n)] for t in range(n)], "mask.allowed"),
    ("masked_softmax", "mask last", lambda S, blocked: softmax(S) * ~blocked, "mask.after-softmax"),
    ("masked_softmax", "0 instead of −∞", lambda S, blocked: masked_softmax(S, blocked, fill=0.0), "mask.zero"),
    ("masked_softmax", "−∞ itself", lambda S, blocked: masked_softmax(S, blocked, fill=-np.inf), "mask.minus-infinity"),
    ("masked_softmax", "added instead of filled", lambda S, blocked: softmax(S - 1e9 * blocked), "mask.added"),
    ("masked_softmax", "mask flipped", lambda S, blocked: masked_softmax(S, ~blocked), "mask.flipped"),
    ("masked_self_attention", "no mask", lambda Y, *W: attend(Y, Y, *W), "mask.none"),
    ("masked_self_attention", "mask flipped",
     lambda Y, *W: attend(Y, Y, *W, np.array(causal_mask(len(Y))).T), "mask.flipped"),
    ("leaks", "never", lambda decode, ids, t: False, "leaks.never"),
    ("leaks", "always", lambda decode, ids, t: True, "leaks.always"),
    ("leaks", "row t counted too", lambda decode, ids, t: leaks(lambda i: decode(i)[:], ids, t) or not np.allclose(
        decode(np.where(np.arange(len(ids)) == t, 0, ids))[: t + 1], decode(ids)[: t + 1]), "leaks.row-t"),
    ("cross_attention", "sources swapped", lambda Y, Z, *W: attend(Z, Y, *W), "cross.sources-swapped"),
    ("cross_attention", "self-attention", lambda Y, Z, *W: attend(Y, Y, *W), "cross.sources-swapped"),
    ("cross_attention", "masked", lambda Y, Z, *W: (
        attend(Y, Z, *W, np.arange(len(Z)) > np.arange(len(Y))[:, None])), "mask.on-cross"),
    ("most_attended", "per word, not per position",
     lambda A, words: [words[j % len(words)] for j in A.argmax(axis=0)], "attended.columns"),
    ("most_attended", "least attended", lambda A, words: [words[j] for j in A.argmin(axis=1)], "attended.least"),
    ("decoder_layer", "no mask", lambda Y, Z, w, h: decoder_layer(Y, Z, w, h, mask=no_mask), "mask.none"),
    ("decoder_layer", "residual from Y in the cross block",
     lambda Y, Z, w, h: decoder_layer(Y, Z, w, h, added="Y"), "residual.wrong-stream"),
    ("decoder_layer", "residual from Z in the cross block",
     lambda Y, Z, w, h: decoder_layer(Y, Z, w, h, added="Z"), "residual.wrong-stream"),
    ("decoder", "layer 2 attends to layer 1", decoder_that_reads_itself, "layers.z-replaced"),
    ("decoder", "first layer only",
     lambda Y0, Z, layers, h: decoder(Y0, Z, layers[:1], h) + 0 * len(layers), "layers.first-only"),
    ("logits", "scaled table", lambda Y, E: Y @ E.T * math.sqrt(E.shape[1]), "logits.scaled-table"),
    ("rank_of", "counted from 0", lambda row, token: sorted(row, reverse=True).index(row[token]), "rank.from-0"),
    ("rank_of", "from the smallest", lambda row, token: sorted(row).index(row[token]) + 1, "rank.from-smallest"),
    ("entropy", "in bits", lambda p: -sum(x * math.log2(x) for x in p if x > 0), "entropy.bits"),
    ("entropy", "zeros not left out", lambda p: -(p * np.log(p)).sum(), "entropy.zeros"),
    ("temperature", "probabilities divided", lambda row, T: softmax(row) / T, "temperature.after-softmax"),
    ("temperature", "logits multiplied", lambda row, T: softmax(row * T), "temperature.multiplied"),
    ("top_k", "not renormalised",
     lambda row, k: np.where(top_k(row, k) > 0, softmax(row), 0), "choice.not-renormalised"),
    ("top_k", "one too few", lambda row, k: top_k(row, k - 1), "top_k.one-off"),
    ("nucleus", "the one that crosses left out", lambda row, p: nucleus(row, p, crossing=False), "nucleus.crossing"),
    ("nucleus", "not renormalised",
     lambda row, p: np.where(nucleus(row, p) > 0, softmax(row), 0), "choice.not-renormalised"),
    ("cross_entropy", "log10",
     lambda logits, labels: np.array(cross_entropy(logits, labels)) / math.log(10), "loss.log10"),
    ("cross_entropy", "without the minus",
     lambda logits, labels: -np.array(cross_entropy(logits, labels)), "loss.no-minus"),
    ("cross_entropy", "log of a softmax that is 0",
     lambda logits, labels: -np.log(softmax(logits)[np.arange(len(logits)), labels]), "loss.log-of-zero"),
    ("smoothed_loss", "eps shared among the others only",
     lambda logits, labels, eps: smoothed_loss(logits, labels, eps, others_only=True), "smoothing.others-only"),
    ("smoothed_loss", "eps not used", lambda logits, labels, eps: cross_entropy(logits, labels), "smoothing.not-used"),
    ("generate", "first row read", lambda *a: generate(*a, row=0), "next.first-row"),
    ("generate", "never stops", lambda *a: generate(*a, stop=False), "generate.never-stops"),
    ("generate", "sos left out", lambda *a: generate(*a)[1:], "generate.no-start"),
    ("cached_step", "caches Q", lambda y, cache, w, h: cached_step(y, cache, w, h, keep_query=True), "cache.query"),
    ("cached_step", "cache not made longer",
     lambda y, cache, w, h: (cached_step(y, cache, w, h)[0], cache), "cache.not-longer"),
    ("padding_mask", "True for words", lambda ids, pad: ids != pad, "mask.allowed"),
    ("padding_mask", "query rows blocked",
     lambda ids, pad: [[i == pad for _ in ids] for i in ids], "padding.query-rows"),
    ("padding_mask", "pad is always 0", lambda ids, pad: [i == 0 for i in ids], "padding.always-0"),
    ("model_parameters", "tied table twice", lambda *a: model_parameters(*a, tables=2), "counts.table-twice"),
    ("model_multiply_adds", "no cross-attention", lambda *a: model_multiply_adds(*a, cross=False), "counts.no-cross"),
]  # fmt: skip
