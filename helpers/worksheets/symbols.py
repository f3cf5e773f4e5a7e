"""Names and formulas of the table of steps as Typst mathematics."""

from __future__ import annotations

import re

from ..boxes import Box

_GREEK = ("gamma", "beta")
_NAME = re.compile(r"(gamma|beta|res|PE|[A-Z]|b)_?(.*)")
_WHOLE_WORDS = ("ids", "logits", "losses", "loss", "next_word", "res", "PE")


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


def _product(box, x, W, b=None):
    bias = f" + {symbol(b)}" if b else ""
    return f"{symbol(x)} dot {symbol(W)}{bias}"


def _codes(box, n, d):
    return (
        '"PE"_(t, 2i) = sin(t / 10000^(2i \\/ d_"model")), quad "PE"_(t, 2i+1) = cos(t / 10000^(2i \\/ d_"model"))'
    )


def _softmax(box, S, *_):
    s = symbol(S)
    j = "j"
    return f'"softmax"({s}), quad "entry" = (e^s) / (e^(s_1) + e^(s_2) + dots.c)'


_WRITERS = {
    "ids": lambda box, *_: '"number of each word in the vocabulary"',
    "E_rows": lambda box, *_: 'E["ids"]',
    "E_scaled": lambda box, rows: f'{symbol(rows)} dot sqrt(d_"model")',
    "input": lambda box, a, b: f"{symbol(a)} + {symbol(b)}",
    "res": lambda box, a, b: f"{symbol(a)} + {symbol(b)}",
    **dict.fromkeys(("Q", "K", "V", "M", "H", "F_pre", "F"), _product),
    "S": lambda box, Q, K, d: f'({symbol(Q)} dot {symbol(K)}^T) / sqrt(d_"k")',
    "B": lambda box, S, mask: f'{symbol(S)} "with later words" -> -infinity',
    "A": _softmax,
    "P": _softmax,
    "C": lambda box, *heads: f"[{', '.join(symbol(h) for h in heads)}]",
    "norm": lambda box, x, g, b: f'(x - mu) / sqrt(sigma^2 + 0.00001) dot {symbol(g)} + {symbol(b)} "for each row" x "of" {symbol(x)}',
    "F_relu": lambda box, x: f"max(0, {symbol(x)})",
    "logits": lambda box, Y, E: f"{symbol(Y)} dot {symbol(E)}^T",
    "losses": lambda box, P, labels: '-ln P_(t, "label"(t))',
    "loss": lambda box, losses: '"mean of the losses"',
    "next_word": lambda box, P: '"word with the largest entry in the last row of" P',
}


def formula(box: Box) -> str:
    """The formula of a box, with its own name on the left."""
    right = _codes(box, *box.inputs) if box.family == "PE" else _WRITERS[box.family](box, *box.inputs)
    return right if box.family == "PE" else f"{symbol(box.key)} = {right}"
