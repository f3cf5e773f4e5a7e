"""Encoder 19: how far the layers moved each word from its row of the embedding table."""

from __future__ import annotations

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.numbers import clip, columns_of, fixed, left, typeset
from ..displays.output import Display
from . import drawn
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import Chosen, Menu
from .settings import MOST_LAYERS, Settings

MEASURES = {
    "cosine": "cosine with the table row",
    "distance": "distance from the table row",
    "length": "length of the vector",
}
ROW_PX, BAR_PX = 26, 140


def cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cosine of the angle between the rows of a and b (n, d): (n,), 0 where a row is all zeros."""
    lengths = length(a) * length(b)
    return np.divide((a * b).sum(axis=-1), lengths, out=np.zeros_like(lengths), where=lengths > 0)


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Length of the difference between the rows of a and b (n, d): (n,)."""
    return length(a - b)


def length(a: np.ndarray) -> np.ndarray:
    """Root of the sum of the squares of each row of a (n, d): (n,)."""
    return np.sqrt((a * a).sum(axis=-1))


def stops(settings: Settings) -> list[tuple[str, np.ndarray]]:
    """(name, vectors) on the way of the words: table rows, X, and what each layer hands on; the last is Z."""
    encoder, layers = settings.run.encoder, settings.sizes.layers
    after = [(f"layer {k}", encoder.layer(k).Z) for k in range(1, layers + 1)]
    return [("table", encoder.E_rows), ("X", encoder.X), *after[:-1], ("Z", encoder.output)]


def measured(settings: Settings, measure: str) -> np.ndarray:
    """One line for each word, one column for each stop: (n_src, N + 2)."""
    vectors = [matrix for _, matrix in stops(settings)]
    rule = {"cosine": cosine, "distance": distance}.get(measure, lambda vector, row: length(vector))
    return np.stack([rule(vector, vectors[0]) for vector in vectors], axis=1)


def draw_moved(settings: Settings, chosen: Chosen) -> Stage:
    """A bar for each word at the chosen stop, and the numbers of all words at all stops."""
    words = settings.example.src_words
    names = [name for name, _ in stops(settings)]
    M = measured(settings, chosen.measure)
    bars = _bars(M[:, chosen.stop], words, chosen.measure, names[chosen.stop])
    table = chosen_matrix(M, MEASURES[chosen.measure].capitalize(), words, names, col=chosen.stop)
    this, paper = shapes(settings, "encoder", "Z")
    return Stage(bars.beside(table) + _finding(settings, chosen, names), this, paper)


def _bars(values: np.ndarray, words: tuple[str, ...], measure: str, stop: str) -> Display:
    """A bar and its number for each word, from −1 to 1 for cosines, else from 0 to the longest."""
    largest = 1.0 if measure == "cosine" else max(float(values.max()), 1e-12)
    low = -1.0 if measure == "cosine" else 0.0
    margin = max(drawn.wide(word) for word in words) + 12
    zero = margin + BAR_PX * (0 - low) / (largest - low)
    height = ROW_PX * len(words)
    parts = [drawn.line(zero, 26, zero, 30 + height, "axis", 1)]
    for t, (word, value) in enumerate(zip(words, values.tolist(), strict=True)):
        top = 30 + ROW_PX * t
        value = max(low, min(largest, value))
        parts.append(drawn.words(margin - 10, top + 17, word, "end", "c"))
        parts.append(drawn.bar(zero, top + 6, value / (largest - low) * BAR_PX, 14, "less" if value < 0 else "bar"))
        parts.append(drawn.words(margin + BAR_PX + 8, top + 17, typeset(fixed(value)), "start", "c"))
    ends = [(margin, "−1", "start"), (zero, "0", "middle")] if low else [(zero, "0", "start")]
    ends.append((margin + BAR_PX, "1" if low else fixed(largest, sign=False), "end"))
    parts += [drawn.words(x, 18, text, place, "q c") for x, text, place in ends]
    title = f"{stop}: {MEASURES[measure]}"
    described = "; ".join(f"{word} {fixed(value)}" for word, value in zip(words, values, strict=True)) + "."
    picture = drawn.svg(margin + BAR_PX + 70, height + 36, title, described, "".join(parts))
    text = [title, *_bars_text(values, words, largest)]
    return drawn.drawing(text, f'<p class="f">{title}</p>', picture)


def _bars_text(values: np.ndarray, words: tuple[str, ...], largest: float) -> list[str]:
    margin = min(20, max(map(columns_of, words)))
    return [
        f"{left(clip(word, margin), margin)} {fixed(value)} "
        + ("-" if value < 0 else "#") * round(30 * abs(value) / largest)
        for word, value in zip(words, values.tolist(), strict=True)
    ]


def _finding(settings: Settings, chosen: Chosen, names: list[str]) -> Display:
    """Who turned farthest, and what became of a word that stands there twice; computed from the vectors."""
    words, vectors = settings.example.src_words, [matrix for _, matrix in stops(settings)]
    stop = names[chosen.stop]
    turned = cosine(vectors[chosen.stop], vectors[0])
    far, near = int(np.argmin(turned)), int(np.argmax(turned))
    if turned[near] - turned[far] < 1e-9:
        first = f"{stop}: every word has the cosine {fixed(turned[far])} with its table row."
    else:
        first = (
            f"{stop}: “{words[far]}” turned farthest from its table row, cosine {fixed(turned[far])}; "
            f"“{words[near]}” least, {fixed(turned[near])}."
        )
    told = [first, _twice(words, vectors, stop, chosen.stop), drawn.arbitrary(settings.trained)]
    return sentence(" ".join(filter(None, told)))


def _twice(words: tuple[str, ...], vectors: list[np.ndarray], name: str, stop: int) -> str:
    """What the first word that stands there twice shows: one row in the table, and how far apart it is by now."""
    repeated = next((word for word in words if words.count(word) > 1), None)
    if repeated is None:
        return ""
    a, b = [t for t, word in enumerate(words) if word == repeated][:2]
    apart = [float(distance(matrix[[a]], matrix[[b]])[0]) for matrix in (vectors[0], vectors[stop])]
    return f"The two “{repeated}”, words {a} and {b}, are {fixed(apart[0], sign=False)} apart in the table" + (
        f" and {fixed(apart[1], sign=False)} apart in {name}." if stop else "."
    )


def _stops(settings: Settings) -> list[tuple[str, int]]:
    layers = settings.sizes.layers
    return [("table", 0), ("X", 1), *((f"layer {k}", k + 1) for k in range(1, layers)), ("Z", layers + 1)]


def _measures(settings: Settings) -> list[tuple[str, str]]:
    return [(name, name) for name in MEASURES]


CARDS = (
    Card(
        "movement", "encoder", 19, "How far each word moved",
        "How much is left of the row that a word had in the table?", "",
        draw_moved,
        (
            Menu("stop", "after", MOST_LAYERS + 1, options=_stops),
            Menu("measure", "measure", "cosine", options=_measures, beside=True),
        ),
    ),
)  # fmt: skip
