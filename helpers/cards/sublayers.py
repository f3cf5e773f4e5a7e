"""Encoder 15 to 17, decoder 6, 8 and 9: Add & Norm, the feed-forward network, and both again."""

from __future__ import annotations

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.notes import part
from ..displays.numbers import NOISE, fixed
from ..displays.output import Display
from ..displays.product import expand
from ..values import Values
from .attention import COLUMN, POSITION, WORD, arbitrary, block_of, columns
from .bars import sentence, unit_map
from .card import Card, Stage, shapes
from .controls import HEAD, TRAINED, Chosen, Menu
from .mixing import joined, mixed
from .row_pictures import spread
from .settings import Settings

NEAR = 5e-3
"""A deviation this near to 1 counts as 1: ε inside the root takes a little off."""

MOMENTS = ("mean before", "dev. before", "mean after", "dev. after")
UNITS_SHOWN = 12


# --- Add & Norm ---------------------------------------------------------------------------------


def add_and_norm(
    values: Values, words: tuple[str, ...], keys: tuple[str, str, str, str], number: int, t: int
) -> Display:
    """One Add & Norm: row t from its summands to its norm, and mean and deviation of every word before and after.

    keys: of the input, the sub-layer's output, the sum and the result, such as ("X", "M", "res1", "N1").
    number: of the norm in its layer, from 1.
    """
    x, sub, res, out = keys
    labels = [x, sub, f"{x} + {sub}", out]
    rows = np.stack([values[key][t] for key in keys])
    four = chosen_matrix(rows, f"{out} = LN({x} + {sub})", labels, row=3, note=f"row {words[t]}")
    dots = spread(rows[2:], (f"before: {res}", f"after: {out}"), f"Row {words[t]} before and after the norm")
    before, after = values[res], values[out]
    moments = np.column_stack([f(rows, axis=1) for rows in (before, after) for f in (np.mean, np.std)])
    table = chosen_matrix(moments, "Mean and deviation of every row", words, MOMENTS, row=t)
    result = chosen_matrix(after, out, words, row=t)
    return four + dots + table + sentence(_normed(before, after, values, number)) + result


def _normed(before: np.ndarray, after: np.ndarray, values: Values, number: int) -> str:
    """Whether every row has mean 0 and deviation 1 now, and what moved it away if not."""
    means, deviations = after.mean(axis=1), after.std(axis=1)
    wide, narrow = (fixed(f(before.std(axis=1)), sign=False) for f in (np.max, np.min))
    each = f"The deviations of the {len(before)} rows ran from {narrow} to {wide}."
    if len(before) == 1:
        each = f"Its deviation was {wide}."
    if np.abs(means).max() < NEAR and np.abs(deviations - 1).max() < NEAR:
        return f"Every row has mean 0 and deviation 1 now. {each}"
    gamma, beta = values[f"gamma{number}"], values[f"beta{number}"]
    bare = tf.layer_norm(before, np.ones_like(gamma), np.zeros_like(beta))
    if np.abs(bare.mean(axis=1)).max() < NEAR and np.abs(bare.std(axis=1) - 1).max() < NEAR:
        return f"Every row had mean 0 and deviation 1 until γ and β, which are learned, moved it again. {each}"
    return f"Not every row has deviation 1 now: one was so flat that ε counts. {each}"


# --- the feed-forward network -------------------------------------------------------------------


def feed_forward(values: Values, words: tuple[str, ...], x: str, t: int, u: int, c: int) -> Display:
    """The feed-forward network on row t: widened (unit u written out), cut, narrowed (entry c of F written out)."""
    pre, cut, out = values.F_pre, values.F_relu, values.F
    alive, d_ff, word = pre > 0, pre.shape[1], words[t]
    units = unit_map(words, alive, f"F_relu, {len(words)} × {d_ff}", t, u)
    entry = expand.build(values[x], values.W1, (t, u), (x, "W1", "F_pre"), words, None, pre, bias=values.b1)
    kept = f"Unit {u} lives and keeps {fixed(pre[t, u])}." if alive[t, u] else f"Unit {u} dies: {fixed(pre[t, u])} → 0."
    narrow = chosen_matrix(out, "F", words, row=t, col=c, note=f"{d_ff} numbers narrowed to {out.shape[1]}")
    return (
        units + sentence(_died(alive, t, word)) + entry + sentence(kept) + _around(pre[t], cut[t], u, word)
        + narrow + sentence(_narrowed(values, alive, words, t, c))
    )  # fmt: skip


def _died(alive: np.ndarray, t: int, word: str) -> str:
    """How many units died, for the chosen word, over the sentence, and for every word of it."""
    dead, mine = int((~alive).sum()), int((~alive[t]).sum())
    silent = np.flatnonzero(~alive.any(axis=0)).tolist()
    said = f"For “{word}” {mine} of {alive.shape[1]} units died. Over the sentence {dead} of {alive.size}."
    if len(alive) == 1:
        return said
    if not silent:
        return f"{said} No unit is dead for every word."
    named = ", ".join(map(str, silent[:8])) + (", …" if len(silent) > 8 else "")
    return f"{said} Dead for every word: {len(silent)} ({named})."


def _around(pre: np.ndarray, cut: np.ndarray, u: int, word: str) -> Display:
    """The numbers of the chosen row before and after ReLU, the units around the chosen one."""
    first = min(u // UNITS_SHOWN * UNITS_SHOWN, max(0, len(pre) - UNITS_SHOWN))
    shown = slice(first, first + UNITS_SHOWN)
    numbers = [str(k) for k in range(len(pre))[shown]]
    about = f"row {word} · units {numbers[0]} to {numbers[-1]} of {len(pre)}"
    rows = np.stack([pre[shown], cut[shown]])
    return chosen_matrix(rows, "before and after ReLU", ["F_pre", "F_relu"], numbers, col=u - first, about=about)


def _narrowed(values: Values, alive: np.ndarray, words: tuple[str, ...], t: int, c: int) -> str:
    """What the living units bring to entry (t, c) of F, and whether the dead ones are missed."""
    living = alive[t]
    total = float(values.F_relu[t, living] @ values.W2[living, c] + values.b2[c])
    entry = float(values.F[t, c])
    if abs(total - entry) > max(NOISE, 1e-9 * abs(entry)):
        return f"The living units bring {fixed(total)} to F[{words[t]}, {c}], which is {fixed(entry)}."
    bias = " and b2" if values.b2[c] else ""
    said = f"F[{words[t]}, {c}] = {fixed(entry)} comes from {int(living.sum())} living units{bias} alone."
    return f"{said} The {int((~living).sum())} dead ones bring exactly 0."


# --- encoder 15 to 17 ---------------------------------------------------------------------------


def draw_first_norm(settings: Settings, chosen: Chosen) -> Stage:
    """X + M, then its norm N1."""
    layer, words = settings.run.encoder.layer(1), settings.example.src_words
    display = add_and_norm(layer, words, ("X", "M", "res1", "N1"), 1, chosen.word)
    return Stage(display, *shapes(settings, "encoder", "N1"))


def draw_feed_forward(settings: Settings, chosen: Chosen) -> Stage:
    """N1 through the feed-forward network."""
    layer, words = settings.run.encoder.layer(1), settings.example.src_words
    display = feed_forward(layer, words, "N1", chosen.word, chosen.unit, chosen.column)
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
    block, t, i = block_of(settings, "c"), chosen.word, chosen.head
    best = int(np.argmax(block["A", i][t]))
    share = fixed(block["A", i][t, best], sign=False)
    said = f"Row “{block.asks[t]}” takes most from “{block.answers[best]}”, {share}.{arbitrary(settings)}"
    average = mixed(block, t, i, chosen.column % settings.sizes.d_k) + sentence(said)
    display = (
        part("A · V: the values come from Z", average)
        + part("All heads, then W_O", joined(settings, block, t, chosen.column, ("C",)))
        + part("Add & Norm", add_and_norm(block.values, block.asks, ("Y1", "Mc", "res2", "Y2"), 2, t))
    )
    return Stage(display, *shapes(settings, "decoder", "Y2"), note=f"head {i}")


def draw_decoder_feed_forward(settings: Settings, chosen: Chosen) -> Stage:
    """Y2 through the feed-forward network, then the third norm, Y3."""
    layer, words, t = settings.run.decoder.layer(1), settings.example.tgt_words, chosen.word
    display = part("Feed-forward", feed_forward(layer, words, "Y2", t, chosen.unit, chosen.column))
    display += part("Add & Norm", add_and_norm(layer, words, ("Y2", "F", "res3", "Y3"), 3, t))
    return Stage(display, *shapes(settings, "decoder", "Y3"), note="output of layer 1")


def units_of(settings: Settings) -> list[tuple[str, int]]:
    """Options for the units of the feed-forward network."""
    return [(str(u), u) for u in range(settings.sizes.d_ff)]


UNIT = Menu("unit", "unit", 0, options=units_of)
OUT = Menu("column", "column of F", 0, options=columns)

CARDS = (
    Card(
        "add & norm", "encoder", 15, "Add & Norm", "What do mean and deviation say before, and what after?", "3.1",
        draw_first_norm, (WORD,),
    ),
    Card(
        "feed-forward", "encoder", 16, "The feed-forward network", "Which units live for this word, and which die?",
        "3.3", draw_feed_forward, (WORD, UNIT, OUT),
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
        draw_cross_mix, (POSITION, HEAD, COLUMN, TRAINED),
    ),
    Card(
        "decoder feed-forward", "decoder", 9, "Feed-forward, Add & Norm", "Does anything move between positions here?",
        "3.3", draw_decoder_feed_forward, (POSITION, UNIT, OUT),
    ),
)  # fmt: skip
