"""Steps of an attention block, the same for all three: mark is "" (encoder), "m" (masked) or "c" (cross)."""

from __future__ import annotations

import math

import numpy as np

from .. import transformer as tf
from ..displays.agreement import TOLERANCE
from .inputs import heading, symbols
from .place import Place, find
from .sheet import NO, Column, Sheet


class Block:
    """The names, rows and mask of one head of one attention block, read off the table of steps."""

    def __init__(self, place: Place, mark: str):
        self.place, self.mark = place, mark
        self.Q, self.K, self.V, self.R, self.S, self.A, self.H = (f"{letter}{mark}{place.head}" for letter in "QKVRSAH")
        self.asks, self.answers = place.steps[self.Q].inputs[0], place.steps[self.K].inputs[0]
        self.keys = place.words_of(place.steps[self.R].shape[1])
        masked = place.steps.get(f"B{mark}{place.head}", place.steps[self.A])
        mask = place[masked.inputs[1]]
        self.blocked = None if mask is None else mask[place.row]
        self.scores = tf.block(place.at(self.S), self.blocked)

    @property
    def own(self) -> bool:
        """Whether queries and keys come from the same rows."""
        return self.asks == self.answers

    @property
    def opened_key(self) -> int:
        """The key to write out: the one that was asked for, else the one with the largest score."""
        if self.place.key is None:
            return int(np.argmax(self.scores))
        return find(self.place.key, self.keys_plain, "the keys", "key={}")

    @property
    def keys_plain(self) -> tuple[str, ...]:
        """The words of the keys without positions behind them."""
        run = self.place.run
        return run.src_words if self.place.steps[self.R].shape[1] == "n_src" else run.tgt_words

    def whole(self, letter: str) -> np.ndarray:
        """All heads of Q, K, V or H side by side, as the product with the whole weight matrix gives them."""
        return tf.merge_heads([self.place[f"{letter}{self.mark}{i}"] for i in range(self.place.run.sizes.heads)])


def projections(place: Place, sheet: Sheet, mark: str) -> None:
    """Write out the token's query, key and value; in cross-attention the key and value of the opened word."""
    block = Block(place, mark)
    heading(place, sheet, f"Query, key and value of {place.word}" if block.own else f"Query of {place.word}",
            *(getattr(block, letter) for letter in ("QKV" if block.own else "Q")))  # fmt: skip
    letters = "QKV" if block.own else "Q"
    for letter in letters:
        _projected(place, sheet, block, letter, place.row)
    d, d_k = place.run.sizes.d_model, place.run.sizes.d_k
    x = place.at(block.asks)
    sheet.table(
        f"all {d} components, {d_k} to a head",
        {"c": range(d), "head": [c // d_k for c in range(d)]},
        [
            Column(letter + mark, x @ place[f"W{letter.lower()}{mark}"], block.whole(letter)[place.row])
            for letter in letters
        ],
    )
    if not block.own:
        heading(place, sheet, f"Keys and values come from {block.answers}", block.K, block.V)
        for letter in "KV":
            _projected(place, sheet, block, letter, block.opened_key)
        for letter in "KV":
            W = f"W{letter.lower()}{mark}"
            sheet.compare(f"entries of {letter}{mark} and {block.answers} · {symbols(W)}",
                          place[block.answers] @ place[W], block.whole(letter))  # fmt: skip


def _projected(place: Place, sheet: Sheet, block: Block, letter: str, row: int) -> None:
    """Write out the opened component of one row of Q, K or V."""
    x = block.asks if letter == "Q" else block.answers
    W = f"W{letter.lower()}{block.mark}"
    words = place.words if letter == "Q" else block.keys
    names = (x, symbols(W), letter + block.mark)
    sheet.product(place[x], place[W], (row, place.component), names, block.whole(letter), words)


def scores(place: Place, sheet: Sheet, mark: str) -> None:
    """Compare the token's query with every key: raw and scaled scores, one key written out."""
    block = Block(place, mark)
    d_k, j = place.run.sizes.d_k, block.opened_key
    root = math.sqrt(d_k)
    heading(place, sheet, f"Scores of {place.word}, head {place.head}", block.R, block.S)
    sheet.say(f"q = {block.Q}[{place.word}] = {_row(sheet, place.at(block.Q))}")
    sheet.product(place[block.Q], place[block.K].T, (place.row, j), (block.Q, f"{block.K}ᵀ", block.R),
                  place[block.R], place.words, block.keys)  # fmt: skip
    raw = place.at(block.R)[j]
    sheet.opened(
        f"{block.S}[{place.word}, {block.keys[j]}] = {block.R}[{place.word}, {block.keys[j]}] / √{d_k}",
        f"({sheet.number(raw)}) / {sheet.number(root, sign=False)}",
        raw / root,
        place.at(block.S)[j],
    )
    products = place[block.K] @ place.at(block.Q)
    sheet.table(
        f"{place.word} asks, {len(block.keys)} keys answer",
        {"j": range(len(block.keys)), "key": block.keys},
        [
            Column(f"q · k = {block.R}", products, place.at(block.R)),
            Column(f"/ √{d_k} = {block.S}", products / root, place.at(block.S)),
        ],
    )


def shares(place: Place, sheet: Sheet, mark: str) -> None:
    """Turn the scores into weights: mask, maximum, exponentials, total, shares."""
    block = Block(place, mark)
    masked = [key for key in (f"B{mark}{place.head}",) if key in place.steps]
    heading(place, sheet, f"Softmax of {place.word}, head {place.head}", *masked, block.A)
    s = block.scores
    for key in masked:
        sheet.compare(f"entries of {key}[{place.word}] and {block.S} with blocked keys at -inf", s, place.at(key))
    if block.blocked is not None:
        sheet.say(_hidden(place.word, block))
    m = s.max()
    exponentials = np.exp(s - m)
    sheet.say(f"m = {sheet.number(m)}, the largest score, at {block.keys[int(np.argmax(s))]}")
    total = sheet.total("total of the exponentials", exponentials)
    flags = {} if block.blocked is None else {"blocked": ["yes" if hidden else "no" for hidden in block.blocked]}
    weights = exponentials / total
    sheet.table(
        f"{place.word} shares out its attention",
        {"j": range(len(s)), "key": block.keys, **flags},
        [
            Column("score", s),
            Column("less m", s - m),
            Column("exp", exponentials, sign=False, bare=True),
            Column(f"/ total = {block.A}", weights, place.at(block.A), sign=False, bare=True),
        ],
    )
    sheet.say(f"The weights add up to {sheet.number(math.fsum(weights), sign=False)}.")


def _hidden(word: str, block: Block) -> str:
    count, n = int(np.sum(block.blocked)), len(block.keys)
    if count == 0:
        return f"The mask hides nothing from {word}: all {n} keys are open."
    if count == n:
        return f"The mask hides every key from {word}: all scores are -1e9, and equal scores get equal weights."
    return (
        f"The mask hides {count} of {n} keys from {word}: their scores become -1e9, written -inf, "
        "and their exponentials are exactly 0."
    )


def mix(place: Place, sheet: Sheet, mark: str) -> None:
    """Average the values by the weights, one component written out, all heads side by side."""
    block = Block(place, mark)
    sizes, column = place.run.sizes, place.column
    heading(place, sheet, f"Output of head {place.head}, then all heads side by side", block.H, f"C{mark}")
    sheet.product(place[block.A], place[block.V], (place.row, column), (block.A, block.V, block.H), place[block.H],
                  place.words)  # fmt: skip
    _within(place, sheet, block)
    worked = np.concatenate([place.at(f"A{mark}{i}") @ place[f"V{mark}{i}"] for i in range(sizes.heads)])
    sheet.table(
        f"all {sizes.d_model} components",
        {
            "c": range(sizes.d_model),
            "head": np.repeat(range(sizes.heads), sizes.d_k),
            "its column": [c % sizes.d_k for c in range(sizes.d_model)],
        },
        [Column("Σ A · V = H", worked, block.whole("H")[place.row]), Column(f"C{mark}", worked, place.at(f"C{mark}"))],
    )


def _within(place: Place, sheet: Sheet, block: Block) -> None:
    """Say between which values an average must lie, and whether it does."""
    values, average = place[block.V][:, place.column], place.at(block.H)[place.column]
    low, high = values.min(), values.max()
    slack = TOLERANCE * max(1.0, np.abs(values).max())
    inside = low - slack <= average <= high + slack
    sheet.checked += 1
    sheet.off += not inside
    verdict = f"{sheet.number(average)} lies between" if inside else f"{sheet.number(average)} {NO}: it lies outside"
    sheet.say(f"Column {place.column} of {block.V} runs from {sheet.number(low)} to {sheet.number(high)}: {verdict}.")


def _row(sheet: Sheet, values: np.ndarray) -> str:
    shown = " ".join(sheet.number(value) for value in values[:8])
    return f"({shown}{' …' if len(values) > 8 else ''})"
