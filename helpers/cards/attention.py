"""Encoder 10 to 14, decoder 5: queries, keys and values, scores, weights, the weighted average, the heads together."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .. import transformer as tf
from ..decoding import entropy
from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed
from ..displays.output import Display
from ..displays.product import expand
from ..displays.rows import show_softmax
from ..trace import Values
from .bars import sentence, share_bars
from .card import Card, Stage, shapes
from .controls import HEAD, Chosen, Menu, words_of
from .settings import Settings


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
        return self.values[f"{family}{self.mark}{head}"]

    def name(self, family: str, head: object = "") -> str:
        """The key of a matrix: "Qm0"."""
        return f"{family}{self.mark}{head}"


def block_of(settings: Settings, mark: str) -> Block:
    """The attention block that a mark names: "" encoder, "m" masked, "c" cross."""
    run, example = settings.run, settings.example
    stack = "decoder" if mark else "encoder"
    asks = example.tgt_words if mark else example.src_words
    answers = example.tgt_words if mark == "m" else example.src_words
    return Block((run.decoder if mark else run.encoder).layer(1), stack, mark, asks, answers)


def components(settings: Settings) -> list[tuple[str, int]]:
    """Options for the columns of a head."""
    return [(str(c), c) for c in range(settings.sizes.d_k)]


def columns(settings: Settings) -> list[tuple[str, int]]:
    """Options for the columns of a full row."""
    return [(str(c), c) for c in range(settings.sizes.d_model)]


# --- encoder 10: queries, keys, values ----------------------------------------------------------

ROLES = {"Q": "query", "K": "key", "V": "value"}


def draw_projections(settings: Settings, chosen: Chosen) -> Stage:
    """One row of X, and the query, key and value it becomes in one head."""
    block = block_of(settings, "")
    t, i, c = chosen.word, chosen.head, chosen.component
    X = block.values.X
    whole = chosen_matrix(X, "X", block.asks, row=t)
    parts = [chosen_matrix(block[role, i], f"{role}{i}", block.asks, row=t, note=ROLES[role]) for role in ROLES]
    W = f"W{chosen.role.lower()}{i}"
    entry = expand.build(
        X, block.values[W], (t, c), ("X", W, f"{chosen.role}{i}"), block.asks, None, block[chosen.role, i]
    )
    said = sentence(
        f"One row of X makes three rows. Every word meets the same {W}; only its own row of X makes its "
        f"{ROLES[chosen.role]} its own."
    )
    this, paper = shapes(settings, "encoder", "Q0")
    return Stage(whole + parts[0].beside(*parts[1:]) + entry + said, this, paper, f"head {i}")


# --- encoder 11: scores -------------------------------------------------------------------------


def draw_scores(settings: Settings, chosen: Chosen) -> Stage:
    """The raw scores of a head, and the dot product behind the chosen one."""
    block, i = block_of(settings, ""), chosen.head
    names = (f"Q{i}", f"K{i}ᵀ", f"R{i}")
    place = (chosen.asks, chosen.answers)
    R = block["R", i]
    table = chosen_matrix(
        R, names[2], block.asks, block.answers, row=place[0], col=place[1], note="rows ask, columns answer"
    )
    entry = expand.build(block["Q", i], block["K", i].T, place, names, block.asks, block.answers, R)
    best = int(np.argmax(R[place[0]]))
    said = sentence(
        f"“{block.answers[best]}” fits the query of “{block.asks[place[0]]}” best, with {fixed(R[place[0], best])}. "
        "With random weights that means nothing."
        if not settings.trained
        else f"“{block.answers[best]}” fits the query of “{block.asks[place[0]]}” best, "
        f"with {fixed(R[place[0], best])}."
    )
    this, paper = shapes(settings, "encoder", "R0")
    return Stage(table + entry + said, this, paper, f"d_k {settings.sizes.d_k} and 64")


# --- encoder 12: scaling and softmax ------------------------------------------------------------


def draw_softmax(settings: Settings, chosen: Chosen) -> Stage:
    """One row of scores shared out, with the root of d_k and without it."""
    block, t, i = block_of(settings, ""), chosen.word, chosen.head
    scaled, raw = block["S", i][t], block["R", i][t]
    with_root, without = block["A", i][t], tf.softmax(raw)
    word = block.asks[t]
    left = show_softmax.build(scaled, block.answers, f"A{i}, row {word}", decimals=3)
    right = show_softmax.build(raw, block.answers, "without the root", decimals=3)
    most = math.log(len(block.answers))
    rows = [
        (
            name,
            fixed(p.max(), 3, sign=False),
            block.answers[int(np.argmax(p))],
            fixed(entropy(p), 3, sign=False),
            fixed(most, 3, sign=False),
        )
        for name, p in (("divided by √d_k", with_root), ("not divided", without))
    ]
    table = show_table.build(("scores", "largest share", "goes to", "entropy", "at most"), rows, align="lrlrr")
    gap = without.max() - with_root.max()
    finding = (
        f"Without the root the largest share grows by {fixed(gap, 3, sign=False)}. "
        if gap > 5e-4
        else "Here the root changes next to nothing. "
    )
    root = fixed(math.sqrt(settings.sizes.d_k), 3, sign=False)
    root = f"√d_k is {root} here and 8 in the paper, where it does more."
    this, paper = shapes(settings, "encoder", "A0")
    return Stage(left.beside(right) + table + sentence(finding + root), this, paper, f"head {i}")


# --- encoder 13, decoder 5: the weighted average, and the heads together ------------------------


def draw_mix(settings: Settings, chosen: Chosen) -> Stage:
    """One output row of a head as the average of value rows by the row's shares."""
    block, t, i, c = block_of(settings, ""), chosen.word, chosen.head, chosen.component
    this, paper = shapes(settings, "encoder", "H0")
    return Stage(mixed(block, t, i, c), this, paper, f"head {i}")


def mixed(block: Block, t: int, i: int, c: int) -> Display:
    """The shares of row t of head i as bars, the value rows they take, and component c written out."""
    A, V, H = block["A", i], block["V", i], block["H", i]
    word = block.asks[t]
    bars = share_bars(block.answers, A[t], f"{block.name('A', i)}, row {word}: whose values it takes")
    values = chosen_matrix(V, block.name("V", i), block.answers, col=c)
    result = chosen_matrix(H[t : t + 1], block.name("H", i), [word], row=0, col=c, note="the average")
    names = tuple(block.name(family, i) for family in "AVH")
    entry = expand.build(A, V, (t, c), names, block.asks, None, H)
    low, high, inside = float(V[:, c].min()), float(V[:, c].max()), float(H[t, c])
    said = sentence(
        f"An average stays within what it averages. Here {fixed(low)} ≤ {fixed(inside)} ≤ {fixed(high)}."
        if low - 1e-12 <= inside <= high + 1e-12
        else f"{fixed(inside)} lies outside {fixed(low)} to {fixed(high)}: this is no average."
    )
    return bars.beside(values) + result + entry + said


def draw_concat(settings: Settings, chosen: Chosen) -> Stage:
    """The heads side by side, and one entry of M with the part of each head."""
    block = block_of(settings, "")
    this, paper = shapes(settings, "encoder", "M")
    return Stage(joined(settings, block, chosen.word, chosen.column), this, paper, f"{settings.sizes.heads} heads")


def joined(settings: Settings, block: Block, t: int, c: int) -> Display:
    """C with its head blocks, M, and how much of entry (t, c) of M each head brings."""
    h, d_k = settings.sizes.heads, settings.sizes.d_k
    C, M, Wo = block["C"], block["M"], block.values[f"Wo{block.mark}"]
    whole = chosen_matrix(
        C, block.name("C"), block.asks, row=t, cut=d_k if h > 1 else None, note=f"{h} blocks of {d_k}"
    )
    mixed_rows = chosen_matrix(M, block.name("M"), block.asks, row=t, col=c, note="C · W_O")
    parts = [float(C[t, i * d_k : (i + 1) * d_k] @ Wo[i * d_k : (i + 1) * d_k, c]) for i in range(h)]
    rows = [(f"head {i}", f"columns {i * d_k} to {(i + 1) * d_k - 1}", part) for i, part in enumerate(parts)]
    rows.append(("together", f"{block.name('M')}[{block.asks[t]}, {c}]", float(M[t, c])))
    table = show_table.build(("part", "of C", "brings"), rows, align="llr")
    reach = sum(abs(part) > 1e-12 for part in parts)
    said = sentence(
        f"{reach} of {h} heads reach column {c}. In C a head has its own columns; W_O gives every head a part of "
        "every column of M."
    )
    return whole + mixed_rows + table + said


def draw_masked_heads(settings: Settings, chosen: Chosen) -> Stage:
    """The masked block from weights to M: the average of what a position may see, then the heads together."""
    block, t = block_of(settings, "m"), chosen.word
    display = mixed(block, t, chosen.head, 0) + joined(settings, block, t, chosen.column)
    seen = len(block.answers[: t + 1])
    said = sentence(f"Row “{block.asks[t]}” averages {seen} of {len(block.answers)} value rows. Later ones weigh 0.")
    this, paper = shapes(settings, "decoder", "Mm")
    return Stage(display + said, this, paper, f"head {chosen.head}")


WORD = Menu("word", "word", 0, options=words_of("encoder"))
POSITION = Menu("word", "position", 0, options=words_of("decoder"))
COMPONENT = Menu("component", "component", 0, options=components)
COLUMN = Menu("column", "column", 0, options=columns)
ROLE = Menu("role", "written out", "Q", options=lambda settings: [(said, role) for role, said in ROLES.items()])

CARDS = (
    Card(
        "queries, keys, values", "encoder", 10, "Queries, keys and values",
        "What does a word ask, what does it offer, and what does it pass on?", "3.2.2",
        draw_projections, (WORD, HEAD, ROLE, COMPONENT),
    ),
    Card(
        "scores", "encoder", 11, "Scores", "How well does each word's key match what this word asks for?", "3.2.1",
        draw_scores,
        (
            Menu("asks", "word asks", 0, options=words_of("encoder")),
            Menu("answers", "word answers", 0, options=words_of("encoder")),
            HEAD,
        ),
    ),
    Card(
        "softmax", "encoder", 12, "Scale and share out", "What does dividing by √d_k do to the shares?", "3.2.1",
        draw_softmax, (WORD, HEAD),
    ),
    Card(
        "weighted average", "encoder", 13, "A weighted average",
        "Whose values does this word take, and how much of each?", "3.2.1", draw_mix, (WORD, HEAD, COMPONENT),
    ),
    Card(
        "heads together", "encoder", 14, "The heads together", "Which heads reach a column of M?", "3.2.2",
        draw_concat, (WORD, COLUMN),
    ),
    Card(
        "masked heads", "decoder", 5, "From weights to M",
        "What does a position take from the words it may see?", "3.2.2",
        draw_masked_heads, (POSITION, HEAD, COLUMN),
    ),
)  # fmt: skip
