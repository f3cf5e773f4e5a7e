"""Ways from a distribution to words: against the reference run, plain loops and properties over random rows."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import plain_error

from helpers import Sizes, course_run, decoding, forward_pass, random_example
from helpers import transformer as tf

REFERENCE = json.loads((Path(__file__).parent / "reference" / "course_run.json").read_text(encoding="utf-8"))
rows = st.lists(st.floats(-20, 20), min_size=2, max_size=30).map(np.array)


@pytest.fixture(scope="module")
def row():
    return course_run().decoder.logits[-1]


@pytest.fixture(scope="module")
def steps():
    """The two functions that `generate` can call on the course run, made anew for every generation."""
    run = course_run()
    return {
        "redone": lambda: decoding.decoder_step(run.example, run.encoder.Z),
        "cached": lambda: decoding.cached_decoder_step(run.example, run.encoder.Z),
    }


# Against the reference run


@pytest.mark.parametrize("line", REFERENCE["temperature"], ids=lambda line: f"T {line['T']}")
def test_temperatures_of_the_course_run(line, row):
    p = decoding.temperature(row, line["T"])
    assert round(decoding.entropy(p), 4) == line["entropy"]
    assert round(p.max(), 5) == line["max_probability"]
    assert p.argmax() == line["argmax"]


def test_the_five_likeliest_of_the_course_run(row):
    p = decoding.top_k(row, 5)
    ids = REFERENCE["top5"]["ids"]
    np.testing.assert_allclose(p[ids], REFERENCE["top5"]["renormalised"], atol=5e-7)
    assert np.count_nonzero(p) == 5


@pytest.mark.parametrize("how", ["redone", "cached"])
def test_greedy_generation_of_the_course_run(how, steps):
    assert decoding.generate(steps[how](), 1, 2, 8, decoding.greedy) == REFERENCE["greedy"]["ids"]


@pytest.mark.parametrize("step", REFERENCE["greedy"]["steps"], ids=lambda step: f"step {step['step']}")
def test_each_greedy_step_of_the_course_run(step, steps):
    ids = REFERENCE["greedy"]["ids"][: step["context_length"]]
    p = tf.softmax(steps["redone"]()(ids)[-1])
    assert (p.argmax(), round(p.max(), 5)) == (step["id"], step["probability"])
    assert round(decoding.entropy(p), 4) == step["entropy"]


def test_the_figures_of_the_lesson(row):
    assert decoding.rank_of(row, 2) == 289
    assert np.count_nonzero(decoding.nucleus(row, 0.9)) == 309
    assert decoding.entropy(np.full(500, 1 / 500)) == pytest.approx(math.log(500), abs=1e-12)


# The cache


@settings(max_examples=40)
@given(
    heads=st.sampled_from([1, 2, 3]),
    width=st.integers(1, 3),
    layers=st.integers(1, 3),
    n_src=st.integers(1, 6),
    length=st.integers(1, 7),
    seed=st.integers(0, 10_000),
)
def test_cached_rows_equal_redone_rows_at_every_step(heads, width, layers, n_src, length, seed):
    sizes = Sizes(d_model=2 * heads * width, heads=heads, d_ff=5, vocab=40, layers=layers)
    src = [f"s{k % 3}" for k in range(n_src)]
    run = forward_pass(random_example(src, ["a", "b"], sizes, seed, general=True))
    redone = decoding.decoder_step(run.example, run.encoder.output)
    cached = decoding.cached_decoder_step(run.example, run.encoder.output)
    ids = [1]
    for _ in range(length):
        full, newest = redone(ids), cached(ids)
        np.testing.assert_allclose(newest[-1], full[-1], rtol=0, atol=1e-12 * max(1, np.abs(full).max()))
        ids.append(int(full[-1].argmin()))


def test_the_cache_takes_one_word_more_each_time(steps):
    step = steps["cached"]()
    step([1])
    with plain_error("holds 1 ids", "[1, 5, 6]"):
        step([1, 5, 6])


# Properties over random rows


@given(rows, st.floats(0.05, 20))
def test_temperature_reshapes_and_never_reorders(row, T):
    p = decoding.temperature(row, T)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    assert p[row.argmax()] == p.max()


@given(rows, st.integers(1, 40))
def test_top_k_keeps_the_k_largest_in_proportion(row, k):
    p, everything = decoding.top_k(row, k), tf.softmax(row)
    kept = sorted(range(len(row)), key=lambda j: (-row[j], j))[:k]
    assert set(np.flatnonzero(p)) <= set(kept)
    np.testing.assert_allclose(p[kept], everything[kept] / everything[kept].sum(), atol=1e-12)


@given(rows, st.floats(0.01, 1))
def test_a_nucleus_is_the_smallest_set_that_reaches_its_mass(row, p):
    kept = sorted(np.flatnonzero(decoding.nucleus(row, p)), key=lambda j: -row[j])
    mass = tf.softmax(row)
    assert mass[kept].sum() >= p - 1e-9
    assert mass[kept[:-1]].sum() < p
    assert decoding.nucleus(row, p).sum() == pytest.approx(1, abs=1e-12)


@given(rows)
def test_entropy_lies_between_none_and_that_of_equal_shares(row):
    p = tf.softmax(row)
    assert -1e-12 <= decoding.entropy(p) <= math.log(len(p)) + 1e-12
    assert decoding.entropy(p) == pytest.approx(-sum(x * math.log(x) for x in p if x > 0), abs=1e-12)


@given(rows)
def test_ranks_count_what_is_larger(row):
    assert [decoding.rank_of(row, j) for j in range(len(row))] == [1 + sum(x > y for x in row) for y in row]


@given(st.integers(0, 6), st.integers(1, 10))
def test_generation_stops_at_eos_or_at_its_length(until, max_len):
    def step(ids):
        rows = np.zeros((len(ids), 9))
        rows[-1, 2 if len(ids) > until else 5] = 1
        return rows

    ids = decoding.generate(step, 1, 2, max_len, decoding.greedy)
    assert ids == ([1] + [5] * until + [2])[: max_len + 1]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda row: decoding.temperature(row, 0), "temperature is 0"),
        (lambda row: decoding.temperature(row, -1), "temperature is -1"),
        (lambda row: decoding.top_k(row, 0), "k is 0"),
        (lambda row: decoding.nucleus(row, 0), "nucleus is 0"),
        (lambda row: decoding.nucleus(row, 1.5), "nucleus is 1.5"),
    ],
)
def test_settings_that_make_no_sense_are_told_in_one_sentence(call, named, row):
    with plain_error(named):
        call(row)


# Calls that make no sense

NO_ROWS = [None, 3, "abc", [], {}, object(), np.zeros((2, 2)), [[1], [1, 2]], [None], ["a"], np.array(3.0)]
NO_NUMBERS = [None, "abc", [], {}, np.zeros(2), np.nan, 0, -1]


@pytest.mark.parametrize("row", NO_ROWS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "read",
    [
        decoding.entropy,
        decoding.greedy,
        lambda row: decoding.rank_of(row, 0),
        lambda row: decoding.temperature(row, 1.0),
        lambda row: decoding.top_k(row, 1),
        lambda row: decoding.nucleus(row, 0.5),
    ],
)
def test_what_is_no_row_is_said(read, row):
    with plain_error("row"):
        read(row)


@pytest.mark.parametrize("value", NO_NUMBERS, ids=lambda value: type(value).__name__)
def test_a_temperature_and_a_mass_are_numbers_above_0(row, value):
    with plain_error("temperature"):
        decoding.temperature(row, value)
    with plain_error("nucleus"):
        decoding.nucleus(row, value)


@pytest.mark.parametrize("token", [-1, 500, 1.5, None])
def test_a_token_outside_the_row_is_said(row, token):
    with plain_error("oken"):
        decoding.rank_of(row, token)
