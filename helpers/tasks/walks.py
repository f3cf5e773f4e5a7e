"""Which part of the table of steps each task walks, and what its arguments are called there."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from .walk import Walk

_PROJECTED = ("Wq", "Wk", "Wv")
_ATTENTION = "Q K V S A H C M"
_MASKED = "Qm Km Vm Sm Bm Am Hm Cm Mm"
_CROSS = "Qc Kc Vc Sc Ac Hc Cc Mc"


def _weights(w: dict, h: int) -> dict:
    """A layer's weights, the column block of each head beside them, and the sizes they tell."""
    named = dict(w)
    for name, W in w.items():
        if name[:2] in _PROJECTED:
            named |= {f"{name}{i}": block for i, block in enumerate(tf.split_heads(W, h))}
            named |= {"d_model": len(W), "d_k": len(W) // h}
    return named | {"h": h}


def _projections(mark: str, Wq, Wk, Wv, Wo, h) -> dict:
    names = (f"W{role}{mark}" for role in "qkvo")
    return _weights(dict(zip(names, (Wq, Wk, Wv, Wo), strict=True)), h)


def _table_rows(ids, E):
    return [{"ids": ids, "E": E, "n_src": len(ids), "d_model": E.shape[1]}]


def _attention(Q, K, V):
    return [{"Q0": Q, "K0": K, "V0": V, "d_k": Q.shape[1], "blocked": None}]


def _self_attention(X, *weights):
    return [_projections("", *weights) | {"X": X, "blocked": None}]


def _masked_self_attention(Y, *weights):
    return [_projections("m", *weights) | {"Y0": Y, "blocked": tf.causal_mask(len(Y))}]


def _cross_attention(Y, Z, *weights):
    return [_projections("c", *weights) | {"Y1": Y, "Z": Z, "cross_blocked": None}]


def _norm(x, gamma, beta, eps=tf.EPS):
    return [{"res1": x, "gamma1": gamma, "beta1": beta, "eps": eps}]


def _add_norm(x, sub, gamma, beta):
    return [{"X": x, "M": sub, "gamma1": gamma, "beta1": beta}]


def _ffn(x, W1, b1, W2, b2):
    return [{"N1": x, "W1": W1, "b1": b1, "W2": W2, "b2": b2}]


def _encoder(X, layers, h):
    return [_weights(w, h) | {"X": X, "blocked": None} for w in layers]


def _decoder(Y0, Z, layers, h):
    masks = {"blocked": tf.causal_mask(len(Y0)), "cross_blocked": None}
    return [_weights(w, h) | {"Y0": Y0, "Z": Z} | masks for w in layers]


WALKS: dict[str, Walk] = {
    "token_ids": Walk("encoder", "ids", lambda words, v: [{"src_words": words, "vocabulary": v}], ("ids",)),
    "embed": Walk("encoder", "E_rows E_scaled", _table_rows, ("E_scaled",)),
    "positional_encoding": Walk("encoder", "PE", lambda n, d: [{"n_src": n, "d_model": d}], ("PE",)),
    "encoder_input": Walk("encoder", "E_rows E_scaled PE X", _table_rows, ("X",)),
    "layer_norm": Walk("encoder", "N1", _norm, ("N1",), eps=True),
    "softmax": Walk("encoder", "A", lambda s: [{"S0": s, "blocked": None}], ("A0",)),
    "attention": Walk("encoder", "S A H", _attention, ("H0", "A0")),
    "self_attention": Walk("encoder", _ATTENTION, _self_attention, ("M",)),
    "add_norm": Walk("encoder", "res1 N1", _add_norm, ("N1",)),
    "ffn": Walk("encoder", "F_pre F_relu F", _ffn, ("F",)),
    "encoder_layer": Walk("encoder", "", lambda X, w, h: _encoder(X, [w], h), ("Z",)),
    "encoder": Walk("encoder", "", _encoder, ("Z",), ("Z", "X")),
    "masked_softmax": Walk("decoder", "Bm Am", lambda S, b: [{"Sm0": S, "blocked": b}], ("Am0",)),
    "masked_self_attention": Walk("decoder", _MASKED, _masked_self_attention, ("Mm",)),
    "cross_attention": Walk("decoder", _CROSS, _cross_attention, ("Mc",)),
    "decoder_layer": Walk("decoder", "", lambda Y, Z, w, h: _decoder(Y, Z, [w], h), ("Y3",)),
    "decoder": Walk("decoder", "", _decoder, ("Y3",), ("Y3", "Y0")),
    "logits": Walk("decoder", "logits", lambda Y, E: [{"Y3": Y, "E": E}], ("logits",)),
    "cross_entropy": Walk(
        "decoder", "P losses", lambda rows, labels: [{"logits": rows, "labels": np.asarray(labels)}], ("losses",)
    ),
}
