"""Parameters and multiply-adds: the figures of the lessons, formulas by hand, and counting one by one."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from support import draw_example, examples, plain_error, walk

from helpers.counts import (
    encoder_multiply_adds,
    encoder_parameters,
    model_multiply_adds,
    model_parameters,
    multiply_add_table,
    parameter_table,
    summary_table,
)
from helpers.sizes import COURSE, HOMEWORK, PAPER_BASE, Sizes, shape_in
from helpers.steps import decoder_steps, encoder_steps


def multiplications(example, monkeypatch):
    """How many pairs each dot product of the oracle's pass multiplied, in the order in which it took them."""
    lengths, dot = [], oracle.dot

    def counting_dot(a, b):
        lengths.append(len(a))
        return dot(a, b)

    with monkeypatch.context() as patch:
        patch.setattr(oracle, "dot", counting_dot)
        walk(example)
    return lengths


def of_table(example):
    """The same list from the table: a product takes `inner` multiplications for each of its entries."""
    sizes = example.sizes
    symbols = sizes.symbols(len(example.src_words), len(example.tgt_words))
    lengths = []
    for table in (encoder_steps(sizes.heads), decoder_steps(sizes.heads)):
        for part, times in (("input", 1), ("layer", sizes.layers), ("output", 1)):
            costs = [
                symbols[step.inner]
                for step in table
                if step.part == part and step.inner
                for _ in range(math.prod(shape_in(symbols, step.shape)))
            ]
            lengths += times * costs
    return lengths


@pytest.mark.parametrize(
    "sizes",
    [
        {"d_model": 12, "heads": 3, "d_ff": 7, "layers": 2, "n_src": 5, "n_tgt": 6},
        {"d_model": 2, "heads": 2, "d_ff": 1, "layers": 1, "n_src": 1, "n_tgt": 1},
        {"d_model": 8, "heads": 1, "d_ff": 32, "layers": 3, "n_src": 3, "n_tgt": 7},
    ],
)
def test_the_table_takes_the_products_that_the_loops_take(monkeypatch, sizes):
    example = draw_example(1, padded=True, **sizes)
    assert of_table(example) == multiplications(example, monkeypatch)


@given(example=examples(padded=False))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_multiply_adds_are_those_of_the_loops(example):
    with pytest.MonkeyPatch.context() as monkeypatch:
        one_by_one = sum(multiplications(example, monkeypatch))
    n_src, n_tgt = len(example.src_words), len(example.tgt_words)
    assert model_multiply_adds(example.sizes, n_src, n_tgt) == one_by_one


@given(example=examples(padded=False))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_parameters_are_those_of_the_weights(example):
    weights = [array for layer in example.encoder_layers for array in layer.values()]
    assert encoder_parameters(example.sizes) == sum(map(np.size, weights))
    weights += [array for layer in example.decoder_layers for array in layer.values()]
    assert model_parameters(example.sizes) == sum(map(np.size, weights)) + example.E.size


# The figures that the lessons print


def test_course_parameters():
    assert encoder_parameters(COURSE) == 256 + 552 + 32 == 840
    assert model_parameters(COURSE) == 5952


def test_paper_parameters():
    one_layer = Sizes(d_model=512, heads=8, d_ff=2048, vocab=37000, layers=1)
    assert encoder_parameters(one_layer) == 3_150_336
    assert encoder_parameters(PAPER_BASE) == 6 * 3_150_336
    assert model_parameters(PAPER_BASE) == 18_944_000 + 6 * (3_150_336 + 4_199_936) == 63_045_632


def test_multiply_adds_of_the_course_and_the_homework():
    assert encoder_multiply_adds(COURSE, 9) == 8208
    assert model_multiply_adds(COURSE, 9, 7) == 45_424
    assert encoder_multiply_adds(HOMEWORK, 3) == 456
    # 1,024 on paper: four candidates instead of the table's nine rows.
    decoder = model_multiply_adds(HOMEWORK, 3, 4) - encoder_multiply_adds(HOMEWORK, 3)
    assert decoder - 4 * 9 * 4 + 4 * 4 * 4 == 1024


def counts_of(rows, name):
    return {getattr(row, name): row.count for row in rows}


def test_output_projection_costs_most():
    rows = multiply_add_table(COURSE, 9, 7)
    largest = max(rows, key=lambda row: row.count)
    assert (largest.stack, largest.step, largest.count) == ("decoder", "logits", 28_000)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_every_product_has_its_row(stack):
    rows = [row for row in multiply_add_table(Sizes(12, 3, 7, 20, 2), 5, 6) if row.stack == stack]
    tag = {"encoder": "", "decoder": "m"}[stack]
    found = {row.step: (row.formula, row.times, row.count) for row in rows}
    n = {"encoder": "n_src", "decoder": "n_tgt"}[stack]
    words = {"encoder": 5, "decoder": 6}[stack]
    # Three heads and two layers make six of each product of a head.
    assert found[f"Q{tag}"] == (f"{n} · d_k · d_model", 6, 6 * words * 4 * 12)
    assert found[f"R{tag}"] == (f"{n} · {n} · d_k", 6, 6 * words * words * 4)
    assert found[f"M{tag}"] == (f"{n} · d_model · d_model", 2, 2 * words * 12 * 12)
    assert found["F_pre"] == (f"{n} · d_ff · d_model", 2, 2 * words * 7 * 12)
    assert found["F"] == (f"{n} · d_model · d_ff", 2, 2 * words * 7 * 12)
    if stack == "decoder":
        assert found["Kc"] == ("n_src · d_k · d_model", 6, 6 * 5 * 4 * 12)
        assert found["Hc"] == ("n_tgt · d_k · n_src", 6, 6 * 6 * 4 * 5)
        assert found["logits"] == ("n_tgt · V · d_model", 1, 6 * 20 * 12)
    assert len(found) == len(rows)


def test_scores_and_mixing_are_16_percent_of_the_encoder_and_pass_the_ffn_at_n_equal_d_ff():
    def mixing_and_ffn(n):
        found = counts_of(multiply_add_table(COURSE, n), "step")
        return found["R"] + found["H"], found["F_pre"] + found["F"]

    assert mixing_and_ffn(9)[0] / 8208 == pytest.approx(0.158, abs=5e-4)
    mixing, feed_forward = mixing_and_ffn(32)
    assert mixing == feed_forward


def test_share_of_the_ffn_in_the_paper():
    def share(rows):
        return sum(row.count for row in rows if row.block == "FFN") / sum(row.count for row in rows)

    assert share(parameter_table(PAPER_BASE, "encoder")) == pytest.approx(0.667, abs=5e-4)
    assert share(parameter_table(PAPER_BASE, "decoder")) == pytest.approx(0.500, abs=5e-4)
    assert share(parameter_table(PAPER_BASE)) == pytest.approx(0.400, abs=5e-4)


def test_parameter_table_of_the_course():
    rows = parameter_table(COURSE)
    assert [(row.stack, row.block, row.count) for row in rows] == [
        ("model", "embedding table E", 4000),
        ("encoder", "self-attention", 256),
        ("encoder", "FFN", 552),
        ("encoder", "norms", 32),
        ("decoder", "masked self-attention", 256),
        ("decoder", "cross-attention", 256),
        ("decoder", "FFN", 552),
        ("decoder", "norms", 48),
    ]


@pytest.mark.parametrize("sizes", [COURSE, PAPER_BASE, Sizes(12, 3, 7, 20, 2)])
def test_formulas_give_the_counts(sizes):
    """Read every formula of both tables as arithmetic."""
    symbols = sizes.symbols(9, 7)

    def evaluate(formula):
        terms = (term.split(" · ") for term in formula.split(" + "))
        return sum(math.prod(symbols.get(factor) or int(factor) for factor in term) for term in terms)

    for row in parameter_table(sizes):
        layers = 1 if row.stack == "model" else sizes.layers
        assert evaluate(row.formula) * layers == row.count
    for row in multiply_add_table(sizes, 9, 7):
        assert evaluate(row.formula) * row.times == row.count


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_summary_lists_every_step_once(stack):
    rows = summary_table(COURSE, 9, 7, stack=stack)
    steps = {"encoder": encoder_steps, "decoder": decoder_steps}[stack](1)
    assert [row.key for row in rows] == [step.key for step in steps]


def test_summary_shapes():
    found = {row.key: (row.this, row.paper) for row in summary_table(COURSE, 9)}
    assert found["X"] == ("9 × 8", "9 × 512")
    assert found["Q0"] == ("9 × 4", "9 × 64")
    assert found["A0"] == ("9 × 9", "9 × 9")
    assert found["F_relu"] == ("9 × 32", "9 × 2048")
    decoder = {row.key: (row.this, row.paper) for row in summary_table(COURSE, 9, 7, stack="decoder")}
    assert decoder["Ac0"] == ("7 × 9", "7 × 9")
    assert decoder["logits"] == ("7 × 500", "7 × 37000")


@pytest.mark.parametrize("n", [0, -3, 2.5, True])
def test_counting_needs_words(n):
    with plain_error("n_src", repr(n)):
        encoder_multiply_adds(COURSE, n)
    with plain_error("n_tgt", repr(n)):
        model_multiply_adds(COURSE, 9, n)
