"""The rules as a person works them out: the same results as the table's, and roundings that add up as they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import homework_example, random_example
from helpers.boxes import decoder_boxes, encoder_boxes, work_out
from helpers.checks.pen import RULES, Jotter, moves, tolerance
from helpers.sizes import Sizes
from helpers.trace import givens

SEEDS = st.integers(0, 2**32 - 1)
UNROUNDED = {"ids", "E_rows", "next_word"}


def stacks(example):
    heads, few = example.sizes.heads, example.candidates is not None
    read = work_out(encoder_boxes(heads), givens(example, "encoder", 1))
    yield encoder_boxes(heads), read
    yield (
        decoder_boxes(heads, few),
        work_out(decoder_boxes(heads, few), givens(example, "decoder", 1) | {"Z": read["Z"]}),
    )


def test_every_family_that_is_worked_out_has_its_rule():
    assert {box.family for boxes, _ in stacks(homework_example()) for box in boxes} - UNROUNDED == set(RULES)


@given(SEEDS, st.sampled_from([(6, 3, 10), (4, 2, 8), (8, 1, 5)]), st.integers(1, 5), st.integers(1, 5))
def test_the_rules_are_those_of_the_table(seed, sizes, n_src, n_tgt):
    words = [f"w{k}" for k in range(6)]
    example = random_example(
        words[:n_src], words[: n_tgt - 1] or words[:1], Sizes(*sizes, vocab=12), seed, general=True
    )
    for boxes, values in stacks(example):
        for box in (box for box in boxes if box.family in RULES):
            made = RULES[box.family](Jotter(0.001), *[values[name] for name in box.inputs])
            np.testing.assert_allclose(made, values[box.key], rtol=1e-11, atol=1e-11, err_msg=box.key)


def test_a_sum_moves_with_each_of_its_summands():
    a, b = np.array([[1.234, 2.0]]), np.array([[0.111, 0.222]])
    moved = moves(RULES["res"], (a, b), (np.full((1, 2), 0.0005), np.full((1, 2), 0.0005)), 0.001, (1, 2))
    assert moved.shape == (4, 1, 2)
    np.testing.assert_allclose(np.abs(moved).sum(axis=0), [[0.001, 0.001]])
    np.testing.assert_allclose(tolerance(moved, 0.001), [[0.0015, 0.0015]])


def test_what_is_given_exactly_does_not_move():
    a, b = np.array([[1.5]]), np.array([[0.25]])
    assert moves(RULES["res"], (a, b), (None, None), 0.001, (1, 1)).shape == (0, 1, 1)
    np.testing.assert_allclose(tolerance(np.zeros((0, 1, 1)), 0.001), [[0.0005]])


def test_a_product_moves_with_its_entry_times_the_weight_and_with_each_product():
    x, W = np.array([[0.123, 0.456]]), np.array([[0.5], [-0.7]])
    moved = moves(RULES["Q"], (x, W), (np.full((1, 2), 0.0005), None), 0.001, (1, 1))
    assert sorted(np.round(moved.ravel(), 9)) == [-0.00035, 0.00025, 0.0005, 0.0005]


def test_a_root_that_is_exact_is_not_rounded():
    Q, K = np.array([[0.5]]), np.array([[0.5]])
    exact = moves(RULES["S"], (Q, K, 4), (None, None, None), 0.01, (1, 1))
    rounded = moves(RULES["S"], (Q, K, 2), (None, None, None), 0.01, (1, 1))
    assert np.count_nonzero(exact) < np.count_nonzero(rounded)


@pytest.mark.parametrize("unit", [0.001, 0.01])
@given(SEEDS)
def test_many_roundings_are_likelier_to_cancel_than_to_add_up(unit, seed):
    moved = np.random.default_rng(seed).uniform(-unit, unit, (60, 3, 4))
    found = tolerance(moved, unit)
    assert (found < 0.5 * unit + np.abs(moved).sum(axis=0)).all()
    assert (found > 0.5 * unit + np.abs(moved).max(axis=0)).all()
