"""Encoder 10 to 12: queries, keys and values, the scores, and the shares they become."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import transformer as tf
from ..decoding import entropy
from ..displays.chosen import chosen_matrix
from ..displays.chosen_product import chosen_product
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.product import expand
from ..displays.rows import show_softmax
from ..sizes import PAPER_BASE
from ..values import Values
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import HEAD, TRAINED, Chosen, Menu, words_of
from .row_pictures import two_shares
from .settings import Settings

SHOWN = 5e-4
"""Differences below this do not show in three decimals."""


@dataclass(frozen=True)
class Block:
    """One attention block of layer 1: its matrices by family, as in block["Q", 0], and the words on its two sides."""

    values: Values
    stack: str
    mark: str
    asks: tuple[str, ...]
    answers: tuple[str, ...]

    def __getitem__(self, key: tuple[str, int] | str) -> np.ndarray:
        family, head = key if isinstance(key, tuple) else (key, "")
        return self.values[self.name(family, head)]

    def name(self, family: str, head: object = "") -> str:
        """The key of a matrix: "Qm0"."""
        return f"{family}{self.mark}{head}"

    @property
    def blocked(self) -> np.ndarray | None:
        """The mask of the block, (n_q, n_k), or None where every word may be looked at."""
        return self.values["cross_blocked" if self.mark == "c" else "blocked"]


def block_of(settings: Settings, mark: str) -> Block:
    """The attention block that a mark names: "" encoder, "m" masked, "c" cross."""
    run, example = settings.run, settings.example
    stack = "decoder" if mark else "encoder"
    asks = example.tgt_words if mark else example.src_words
    answers = example.tgt_words if mark == "m" else example.src_words
    return Block((run.decoder if mark else run.encoder).layer(1), stack, mark, asks, answers)


def columns_of_head(settings: Settings, head: int) -> str:
    """Which columns of a full matrix a head has: "columns 4 to 7"."""
    d_k = settings.sizes.d_k
    return f"columns {head * d_k} to {(head + 1) * d_k - 1}"


def arbitrary(settings: Settings) -> str:
    """What has to be said of a pattern made by random weights; nothing of the trained model's."""
    return "" if settings.trained else " The weights are random, so the pattern is arbitrary."


def components(settings: Settings) -> list[tuple[str, int]]:
    """Options for the columns of a head."""
    return [(str(c), c) for c in range(settings.sizes.d_k)]


def columns(settings: Settings) -> list[tuple[str, int]]:
    """Options for the columns of a full row."""
    return [(str(c), c) for c in range(settings.sizes.d_model)]


WORD = Menu("word", "word", 0, options=words_of("encoder"))
POSITION = Menu("word", "position", 0, options=words_of("decoder"))
COMPONENT = Menu("component", "component", 0, options=components)
COLUMN = Menu("column", "column", 0, options=columns)


# --- encoder 10: queries, keys, values ----------------------------------------------------------

ROLES = {"Q": "query", "K": "key", "V": "value"}
SAYS = {"Q": "asks with a query", "K": "is found by a key", "V": "hands on a value"}
ROLE = Menu("role", "written out", "Q", options=lambda settings: [(said, role) for role, said in ROLES.items()])


def draw_projections(settings: Settings, chosen: Chosen) -> Stage:
    """One row of X, the head's block of columns of a weight matrix, and the three short rows it becomes."""
    block, t, i, c, role = block_of(settings, ""), chosen.word, chosen.head, chosen.component, chosen.role
    X, words, word = block.values.X, block.asks, block.asks[chosen.word]
    W, result = f"W{role.lower()}{i}", f"{role}{i}"
    names = ("X", W, result)
    of_whole = f"{columns_of_head(settings, i)} of W_{role}"
    product = chosen_product(X, block.values[W], block[role, i], (t, c), names, words, notes=(None, of_whole, None))
    entry = expand.build(X, block.values[W], (t, c), names, words, None, block[role, i])
    three = chosen_matrix(
        np.stack([block[one, i][t] for one in ROLES]), f"row {word}, head {i}", list(ROLES.values()),
        row=list(ROLES).index(role), col=c, note="one row of X, three short rows",
    )  # fmt: skip
    twins = [k for k in range(len(words)) if k != t and words[k] == word]
    said = f"“{word}” {SAYS[role]} of {settings.sizes.d_k} numbers, made from its {X.shape[1]} in X. "
    if twins:
        gap = max(float(np.abs(block[role, i][t] - block[role, i][k]).max()) for k in twins)
        other = "Its twin" if len(twins) == 1 else "The furthest of its twins"
        said += f"{other} has another place, and a {ROLES[role]} that differs by up to {fixed(gap, sign=False)}. "
    said += f"Every word meets the same {W}."
    return Stage(product + entry + three + sentence(said), *shapes(settings, "encoder", "Q0"), note=f"head {i}")


# --- encoder 11: scores -------------------------------------------------------------------------


def draw_scores(settings: Settings, chosen: Chosen) -> Stage:
    """The raw scores of a head, and the dot product behind the chosen one."""
    block, i, t = block_of(settings, ""), chosen.head, chosen.asks
    names, place, words = (f"Q{i}", f"K{i}ᵀ", f"R{i}"), (chosen.asks, chosen.answers), block.asks
    Q, K, R = block["Q", i], block["K", i], block["R", i]
    product = chosen_product(
        Q, K.T, R, place, names, words, None, block.answers,
        notes=(None, "a column for each key", "rows ask, columns answer"),
    )  # fmt: skip
    entry = expand.build(Q, K.T, place, names, words, block.answers, R)
    best = int(np.argmax(R[t]))
    rank = int((R[t] > R[place]).sum()) + 1
    said = f"The key of “{words[best]}” fits the query of “{words[t]}” best, with {fixed(R[t, best])}."
    if best != chosen.answers:
        said += f" “{words[chosen.answers]}” comes at place {rank} of {len(words)}."
    sizes = f"d_k {settings.sizes.d_k} and {PAPER_BASE.d_k}"
    display = product + entry + sentence(said + arbitrary(settings))
    return Stage(display, *shapes(settings, "encoder", "R0"), note=sizes)


# --- encoder 12: scaling and softmax ------------------------------------------------------------


def draw_softmax(settings: Settings, chosen: Chosen) -> Stage:
    """One row of scores shared out, divided by the root of d_k and not divided."""
    block, t, i = block_of(settings, ""), chosen.word, chosen.head
    scaled, raw, words = block["S", i][t], block["R", i][t], block.answers
    shares, without = block["A", i][t], tf.softmax(raw)
    left = show_softmax.build(scaled, words, f"A{i}, row {block.asks[t]}", decimals=3)
    right = show_softmax.build(raw, words, "not divided by √d_k", decimals=3)
    bars = two_shares(words, shares, without, ("divided by √d_k", "not divided"))
    rows = [
        (name, fixed(p.max(), sign=False), words[int(np.argmax(p))], fixed(entropy(p), sign=False))
        for name, p in (("divided by √d_k", shares), ("not divided", without))
    ]
    table = show_table.build(("scores", "largest share", "goes to", "entropy"), rows, align="lrlr")
    root, most = math.sqrt(settings.sizes.d_k), math.log(len(words))
    said = (
        f"{_without_the_root(shares, without)} Entropy could reach ln {len(words)} = {fixed(most, sign=False)}. "
        f"A product of two random vectors strays about √d_k from 0: {fixed(root, sign=False)} here, "
        f"{math.sqrt(PAPER_BASE.d_k):g} in the paper. The division takes that out."
    )
    display = left.beside(right) + bars.beside(table) + sentence(said)
    return Stage(display, *shapes(settings, "encoder", "A0"), note=f"head {i}")


def _without_the_root(shares: np.ndarray, without: np.ndarray) -> str:
    """What becomes of the largest share and of the entropy of a row that is not divided."""
    gaps = float(without.max() - shares.max()), entropy(without) - entropy(shares)
    if max(map(abs, gaps)) < SHOWN:
        return "Here the root changes nothing that three decimals show."
    verbs = ["grows" if gap > 0 else "shrinks" for gap in gaps]
    sizes = [fixed(abs(gap), sign=False) for gap in gaps]
    return f"Without the root the largest share {verbs[0]} by {sizes[0]} and entropy {verbs[1]} by {sizes[1]}."


CARDS = (
    Card(
        "queries, keys, values", "encoder", 10, "Queries, keys and values",
        "What does a word ask, how is it found, and what does it hand on?", "3.2.2",
        draw_projections, (WORD, HEAD, ROLE, COMPONENT),
    ),
    Card(
        "scores", "encoder", 11, "Scores", "How well does each word's key match what this word asks for?", "3.2.1",
        draw_scores,
        (
            Menu("asks", "word asks", 0, options=words_of("encoder")),
            Menu("answers", "word answers", 0, options=words_of("encoder")),
            HEAD,
            TRAINED,
        ),
    ),
    Card(
        "softmax", "encoder", 12, "Scale and share out", "What does dividing by √d_k do to the shares?", "3.2.1",
        draw_softmax, (WORD, HEAD),
    ),
)  # fmt: skip
