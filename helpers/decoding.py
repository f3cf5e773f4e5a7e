"""From a distribution to words: ranking, ways to choose, generation as a loop, and the cache of keys and values.

The paper decodes with beam search (§6.1) and is silent on sampling and on caching.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable
from numbers import Real

import numpy as np

from . import transformer as tf
from .errors import PlainError
from .sizes import whole

# --- reading a distribution --------------------------------------------------------------------


def _row(row) -> np.ndarray:
    """Return one row (V,) as an array, or raise PlainError."""
    try:
        array = np.asarray(row)
    except ValueError:  # nested lists whose rows differ in length
        array = np.array(None)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "biuf":
        raise PlainError(f"One row of at least one number is needed; this is {reprlib.repr(row)}.")
    return array


def rank_of(row, token) -> int:
    """Place of a token among the logits or probabilities of one row (V,); the largest has place 1."""
    row = _row(row)
    if whole("token", token, least=0) >= len(row):
        raise PlainError(f"Token {token} is none of the {len(row)} ids, which count from 0.")
    return 1 + int(np.sum(row > row[token]))


def entropy(p) -> float:
    """Entropy −Σ p ln p of one distribution (V,), in nats; an entry of 0 adds nothing."""
    p = _row(p)
    # x · ln x tends to 0 with x; ln is only asked where there is something to ask.
    return float(-np.sum(p * np.log(p, where=p > 0, out=np.zeros_like(p, dtype=float))))


# --- choosing ----------------------------------------------------------------------------------


def temperature(row, T) -> np.ndarray:
    """Probabilities (V,) of one row of logits divided by T: sharper below 1, flatter above."""
    if not isinstance(T, Real) or not T > 0:
        raise PlainError(f"The temperature is {reprlib.repr(T)}; it must be a number above 0.")
    return tf.softmax(_row(row) / T)


def _kept(row, keep) -> np.ndarray:
    """Probabilities (V,) of the kept ids alone; all others get exactly 0."""
    blocked = np.ones(len(row), dtype=bool)
    blocked[keep] = False
    return tf.masked_softmax(row[None], blocked[None])[0]


def _by_size(row) -> np.ndarray:
    """Ids from the largest logit to the smallest; equal ones in order of id."""
    return np.argsort(-row.astype(float), kind="stable")


def top_k(row, k) -> np.ndarray:
    """Probabilities (V,) when only the k largest logits of a row stay in the race."""
    row = _row(row)
    return _kept(row, _by_size(row)[: whole("k", k)])


def nucleus(row, p) -> np.ndarray:
    """Probabilities (V,) when only the nucleus stays: the fewest likeliest ids that together reach mass p."""
    if not isinstance(p, Real) or not 0 < p <= 1:
        raise PlainError(f"The mass of a nucleus is {reprlib.repr(p)}; it must be a number above 0 and at most 1.")
    row = _row(row)
    order = _by_size(row)
    mass = np.cumsum(tf.softmax(row)[order])
    # Rounding may leave the whole mass a hair below 1.
    count = min(int(np.searchsorted(mass, p * (1 - 1e-12))) + 1, len(order))
    return _kept(row, order[:count])


def greedy(row) -> int:
    """Id of the largest logit of a row (V,)."""
    return int(np.argmax(_row(row)))


# --- generating --------------------------------------------------------------------------------


def generate(step: Callable, sos: int, eos: int, max_len: int, choose: Callable) -> list[int]:
    """Feed a decoder its own choices until it chooses eos, or has chosen max_len times. §3.1.

    step(ids) returns the logits (len(ids), V) of the ids so far; choose(row) picks an id from the last row.
    Returns the ids, sos first; eos is the last when it was chosen.
    """
    ids = [sos]
    for _ in range(whole("max_len", max_len, least=0)):
        ids.append(int(choose(step(ids)[-1])))
        if ids[-1] == eos:
            break
    return ids


def decoder_step(example, Z) -> Callable:
    """The function of ids that `generate` calls, with the weights of an example and the encoder's Z. §3.1."""
    h = example.sizes.heads

    def step(ids):
        Y = tf.decoder(
            tf.input_vectors(np.asarray(ids), example.E), Z, example.decoder_layers, h, tf.causal_mask(len(ids))
        )
        return tf.logits(Y, example.E)

    return step


# --- the cache ---------------------------------------------------------------------------------


def empty_cache(Z, w, h) -> dict[str, np.ndarray]:
    """What one decoder layer keeps: no rows yet of its own K and V, and the cross K and V, which never change.

    K, V: (h, 0, d_k), of the masked block. Kc, Vc: (h, n_src, d_k), projections of Z.
    """
    Kc, Vc = (tf.split_heads(tf.project(Z, w[name]), h) for name in ("Wkc", "Wvc"))
    nothing = np.zeros((h, 0, Kc.shape[-1]))
    return {"K": nothing, "V": nothing, "Kc": Kc, "Vc": Vc}


def cached_step(y, cache, w, h) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """One decoder layer for one new row y (1, d_model): its output (1, d_model) and the longer cache.

    Equal to the last row of decoder_layer on all rows so far: no earlier row can see the new one.
    """
    Q, K, V = (tf.split_heads(tf.project(y, w[name]), h) for name in ("Wqm", "Wkm", "Wvm"))
    cache = cache | {"K": np.concatenate([cache["K"], K], axis=1), "V": np.concatenate([cache["V"], V], axis=1)}
    H, _ = tf.attention(Q, cache["K"], cache["V"])
    y1 = tf.add_norm(y, tf.project(tf.merge_heads(H), w["Wom"]), w["gamma1"], w["beta1"])
    Q = tf.split_heads(tf.project(y1, w["Wqc"]), h)
    H, _ = tf.attention(Q, cache["Kc"], cache["Vc"])
    y2 = tf.add_norm(y1, tf.project(tf.merge_heads(H), w["Woc"]), w["gamma2"], w["beta2"])
    F = tf.ffn(y2, w["W1"], w["b1"], w["W2"], w["b2"])
    return tf.add_norm(y2, F, w["gamma3"], w["beta3"]), cache


def newest_row(example, caches, ids) -> tuple[np.ndarray, list]:
    """Logits (1, V) of the newest of the ids so far, and the longer caches, one of empty_cache a layer at first.

    Only its row is computed: the caches hold what it needs of the rows before.
    """
    y = tf.input_vectors(np.asarray(ids), example.E)[-1:]
    longer = []
    for w, cache in zip(example.decoder_layers, caches, strict=True):
        y, cache = cached_step(y, cache, w, example.sizes.heads)
        longer.append(cache)
    return tf.logits(y, example.E), longer


def cached_decoder_step(example, Z) -> Callable:
    """Like decoder_step, but keeps K and V: each call computes the row of the newest id alone.

    Returns logits (1, V). Raises PlainError when ids are not the ones of the call before and one more.
    """
    seen = []
    caches = [empty_cache(Z, w, example.sizes.heads) for w in example.decoder_layers]

    def step(ids):
        nonlocal caches
        if list(ids[:-1]) != seen:
            raise PlainError(f"The cache holds {len(seen)} ids; it takes these and one more, not {list(ids)}.")
        logits, caches = newest_row(example, caches, ids)
        seen.append(ids[-1])
        return logits

    return step
