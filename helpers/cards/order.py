"""Encoder 5: one layer without positions gives each word the same vector in any order."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from ..displays.chosen import WIDEST
from ..displays.groups import Groups
from ..displays.numbers import fixed, wrap
from ..displays.output import Display
from ..displays.table import scroll
from .bars import GAP, TILE, sentence, svg, tile
from .card import Card, Stage, shapes
from .controls import Chosen, Number, Press, Tick, numbered
from .settings import Settings

MOST_SHUFFLES = 99
SAME = 1e-9
"""Two numbers closer than this differ by rounding alone."""
TALL = 120


def shuffled(n: int, number: int) -> np.ndarray:
    """The order of n places in shuffle `number`: 0 is their own; every other one moves a word if there are two."""
    if number == 0 or n == 1:
        return np.arange(n)
    rng = np.random.RandomState(number)
    while True:
        order = rng.permutation(n)
        if not np.array_equal(order, np.arange(n)):
            return order


def draw_order(settings: Settings, chosen: Chosen) -> Stage:
    """One encoder layer on the words in their own order and shuffled, entry by entry."""
    run, example = settings.run, settings.example
    words, n = example.src_words, len(example.src_words)
    order = shuffled(n, chosen.mix)
    rows, codes = run.encoder.E_scaled, run.encoder.PE if chosen.positions else 0
    layer, h = example.encoder_layers[0], settings.sizes.heads
    own = tf.encoder_layer(rows + codes, layer, h)
    mixed = np.empty_like(own)
    mixed[order] = tf.encoder_layer(rows[order] + codes, layer, h)  # back to the words they belong to
    place = np.argsort(order)
    differ = np.abs(own - mixed) > SAME
    return Stage(
        tiles(words, order) + _both(words, own, mixed, place, chosen.positions) + _finding(own, mixed, differ, order),
        *shapes(settings, "encoder", "Z"),
    )


def _both(words, own, mixed, place, positions: bool) -> Display:
    kind = "with positions" if positions else "without positions"
    labels = [label for label, _ in numbered(words)]
    groups = Groups(
        (own, mixed), ("yours", "mixed"), labels, title=f"Output {kind}", note="one layer", decimals=3,
        max_cols=WIDEST, fit=False, lines=[(f"yours, {t}", f"mixed, {at}") for t, at in enumerate(place)],
    )  # fmt: skip
    text = [*wrap(f"{groups.title}  {groups.text_note}", indent="  "), *groups.text_lines()]
    return Display("\n".join(text), groups.html_table(), ("table", "groups"))


def _finding(own, mixed, differ, order) -> Display:
    if len(order) == 1:
        return sentence("One word has no other order. Type a sentence of two words or more.")
    if np.array_equal(order, np.arange(len(order))):
        return sentence("Nothing is shuffled yet. Press Shuffle.")
    largest = fixed(np.abs(own - mixed).max(), sign=False)
    if not differ.any():
        return sentence(
            f"No entry differs. The largest of {differ.size} differences is {largest}: each word has one vector, "
            "wherever it stands."
        )
    return sentence(
        f"{int(differ.sum())} of {differ.size} entries differ, by up to {largest}. Position codes were added to the "
        "rows, so now the place counts."
    )


def tiles(words: tuple[str, ...], order: np.ndarray) -> Display:
    """Two rows of tiles, the sentence and its shuffle, each word joined to itself."""
    parts = []
    for k, word in enumerate(words):
        parts += [tile(k, 0, word), tile(k, TALL - 32, words[order[k]])]
        x0, x1 = (_middle(place) for place in (order[k], k))
        parts.append(
            f'<path d="M{x0} 32C{x0} 60 {x1} {TALL - 60} {x1} {TALL - 32}" fill="none" stroke="#808080" '
            'stroke-width="1.5"/>'
        )
    mixed = [words[place] for place in order]
    described = f"{' '.join(words)} becomes {' '.join(mixed)}"
    width = len(words) * (TILE + GAP) + 2
    picture = svg(width, TALL + 2, "Your words and their shuffle", described, "".join(parts))
    text = [*wrap(f"yours: {' '.join(words)}"), *wrap(f"mixed: {' '.join(mixed)}")]
    return Display("\n".join(text), scroll(picture, "Your words and their shuffle"), ("table", "picture"))


def _middle(place: int) -> int:
    return int(place) * (TILE + GAP) + TILE // 2 + 1


CARDS = (
    Card(
        "order", "encoder", 5, "Does the layer notice the order?", "Shuffle the words. Which numbers change?", "3.5",
        draw_order,
        (
            Press("again", "Shuffle", change=lambda s, c: {"mix": c.mix % MOST_SHUFFLES + 1}),
            Press("own", "Own order", change=lambda s, c: {"mix": 0}),
            Number("mix", "shuffle number", 1, low=0, high=MOST_SHUFFLES),
            Tick("positions", "with positions"),
        ),
    ),
)  # fmt: skip
