"""How a model writes by itself: the words so far, the shares of the next one, and the work it takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from .. import decoding
from .. import transformer as tf
from ..counts import multiply_add_table
from ..sizes import Sizes
from .candidates import german_words
from .settings import Settings

LONGEST = 10
"""Words that are written at most, the end among them: three more than a German sentence may have."""


@dataclass(frozen=True)
class Rule:
    """How a word is chosen. kind: "greedy" or "sample". k: 0 cuts nothing. draw: the seed of the draws."""

    kind: str = "greedy"
    T: float = 1.0
    k: int = 0
    p: float = 1.0
    draw: int = 0


@dataclass(frozen=True)
class Written:
    """What stands after some words: ids, the start token first, and what the last row says of the next word.

    row: logits of the words that can be written. T: the temperature. shares: after the cuts. next: the place of the
    word that will be written. ended: whether the end has been chosen; then the rest is that of the row before.
    """

    ids: tuple[int, ...]
    row: np.ndarray
    T: float
    shares: np.ndarray
    next: int
    ended: bool = False

    @property
    def even(self) -> np.ndarray:
        """Shares of the words that can be written, by temperature alone."""
        return decoding.temperature(self.row, self.T)

    @property
    def rows(self) -> int:
        """Rows that the decoder has computed: the end is written, but never read."""
        return len(self.ids) - self.ended


def shares_of(row: np.ndarray, rule: Rule) -> np.ndarray:
    """Probabilities of one row of logits under a rule: temperature, then the k largest, then the nucleus."""
    row = row / rule.T
    if rule.k:
        row = tf.block(row[None], decoding.top_k(row, rule.k)[None] == 0)[0]
    return decoding.nucleus(row, rule.p)


def chosen_place(shares: np.ndarray, rule: Rule, t: int) -> int:
    """The place of word t: the likeliest, or one drawn by the shares; the same draw gives the same words again."""
    if rule.kind == "greedy":
        return decoding.greedy(shares)
    return int(np.random.RandomState([rule.draw, t]).choice(len(shares), p=shares))


@lru_cache(maxsize=512)
def newest(settings: Settings, ids: tuple[int, ...]) -> tuple[np.ndarray, tuple]:
    """Logits (V,) of the last row of the ids, computed alone, and what the cache then holds, layer by layer."""
    example = settings.example
    if len(ids) == 1:
        Z, h = settings.run.encoder.output, settings.sizes.heads
        caches = tuple(decoding.empty_cache(Z, w, h) for w in example.decoder_layers)
    else:
        caches = newest(settings, ids[:-1])[1]
    row, caches = decoding.newest_row(example, caches, ids)
    return row[-1], tuple(caches)


@lru_cache(maxsize=512)
def written(settings: Settings, rule: Rule, words: int) -> Written:
    """What stands after some words; fewer of them if the end came first. §3.1."""
    columns = columns_of_words(settings)
    ids: tuple[int, ...] = (tf.SOS,)
    if words:
        before = written(settings, rule, words - 1)
        if before.ended:
            return before
        ids = (*before.ids, int(columns[before.next]))
        if ids[-1] == tf.EOS:
            return replace(before, ids=ids, ended=True)
    row = newest(settings, ids)[0][columns]
    shares = shares_of(row, rule)
    return Written(ids, row, rule.T, shares, chosen_place(shares, rule, words + 1))


@lru_cache(maxsize=16)
def columns_of_words(settings: Settings) -> np.ndarray:
    """Ids of the words that can be written, which are their columns among all V logits."""
    return tf.token_ids(german_words(settings), settings.example.vocabulary)


@lru_cache(maxsize=512)
def gap(settings: Settings, ids: tuple[int, ...]) -> float:
    """Largest difference between the rows computed one by one with a cache and all rows of one full pass."""
    full = decoding.decoder_step(settings.example, settings.run.encoder.output)(ids)
    return max(float(np.abs(newest(settings, ids[: t + 1])[0] - row).max()) for t, row in enumerate(full))


# --- what a cache keeps and saves ---------------------------------------------------------------


def numbers_kept(sizes: Sizes, n_src: int, rows: int) -> int:
    """Numbers in the cache after some rows: a key and a value of every row, own and of Z, in every layer."""
    return 2 * (rows + n_src) * sizes.d_model * sizes.layers


@lru_cache(maxsize=512)
def work(sizes: Sizes, n_src: int, rows: int, n_out: int) -> tuple[int, int]:
    """Multiply-adds of the decoder for the newest word: all rows anew, and the newest row alone with a cache."""
    counts = {r.step: r.count for r in multiply_add_table(sizes, n_src, rows, n_out) if r.stack == "decoder"}
    of_Z = counts["Kc"] + counts["Vc"]  # they do not grow with the rows, and a cache makes them for the first word only
    anew = sum(counts.values())
    return anew, (anew - of_Z) // rows + (of_Z if rows == 1 else 0)


def work_so_far(sizes: Sizes, n_src: int, rows: int, n_out: int) -> tuple[int, int]:
    """The work for all words up to the newest one, all rows anew each time, and with a cache."""
    each = [work(sizes, n_src, t, n_out) for t in range(1, rows + 1)]
    return sum(anew for anew, _ in each), sum(cached for _, cached in each)
