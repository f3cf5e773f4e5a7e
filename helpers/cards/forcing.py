"""Decoder 13: teacher forcing. All predictions of one pass, and which of them a later word can move."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .. import decoding
from .. import transformer as tf
from ..displays.heat import show_heat
from ..displays.notes import show_table
from ..displays.numbers import fixed
from .bars import sentence
from .candidates import MOST_WORDS, by_size, competitors, german_words
from .card import Card, Stage
from .controls import TRAINED, Chosen, Menu, numbered
from .settings import Settings

SAME = 1e-9
"""Two ways of computing one number differ by less, from rounding alone."""


def other_words(settings: Settings) -> tuple[str, ...]:
    """Words that can take a place in the decoder's input: German ones, and with random weights the English too."""
    words = german_words(settings)[:-1] if settings.trained else (*settings.target, *settings.source)
    return tuple(dict.fromkeys(words))


@lru_cache(maxsize=64)
def logits_reading(settings: Settings, words: tuple[str, ...]) -> np.ndarray:
    """Logits (m, words that compete) of one pass over m words; the encoder's Z does not depend on them."""
    example = settings.example
    Y0 = tf.input_vectors(tf.token_ids(words, example.vocabulary), example.E)
    Z, blocked = settings.run.encoder.output, tf.causal_mask(len(words))
    return tf.logits(tf.decoder(Y0, Z, example.decoder_layers, settings.sizes.heads, blocked), example.E_out)


@lru_cache(maxsize=16)
def gap_to_single_passes(settings: Settings) -> float:
    """Largest difference between the logits of one pass and those of m passes over 1, 2, … m words."""
    example = settings.example
    ids = tf.token_ids(example.tgt_words, example.vocabulary)
    step = decoding.decoder_step(example, settings.run.encoder.output)
    columns = tf.token_ids(competitors(settings), example.vocabulary)
    single = np.array([step(ids[: t + 1])[-1, columns] for t in range(len(ids))])
    return float(np.abs(single - settings.run.decoder.logits).max())


def with_word(words: tuple[str, ...], place: int, word: str) -> tuple[str, ...]:
    """The words with another one at a place."""
    return (*words[:place], word, *words[place + 1 :])


def amount(number: float) -> str:
    """A size with three decimals; a bare 0 when it is exactly that."""
    return "0" if number == 0 else fixed(number, sign=False)


def draw_forcing(settings: Settings, chosen: Chosen) -> Stage:
    """All predictions of one pass, and what moves when a later input word is another one."""
    example, names, place = settings.example, competitors(settings), chosen.place
    words = example.tgt_words
    new_words = with_word(words, place, chosen.new)
    # Both ways by the same function, so that a difference is the word's and not the rounding's.
    before, after = logits_reading(settings, words), logits_reading(settings, new_words)
    moved = np.abs(after - before).max(axis=1)
    guesses, new_guesses = ([names[c] for c in np.argmax(rows, axis=1)] for rows in (before, after))
    reads = [word if word == new else f"{word} → {new}" for word, new in zip(words, new_words, strict=True)]
    heads = ("position", "reads", "label", "predicts", "predicts now", "moved by")
    lines = list(
        zip(range(len(words)), reads, example.label_words, guesses, new_guesses, map(amount, moved), strict=True)
    )
    display = show_table.build(heads, lines, "Before and after", align="lllllr")
    changed = chosen.new != words[place]
    if changed:
        change = tf.softmax(after) - tf.softmax(before)
        # The words whose shares changed most, in the order of their columns.
        shown = sorted(by_size(np.abs(change).max(axis=0))[:MOST_WORDS])
        display += show_heat.build(
            change[:, shown], "change of P", reads, [names[c] for c in shown], note="after − before"
        )
    said = _one_pass(settings, guesses) + " "
    said += _what_moved(words[place], chosen.new, place, moved) if changed else _invitation(words[place])
    m = len(words)
    return Stage(
        display + sentence(said), f"{m} predictions", f"{m} predictions", "moved by: largest change of a logit"
    )


def _one_pass(settings: Settings, guesses: list[str]) -> str:
    m = len(guesses)
    right = sum(guess == label for guess, label in zip(guesses, settings.example.label_words, strict=True))
    same = gap_to_single_passes(settings) < SAME
    return (
        f"One pass over {m} rows predicts {m} words, {right} of them right. {m} passes over 1 to {m} words, "
        f"{m * (m + 1) // 2} rows in all, give {'the same' if same else 'other'} logits."
    )


def _what_moved(word: str, new: str, place: int, moved: np.ndarray) -> str:
    earlier, later = float(moved[:place].max()), float(moved[place:].max())
    still = "do not move, by exactly 0" if earlier == 0 else f"move by up to {fixed(earlier, 6, sign=False)}"
    return (
        f"With “{new}” in place of “{word}” the rows before it {still}; it and those after it by up to {amount(later)}."
    )


def _invitation(word: str) -> str:
    return f"Put another word in place of “{word}” and see which rows move."


def _places(settings: Settings) -> list[tuple[str, int]]:
    """Places whose word can be changed: all but the start token's."""
    return [(label, place) for label, place in numbered(settings.example.tgt_words) if place]


CARDS = (
    Card(
        "teacher forcing", "decoder", 13, "Teacher forcing", "Which predictions move when a later word changes?", "3.1",
        draw_forcing,
        (
            Menu("place", "change", 3, options=_places),
            Menu("new", "into", None, options=lambda settings: [(word, word) for word in other_words(settings)]),
            TRAINED,
        ),
    ),
)  # fmt: skip
