"""Encoder 10 to 14: queries, keys and values, scores, weights, the weighted average, and the heads together."""

from __future__ import annotations

from ..displays.chosen import chosen_matrix
from ..displays.product import expand
from .card import Card, Stage, shapes
from .controls import HEAD, Chosen, Menu, words_of
from .settings import Settings


def draw_scores(settings: Settings, chosen: Chosen) -> Stage:
    """The raw scores of a head, and the dot product behind the chosen one."""
    layer, words, i = settings.run.encoder.layer(1), settings.example.src_words, chosen.head
    names = (f"Q{i}", f"K{i}ᵀ", f"R{i}")
    R = layer[f"R{i}"]
    table = chosen_matrix(R, names[2], words, words, row=chosen.asks, col=chosen.answers, note="raw scores Q · Kᵀ")
    entry = expand.build(layer[f"Q{i}"], layer[f"K{i}"].T, (chosen.asks, chosen.answers), names, words, words, result=R)
    this, paper = shapes(settings, "encoder", "R0")
    return Stage(table + entry, this, paper)


CARDS = (
    Card(
        "scores", "encoder", 11, "Scores", "How well does each word's key match what this word asks for?", "3.2.1",
        draw_scores,
        (
            Menu("asks", "word asks", 0, options=words_of("encoder")),
            Menu("answers", "word answers", 0, options=words_of("encoder")),
            HEAD,
        ),
    ),
)  # fmt: skip
