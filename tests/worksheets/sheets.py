"""Examples of random sizes for worksheets, and the pass as a person writes it, worked out on its own."""

import math
from dataclasses import replace

import numpy as np

from helpers import Sizes
from helpers.boxes import decoder_boxes, encoder_boxes
from helpers.personal import sheet_example
from helpers.trace import givens

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "dogs", "ran", "off"]
GERMAN = ["die", "katze", "saß", "auf", "der", "matte"]


def random_sheet(seed):
    """(example, is there a decoder, decimals) of sizes that fit on a sheet."""
    rng = np.random.default_rng(seed)
    decoder = bool(rng.random() < 0.5)
    d_model, heads = [(2, 1), (2, 2), (4, 1), (4, 2), (4, 4), (6, 2), (6, 3)][rng.integers(5 if decoder else 7)]
    sizes = Sizes(d_model, heads, int(rng.integers(1, 9)), vocab=4)
    src = [WORDS[k] for k in rng.integers(0, len(WORDS), rng.integers(1, 5))]
    tgt = [GERMAN[k] for k in rng.integers(0, len(GERMAN), rng.integers(1, 4))]
    example = sheet_example(src, tgt if decoder else None, sizes, seed=int(rng.integers(1000)))
    if rng.random() < 0.3:
        example = with_norms(example, rng)
    return example, decoder, int(rng.integers(3, 6))


def with_norms(example, rng):
    """The same with gammas and betas that make a difference."""

    def drawn(layer):
        return {
            k: np.round(rng.uniform(0.5, 1.5, v.shape), 1) if k[:2] in ("ga", "be") else v for k, v in layer.items()
        }

    return replace(
        example,
        encoder_layers=tuple(map(drawn, example.encoder_layers)),
        decoder_layers=tuple(map(drawn, example.decoder_layers)),
    )


def rounded(x, decimals):
    """A half goes away from zero; a decimal that a float misses by a hair is taken for it."""
    if x <= -1e8:
        return -math.inf
    return math.copysign(math.floor(abs(x) * 10**decimals + 0.5 + 1e-9) / 10**decimals, x)


def by_hand(example, decoder, decimals):
    """Every box as it is written, by stack and key: each from the ones before it, rounded."""
    heads, found, Z = example.sizes.heads, {}, {}
    for stack, boxes in (("encoder", encoder_boxes(heads)), ("decoder", decoder_boxes(heads, candidates=True))):
        if stack == "decoder" and not decoder:
            break
        values = givens(example, stack, 1) | Z
        for box in boxes:
            made = np.asarray(box.rule(*[values[name] for name in box.inputs]))
            if made.dtype.kind == "f":
                written = np.array([rounded(x, decimals) for x in made.ravel()]).reshape(made.shape)
                values[box.key] = np.where(np.isinf(written), -1e9, written)
            else:
                values[box.key] = made
            found[stack, box.key] = values[box.key]
        Z = {"Z": values.get("Z")}
    return found
