"""Sizes: what they derive and what they refuse."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from support import plain_error

from helpers.sizes import COURSE, HOMEWORK, PAPER_BASE, Sizes

VALID = {"d_model": 12, "heads": 3, "d_ff": 7, "vocab": 20, "layers": 2}


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (COURSE, {"d_model": 8, "h": 2, "d_k": 4, "d_ff": 32, "V": 500, "N": 1}),
        (HOMEWORK, {"d_model": 4, "h": 2, "d_k": 2, "d_ff": 8, "V": 9, "N": 1}),
        (PAPER_BASE, {"d_model": 512, "h": 8, "d_k": 64, "d_ff": 2048, "V": 37000, "N": 6}),
        (Sizes(**VALID), {"d_model": 12, "h": 3, "d_k": 4, "d_ff": 7, "V": 20, "N": 2}),
    ],
)
def test_symbols(sizes, expected):
    assert sizes.symbols() == expected
    assert sizes.d_k == expected["d_k"]


def test_symbols_with_lengths():
    assert COURSE.symbols(n_src=9, n_tgt=7) == {"n_src": 9, "n_tgt": 7, **COURSE.symbols()}
    assert COURSE.symbols(n_src=9) == {"n_src": 9, **COURSE.symbols()}
    assert " ".join(COURSE.symbols(n_src=9, n_tgt=7)) == "n_src n_tgt d_model h d_k d_ff V N"


def test_one_layer_unless_said():
    assert Sizes(d_model=2, heads=1, d_ff=1, vocab=1).layers == 1


def test_sizes_cannot_change():
    with pytest.raises(FrozenInstanceError):
        COURSE.d_model = 16


def test_numpy_integers_become_plain_ones():
    sizes = Sizes(**{name: np.int64(value) for name, value in VALID.items()})
    assert sizes == Sizes(**VALID)
    assert {type(value) for value in sizes.symbols().values()} == {int}


@pytest.mark.parametrize("name", list(VALID))
@pytest.mark.parametrize("value", [0, -2, 2.0, 2.5, True, "8", None, float("nan"), np.float64(4)])
def test_every_size_is_a_positive_whole_number(name, value):
    with plain_error(name, repr(value)):
        Sizes(**{**VALID, name: value})


@pytest.mark.parametrize(("d_model", "heads"), [(8, 3), (6, 4), (2, 4), (512, 7)])
def test_heads_divide_the_width(d_model, heads):
    with plain_error(d_model, heads, "divisible"):
        Sizes(**{**VALID, "d_model": d_model, "heads": heads})


@pytest.mark.parametrize("d_model", [1, 3, 9])
def test_width_is_even(d_model):
    with plain_error("d_model", d_model, "even"):
        Sizes(**{**VALID, "d_model": d_model, "heads": 1})


@pytest.mark.parametrize("name", ["n_src", "n_tgt"])
@pytest.mark.parametrize("n", [0, -1, 2.5, True])
def test_lengths_are_positive_whole_numbers(name, n):
    with plain_error(name, repr(n)):
        COURSE.symbols(**{name: n})
