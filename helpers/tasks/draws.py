"""Fresh arguments for the hidden cases, on sizes that break the coincidences of the course run.

Every draw takes a RandomState, sizes and a number of words, and returns the arguments of a function.
"""

from __future__ import annotations

from collections.abc import Callable

from ..examples import draw_layer, draw_table
from ..sizes import Sizes
from .task import Case

# Sizes on which √d_k, h and √d_model all differ, and neither n nor d_ff equals d_model.
FRESH_SIZES = (Sizes(6, 3, 10, vocab=11), Sizes(12, 3, 20, vocab=17))


def fresh_each(rng, draw: Callable) -> list[Case]:
    """Draw one case for each of the fresh sizes, and one with a single word."""
    small, large = FRESH_SIZES
    return [
        Case("fresh numbers, d_model 6", draw(rng, small, 5)),
        Case("fresh numbers, d_model 12", draw(rng, large, 7)),
        Case("fresh numbers, one word", draw(rng, small, 1)),
    ]


def plain_cases(label: str, *all_args: tuple) -> list[Case]:
    """Cases of a few plain numbers: (8, 32) is said as "8, 32"."""
    return [Case(f"{label} {', '.join(map(str, args))}", args) for args in all_args]


def matrix(rng, *shape):
    """Numbers of variance 1."""
    return rng.normal(0, 1, shape)


def draw_weights(rng, sizes, stack="encoder"):
    """One layer's weights, biases and norms drawn too."""
    return draw_layer(rng, sizes, stack, general=True)


def draw_ids(rng, sizes, n):
    """Ids and a table, as embed takes them."""
    return rng.randint(0, sizes.vocab, n), draw_table(rng, sizes)


def draw_norm(rng, sizes, n):
    """Rows off centre, gamma and beta, as layer_norm takes them."""
    d = sizes.d_model
    return 3 * matrix(rng, n, d) + 2, 1 + matrix(rng, d), matrix(rng, d)


def draw_qkv(rng, sizes, n):
    """Queries, two keys more, and values wider than keys, as attention takes them."""
    d_k, d_v, n_k = sizes.d_k, sizes.d_k + 3, n + 2
    return 2 * matrix(rng, n, d_k), 2 * matrix(rng, n_k, d_k), matrix(rng, n_k, d_v)


def draw_self_attention(rng, sizes, n):
    """Rows, the four projections and the number of heads."""
    w = draw_weights(rng, sizes)
    return matrix(rng, n, sizes.d_model), w["Wq"], w["Wk"], w["Wv"], w["Wo"], sizes.heads


def draw_ffn(rng, sizes, n):
    """Rows and the weights of a feed-forward network."""
    w = draw_weights(rng, sizes)
    return matrix(rng, n, sizes.d_model), w["W1"], w["b1"], w["W2"], w["b2"]
