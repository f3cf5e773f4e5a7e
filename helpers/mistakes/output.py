"""Mistakes from the last vectors to words and losses."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from .mistake import Mistake

LOGITS, LOSSES, LOSS, NEXT = ("logits",), ("losses",), ("loss",), ("next_word",)


def _input_rows(Y3, E_out, ids, E):
    return tf.logits(Y3, E[np.asarray(ids, dtype=int)])


def _wrong_rows(P, labels):
    return [tf.nll(P, np.roll(labels, shift)) for shift in (1, -1)]


MISTAKES = (
    Mistake(
        "logits.scaled-table", LOGITS, lambda Y3, E: tf.logits(Y3, tf.scale_embeddings(E)),
        "Your logits are all too large by one factor. Does √d_model belong to the table or to the lookup?",
        "Scales the output table by √d_model.",
    ),
    Mistake(
        "logits.input-rows", LOGITS, _input_rows,
        "You scored the words that were read. Is ⟨s⟩ ever predicted?",
        "Takes the rows of the inputs for those of the candidates.",
        also=("ids", "E"),
    ),
    Mistake(
        "logits.wrong-stream", LOGITS, lambda E, *Ys: [tf.logits(Y, E) for Y in Ys],
        "You scored an older matrix. Which one left the last norm?",
        "Scores Y2 or Y1 instead of Y3.",
        takes=("E_out", "Y2", "Y1"),
    ),
    Mistake(
        "loss.log10", LOSSES, lambda P, labels: tf.nll(P, labels) / np.log(10),
        "Which base undoes eˣ?",
        "Uses the logarithm to base 10.",
    ),
    Mistake(
        "loss.log2", LOSSES, lambda P, labels: tf.nll(P, labels) / np.log(2),
        "You used base 2. Which base undoes eˣ?",
        "Uses the logarithm to base 2.",
    ),
    Mistake(
        "loss.no-minus", LOSSES, lambda P, labels: -tf.nll(P, labels),
        "The logarithm of a probability is negative. What turns it into a loss?",
        "Leaves out the minus sign.",
    ),
    Mistake(
        "loss.no-minus", LOSS, lambda losses: -tf.mean_loss(losses),
        "Your mean is negative. Which sign does a loss have?",
        "Leaves out the minus sign.",
    ),
    Mistake(
        "loss.not-logged", LOSSES, lambda P, labels: 1 - np.exp(-tf.nll(P, labels)),
        "You took what is missing to 1. Which function turns a probability into a loss?",
        "Uses 1 − P instead of −ln P.",
    ),
    Mistake(
        "loss.wrong-row", LOSSES, _wrong_rows,
        "Your rows take the label of a neighbour. Which word comes after the word of a row?",
        "Reads the probability of another row's label.",
    ),
    Mistake(
        "loss.of-largest", LOSSES, lambda P, labels: -np.log(np.max(P, axis=-1)),
        "You took the largest probability of each row. Whose probability counts?",
        "Takes the favourite instead of the label.",
    ),
    Mistake(
        "loss.sum", LOSS, np.sum,
        "These are all losses together. By what is the sum divided?",
        "Adds the losses instead of averaging.",
    ),
    Mistake(
        "loss.perplexity", LOSS, lambda losses: np.exp(tf.mean_loss(losses)),
        "This is the perplexity. Which number is it e to the power of?",
        "Gives the perplexity instead of the loss.",
    ),
    Mistake(
        "loss.of-mean-probability", LOSS, lambda losses: -np.log(np.mean(np.exp(-np.asarray(losses)))),
        "You averaged the probabilities first. Which numbers are averaged?",
        "Averages probabilities before the logarithm.",
    ),
    Mistake(
        "next.first-row", NEXT, lambda P: np.argmax(P[0]),
        "You read the first row. Which row has seen everything?",
        "Reads the prediction of the first row.",
    ),
    Mistake(
        "next.smallest", NEXT, lambda P: np.argmin(P[-1]),
        "You took the smallest probability. Which one is the best guess?",
        "Takes the smallest probability.",
    ),
    Mistake(
        "next.column", NEXT, lambda P: np.argmax(P[:, -1]),
        "You went down a column. Who competes: the words of a row or of a column?",
        "Compares rows instead of words.",
    ),
)  # fmt: skip
