"""How well the trained model does, measured with the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..decoding import decoder_step, generate, greedy
from ..trace import forward_pass
from ..transformer import EOS, SOS, encoder, input_vectors
from .model import trained_example
from .sentences import LONGEST, NOUNS, Pair, held_out, training


def translate(src_words) -> tuple[str, ...]:
    """Translate English words, taking the likeliest word each time; at most as many as the longest German sentence.

    Raises PlainError, naming them, for words that the model does not know.
    """
    example = trained_example(src_words, ())
    ids = [example.vocabulary[word] for word in example.src_words]
    Z = encoder(input_vectors(np.array(ids), example.E), example.encoder_layers, example.sizes.heads)
    chosen = generate(decoder_step(example, Z), SOS, EOS, LONGEST["german"] + 1, greedy)
    words = list(example.vocabulary)
    return tuple(words[id_] for id_ in chosen[1:] if id_ != EOS)


def strongest_look(src_words, tgt_words) -> np.ndarray:
    """Largest cross-attention weight over all heads and layers: (n_tgt, n_src); row t must predict tgt_words[t]."""
    run = forward_pass(trained_example(src_words, tgt_words))
    layers = [run.decoder.layer(k) for k in range(1, run.sizes.layers + 1)]
    return np.max([layer[f"Ac{i}"] for layer in layers for i in range(run.sizes.heads)], axis=0)


def nouns_found(english: str, german: str) -> list[bool]:
    """For every German noun of a pair: does the row that must predict it look most at the English noun?"""
    src_words, tgt_words = english.split(), german.split()
    looks = strongest_look(src_words, tgt_words)
    return [src_words[int(np.argmax(looks[t]))] == NOUNS[word] for t, word in enumerate(tgt_words) if word in NOUNS]


def translated(pairs: Sequence[Pair]) -> int:
    """How many pairs are translated without a single other word."""
    return sum(translate(english.split()) == tuple(german.split()) for english, german in pairs)


@dataclass(frozen=True)
class Report:
    """Right ones and all of them: sentences of the training, held-out sentences, nouns of the held-out sentences."""

    training: tuple[int, int]
    held_out: tuple[int, int]
    nouns: tuple[int, int]

    def __str__(self) -> str:
        """Three lines, each with a count and a share."""
        rows = (
            ("sentences of the training set translated exactly", self.training),
            ("held-out sentences translated exactly", self.held_out),
            ("held-out nouns that look most at their English noun", self.nouns),
        )
        return "\n".join(f"{what + ':':<52} {right} of {all_} ({right / all_:.1%})" for what, (right, all_) in rows)


def report() -> Report:
    """Measure the shipped model on its sentences; takes some seconds."""
    seen, unseen = training(), held_out()
    found = [right for pair in unseen for right in nouns_found(*pair)]
    return Report((translated(seen), len(seen)), (translated(unseen), len(unseen)), (sum(found), len(found)))
