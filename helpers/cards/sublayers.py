"""Encoder 15 to 17, decoder 6, 8 and 9: Add & Norm, the feed-forward network, and both again."""

from __future__ import annotations

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.numbers import fixed
from ..displays.output import Display
from ..displays.product import expand
from ..displays.rows import show_layer_norm
from ..trace import Values
from .attention import COLUMN, POSITION, WORD, block_of, joined, mixed
from .bars import sentence, unit_map
from .card import Card, Stage, shapes
from .controls import HEAD, Chosen, Menu
from .settings import Settings


def add_and_norm(
    values: Values, words: tuple[str, ...], keys: tuple[str, str, str, str], number: int, t: int
) -> Display:
    """One Add & Norm: row t of both summands and of the sum, then every row before and after the norm.

    keys: of the input, the sub-layer's output, the sum and the result, such as ("X", "M", "res1", "N1").
    """
    x, sub, res, out = keys
    rows = np.stack([values[key][t] for key in (x, sub, res)])
    summed = chosen_matrix(rows, f"{x} + {sub}", [x, sub, "sum"], row=2, note=f"row {words[t]}")
    normed = show_layer_norm.build(values[res], values[f"gamma{number}"], values[f"beta{number}"], out, words)
    before, after = values[res][t], values[out][t]
    said = sentence(
        f"Row “{words[t]}” had mean {fixed(before.mean())} and deviation {fixed(before.std(), sign=False)}. "
        f"Now it has mean {fixed(after.mean())} and deviation {fixed(after.std(), sign=False)}."
    )
    return summed + normed + said


def feed_forward(values: Values, words: tuple[str, ...], x: str, t: int, u: int) -> Display:
    """The feed-forward network on row t: which units live, and unit u from its products to its cut."""
    pre, cut, out = values.F_pre, values.F_relu, values.F
    alive = pre > 0
    d_ff = pre.shape[1]
    units = unit_map(words, alive, f"F_relu: {len(words)} words, {d_ff} units each", t, u)
    entry = expand.build(values[x], values.W1, (t, u), (x, "W1", "F_pre"), words, None, pre, bias=values.b1)
    kept = "stays" if alive[t, u] else "becomes 0"
    unit = sentence(f"Unit {u} of row “{words[t]}” {kept}. ReLU turns {fixed(pre[t, u])} into {fixed(cut[t, u])}.")
    narrow = chosen_matrix(out, "F", words, row=t, note=f"{d_ff} numbers narrowed to {out.shape[1]}")
    dead, mine = int((~alive).sum()), int((~alive[t]).sum())
    said = sentence(
        f"{mine} of {d_ff} units of row “{words[t]}” are cut to 0. Over all words it is {dead} of {alive.size}."
    )
    return units + said + entry + unit + narrow


# --- encoder 15 to 17 ---------------------------------------------------------------------------


def draw_first_norm(settings: Settings, chosen: Chosen) -> Stage:
    """X + M, then its norm N1."""
    layer, words = settings.run.encoder.layer(1), settings.example.src_words
    display = add_and_norm(layer, words, ("X", "M", "res1", "N1"), 1, chosen.word)
    return Stage(display, *shapes(settings, "encoder", "N1"))


def draw_feed_forward(settings: Settings, chosen: Chosen) -> Stage:
    """N1 through the feed-forward network."""
    layer, words = settings.run.encoder.layer(1), settings.example.src_words
    display = feed_forward(layer, words, "N1", chosen.word, chosen.unit)
    return Stage(display, *shapes(settings, "encoder", "F_pre"))


def draw_second_norm(settings: Settings, chosen: Chosen) -> Stage:
    """N1 + F, then its norm Z."""
    layer, words = settings.run.encoder.layer(1), settings.example.src_words
    display = add_and_norm(layer, words, ("N1", "F", "res2", "Z"), 2, chosen.word)
    return Stage(display, *shapes(settings, "encoder", "Z"), note="output of layer 1")


# --- decoder 6, 8, 9 ----------------------------------------------------------------------------


def draw_masked_norm(settings: Settings, chosen: Chosen) -> Stage:
    """Y0 + M of the masked block, then its norm Y1."""
    layer, words = settings.run.decoder.layer(1), settings.example.tgt_words
    display = add_and_norm(layer, words, ("Y0", "Mm", "res1", "Y1"), 1, chosen.word)
    return Stage(display, *shapes(settings, "decoder", "Y1"))


def draw_cross_mix(settings: Settings, chosen: Chosen) -> Stage:
    """English values mixed into a German row, the heads together, and Y1 added back."""
    block, t = block_of(settings, "c"), chosen.word
    display = mixed(block, t, chosen.head, 0) + joined(settings, block, t, chosen.column)
    display += add_and_norm(block.values, block.asks, ("Y1", "Mc", "res2", "Y2"), 2, t)
    return Stage(display, *shapes(settings, "decoder", "Y2"), note=f"head {chosen.head}")


def draw_decoder_feed_forward(settings: Settings, chosen: Chosen) -> Stage:
    """Y2 through the feed-forward network, then the third norm, Y3."""
    layer, words = settings.run.decoder.layer(1), settings.example.tgt_words
    display = feed_forward(layer, words, "Y2", chosen.word, chosen.unit)
    display += add_and_norm(layer, words, ("Y2", "F", "res3", "Y3"), 3, chosen.word)
    return Stage(display, *shapes(settings, "decoder", "Y3"))


def units_of(settings: Settings) -> list[tuple[str, int]]:
    """Options for the units of the feed-forward network."""
    return [(str(u), u) for u in range(settings.sizes.d_ff)]


UNIT = Menu("unit", "unit", 0, options=units_of)

CARDS = (
    Card(
        "add & norm", "encoder", 15, "Add & Norm", "What do mean and deviation say before, and what after?", "3.1",
        draw_first_norm, (WORD,),
    ),
    Card(
        "feed-forward", "encoder", 16, "The feed-forward network", "Which units live for this word, and which die?",
        "3.3", draw_feed_forward, (WORD, UNIT),
    ),
    Card(
        "second add & norm", "encoder", 17, "Add & Norm again", "What is added back this time?", "3.1",
        draw_second_norm, (WORD,),
    ),
    Card(
        "masked add & norm", "decoder", 6, "Add & Norm", "What does a German row keep of itself?", "3.1",
        draw_masked_norm, (POSITION,),
    ),
    Card(
        "cross mix", "decoder", 8, "English into German", "What crosses from the encoder into this row?", "3.2.3",
        draw_cross_mix, (POSITION, HEAD, COLUMN),
    ),
    Card(
        "decoder feed-forward", "decoder", 9, "Feed-forward, Add & Norm", "Does anything move between positions here?",
        "3.3", draw_decoder_feed_forward, (POSITION, UNIT),
    ),
)  # fmt: skip
