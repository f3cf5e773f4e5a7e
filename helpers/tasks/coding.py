"""Mistakes that code makes and a pen does not, in the form of the catalogue: in boxes of the table, with a question."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from ..mistakes import Mistake

NORM, RES = ("norm",), ("res",)


def _reshaped(x, W_i, W, h, head):
    return tf.project(x, W).reshape(h, len(x), -1)[head]


def _reshaped_together(*heads):
    return np.stack(heads).reshape(len(heads[0]), -1)


def _exponentials(S, blocked=None):
    S = tf.block(S, blocked)
    return np.exp(S - S.max(axis=-1, keepdims=True))


def _plain_norm(x, gamma, beta, eps=tf.EPS):
    plain = tf.layer_norm(x, np.ones_like(gamma), np.zeros_like(beta), eps)
    return [plain, gamma * plain]


def _eps_outside(x, gamma, beta, eps=tf.EPS):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return gamma * centred / (np.std(x, axis=-1, keepdims=True) + eps) + beta


def _other_eps(x, gamma, beta, eps=tf.EPS):
    """No eps at all, or always the usual one, whatever was asked for."""
    return [tf.layer_norm(x, gamma, beta, other) for other in (0.0, tf.EPS)]


CODING = (
    Mistake(
        "heads.reshaped", ("Q", "K", "V"), _reshaped,
        "You reshaped straight to heads. Which word is row 1 of head 0?",
        "Reshapes to (h, n, d_k) in one go, which mixes words.",
        also=("W{r}{m}", "h", "head"),
    ),
    Mistake(
        "heads.reshaped", ("C",), _reshaped_together,
        "You reshaped the heads straight to rows. Which heads stand in row 0 now?",
        "Reshapes (h, n, d_k) to (n, d_model) in one go, which mixes words.",
    ),
    Mistake(
        "scores.divided-by-h", ("S",), lambda Q, K, d_k, h: tf.raw_scores(Q, K) / h,
        "You divided by the number of heads. How wide is one of them?",
        "Divides the scores by h, which is √d_k in the course by chance.",
        also=("h",),
    ),
    Mistake(
        "softmax.not-divided", ("A", "P"), _exponentials,
        "These are the exponentials. By what is each of them divided?",
        "Does not divide by the row's sum.",
    ),
    Mistake(
        "residual.wrong-stream", RES, lambda sub, Z: sub + Z,
        "You added the encoder's rows. How many rows has Z?",
        "Takes the residual of the cross-attention from Z.",
        takes=("Mc", "Z"), stacks=("decoder",), keys=("res2",),
    ),
    Mistake(
        "norm.gamma-beta", NORM, _plain_norm,
        "Your rows are normalised. What do gamma and beta do with them?",
        "Leaves out gamma and beta, or beta alone.",
    ),
    Mistake(
        "norm.eps-outside", NORM, _eps_outside,
        "You added eps to the deviation. Is it added before the root is taken or after?",
        "Adds eps outside the root.",
    ),
    Mistake(
        "norm.eps", NORM, _other_eps,
        "Your rows do not follow eps. Where does it enter the formula?",
        "Leaves out eps, or uses 1e-5 whatever eps was given.",
    ),
)  # fmt: skip
