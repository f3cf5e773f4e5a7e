"""Decoder 7: cross-attention, where German positions ask and English words answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.output import Display
from . import drawn
from .attention import POSITION
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import HEAD, LAYER, TRAINED, Chosen
from .settings import Settings

ROW_PX = 30
WAY_PX = 72
FROM = 0.15
"""Lines of the other positions are drawn from this weight on."""


def draw_cross(settings: Settings, chosen: Chosen) -> Stage:
    """Where queries, keys and values come from, the scores that follow, and the weights as lines between words."""
    layer, i, example = settings.run.decoder.layer(chosen.layer), chosen.head, settings.example
    words, answers = example.tgt_words, example.src_words
    S, A = layer[f"Sc{i}"], layer[f"Ac{i}"]
    scores = chosen_matrix(
        S, f"Sc{i}", words, answers, row=chosen.word, note="scaled scores, German rows, English columns"
    )
    lines = alignment(A, words, answers, chosen.word)
    this, paper = shapes(settings, "decoder", "Sc0")
    note = f"grey: other positions, from {FROM}"
    return Stage(_sources(settings, chosen) + lines.beside(scores) + _finding(settings, chosen, A), this, paper, note)


def _sources(settings: Settings, chosen: Chosen) -> Display:
    """Whose words ask and whose answer, with the shapes of this run and the paper's."""
    i = chosen.head
    rows = []
    for role, source, stack, what in (
        ("q", "Y1", "decoder", "German position"),
        ("k", "Z", "encoder", "English word"),
        ("v", "Z", "encoder", "English word"),
    ):
        this, paper = shapes(settings, "decoder", f"{role.upper()}c0")
        rows.append((f"{role.upper()}c{i}", stack, f"{source} · W{role}c{i}", what, this, paper))
    return show_table.build(("", "from the", "rule", "a row for each", "this run", "paper"), rows, align="llllrr")


def alignment(A: np.ndarray, asks: tuple[str, ...], answers: tuple[str, ...], chosen: int) -> Display:
    """Weights as lines between two columns of words: blue and as wide as the weight from the chosen row."""
    left = max(68, *(drawn.wide(word) + 16 for word in asks))
    right = max(56, *(drawn.wide(word) for word in answers))
    x1, x2 = left + 4, left + 4 + WAY_PX
    height = ROW_PX * max(len(asks), len(answers))

    def y(place: int, count: int) -> float:
        return 30 + (height - ROW_PX * count) / 2 + ROW_PX * (place + 0.5)

    parts = [
        drawn.words(left - 6, 16, "asks", "end", "q"),
        drawn.words(x2 + 6, 16, "answers", "start", "q"),
        drawn.words(x2 + right + 52, 16, "share", "end", "q"),
    ]
    parts += [
        drawn.curve(x1, y(t, len(asks)), x2, y(j, len(answers)), "grey", 6 * weight)
        for t, row in enumerate(A.tolist())
        for j, weight in enumerate(row)
        if t != chosen and weight >= FROM
    ]
    row = A[chosen].tolist()
    parts += [
        drawn.curve(x1, y(chosen, len(asks)), x2, y(j, len(answers)), "lit", 1 + 14 * weight)
        for j, weight in enumerate(row)
    ]
    most = max(row)
    for t, word in enumerate(asks):
        if t == chosen:
            parts.append(drawn.box(2, y(t, len(asks)) - 12, left - 1, 24, "now"))
        parts.append(drawn.words(left - 6, y(t, len(asks)) + 5, word, "end", "c b" if t == chosen else "c"))
    for j, (word, weight) in enumerate(zip(answers, row, strict=True)):
        look = "c b" if weight == most else "c"
        parts.append(drawn.words(x2 + 6, y(j, len(answers)) + 5, word, "start", look))
        parts.append(drawn.words(x2 + right + 52, y(j, len(answers)) + 5, fixed(weight, sign=False), "end", look))
    title = f"Alignment: what “{asks[chosen]}” takes from each English word"
    shares = [f"{word} {fixed(weight, sign=False)}" for word, weight in zip(answers, row, strict=True)]
    picture = drawn.svg(x2 + right + 56, height + 36, title, f"Shares: {', '.join(shares)}.", "".join(parts))
    return drawn.drawing([title, *(f"  {share}" for share in shares)], picture)


def _finding(settings: Settings, chosen: Chosen, A: np.ndarray) -> Display:
    """Which English word the chosen position leans on, beside the word that is due there."""
    example, row = settings.example, A[chosen.word]
    most = int(np.argmax(row))
    due, word = example.label_words[chosen.word], example.tgt_words[chosen.word]
    first = f"At “{word}” the word “{due}” is due; "
    if len(row) == 1:
        first += f"there is one English word, “{example.src_words[0]}”, and it has all the weight."
    elif row.max() - row.min() < 1e-9:
        first += "all English words have the same weight."
    else:
        first += f"this head leans most on “{example.src_words[most]}”, {fixed(row[most], sign=False)}."
    blocked = example.cross_blocked
    rest = "No mask: the whole English sentence is known." if blocked is None or not blocked.any() else ""
    return sentence(f"{first} {rest} {drawn.arbitrary(settings.trained)}".strip())


CARDS = (
    Card(
        "cross-attention", "decoder", 7, "Cross-attention", "Which English words does each German position lean on?",
        "3.2.3", draw_cross,
        (
            replace(POSITION, start=1),
            HEAD,
            LAYER,
            TRAINED,
        ),
    ),
)  # fmt: skip
