"""Decoder 14: the model writes by itself, word by word, and what a cache of keys and values saves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .. import decoding
from .. import transformer as tf
from ..counts import multiply_add_table
from ..displays.notes import show_table
from ..displays.numbers import fixed, wrap
from ..displays.output import Display
from .bars import GAP, TILE, framed, sentence, share_bars, svg, tile
from .card import Card, Stage
from .controls import TRAINED, Chosen, Decimal, Menu, Number, Press
from .settings import Settings

LONGEST = 9
"""Words that are written at most: one more than a German sentence has, and the end."""
MOST_BARS = 9
SAME = 1e-9


@dataclass(frozen=True)
class Rule:
    """How a word is chosen. kind: "greedy" or "sample". draw: the seed of the draws."""

    kind: str
    T: float
    k: int
    p: float
    draw: int


@dataclass(frozen=True)
class Written:
    """What stands after some words: ids with the start token first, and what the last row says of the next word.

    shares: probabilities of the competing words after temperature and cuts. gap: between the row of logits computed
    with the cache and the last of all rows computed anew. ended: whether the end has been chosen.
    """

    ids: tuple[int, ...]
    shares: np.ndarray
    gap: float
    ended: bool


def competing(settings: Settings) -> tuple[str, ...]:
    """Words that can be written: those of the translation, or all German words that the model knows; and the end."""
    if not settings.trained:
        return settings.example.candidates
    from ..trained import known_words

    return (*known_words("german"), "<eos>")


def shares_of(row: np.ndarray, rule: Rule) -> np.ndarray:
    """Probabilities of one row of logits under a rule: temperature, then the k largest, then the nucleus."""
    row = row / rule.T
    cut = decoding.top_k(row, min(rule.k, len(row))) == 0
    return decoding.nucleus(tf.block(row[None], cut[None])[0], rule.p)


def chosen_place(shares: np.ndarray, rule: Rule, t: int) -> int:
    """The place of the word that is written: the likeliest, or one drawn by the shares."""
    if rule.kind == "greedy":
        return decoding.greedy(shares)
    return int(np.random.RandomState([rule.draw, t]).choice(len(shares), p=shares))


@lru_cache(maxsize=256)
def rows_so_far(settings: Settings, ids: tuple[int, ...]) -> tuple[np.ndarray, float, list]:
    """Logits (V,) after the ids, computed twice, with the largest difference, and what the cache then holds."""
    example, Z = settings.example, settings.run.encoder.output
    if len(ids) == 1:
        caches = [decoding.empty_cache(Z, w, settings.sizes.heads) for w in example.decoder_layers]
    else:
        caches = rows_so_far(settings, ids[:-1])[-1]
    cached, caches = decoding.newest_row(example, caches, ids)
    anew = decoding.decoder_step(example, Z)(ids)[-1]
    return anew, float(np.abs(cached[-1] - anew).max()), caches


@lru_cache(maxsize=256)
def written(settings: Settings, rule: Rule, words: int) -> Written:
    """What stands after some words; fewer of them if the end came first."""
    columns = np.array([settings.example.vocabulary[name] for name in competing(settings)])
    ids: tuple[int, ...] = (tf.SOS,)
    if words:
        before = written(settings, rule, words - 1)
        if before.ended:
            return before
        ids = (*before.ids, int(columns[chosen_place(before.shares, rule, words)]))
        if ids[-1] == tf.EOS:
            return Written(ids, before.shares, before.gap, True)
    row, gap, _ = rows_so_far(settings, ids)
    return Written(ids, shares_of(row[columns], rule), gap, False)


def draw_generation(settings: Settings, chosen: Chosen) -> Stage:
    """The words so far, the shares of the next one, and the work a cache saves."""
    rule = Rule(chosen.rule, chosen.temperature, chosen.top_k, chosen.top_p, chosen.draw)
    state = written(settings, rule, chosen.words)
    names = competing(settings)
    by_id = {id_: word for word, id_ in settings.example.vocabulary.items()}
    words = [by_id[id_] for id_ in state.ids]
    display = _tiles(words, state.ended) + _said(settings, words, state)
    if not state.ended:
        order = np.argsort(-state.shares, kind="stable")[:MOST_BARS]
        title = f"Next word after {words[-1]}: {len(order)} of {len(names)} words"
        display += share_bars([names[c] for c in order], state.shares[order], title)
    rows = len(state.ids) - state.ended
    display += _cache(settings, rows, len(names), state.gap)
    n = len(settings.source)
    return Stage(display, f"{rows} rows, {n} keys of Z", "at most 50 words more than the input",
                 f"written: {len(words) - 1}")  # fmt: skip


def _tiles(words: list[str], ended: bool) -> Display:
    looks = ["seen"] * (len(words) - 1) + (["next"] if ended or len(words) > 1 else ["seen"])
    parts = "".join(tile(k, 2, word, look) for k, (word, look) in enumerate(zip(words, looks, strict=True)))
    title, described = "What the decoder reads", " ".join(words)
    picture = svg(len(words) * (TILE + GAP) + 4, 38, title, described, parts)
    return Display("\n".join(wrap(f"{title}: {described}")), framed(title, picture), ("table", "picture"))


def _said(settings: Settings, words: list[str], state: Written) -> Display:
    out = " ".join(word for word in words[1:] if word != "<eos>")
    source = " ".join(settings.source)
    if state.ended:
        kind = "The end is written" if out else "It ended at once"
        said = f"{kind}. “{source}” became “{out}”." if out else f"{kind}. Nothing was written."
    elif len(words) > LONGEST:
        said = f"{LONGEST} words and no end: stopped. “{out}”."
    else:
        said = f"The encoder has read “{source}” once. Only the last row's prediction is used."
    if not settings.trained:
        said += " The weights are random, so the words mean nothing."
    return sentence(said)


def work(settings: Settings, rows: int, n_out: int) -> tuple[int, int]:
    """Multiply-adds of the decoder for the newest word: all rows anew, and one row with a cache."""
    n_src = len(settings.source)
    table = multiply_add_table(settings.sizes, n_src, rows, n_out)
    counts = {row.step: row.count for row in table if row.stack == "decoder"}
    once = counts["Kc"] + counts["Vc"]  # made from Z, for the first word only
    return sum(counts.values()), (sum(counts.values()) - once) // rows + (once if rows == 1 else 0)


def _cache(settings: Settings, rows: int, n_out: int, gap: float) -> Display:
    sizes, n_src = settings.sizes, len(settings.source)
    own, cross = (2 * n * sizes.d_model * sizes.layers for n in (rows, n_src))
    redone, kept = work(settings, rows, n_out)
    total = [sum(pair) for pair in zip(*(work(settings, r, n_out) for r in range(1, rows + 1)), strict=True)]
    table = show_table.build(
        ("the newest word", "all rows anew", "with the cache"),
        [
            ("rows computed", rows, 1),
            ("multiply-adds", redone, kept),
            ("multiply-adds so far", *total),
            ("numbers kept of K and V", 0, own + cross),
        ],
        caption="What a cache of keys and values saves",
    )
    same = "Both give the same row of logits" if gap < SAME else "The two rows of logits differ"
    said = sentence(f"{same}. The largest difference is {fixed(gap, 6, sign=False)}: no earlier row sees a later word.")
    return table + said


def _step(settings: Settings, chosen: Chosen) -> dict | None:
    rule = Rule(chosen.rule, chosen.temperature, chosen.top_k, chosen.top_p, chosen.draw)
    if chosen.words >= LONGEST or written(settings, rule, chosen.words).ended:
        return None
    return {"words": chosen.words + 1}


def _again(settings: Settings, chosen: Chosen) -> dict:
    return {"words": 0}


KINDS = [("the likeliest word", "greedy"), ("a drawn word", "sample")]

CARDS = (
    Card(
        "generation", "decoder", 14, "It writes by itself", "What does the model read when nobody feeds it?", "3.1",
        draw_generation,
        (
            Press("step", "Step", change=_step),
            Press("play", "Play", change=_step, plays=True, rewind=_again),
            Press("again", "Start again", change=_again),
            Number("words", "words written", 2, high=LONGEST),
            Menu("rule", "write", "greedy", options=lambda settings: KINDS),
            Decimal("temperature", "temperature", 1.0, low=0.1, high=5.0, step=0.1),
            Number("top_k", "top k", 5, low=1, high=lambda settings: len(competing(settings))),
            Decimal("top_p", "top p", 1.0, low=0.05, high=1.0, step=0.05),
            Number("draw", "draw", 3, high=999),
            TRAINED,
        ),
    ),
)  # fmt: skip
