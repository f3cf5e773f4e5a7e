"""Mistakes with the mask of the decoder's self-attention."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from .mistake import Mistake

SCORES, WEIGHTS, MASKED = ("B",), ("A",), ("m",)
AT_WEIGHTS = dict(takes=("S{m}{i}", "blocked"), marks=MASKED)


def _past_blocked(S, blocked):
    """The mask reflected in the diagonal where it is square, and turned round entry by entry, diagonal and all."""
    turned = ~np.asarray(blocked)
    reflected = np.asarray(blocked).T if len(set(turned.shape)) == 1 else turned
    return [tf.block(S, mask) for mask in (reflected, turned)]


def _with_diagonal(blocked):
    return np.asarray(blocked) | np.eye(*np.shape(blocked), dtype=bool)


def _zeroed(S, blocked):
    return np.where(blocked, 0.0, S)


# What each mistake makes of the scores; the weights follow with a softmax.
_WRONG_SCORES = (
    (
        "mask.flipped", _past_blocked,
        "Your rows look ahead and not back. Whose past is that?",
        "Blocks the past instead of the future.",
    ),
    (
        "mask.diagonal", lambda S, blocked: tf.block(S, _with_diagonal(blocked)),
        "No word sees itself. What is left for row 0?",
        "Blocks the diagonal too.",
    ),
    (
        "mask.zero", _zeroed,
        "Your blocked scores are 0. How much does e⁰ weigh?",
        "Sets blocked scores to 0 instead of −∞.",
    ),
    (
        "mask.none", lambda S, blocked: S,
        "Every word sees every other. Which of them come later?",
        "Applies no mask.",
    ),
)  # fmt: skip


def _then_softmax(wrong):
    def weights(S, blocked):
        made = wrong(S, blocked)
        return [tf.softmax(s) for s in (made if isinstance(made, list) else [made])]

    return weights


MISTAKES = (
    *(Mistake(label, SCORES, wrong, question, shows) for label, wrong, question, shows in _WRONG_SCORES),
    *(
        Mistake(label, WEIGHTS, _then_softmax(wrong), question, shows, **AT_WEIGHTS)
        for label, wrong, question, shows in _WRONG_SCORES
    ),
    Mistake(
        "mask.copied", SCORES, lambda S, blocked: [np.where(blocked, 1.0, 0.0), np.where(blocked, 0.0, 1.0)],
        "This is the mask itself. What stands where a key may be seen?",
        "Writes the mask instead of the masked scores.",
    ),
    Mistake(
        "mask.after-softmax", WEIGHTS, lambda S, blocked: np.where(blocked, 0.0, tf.softmax(S)),
        "You cut weights away after the softmax. What do your rows add up to?",
        "Masks after the softmax, so rows no longer sum to 1.",
        **AT_WEIGHTS,
    ),
)  # fmt: skip
