"""The forward pass a second time, written naively: plain loops over nested lists.

It exists to disagree with `helpers` when one of the two is wrong, so it shares nothing with it: it imports
neither `helpers` nor NumPy, multiplies matrices one entry at a time, and adds up with `math.fsum`, which
rounds once. A matrix is a list of rows, a vector a list of numbers, a mask a matrix of booleans
(True = blocked) or None.

`encoder` and `decoder` return a `Walk`: every intermediate under the key that the course gives it, so that
each of them, and not only the last, can be compared.
"""

import math
from typing import NamedTuple

EPS = 1e-5
BLOCKED = -1e9


class Walk(NamedTuple):
    """All intermediates of one stack, by key: before the layers, in each layer, after the layers."""

    input: dict
    layers: list
    output: dict


# Matrices


def dot(a, b):
    """The one place where a matrix product multiplies two numbers (test_counts.py counts its calls)."""
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def column(M, c):
    return [row[c] for row in M]


def columns(M, chosen):
    return [[row[c] for c in chosen] for row in M]


def matmul(A, B):
    return [[dot(row, column(B, c)) for c in range(len(B[0]))] for row in A]


def add(A, B):
    return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(A, B, strict=True)]


def add_vector(A, v):
    return [[x + y for x, y in zip(row, v, strict=True)] for row in A]


# Input (paper §3.4, §3.5)


def lookup(ids, E):
    return [list(E[i]) for i in ids]


def scale_embeddings(rows):
    factor = math.sqrt(len(rows[0]))
    return [[x * factor for x in row] for row in rows]


def positional_encoding(n, d_model):
    table = []
    for position in range(n):
        row = []
        for pair in range(d_model // 2):
            angle = position / 10000 ** (2 * pair / d_model)
            row += [math.sin(angle), math.cos(angle)]
        table.append(row)
    return table


def input_steps(ids, E):
    rows = lookup(ids, E)
    scaled = scale_embeddings(rows)
    pe = positional_encoding(len(ids), len(E[0]))
    return {"ids": list(ids), "E_rows": rows, "E_scaled": scaled, "PE": pe}, add(scaled, pe)


# Masks (paper §3.2.3)


def causal_mask(n):
    return [[key > query for key in range(n)] for query in range(n)]


def key_mask(n_q, padded):
    """The same blocked keys for every query."""
    return [list(padded) for _ in range(n_q)]


def either(a, b):
    return [[x or y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]


# Attention (paper §3.2)


def softmax_row(row):
    largest = max(row)
    powers = [math.exp(x - largest) for x in row]
    total = math.fsum(powers)
    return [power / total for power in powers]


def weights_row(scores, blocked):
    """Softmax among the open keys alone; a blocked key gets exactly 0. With no key open, all share alike."""
    open_keys = [key for key, closed in enumerate(blocked) if not closed]
    if not open_keys:
        return [1 / len(scores)] * len(scores)
    weights = [0.0] * len(scores)
    for key, weight in zip(open_keys, softmax_row([scores[key] for key in open_keys]), strict=True):
        weights[key] = weight
    return weights


def weights(S, blocked):
    if blocked is None:
        return [softmax_row(row) for row in S]
    return [weights_row(row, mask) for row, mask in zip(S, blocked, strict=True)]


def block(S, blocked):
    if blocked is None:
        return [list(row) for row in S]
    return [
        [BLOCKED if closed else s for s, closed in zip(row, mask, strict=True)]
        for row, mask in zip(S, blocked, strict=True)
    ]


def multi_head_attention(x_q, x_kv, Wq, Wk, Wv, Wo, heads, blocked=None, tag="", shows_blocked=False):
    """All steps of one attention block; ``tag`` is the block's letter in the keys ("", "m" or "c")."""
    width = len(Wq[0]) // heads
    steps = {}
    side_by_side = [[] for _ in x_q]
    for head in range(heads):
        own = range(head * width, (head + 1) * width)
        Q = matmul(x_q, columns(Wq, own))
        K = matmul(x_kv, columns(Wk, own))
        V = matmul(x_kv, columns(Wv, own))
        R = [[dot(query, key) for key in K] for query in Q]
        S = [[r / math.sqrt(width) for r in row] for row in R]
        A = weights(S, blocked)
        H = matmul(A, V)
        found = {"Q": Q, "K": K, "V": V, "R": R, "S": S, "A": A, "H": H}
        if shows_blocked:
            found["B"] = block(S, blocked)
        steps |= {f"{letter}{tag}{head}": matrix for letter, matrix in found.items()}
        for row, mixed in zip(side_by_side, H, strict=True):
            row += mixed
    steps[f"C{tag}"] = side_by_side
    steps[f"M{tag}"] = matmul(side_by_side, Wo)
    return steps


# Add & norm, feed-forward (paper §3.1, §3.3)


def layer_norm_row(row, gamma, beta):
    mean = math.fsum(row) / len(row)
    variance = math.fsum((x - mean) ** 2 for x in row) / len(row)
    divisor = math.sqrt(variance + EPS)
    return [(x - mean) / divisor * g + b for x, g, b in zip(row, gamma, beta, strict=True)]


def layer_norm(M, gamma, beta):
    return [layer_norm_row(row, gamma, beta) for row in M]


def ffn_steps(x, w):
    before = add_vector(matmul(x, w["W1"]), w["b1"])
    after = [[value if value > 0 else 0.0 for value in row] for row in before]
    return {"F_pre": before, "F_relu": after, "F": add_vector(matmul(after, w["W2"]), w["b2"])}


# Layers and stacks (paper §3.1)


def encoder_layer(x, w, heads, blocked=None):
    steps = multi_head_attention(x, x, w["Wq"], w["Wk"], w["Wv"], w["Wo"], heads, blocked)
    steps["res1"] = add(x, steps["M"])
    steps["N1"] = layer_norm(steps["res1"], w["gamma1"], w["beta1"])
    steps |= ffn_steps(steps["N1"], w)
    steps["res2"] = add(steps["N1"], steps["F"])
    steps["Z"] = layer_norm(steps["res2"], w["gamma2"], w["beta2"])
    return steps


def encoder(ids, E, layers, heads, blocked=None):
    before, x = input_steps(ids, E)
    before["X"] = x
    walked = []
    for w in layers:
        walked.append(encoder_layer(x, w, heads, blocked))
        x = walked[-1]["Z"]
    return Walk(before, walked, {})


def decoder_layer(y, z, w, heads, blocked, cross_blocked=None):
    steps = multi_head_attention(
        y, y, w["Wqm"], w["Wkm"], w["Wvm"], w["Wom"], heads, blocked, tag="m", shows_blocked=True
    )
    steps["res1"] = add(y, steps["Mm"])
    steps["Y1"] = layer_norm(steps["res1"], w["gamma1"], w["beta1"])
    steps |= multi_head_attention(steps["Y1"], z, w["Wqc"], w["Wkc"], w["Wvc"], w["Woc"], heads, cross_blocked, tag="c")
    steps["res2"] = add(steps["Y1"], steps["Mc"])
    steps["Y2"] = layer_norm(steps["res2"], w["gamma2"], w["beta2"])
    steps |= ffn_steps(steps["Y2"], w)
    steps["res3"] = add(steps["Y2"], steps["F"])
    steps["Y3"] = layer_norm(steps["res3"], w["gamma3"], w["beta3"])
    return steps


def output_steps(y, E, labels):
    """Logits against the unscaled table, probabilities, loss of each row, mean loss, best next id."""
    logits = [[dot(row, word) for word in E] for row in y]
    P = [softmax_row(row) for row in logits]
    losses = [-math.log(p[label]) for p, label in zip(P, labels, strict=True)]
    best = max(range(len(E)), key=lambda token: logits[-1][token])
    loss = math.fsum(losses) / len(losses)
    return {"logits": logits, "P": P, "losses": losses, "loss": loss, "next_word": best}


def decoder(ids, labels, E, z, layers, heads, blocked, cross_blocked=None):
    before, y = input_steps(ids, E)
    before["Y0"] = y
    walked = []
    for w in layers:
        walked.append(decoder_layer(y, z, w, heads, blocked, cross_blocked))
        y = walked[-1]["Y3"]
    return Walk(before, walked, output_steps(y, E, labels))


# Reading what helpers made: arrays know how to become lists


def as_lists(value):
    """Arrays, and dicts and lists of arrays, as nested lists."""
    if isinstance(value, dict):
        return {name: as_lists(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_lists(entry) for entry in value]
    return value.tolist() if hasattr(value, "tolist") else value
