"""Examples for the simulator's own tests, of the homework's sizes: one-decimal weights, screened only roughly."""

import numpy as np

from helpers.examples import Example
from helpers.sizes import HOMEWORK, WEIGHTS, shape_in

SRC, TGT = ("the", "cat", "sat"), ("die", "katze", "saß")
CANDIDATES = (*TGT, "<eos>")


def _one_decimal(rng, shape, most):
    return rng.integers(-most, most + 1, shape) / 10


def _weight(rng, name, shape):
    if name.startswith("gamma"):
        return np.ones(shape)
    return np.zeros(shape) if name.startswith("beta") else _one_decimal(rng, shape, 7)


def _layer(rng, stack):
    symbols = HOMEWORK.symbols()
    return {name: _weight(rng, name, shape_in(symbols, shape)) for name, shape in WEIGHTS[stack].items()}


def made_up_example(seed):
    """An Example of the homework's sizes from a seed."""
    rng = np.random.default_rng(seed)
    ids = (3 + rng.permutation(6)).tolist()
    vocabulary = {"<pad>": 0, "<sos>": 1, "<eos>": 2} | dict(zip(SRC + TGT, ids, strict=True))
    return Example(
        sizes=HOMEWORK,
        src_words=SRC,
        tgt_words=("<sos>", *TGT),
        label_words=(*TGT, "<eos>"),
        vocabulary=vocabulary,
        E=_one_decimal(rng, (9, 4), 8),
        encoder_layers=(_layer(rng, "encoder"),),
        decoder_layers=(_layer(rng, "decoder"),),
    )
