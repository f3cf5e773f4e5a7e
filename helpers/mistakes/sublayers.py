"""Mistakes around the sub-layers: sums, norms and the feed-forward network."""

from __future__ import annotations

from functools import partial

import numpy as np

from .. import transformer as tf
from .mistake import Mistake

NORM, RES, WIDE, CUT, OUT = ("norm",), ("res",), ("F_pre",), ("F_relu",), ("F",)


def _keep(number):
    return number


def _norm(
    x, gamma, beta, eps=tf.EPS, *, axis=-1, ddof=0, root=True, subtract=True, divide=True, jot=_keep
):  # fmt: skip
    """Layer norm with its choices open, so that a slip is one argument."""
    mean = jot(np.mean(x, axis=axis, keepdims=True))
    deviation = jot(x - mean)
    squares = jot(deviation**2)
    variance = jot(np.sum(squares, axis=axis, keepdims=True) / (squares.shape[axis] - ddof)) + eps
    divisor = (jot(np.sqrt(variance)) if root else variance) if divide else 1.0
    return gamma * jot((deviation if subtract else x) / divisor) + beta


def _norm_mistake(label, question, shows, **choices):
    return Mistake(label, NORM, partial(_norm, **choices), question, shows, jotted=True)


# What enters the sum before each norm: (norm, input of the sub-layer, its output).
_SUMS = {
    "encoder": (("N1", "X", "M"), ("Z", "N1", "F")),
    "decoder": (("Y1", "Y0", "Mm"), ("Y2", "Y1", "Mc"), ("Y3", "Y2", "F")),
}


def _before_residual(x, sub, gamma, beta, *, jot=_keep):
    return x + jot(_norm(sub, gamma, beta, jot=jot))


def _sum_mistakes():
    """The mistakes of one norm need the two parts of its sum, which have other names at each norm."""
    for stack, sums in _SUMS.items():
        for k, (key, x, sub) in enumerate(sums, start=1):
            place = dict(stacks=(stack,), keys=(key,), jotted=True)
            norm = (f"gamma{k}", f"beta{k}")
            yield Mistake(
                "norm.before-residual", NORM, _before_residual,
                "You normalised before adding. What deviation do your final rows have?",
                "Normalises the sub-layer's output and then adds the input.",
                takes=(x, sub, *norm), **place,
            )  # fmt: skip
            yield Mistake(
                "norm.of-sub-layer", NORM, _norm,
                "You normalised the sub-layer's output alone. What was added back to it?",
                "Normalises without the residual.",
                takes=(sub, *norm), **place,
            )  # fmt: skip
            yield Mistake(
                "norm.of-input", NORM, _norm,
                "You normalised the sub-layer's input. Which sum is normalised?",
                "Normalises the input instead of the sum.",
                takes=(x, *norm), **place,
            )  # fmt: skip


def _wrong_stream(stack, key, sub, *streams):
    return Mistake(
        "residual.wrong-stream", RES, lambda sub, *xs: [sub + x for x in xs],
        "You added an older matrix. What entered this sub-layer?",
        "Takes the residual from the wrong stream.",
        takes=(sub, *streams), stacks=(stack,), keys=(key,),
    )  # fmt: skip


def _ffn_wrong_stream(stack, *streams):
    return Mistake(
        "ffn.wrong-stream", WIDE, lambda W1, b1, *xs: [tf.project(x, W1, b1) for x in xs],
        "The network read another matrix. Which one did the norm before it hand on?",
        "Feeds the FFN from the wrong stream.",
        takes=("W1", "b1", *streams), stacks=(stack,),
    )  # fmt: skip


MISTAKES = (
    Mistake(
        "sum.subtracted", ("input", *RES), lambda a, b: a - b,
        "You subtracted. Are the two matrices added or taken from one another?",
        "Subtracts instead of adding.",
    ),
    Mistake(
        "residual.forgotten", RES, lambda x, sub: sub,
        "This is the sub-layer's output alone. What is added back?",
        "Leaves out the residual.",
    ),
    Mistake(
        "residual.input-only", RES, lambda x, sub: x,
        "This is the sub-layer's input alone. What did the sub-layer contribute?",
        "Copies the input and leaves out the sub-layer.",
    ),
    Mistake(
        "residual.doubled", RES, lambda x, sub: 2 * x + sub,
        "The input is in here twice. How often is it added back?",
        "Adds the residual twice.",
    ),
    _wrong_stream("encoder", "res1", "M", "E_scaled"),
    _wrong_stream("encoder", "res2", "F", "X"),
    _wrong_stream("decoder", "res1", "Mm", "E_scaled"),
    _wrong_stream("decoder", "res2", "Mc", "Y0"),
    _wrong_stream("decoder", "res3", "F", "Y1", "Y0"),
    _norm_mistake(
        "norm.columns", "You took one mean for each column. How many means do the words need?",
        "Normalises columns instead of rows.", axis=-2,
    ),
    _norm_mistake(
        "norm.sample-variance",
        "Your rows have a deviation below 1. Did you divide by the row's width, or by one less?",
        "Uses the sample variance (width − 1).", ddof=1,
    ),
    _norm_mistake(
        "norm.variance", "You divided by the variance. Where is its root?",
        "Divides by the variance, not by its root.", root=False,
    ),
    _norm_mistake(
        "norm.mean-kept", "Your rows do not have mean 0. What is subtracted first?",
        "Does not subtract the mean.", subtract=False,
    ),
    _norm_mistake(
        "norm.not-divided", "Your rows have mean 0, their deviation is not 1. By what is each entry divided?",
        "Only subtracts the mean.", divide=False,
    ),
    Mistake(
        "norm.forgotten", NORM, lambda x, *_: x,
        "This is the sum as it was. Which mean and deviation should its rows have?",
        "Leaves out the norm.",
    ),
    *_sum_mistakes(),
    Mistake(
        "ffn.bias-forgotten", (*WIDE, *OUT), lambda x, W, b: tf.project(x, W),
        "The product is right. What is added to every row of it?",
        "Leaves out the bias.",
    ),
    _ffn_wrong_stream("encoder", "X", "res1"),
    _ffn_wrong_stream("decoder", "Y1", "res2"),
    Mistake(
        "relu.early", WIDE, lambda x, W, b: tf.relu(tf.project(x, W, b)),
        "Your negatives are already cut. Which box is that for?",
        "Applies ReLU one box early.",
    ),
    Mistake(
        "relu.forgotten", CUT, lambda F_pre: F_pre,
        "There are negative entries here. What does ReLU make of them?",
        "Leaves out ReLU.",
    ),
    Mistake(
        "relu.forgotten", OUT, lambda F_pre, W2, b2: tf.project(F_pre, W2, b2),
        "You narrowed the matrix from before ReLU. Which one comes after it?",
        "Feeds the second layer the values before ReLU.",
        takes=("F_pre", "W2", "b2"),
    ),
    Mistake(
        "relu.flipped", CUT, lambda F_pre: np.minimum(F_pre, 0),
        "You kept the negatives. Which entries does ReLU keep?",
        "Keeps the negative entries and cuts the positive ones.",
    ),
    Mistake(
        "relu.absolute", CUT, np.abs,
        "You dropped the minus signs. What does ReLU make of a negative entry?",
        "Takes absolute values.",
    ),
    Mistake(
        "relu.after-second", OUT,
        lambda F_relu, W2, b2, F_pre: [tf.relu(tf.project(F_pre, W2, b2)), tf.relu(tf.project(F_relu, W2, b2))],
        "No entry here is negative. May F be negative?",
        "Applies ReLU after the second layer.",
        also=("F_pre",),
    ),
)  # fmt: skip
