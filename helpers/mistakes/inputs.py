"""Mistakes on the way from words to the input of a stack: ids, table rows, scaling, position codes."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from .mistake import Mistake

IDS, ROWS, SCALED, PE, INPUT = ("ids",), ("E_rows",), ("E_scaled",), ("PE",), ("input",)


def _other_rows(ids, E):
    """One word with the row of another id: every word, every other id."""
    right = tf.lookup(ids, E)
    made = []
    for place, own in enumerate(ids):
        for other in range(len(E)):
            if other != own:
                made.append(right.copy())
                made[-1][place] = E[other]
    return made


def codes(n, d_model, *, start=0, base=10000.0, degrees=False, exponents=None):
    """Position codes with their choices open: where to count from, base, unit of angles, exponent of each column."""
    c = np.arange(d_model)
    exponents = 2 * (c // 2) if exponents is None else exponents(c)
    angle = (np.arange(n)[:, None] + start) / base ** (exponents / d_model)
    angle = np.deg2rad(angle) if degrees else angle
    return np.where(c % 2 == 0, np.sin(angle), np.cos(angle))


def _halves(n, d_model):
    right = codes(n, d_model)
    return np.hstack([right[:, 0::2], right[:, 1::2]])


def _swapped(n, d_model):
    right = codes(n, d_model)
    return right.reshape(n, -1, 2)[:, :, ::-1].reshape(n, d_model)


MISTAKES = (
    Mistake(
        "ids.by-position", IDS, lambda words, v: np.arange(len(words)),
        "You numbered the words by their place. What does the vocabulary say for each word?",
        "Takes an id for a position in the sentence.",
    ),
    Mistake(
        "ids.counted-from-1", IDS, lambda words, v: tf.token_ids(words, v) + 1,
        "Every id is one too large. Which number has the first entry of the vocabulary?",
        "Counts ids from 1.",
    ),
    Mistake(
        "ids.not-shifted", IDS, lambda labels, v: tf.token_ids(labels, v),
        "These are the words to be predicted. Which word does the decoder read first?",
        "Feeds the decoder its labels: the input is not shifted right.",
        takes=("label_words", "vocabulary"), stacks=("decoder",),
    ),
    Mistake(
        "rows.counted-from-1", ROWS, lambda ids, E: E[np.asarray(ids) - 1],
        "Every row is the one above the right one. Which number has the first row of the table?",
        "Counts the rows of the table from 1.",
    ),
    Mistake(
        "rows.by-position", ROWS, lambda ids, E: E[np.arange(len(ids))],
        "You took the first rows of the table. Which number says which row a word has?",
        "Uses the position of a word as its row number.",
    ),
    Mistake(
        "rows.wrong-row", ROWS, _other_rows,
        "One word has the row of another id. Which id does this word have?",
        "Reads one row of the table at the wrong id.",
    ),
    Mistake(
        "embedding.not-scaled", SCALED, lambda rows: rows,
        "These are still the rows of the table. By which number is each of them multiplied?",
        "Leaves out the factor √d_model.",
    ),
    Mistake(
        "embedding.not-scaled", INPUT, tf.add,
        "You added the position codes to unscaled rows. Which matrix comes right before this one?",
        "Adds position codes to unscaled embeddings.",
        takes=("E_rows", "PE"),
    ),
    Mistake(
        "embedding.times-d_model", SCALED, lambda rows: rows * rows.shape[-1],
        "You multiplied by d_model itself. What is √d_model?",
        "Multiplies embeddings by d_model, not by its root.",
    ),
    Mistake(
        "embedding.divided", SCALED, lambda rows: rows / np.sqrt(rows.shape[-1]),
        "Your rows became smaller. Should scaling let the words speak louder or softer?",
        "Divides embeddings by √d_model instead of multiplying.",
    ),
    Mistake(
        "embedding.scaled-after-pe", INPUT, lambda rows, pe: (rows + pe) * np.sqrt(rows.shape[-1]),
        "Your position codes grew too. Which summand should be scaled?",
        "Scales after adding the position codes.",
        takes=("E_rows", "PE"),
    ),
    Mistake(
        "pe.column-as-i", PE, lambda n, d: codes(n, d, exponents=lambda c: 2 * c),
        "You used the column's number as i. Columns 2 and 3 share one i: which?",
        "Takes the column index for the pair index i.",
    ),
    Mistake(
        "pe.cosine-next", PE, lambda n, d: codes(n, d, exponents=lambda c: 2 * ((c + 1) // 2)),
        "Your sines are right, your cosines turn too slowly. Do sine and cosine of a pair share their angle?",
        "Uses the next pair's divisor for the cosine.",
    ),
    Mistake(
        "pe.base-1000", PE, lambda n, d: codes(n, d, base=1000.0),
        "Your slower pairs turn too fast. Which base stands in the formula?",
        "Uses base 1,000 instead of 10,000.",
    ),
    Mistake(
        "pe.halves", PE, _halves,
        "All your sines stand left, all cosines right. Which columns does one pair fill?",
        "Puts sines into the first half and cosines into the second.",
    ),
    Mistake(
        "pe.swapped", PE, _swapped,
        "Position 0 should begin with a sine. What is sin 0?",
        "Exchanges sine and cosine.",
    ),
    Mistake(
        "pe.from-1", PE, lambda n, d: codes(n, d, start=1),
        "You began with position 1. Which position has the first word?",
        "Counts positions from 1.",
    ),
    Mistake(
        "pe.degrees", PE, lambda n, d: codes(n, d, degrees=True),
        "Your angles are read as degrees. Is the calculator set to radians?",
        "Has the calculator in degree mode.",
    ),
    Mistake(
        "input.no-pe", INPUT, lambda scaled, pe: scaled,
        "These are the scaled rows. What is added to them?",
        "Does not add the position codes.",
    ),
)  # fmt: skip
