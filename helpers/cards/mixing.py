"""Encoder 13 and 14, decoder 5: the weighted average of the values, and the heads together."""

from __future__ import annotations

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.chosen_product import chosen_product
from ..displays.notes import part
from ..displays.numbers import NOISE, fixed
from ..displays.output import Display
from ..displays.product import expand
from .attention import COLUMN, COMPONENT, POSITION, WORD, Block, arbitrary, block_of
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import HEAD, TRAINED, Chosen, Tick
from .row_pictures import parts_of, shares_of
from .settings import Settings


def mixed(block: Block, t: int, i: int, c: int) -> Display:
    """Row t of head i: the words' shares as bars, the average of their values, and component c written out."""
    A, V, H = block["A", i], block["V", i], block["H", i]
    names, word = tuple(block.name(family, i) for family in "AVH"), block.asks[t]
    shut = None if block.blocked is None else block.blocked[t]
    bars = shares_of(block.answers, A[t], f"Shares of row {word}, head {i}", shut)
    product = chosen_product(
        A, V, H, (t, c), names, block.asks, block.answers, weights=True, blocked=block.blocked
    )  # fmt: skip
    entry = expand.build(A, V, (t, c), names, block.asks, None, H)
    seen = A[t] > 0
    low, high, inside = float(V[seen, c].min()), float(V[seen, c].max()), float(H[t, c])
    if low - NOISE <= inside <= high + NOISE:
        said = f"An average stays within what it averages: {fixed(low)} ≤ {fixed(inside)} ≤ {fixed(high)}."
    else:
        said = f"{fixed(inside)} lies outside {fixed(low)} to {fixed(high)}, so this is no average."
    return bars + product + entry + sentence(said)


WHOLE = ("C", "Wo", "M")


def joined(
    settings: Settings, block: Block, t: int, c: int, printed: tuple[str, ...] = WHOLE, without: bool = False
) -> Display:
    """C with its head blocks, M, and what each head brings to entry (t, c).

    printed: which of the three matrices are shown. without: W_O is left out, and C alone is shown.
    """
    h, d_k = settings.sizes.heads, settings.sizes.d_k
    C, M, Wo = block["C"], block["M"], block.values[f"Wo{block.mark}"]
    names = (block.name("C"), f"Wo{block.mark}", block.name("M"))
    note, cut = f"{h} blocks of {d_k}" if h > 1 else "one head", d_k if h > 1 else None
    total, last = M, names[2]
    if without:
        # C itself takes the place of C · W_O: the identity mixes nothing.
        Wo, total, last = np.eye(C.shape[1]), C, f"{names[0]}, not mixed"
        display = chosen_matrix(C, names[0], block.asks, row=t, col=c, note=note, cut=cut)
    elif printed == WHOLE:
        display = chosen_product(C, Wo, M, (t, c), names, block.asks, notes=(note, None, None), cut=cut)
    else:
        display = chosen_matrix(C, names[0], block.asks, row=t, note=note, cut=cut)
        if "M" in printed:
            display += chosen_matrix(M, names[2], block.asks, row=t, col=c, note=f"{names[0]} · {names[1]}")
    blocks = [slice(i * d_k, (i + 1) * d_k) for i in range(h)]
    parts = [float(C[t, one] @ Wo[one, c]) for one in blocks]
    heads = [f"head {i}: {one.start}–{one.stop - 1}" for i, one in enumerate(blocks)]
    bars = parts_of(heads, parts, float(total[t, c]), f"{last}, row {block.asks[t]}, column {c}: by head")
    return display + bars + sentence(_reach([bool(np.abs(Wo[one, c]).max() > NOISE) for one in blocks], c, without))


def _reach(reaches: list[bool], c: int, without: bool) -> str:
    """Which heads have a way to column c."""
    heads = [str(i) for i, reached in enumerate(reaches) if reached]
    if len(reaches) == 1:
        return f"There is one head, and it {'reaches' if heads else 'does not reach'} column {c}."
    if len(heads) == len(reaches):
        first = f"{'Both' if len(heads) == 2 else f'All {len(heads)}'} heads reach column {c}."
    elif len(heads) == 1:
        first = f"Of {len(reaches)} heads only head {heads[0]} reaches column {c}."
    else:
        first = f"{len(heads)} of {len(reaches)} heads reach column {c}."
    rest = "Side by side, every head keeps to its own columns." if without else "W_O gives each a part of every column."
    return f"{first} {rest}"


# --- the cards ----------------------------------------------------------------------------------


def draw_mix(settings: Settings, chosen: Chosen) -> Stage:
    """One output row of a head as the average of value rows by the row's shares."""
    block, t, i = block_of(settings, ""), chosen.word, chosen.head
    best = int(np.argmax(block["A", i][t]))
    said = f"“{block.asks[t]}” takes most from “{block.answers[best]}”, {fixed(block['A', i][t, best], sign=False)}."
    display = mixed(block, t, i, chosen.component) + sentence(said + arbitrary(settings))
    return Stage(display, *shapes(settings, "encoder", "H0"), note=f"head {i}")


def draw_concat(settings: Settings, chosen: Chosen) -> Stage:
    """The heads side by side, and one entry of M with the part of each head."""
    display = joined(settings, block_of(settings, ""), chosen.word, chosen.column, without=chosen.without)
    heads = settings.sizes.heads
    return Stage(display, *shapes(settings, "encoder", "M"), note=f"{heads} {'head' if heads == 1 else 'heads'}")


def draw_masked_heads(settings: Settings, chosen: Chosen) -> Stage:
    """The masked block from weights to M: the average of what a position may see, then the heads together."""
    block, t, i = block_of(settings, "m"), chosen.word, chosen.head
    weights = block["A", i][t]
    zeros, n = int((weights == 0).sum()), len(weights)
    said = f"Row “{block.asks[t]}” averages {n - zeros} of {n} value rows."
    said += f" The other {zeros} weigh exactly 0." if zeros else " It may see them all."
    first = mixed(block, t, i, chosen.column % settings.sizes.d_k) + sentence(said)
    second = joined(settings, block, t, chosen.column, ("C", "M"))
    display = part("A · V, one head", first) + part("All heads, then W_O", second)
    return Stage(display, *shapes(settings, "decoder", "Mm"), note=f"head {i}")


CARDS = (
    Card(
        "weighted average", "encoder", 13, "A weighted average",
        "Whose values does this word take, and how much of each?", "3.2.1", draw_mix,
        (WORD, HEAD, COMPONENT, TRAINED),
    ),
    Card(
        "heads together", "encoder", 14, "The heads together", "Which heads reach a column of M?", "3.2.2",
        draw_concat, (WORD, COLUMN, Tick("without", "leave W_O out")),
    ),
    Card(
        "masked heads", "decoder", 5, "From weights to M",
        "What does a position take from the words it may see?", "3.2.2",
        draw_masked_heads, (POSITION, HEAD, COLUMN),
    ),
)  # fmt: skip
