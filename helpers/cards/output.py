"""Decoder 11 to 13: logits, probabilities and losses, and all predictions in one pass."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.product import expand
from ..examples import Example
from ..sizes import PAPER_BASE
from .attention import POSITION
from .bars import sentence, share_bars
from .card import Card, Stage
from .controls import TRAINED, Chosen, Decimal, Menu, numbered
from .settings import Settings

MOST_WORDS = 9
"""Words that a card shows of those that compete."""


def competitors(settings: Settings) -> tuple[str, ...]:
    """Every word that competes at the output, in the order of the columns of the logits."""
    example = settings.example
    return tuple(example.candidates or sorted(example.vocabulary, key=example.vocabulary.get))


def shown_words(settings: Settings) -> list[int]:
    """Columns of the logits that a card shows: the labels first, then the likeliest of the others."""
    run = settings.run
    labels = list(dict.fromkeys(run.example.labels.tolist()))
    others = [int(c) for c in np.argsort(-run.decoder.P.max(axis=0), kind="stable") if c not in labels]
    return (labels + others)[:MOST_WORDS]


def _columns(settings: Settings) -> list[tuple[str, int]]:
    words = competitors(settings)
    return [(words[column], column) for column in shown_words(settings)]


def _competing(settings: Settings) -> tuple[str, str]:
    n = len(settings.example.tgt_words)
    return f"{n} × {len(competitors(settings))}", f"{n} × {PAPER_BASE.vocab:,}"


def draw_logits(settings: Settings, chosen: Chosen) -> Stage:
    """One score for each competing word: its row of the table against the position's row of Y3."""
    run, t, column = settings.run, chosen.word, chosen.candidate
    words, names = run.tgt_words, competitors(settings)
    shown = shown_words(settings)
    logits = run.decoder.logits
    table = chosen_matrix(
        logits[:, shown], "logits", words, [names[c] for c in shown], row=t, col=shown.index(column),
        note=_of_all(len(shown), len(names)),
    )  # fmt: skip
    entry = expand.build(
        run.decoder.output, run.example.E_out.T, (t, column), ("Y3", "Eᵀ", "logits"), words, names, logits
    )
    best = int(np.argmax(logits[t]))
    said = sentence(
        f"At position “{words[t]}” the word “{names[best]}” scores highest, {fixed(logits[t, best])}. "
        "The table is the one that the words came in through, unscaled."
    )
    return Stage(table + entry + said, *_competing(settings))


def _of_all(some: int, every: int) -> str:
    return f"{every} words compete" if some == every else f"{some} of {every} words that compete"


def draw_losses(settings: Settings, chosen: Chosen) -> Stage:
    """Probabilities of a position as bars, and the loss of every position, plain and smoothed."""
    run, t, eps = settings.run, chosen.word, chosen.smoothing
    words, names = run.tgt_words, competitors(settings)
    shown, P, labels = shown_words(settings), run.decoder.P, run.example.labels
    bars = share_bars([names[c] for c in shown], P[t, shown], f"P, position {words[t]}", shown.index(int(labels[t])))
    smoothed = tf.smoothed_loss(run.decoder.logits, labels, eps)
    lines = [
        (word, names[labels[k]], fixed(P[k, labels[k]], sign=False), fixed(run.decoder.losses[k], sign=False),
         fixed(smoothed[k], sign=False))
        for k, word in enumerate(words)
    ]  # fmt: skip
    lines.append(("mean", "", "", fixed(run.decoder.loss, sign=False), fixed(smoothed.mean(), sign=False)))
    table = show_table.build(("position", "label", "P(label)", "loss", "smoothed"), lines, align="llrrr")
    uniform = np.log(len(names))
    said = sentence(
        f"The mean loss is {fixed(run.decoder.loss, sign=False)}. Guessing blindly among {len(names)} words costs "
        f"ln {len(names)} = {fixed(uniform, sign=False)}. With smoothing {eps:g} it is "
        f"{fixed(smoothed.mean(), sign=False)}."
    )
    return Stage(bars + table + said, *_competing(settings), f"smoothing {eps:g} and 0.1")


# --- teacher forcing ----------------------------------------------------------------------------


def other_words(settings: Settings) -> tuple[str, ...]:
    """Words that can take a place in the decoder's input: those of both sentences."""
    return tuple(dict.fromkeys((*settings.target, *settings.source)))


def logits_with(example: Example, Z: np.ndarray, place: int, word: str) -> np.ndarray:
    """Logits (n_tgt, n_out) when another word is read at one place; Z stays, since the English sentence does."""
    words = list(example.tgt_words)
    words[place] = word
    Y0 = tf.input_vectors(tf.token_ids(words, example.vocabulary), example.E)
    Y3 = tf.decoder(Y0, Z, example.decoder_layers, example.sizes.heads, tf.causal_mask(len(words)))
    return tf.logits(Y3, example.E_out)


def draw_forcing(settings: Settings, chosen: Chosen) -> Stage:
    """All predictions of one pass, and what moves when a later input word is another one."""
    run, words, names = settings.run, settings.example.tgt_words, competitors(settings)
    # Both ways by the same functions, so that a difference is the word's and not the rounding's.
    before, after = (
        logits_with(settings.example, run.encoder.output, chosen.place, word)
        for word in (words[chosen.place], chosen.new)
    )
    moved = np.abs(after - before).max(axis=1)
    guess, new_guess = np.argmax(before, axis=1), np.argmax(after, axis=1)
    lines = [
        (t, word, names[guess[t]], settings.example.label_words[t], fixed(moved[t], 3, sign=False),
         names[new_guess[t]])
        for t, word in enumerate(words)
    ]  # fmt: skip
    heads = ("position", "reads", "guesses", "label", "logits moved by", "guesses now")
    table = show_table.build(heads, lines, align="rlllrl")
    place = chosen.place
    earlier, later = moved[:place], moved[place:]
    right = int(np.sum(guess == settings.example.labels))
    said = f"One pass gives {len(words)} predictions; {right} of them are right. "
    if chosen.new == words[place]:
        said += f"Put another word in place of “{words[place]}” and see which rows move."
    else:
        said += (
            f"With “{chosen.new}” instead of “{words[place]}” at position {place}, "
            f"earlier rows move by {fixed(earlier.max(initial=0.0), sign=False)}"
            f"{' exactly' if not earlier.any() else ''}, later ones by up to {fixed(later.max(), sign=False)}."
        )
    n = len(words)
    return Stage(table + sentence(said), f"{n} predictions", f"{n} predictions")


def _places(settings: Settings) -> list[tuple[str, int]]:
    """Places whose word can be changed: all but the start token's."""
    return [(label, place) for label, place in numbered(settings.example.tgt_words) if place]


CARDS = (
    Card(
        "logits", "decoder", 11, "Logits", "How much does this row look like each word?", "3.4", draw_logits,
        (POSITION, Menu("candidate", "word", 0, options=_columns), TRAINED),
    ),
    Card(
        "losses", "decoder", 12, "Probabilities and loss", "What does a position pay for its prediction?", "5.4",
        draw_losses, (POSITION, Decimal("smoothing", "label smoothing", 0.1, low=0.0, high=1.0, step=0.05), TRAINED),
    ),
    Card(
        "teacher forcing", "decoder", 13, "Teacher forcing", "Which predictions move when a later word changes?", "3.1",
        draw_forcing,
        (
            Menu("place", "change", 99, options=_places),
            Menu("new", "into", None, options=lambda s: [(word, word) for word in other_words(s)]),
            TRAINED,
        ),
    ),
)  # fmt: skip
