"""Decoder 2: the sentence shifted right, so that every position reads the words before the one it must predict."""

from __future__ import annotations

from dataclasses import replace

from ..displays.notes import show_table
from ..displays.output import Display
from ..transformer import shift_right
from . import drawn
from .attention import POSITION
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import Chosen, Press
from .settings import Settings

TILE_PX, GAP_PX = 30, 8


def shifted(settings: Settings) -> tuple[list[str], list[str]]:
    """What the decoder reads and what it must predict, position by position: one sentence, one place apart. §3.1."""
    vocabulary = settings.example.vocabulary
    names = {id_: word for word, id_ in vocabulary.items()}
    reads, predicts = shift_right([vocabulary[word] for word in settings.target])
    return [names[id_] for id_ in reads.tolist()], [names[id_] for id_ in predicts.tolist()]


def draw_shifted(settings: Settings, chosen: Chosen) -> Stage:
    """Two rows of tiles, column by column, and the same as a table with the chosen position told in words."""
    reads, predicts = shifted(settings)
    at = chosen.word
    rows = [
        (t, " ".join(reads[: t + 1]), predicts[t], " ".join(predicts[t + 1 :]) or "none") for t in range(len(reads))
    ]
    table = show_table.build(("position", "has seen", "must predict", "still hidden"), [rows[at]])
    this, paper = shapes(settings, "decoder", "ids")
    count = f"{len(reads)} positions: {len(settings.target)} words and the start token"
    return Stage(_tiles(reads, predicts, at) + table + _finding(reads, predicts, at), this, paper, count, weights=False)


def _tiles(reads: list[str], predicts: list[str], at: int) -> Display:
    """Above what must be predicted, below what is read; a line leads from each word to where it is read."""
    width = max(44, *(drawn.wide(word) + 16 for word in (*reads, *predicts)))
    step = width + GAP_PX
    upper, lower = 42, 42 + TILE_PX + 44
    parts = [
        drawn.words(1, 14, "must predict", "start", "q"),
        drawn.words(1, lower + TILE_PX + 18, "reads", "start", "q"),
    ]
    for t, (read, predicted) in enumerate(zip(reads, predicts, strict=True)):
        x = 1.5 + t * step
        middle = x + width / 2
        chosen = "b" if t == at else ""
        parts.append(drawn.words(middle, 34, str(t), "middle", f"c {chosen or 'q'}"))
        parts.append(drawn.box(x, upper, width, TILE_PX, "now" if t == at else "box" if t < at else "later"))
        parts.append(
            drawn.words(middle, upper + 20, predicted, "middle", f"c {chosen or ('q' if t > at else '')}".strip())
        )
        parts.append(drawn.box(x, lower, width, TILE_PX, "done" if t <= at else "later"))
        parts.append(drawn.words(middle, lower + 20, read, "middle", "c" + " q" * (t > at)))
        if t + 1 < len(reads):
            look = "way" if t < at else "later"
            parts.append(drawn.curve(middle, upper + TILE_PX, middle + step, lower, look, 1.5, upright=True))
    picture = drawn.svg(
        len(reads) * step, lower + TILE_PX + 24, "The German sentence, shifted right",
        f"Position {at} has read {' '.join(reads[: at + 1])} and must predict {predicts[at]}. "
        f"Each word that must be predicted is read one position later.",
        "".join(parts),
    )  # fmt: skip
    text = [
        f"{'>' if t == at else ' '} {t}  reads {read}, must predict {predicted}"
        for t, (read, predicted) in enumerate(zip(reads, predicts, strict=True))
    ]
    key = '<p class="note">Tinted: seen. Framed in blue: must be predicted. Dashed: still hidden.</p>'
    return drawn.drawing(["The German sentence, shifted right", *text], picture, key)


def _finding(reads: list[str], predicts: list[str], at: int) -> Display:
    """Whether the word it must predict is among those it has seen, and how many that are."""
    seen = at + 1
    first = f"Position {at} has seen {seen} of {len(reads)} inputs and must predict “{predicts[at]}”."
    if predicts[at] in reads[:seen]:
        rest = f"It has seen “{predicts[at]}” before, at an earlier place of the sentence; not the one that is due now."
    else:
        rest = f"“{predicts[at]}” is not among what it has seen."
    if at + 1 < len(reads):
        rest += f" It is read at position {at + 1}."
    return sentence(f"{first} {rest}")


def _next(settings: Settings, chosen: Chosen) -> dict:
    """The next position; after the last one the first again."""
    return {"word": (chosen.word + 1) % (len(settings.target) + 1)}


CARDS = (
    Card(
        "shifted right", "decoder", 2, "Shifted right", "What has a position seen, and what must it predict?", "3.1",
        draw_shifted, (replace(POSITION, start=2, beside=True), Press("next", "Next position", change=_next)),
    ),
)  # fmt: skip
