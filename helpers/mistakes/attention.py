"""Mistakes in an attention block: projections, scores, weights, heads and their mixing."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from .mistake import Mistake

PROJECTIONS, SCORES, WEIGHTS, HEADS = ("Q", "K", "V"), ("S",), ("A",), ("H",)
SHARES = ("A", "P")


def _interleaved(x, W_i, W, h, head):
    return tf.project(x, W[:, head::h])


def _taken_in_turn(*heads):
    return np.stack(heads, axis=-1).reshape(len(heads[0]), -1)


def _transposed_weights(x, W_i, W, h, head):
    return tf.project(x, tf.split_heads(W.T, h)[head])


def _over(axis):
    """Softmax along another axis, or over the whole matrix (None)."""

    def shares(S, blocked=None):
        S = tf.block(S, blocked)
        e = np.exp(S - S.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    return shares


def _no_exp(S, blocked=None):
    S = np.where(np.asarray(S) <= tf.BLOCKED, 0.0, S)
    return S / S.sum(axis=-1, keepdims=True)


def _not_divided(S, blocked=None):
    return np.exp(tf.block(S, blocked))


def _on_cross(S, blocked=None):
    n_q, n_k = np.shape(S)
    return tf.masked_softmax(S, np.arange(n_k) > np.arange(n_q)[:, None])


MISTAKES = (
    Mistake(
        "heads.interleaved", PROJECTIONS, _interleaved,
        "You took every other column of W. Which block of columns belongs to this head?",
        "Deals out columns to the heads in turn instead of in blocks.",
        also=("W{r}{m}", "h", "head"),
    ),
    Mistake(
        "heads.interleaved", ("C",), _taken_in_turn,
        "The columns of the heads alternate. Where does head 0 end and head 1 begin?",
        "Interleaves the heads' columns instead of putting the heads side by side.",
    ),
    Mistake(
        "heads.swapped", PROJECTIONS, lambda x, W_i, W_j: tf.project(x, W_j),
        "These are the other head's columns. Which head is this box for?",
        "Uses the other head's weights.",
        also=("W{r}{m}{j}",),
    ),
    Mistake(
        "heads.swapped", ("C",), lambda *heads: np.hstack(heads[::-1]),
        "The heads stand in the wrong order. Which one comes first?",
        "Concatenates the heads in reverse order.",
    ),
    Mistake(
        "heads.summed", ("C",), lambda *heads: sum(heads),
        "You added the heads. How wide is the row when they stand side by side?",
        "Adds the heads instead of concatenating them.",
    ),
    Mistake(
        "heads.stacked", ("C",), lambda *heads: np.vstack(heads),
        "You put one head below the other. How many words has a row each?",
        "Stacks the heads instead of putting them side by side.",
    ),
    Mistake(
        "heads.not-split", PROJECTIONS, lambda x, W: tf.project(x, W),
        "You used all columns of W. How many of them belong to one head?",
        "Uses the whole weight matrix in one head.",
        takes=("{x}", "W{r}{m}"),
    ),
    Mistake(
        "weights.transposed", PROJECTIONS, _transposed_weights,
        "You went along the rows of W. Does an entry meet a row of W or a column?",
        "Multiplies by the transposed weights.",
        also=("W{r}{m}", "h", "head"),
    ),
    Mistake(
        "weights.transposed", ("M",), lambda C, Wo: tf.project(C, Wo.T),
        "You went along the rows of W_O. Does an entry meet a row of W_O or a column?",
        "Multiplies by W_O transposed.",
    ),
    Mistake(
        "weights.exchanged", PROJECTIONS, lambda x, own, *Ws: [tf.project(x, W) for W in Ws if W is not own],
        "You used the weights of another of the three: queries, keys, values. Whose box is this?",
        "Confuses the weights of queries, keys and values.",
        also=("Wq{m}{i}", "Wk{m}{i}", "Wv{m}{i}"),
    ),
    Mistake(
        "cross.sources-swapped", ("Q",), lambda W, Z: tf.project(Z, W),
        "You asked with Z. Whose rows must survive the sum that follows?",
        "Takes the cross-attention's queries from the encoder.",
        takes=("Wqc{i}", "Z"), marks=("c",),
    ),
    Mistake(
        "cross.sources-swapped", ("K", "V"), lambda W, Y1: tf.project(Y1, W),
        "You took the decoder's own rows. Whose words are being asked here?",
        "Takes the cross-attention's keys and values from the decoder.",
        takes=("W{r}c{i}", "Y1"), marks=("c",),
    ),
    Mistake(
        "cross.query-from-y0", ("Q",), lambda W, Y0: tf.project(Y0, W),
        "You asked with Y0. Which matrix did the masked block hand on?",
        "Skips the masked block: queries come from Y0.",
        takes=("Wqc{i}", "Y0"), marks=("c",),
    ),
    Mistake(
        "input.without-positions", PROJECTIONS, lambda E_scaled, W: tf.project(E_scaled, W),
        "You multiplied the scaled rows. What was added to them since?",
        "Projects the embeddings before the position codes are added.",
        takes=("E_scaled", "W{r}{m}{i}"), marks=("", "m"),
    ),
    Mistake(
        "scores.not-scaled", SCORES, lambda Q, K, d_k: tf.raw_scores(Q, K),
        "These are the raw products. Where is the root?",
        "Does not divide the scores by √d_k.",
    ),
    Mistake(
        "scores.divided-by-d_k", SCORES, lambda Q, K, d_k: tf.raw_scores(Q, K) / d_k,
        "You divided by d_k itself. Where is the root?",
        "Divides the scores by d_k, not by its root.",
    ),
    Mistake(
        "scores.divided-by-root-d_model", SCORES, lambda Q, K, d_k, d_model: tf.raw_scores(Q, K) / np.sqrt(d_model),
        "You divided by √d_model. How wide is one head?",
        "Divides the scores by the root of the model's width.",
        also=("d_model",),
    ),
    Mistake(
        "scores.divided-by-d_model", SCORES, lambda Q, K, d_k, d_model: tf.raw_scores(Q, K) / d_model,
        "You divided by d_model. Which root belongs here, and of which width?",
        "Divides the scores by the model's width.",
        also=("d_model",),
    ),
    Mistake(
        "scores.multiplied", SCORES, lambda Q, K, d_k: tf.raw_scores(Q, K) * np.sqrt(d_k),
        "Your scores grew. Is √d_k a factor or a divisor?",
        "Multiplies the scores by √d_k.",
    ),
    Mistake(
        "scores.transposed", SCORES, lambda Q, K, d_k: tf.scale_scores(tf.raw_scores(K, Q), d_k),
        "Rows and columns are exchanged. Who asks: the word of the row or of the column?",
        "Writes the scores with keys as rows: K Qᵀ.",
    ),
    Mistake(
        "scores.k-not-transposed", SCORES, lambda Q, K, d_k: tf.scale_scores(tf.project(Q, K), d_k),
        "You multiplied by K as it stands. Which inner sizes cancel?",
        "Does not transpose K.",
    ),
    Mistake(
        "scores.heads-mixed", SCORES, lambda Q, K, d_k, K_j: tf.scale_scores(tf.raw_scores(Q, K_j), d_k),
        "The queries of this head met the keys of the other. Whose keys belong here?",
        "Mixes the heads: queries of one, keys of the other.",
        also=("K{m}{j}",),
    ),
    Mistake(
        "scores.values-for-keys", SCORES, lambda Q, K, d_k, V: tf.scale_scores(tf.raw_scores(Q, V), d_k),
        "The queries met the values. With what is a query compared?",
        "Compares queries with values.",
        also=("V{m}{i}",),
    ),
    Mistake(
        "mask.on-cross", WEIGHTS, _on_cross,
        "Some words of the source are hidden. Which of them is still in the future?",
        "Puts the causal mask on cross-attention.",
        marks=("c",),
    ),
    Mistake(
        "softmax.columns", SHARES, _over(-2),
        "Your columns add up to 1. Which should: a row or a column?",
        "Normalises over columns.",
    ),
    Mistake(
        "softmax.everything", SHARES, _over(None),
        "All entries together add up to 1. What should a single row add up to?",
        "Normalises over the whole matrix.",
    ),
    Mistake(
        "softmax.no-exp", SHARES, _no_exp,
        "You divided the scores themselves. What happens to a score before it is divided?",
        "Leaves out the exponential.",
    ),
    Mistake(
        "softmax.forgotten", SHARES, lambda S, *_: S,
        "These are still the scores. What makes shares of them?",
        "Copies the scores instead of taking their softmax.",
    ),
    Mistake(
        "softmax.percent", SHARES, lambda S, blocked=None: 100 * tf.masked_softmax(S, blocked),
        "Your rows add up to 100. What should they add up to?",
        "Writes percentages.",
    ),
    Mistake(
        "softmax.not-divided", SHARES, _not_divided,
        "These are the exponentials. By what is each of them divided?",
        "Does not divide by the row's sum.",
    ),
    Mistake(
        "mix.other-head", HEADS, lambda A, V, V_j: tf.mix(A, V_j),
        "The weights of this head met the values of the other. Whose values belong here?",
        "Mixes the heads: weights of one, values of the other.",
        also=("V{m}{j}",),
    ),
    Mistake(
        "mix.weights-transposed", HEADS, lambda A, V: tf.mix(np.swapaxes(A, -1, -2), V),
        "You went down the columns of A. Whose weights stand in a row?",
        "Weights values with the columns of A.",
    ),
    Mistake(
        "mix.keys-for-values", HEADS, lambda A, V, K: tf.mix(A, K),
        "You averaged the keys. What does a word pass on?",
        "Averages keys instead of values.",
        also=("K{m}{i}",),
    ),
    Mistake(
        "mix.scores-for-weights", HEADS, lambda V, S: tf.mix(S, V),
        "You mixed with the scores. Do they add up to 1?",
        "Mixes with scores instead of weights.",
        takes=("V{m}{i}", "S{m}{i}"),
    ),
    Mistake(
        "output.no-wo", ("M",), lambda C, Wo: C,
        "These are the heads as they stand. Which matrix mixes them?",
        "Leaves out W_O.",
    ),
)  # fmt: skip
