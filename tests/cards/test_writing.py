"""Generation behind its card: the words against plain loops, the cuts against the definition, the cache by counting."""

import math

import numpy as np
import oracle
import pytest
from card_settings import any_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import decoding
from helpers import transformer as tf
from helpers.cards import writing
from helpers.cards.settings import Settings
from helpers.cards.writing import LONGEST, Rule, written
from helpers.sizes import COURSE, PAPER_BASE

RULES = st.builds(
    Rule,
    st.sampled_from(["greedy", "sample"]),
    st.floats(0.1, 5),
    st.integers(0, 8),
    st.floats(0.05, 1),
    st.integers(0, 999),
)


def greedy_by_hand(mine, most):
    """Write word by word with plain loops, every row anew each time."""
    example = mine.example
    E, Z = example.E.tolist(), mine.run.encoder.output.tolist()
    ids = [tf.SOS]
    for _ in range(most):
        _, y = oracle.input_steps(ids, E)
        for w in oracle.as_lists(example.decoder_layers):
            y = oracle.decoder_layer(y, Z, w, mine.heads, oracle.causal_mask(len(ids)))["Y3"]
        scores = [oracle.dot(y[-1], word) for word in example.E_out.tolist()]
        best = max(range(len(scores)), key=scores.__getitem__)
        ids.append(example.vocabulary[example.candidates[best]])
        if ids[-1] == tf.EOS:
            break
    return tuple(ids)


@pytest.mark.parametrize("seed", [3, 42])
def test_greedy_words_are_those_of_plain_loops(seed):
    mine = Settings(d_model=4, heads=2, layers=1, target=("ja", "nein"), seed=seed)
    expected = greedy_by_hand(mine, LONGEST)
    assert written(mine, Rule(), LONGEST).ids == expected
    assert written(mine, Rule(), 2).ids == expected[:3]


@settings(max_examples=25)
@given(any_settings(), RULES)
def test_every_rule_writes_what_generate_writes_with_the_full_step(mine, rule):
    columns = writing.columns_of_words(mine)
    drawn = iter(range(1, LONGEST + 1))

    def choose(row):
        return columns[writing.chosen_place(writing.shares_of(row[columns], rule), rule, next(drawn))]

    step = decoding.decoder_step(mine.example, mine.run.encoder.output)
    ids = decoding.generate(step, tf.SOS, tf.EOS, LONGEST, choose)
    state = written(mine, rule, LONGEST)
    assert list(state.ids) == ids
    assert state.ended == (ids[-1] == tf.EOS)
    assert state.rows == len(ids) - state.ended
    for t in range(len(ids)):
        assert written(mine, rule, t).ids == tuple(ids[: t + 1])


@settings(max_examples=25)
@given(any_settings(), st.integers(0, LONGEST))
def test_the_cached_rows_are_those_of_the_full_pass(mine, words):
    state = written(mine, Rule("sample"), words)
    assert writing.gap(mine, state.ids[: state.rows]) < 1e-9


@given(st.lists(st.floats(-4, 4), min_size=1, max_size=9, unique=True), RULES)
def test_shares_are_the_softmax_of_what_the_cuts_leave(row, rule):
    heat = [entry / rule.T for entry in row]
    even = oracle.softmax_row(heat)
    order = sorted(range(len(row)), key=lambda c: (-heat[c], c))[: rule.k or None]
    total, kept = sum(even[c] for c in order), []
    for c in order:
        kept.append(c)
        if sum(even[c] for c in kept) / total >= rule.p - 1e-9:
            break
    expected = np.zeros(len(row))
    for c in kept:
        expected[c] = even[c] / sum(even[c] for c in kept)
    found = writing.shares_of(np.array(row), rule)
    assert found.sum() == pytest.approx(1)
    if len(kept) == np.count_nonzero(found):  # at the very edge of the mass, rounding may keep one word more or less
        assert np.allclose(found, expected, atol=1e-9)
    else:
        assert abs(len(kept) - np.count_nonzero(found)) == 1
        assert math.isclose(sum(even[c] for c in kept) / total, rule.p, abs_tol=1e-6) or len(kept) > 1


def test_cuts_leave_as_many_words_as_they_say():
    row = np.array([2.0, 1.0, 0.0, -1.0])
    for k in (1, 2, 3):
        assert np.flatnonzero(writing.shares_of(row, Rule(k=k))).tolist() == list(range(k))
    assert np.count_nonzero(writing.shares_of(row, Rule())) == 4
    assert writing.shares_of(row, Rule(p=0.05)).tolist() == [1, 0, 0, 0]


def test_a_draw_is_the_same_again_and_another_draw_is_another():
    mine = Settings()
    first = [written(mine, Rule("sample", draw=d), LONGEST).ids for d in range(8)]
    written.cache_clear()
    assert [written(mine, Rule("sample", draw=d), LONGEST).ids for d in range(8)] == first
    assert len(set(first)) > 1


def test_draws_follow_the_shares():
    shares = np.array([0.7, 0.0, 0.3])
    drawn = [writing.chosen_place(shares, Rule("sample", draw=d), 1) for d in range(1000)]
    assert drawn.count(1) == 0
    assert 630 < drawn.count(0) < 770


# --- the cache ----------------------------------------------------------------------------------


@settings(max_examples=15)
@given(any_settings(), st.integers(1, 5))
def test_numbers_kept_are_those_in_the_cache(mine, rows):
    caches = writing.newest(mine, (tf.SOS,) + (3,) * (rows - 1))[1]
    found = sum(array.size for cache in caches for array in cache.values())
    assert writing.numbers_kept(mine.sizes, len(mine.source), rows) == found


def by_counting(sizes, n, rows, n_out, cached):
    """Multiply-adds of the decoder, product by product, for the newest of some rows."""
    d, ff, asks = sizes.d_model, sizes.d_ff, 1 if cached else rows
    layer = 4 * asks * d * d + 2 * asks * rows * d  # Q, K, V, W_O; scores and mixing over all heads
    layer += 2 * asks * d * d + 2 * asks * n * d  # cross-attention asks with its own rows …
    layer += 2 * n * d * d if rows == 1 or not cached else 0  # … and makes K and V from Z
    layer += 2 * asks * d * ff
    return sizes.layers * layer + asks * d * n_out


@pytest.mark.parametrize("sizes", [COURSE, PAPER_BASE])
@pytest.mark.parametrize(("n", "rows", "n_out"), [(6, 1, 7), (6, 4, 7), (1, 9, 500)])
def test_work_is_counted_product_by_product(sizes, n, rows, n_out):
    expected = tuple(by_counting(sizes, n, rows, n_out, cached) for cached in (False, True))
    assert writing.work(sizes, n, rows, n_out) == expected
    so_far = [sum(by_counting(sizes, n, t, n_out, cached) for t in range(1, rows + 1)) for cached in (False, True)]
    assert list(writing.work_so_far(sizes, n, rows, n_out)) == so_far
