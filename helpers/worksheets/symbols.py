"""Names and formulas of the table of steps as Typst mathematics."""

from __future__ import annotations

import re
from functools import cache

from ..boxes import Box

_GREEK = ("gamma", "beta")
_NAME = re.compile(r"(gamma|beta|res|PE|[A-Z]|b)_?(.*)")
_WHOLE_WORDS = ("ids", "logits", "losses", "loss", "next_word", "res", "PE")


@cache
def symbol(name: str) -> str:
    """A name as mathematics: Qm0 is Q with the index m0, gamma1 is γ with the index 1."""
    if name in _WHOLE_WORDS:
        return f'"{name.replace("_", " ")}"'
    letter, index = _NAME.fullmatch(name).groups()
    stem = letter if len(letter) == 1 or letter in _GREEK else f'"{letter}"'
    return f'{stem}_"{index}"' if index else stem


def symbol_of_size(name: str) -> str:
    """A size as mathematics: d_model is d with the index model."""
    stem, _, index = name.partition("_")
    return f'{stem}_"{index}"' if index else stem


def _product(x, W, b=None):
    bias = f" + {symbol(b)}" if b else ""
    return f"{symbol(x)} dot {symbol(W)}{bias}"


def _added(a, b):
    return f"{symbol(a)} + {symbol(b)}"


def _codes(n, d):
    return '"PE"_(t, 2i) = sin(t / 10000^(2i \\/ d_"model")) \\ "PE"_(t, 2i+1) = cos(t / 10000^(2i \\/ d_"model"))'


def _softmax(S, *mask):
    return f'"softmax"({symbol(S)}) \\ "each entry" = e^s / (e^(s_0) + e^(s_1) + dots.c) "in its row"'


def _norm(x, gamma, beta):
    return f"(x - mu) / sqrt(sigma^2 + 0.00001) dot {symbol(gamma)} + {symbol(beta)}"


_WRITERS = {
    "ids": lambda *_: '"the number of each word"',
    "E_rows": lambda *_: '"the rows of" E "with these" "ids"',
    "E_scaled": lambda rows: f'{symbol(rows)} dot sqrt(d_"model")',
    "PE": _codes,
    **dict.fromkeys(("input", "res"), _added),
    **dict.fromkeys(("Q", "K", "V", "M", "H", "F_pre", "F"), _product),
    "S": lambda Q, K, d: f'({symbol(Q)} dot {symbol(K)}^T) / sqrt(d_"k")',
    "B": lambda S, mask: f'{symbol(S)} ", later words" -> -infinity',
    **dict.fromkeys(("A", "P"), _softmax),
    "C": lambda *heads: f"[{', '.join(symbol(h) for h in heads)}]",
    "norm": _norm,
    "F_relu": lambda x: f"max(0, {symbol(x)})",
    "logits": lambda Y, E: f"{symbol(Y)} dot {symbol(E)}^T",
    "losses": lambda P, labels: '-ln P["row", "label"]',
    "loss": lambda losses: '"mean of the losses"',
    "next_word": lambda P: '"the word with the largest entry in the last row of" P',
}


@cache
def formula(box: Box) -> str:
    """The formula of a box, with its own name on the left."""
    right = _WRITERS[box.family](*box.inputs)
    return right if box.family == "PE" else f"{symbol(box.key)} = {right}"
