"""What a screened example promises, asked of the numbers: with the trace, and with slips made in plain loops."""

import numpy as np
from pupils import honest, slips
from pupils.paper import entries, shape

from helpers import forward_pass
from helpers.personal import SCREENED

UNITS = {"encoder": ("res1", "res2"), "translation": ("res1", "res2", "res3")}
SEEN = 0.020 - 1e-9


def faults(example):
    """Everything in which an example breaks a promise of the design: [] for one that keeps them all."""
    return [*_unfriendly(forward_pass(example)), *_unseen(example)]


def _unfriendly(run):
    encoder, decoder = run.encoder, run.decoder
    for stack, norms in ((encoder, UNITS["encoder"]), (decoder, UNITS["translation"])):
        for key in norms:
            if stack[key].var(axis=-1).min() < 0.1:
                yield key, "a row varies too little"
    # The first row of the masked block has one word to look at, and no choice.
    weights = {"A0": encoder.A0, "A1": encoder.A1, "Ac0": decoder.Ac0, "Ac1": decoder.Ac1}
    weights |= {"Am0": decoder.Am0[1:], "Am1": decoder.Am1[1:]}
    for key, A in weights.items():
        if not 0.4 <= A.max() <= 0.95:
            yield key, "the largest weight"
    for key in ("S0", "S1"):
        if np.exp(encoder[key]).max(axis=-1).min() < 0.1:
            yield key, "a row of tiny exponentials"
    if np.exp(-decoder.losses).min() <= 0.05:
        yield "P", "a label is too unlikely"


def _unseen(example):
    for unit in UNITS:
        given = honest.givens(example, unit)
        done = honest.Pass(given, "full", 12, np.random.default_rng(0)).fill()
        for label, key in slips.pairs(unit):
            if label in SCREENED:
                yield from _unseen_at(label, done, key)


def _unseen_at(label, done, key):
    right = done.precise[key]
    for wrong in slips.variants(label, done.desk(key)):
        if shape(wrong) == shape(right) and _largest_change(wrong, right) < SEEN:
            yield key, label


def _largest_change(wrong, right):
    # Two blocked scores are one and the same.
    return max(0.0 if a == b else abs(a - b) for a, b in zip(entries(wrong), entries(right), strict=True))
