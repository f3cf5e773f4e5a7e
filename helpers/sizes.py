"""The sizes of a Transformer, and which of them are allowed (paper §3, Table 3)."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass, fields
from numbers import Integral

from .errors import PlainError


def whole(name: str, value, least: int = 1) -> int:
    """Return `value` as an int, or raise PlainError unless it is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise PlainError(f"{name} is {reprlib.repr(value)}; it must be a whole number of at least {least}.")
    return int(value)


@dataclass(frozen=True)
class Sizes:
    """The sizes that the authors of a Transformer choose before training (paper §3, Table 3).

    d_model: width of every token vector; even, and divisible by heads.
    heads: attention heads h, each d_k = d_model / h wide.
    d_ff: inner width of the feed-forward network.
    vocab: rows of the embedding table, V.
    layers: layers in each stack, N.

    Raises PlainError for sizes that do not fit together.
    """

    d_model: int
    heads: int
    d_ff: int
    vocab: int
    layers: int = 1

    def __post_init__(self):
        for field in fields(self):
            object.__setattr__(self, field.name, whole(field.name, getattr(self, field.name)))
        if self.d_model % 2:
            raise PlainError(
                f"d_model is {self.d_model}; it must be even, since position codes come in pairs of sine and cosine."
            )
        if self.d_model % self.heads:
            raise PlainError(
                f"d_model is {self.d_model} and heads is {self.heads}; d_model must be divisible by heads."
            )

    @property
    def d_k(self) -> int:
        """Width of one head, d_model / h (paper §3.2.2)."""
        return self.d_model // self.heads

    def symbols(self, n_src: int | None = None, n_tgt: int | None = None) -> dict[str, int]:
        """Map the course's symbols to numbers; a length that is not given is left out."""
        lengths = {"n_src": n_src, "n_tgt": n_tgt}
        given = {name: whole(name, n) for name, n in lengths.items() if n is not None}
        return given | {
            "d_model": self.d_model,
            "h": self.heads,
            "d_k": self.d_k,
            "d_ff": self.d_ff,
            "V": self.vocab,
            "N": self.layers,
        }


COURSE = Sizes(d_model=8, heads=2, d_ff=32, vocab=500)
# d_ff is 8, not 4 · d_model, to spare the pen. Three reserved ids, three English and three German words.
HOMEWORK = Sizes(d_model=4, heads=2, d_ff=8, vocab=9)
PAPER_BASE = Sizes(d_model=512, heads=8, d_ff=2048, vocab=37000, layers=6)


def _attention(mark: str = "") -> dict[str, tuple[str, ...]]:
    return {f"W{role}{mark}": ("d_model", "d_model") for role in "qkvo"}


def _norms(count: int) -> dict[str, tuple[str, ...]]:
    return {f"{name}{k}": ("d_model",) for k in range(1, count + 1) for name in ("gamma", "beta")}


_FFN = {"W1": ("d_model", "d_ff"), "b1": ("d_ff",), "W2": ("d_ff", "d_model"), "b2": ("d_model",)}

# What one layer of each stack owns: block → weight → shape in symbols. Attention projections have no bias (§3.2.2).
WEIGHT_BLOCKS = {
    "encoder": {"self-attention": _attention(), "FFN": _FFN, "norms": _norms(2)},
    "decoder": {
        "masked self-attention": _attention("m"),
        "cross-attention": _attention("c"),
        "FFN": _FFN,
        "norms": _norms(3),
    },
}
# The same without the blocks: stack → weight → shape in symbols.
WEIGHTS = {
    stack: {name: shape for block in blocks.values() for name, shape in block.items()}
    for stack, blocks in WEIGHT_BLOCKS.items()
}
# These exist per head too: Wq0, Wq1, … are the column blocks of Wq that belong to head 0, 1, …
HEAD_WEIGHTS = {
    "encoder": ("Wq", "Wk", "Wv"),
    "decoder": ("Wqm", "Wkm", "Wvm", "Wqc", "Wkc", "Wvc"),
}


def shape_in(symbols: dict[str, int], shape: tuple[str, ...]) -> tuple[int, ...]:
    """Turn a shape in symbols into numbers: ("n_src", "d_k") → (9, 4)."""
    return tuple(symbols[name] for name in shape)
