"""Decoder 4: masked scores and their weights, and what leaks when the mask is taken away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.numbers import fixed
from ..displays.output import Display
from ..transformer import causal_mask, masked_softmax
from . import drawn
from .attention import POSITION
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import HEAD, LAYER, Chosen, Tick
from .settings import Settings

NARROW_KEY = ".tbh .side>div>.key{contain:inline-size}"
"""The key of a matrix breaks its lines rather than push the matrix beside it below."""


def without_the_mask(settings: Settings, layer: int, head: int) -> np.ndarray:
    """The weights that the same scores give when nothing is blocked: (n_tgt, n_tgt). §3.2.1."""
    return masked_softmax(settings.run.decoder.layer(layer)[f"Sm{head}"])


def leaked(A: np.ndarray) -> np.ndarray:
    """The share of each row of A (n, n) that falls on later words: (n,)."""
    return np.where(causal_mask(len(A)), A, 0.0).sum(axis=1)


def draw_masked(settings: Settings, chosen: Chosen) -> Stage:
    """Masked scores above their weights; to cheat puts the weights without the mask beside them."""
    layer, i, words = settings.run.decoder.layer(chosen.layer), chosen.head, settings.example.tgt_words
    blocked = settings.example.tgt_blocked
    A = layer[f"Am{i}"]

    def shown(M: np.ndarray, name: str, note: str, mask: np.ndarray | None, weights: bool) -> Display:
        return chosen_matrix(M, name, words, words, row=chosen.word, blocked=mask, weights=weights, note=note)

    masked = shown(A, f"Am{i}", "weights", blocked, True)
    if chosen.cheat:
        free = without_the_mask(settings, chosen.layer, i)
        raw = shown(layer[f"Sm{i}"], f"Sm{i}", "scaled scores, nothing blocked", None, False)
        cheating = shown(free, f"Am{i} without the mask", "weights", None, True)
        picture = raw + replace(masked.beside(cheating), extra=(NARROW_KEY,)) + _leaks(free, settings, chosen)
    else:
        scores = shown(layer[f"Bm{i}"], f"Bm{i}", "scaled scores, later words at −∞", blocked, False)
        picture = scores + masked + _kept(A, settings, chosen)
    this, paper = shapes(settings, "decoder", "Bm0")
    return Stage(picture, this, paper, f"head {i} of {settings.sizes.heads}")


def _kept(A: np.ndarray, settings: Settings, chosen: Chosen) -> Display:
    """What the chosen row may see, and whether any weight falls on what comes later."""
    words, asks = settings.example.tgt_words, chosen.word
    open_ = int(np.sum(~np.asarray(settings.example.tgt_blocked)[asks]))
    shares = leaked(A)
    leak = "No row gives any weight to a later word" if not shares.any() else f"{int((shares > 0).sum())} rows leak"
    whole = ", and every row adds up to 1" if np.allclose(A.sum(axis=1), 1, rtol=0, atol=1e-9) else ""
    return sentence(f"Row “{words[asks]}” shares its weight among {open_} of {len(words)} words. {leak}{whole}.")


def _leaks(free: np.ndarray, settings: Settings, chosen: Chosen) -> Display:
    """The share of every row that falls on later words, drawn, and what the chosen row learns of its answer."""
    words, labels, asks = settings.example.tgt_words, settings.example.label_words, chosen.word
    shares = leaked(free)
    if asks + 1 < len(words):
        first = (
            f"Without the mask, “{words[asks]}” gives {fixed(shares[asks], sign=False)} of its weight to later words."
        )
        rest = f"{fixed(free[asks, asks + 1], sign=False)} falls on “{labels[asks]}”, the very word it must predict."
    else:
        first = f"“{words[asks]}” is the last row: nothing comes later, so {fixed(shares[asks], sign=False)} leaks."
        rest = f"The word it must predict, “{labels[asks]}”, is no input."
    rest += f" {int((shares > 0).sum())} of {len(words)} rows leak."
    return _bars(shares, words, asks) + sentence(f"{first} {rest} {drawn.arbitrary(settings.trained)}".strip())


def _bars(shares: np.ndarray, words: tuple[str, ...], asks: int) -> Display:
    """For each row one bar of length 1: filled as far as its weight falls on later words."""
    long, step = 140, 26
    margin = max(drawn.wide(word) for word in words) + 12
    parts = []
    for t, (word, share) in enumerate(zip(words, shares.tolist(), strict=True)):
        top, look = t * step, "c b" if t == asks else "c"
        parts.append(drawn.words(margin - 10, top + 17, word, "end", look))
        parts.append(drawn.bar(margin, top + 6, share * long, 14, "less"))
        parts.append(drawn.box(margin, top + 6, long, 14, "axis"))
        parts.append(drawn.words(margin + long + 8, top + 17, fixed(share, sign=False), "start", look))
    title = "What leaks to each row from later words"
    said = [f"{word} {fixed(share, sign=False)}" for word, share in zip(words, shares, strict=True)]
    picture = drawn.svg(margin + long + 56, step * len(words) + 4, title, "; ".join(said) + ".", "".join(parts))
    return drawn.drawing([title, *(f"  {line}" for line in said)], f'<p class="f">{title}</p>', picture)


CARDS = (
    Card(
        "masked scores", "decoder", 4, "Masked scores",
        "What may a position look at, and what would it see if it could cheat?",
        "3.2.3", draw_masked,
        (
            replace(POSITION, start=2),
            HEAD,
            LAYER,
            Tick("cheat", "let it cheat"),
        ),
    ),
)  # fmt: skip
