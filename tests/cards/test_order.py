"""One layer on shuffled words: without positions nothing changes, with them the place counts."""

import re

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st
from reading_cards import html, settings, shows, stage, text

from helpers import transformer
from helpers.cards.order import MOST_SHUFFLES, shuffled


@options(max_examples=100, deadline=None)
@given(st.integers(1, 8), st.integers(0, MOST_SHUFFLES))
def test_a_shuffle_moves_a_word_and_loses_none(n, number):
    order = shuffled(n, number).tolist()
    assert sorted(order) == list(range(n))
    assert (order == list(range(n))) == (number == 0 or n == 1)


def test_another_shuffle_is_another_order():
    orders = {tuple(shuffled(6, number)) for number in range(MOST_SHUFFLES + 1)}
    assert len(orders) > 80


@pytest.mark.parametrize("sentence", ["the cat sat on the mat", "dog bites man", "a b c d e f g h"])
@pytest.mark.parametrize("mix", [1, 2, 57])
def test_without_positions_no_entry_differs(sentence, mix):
    said, numbers = text("order", settings(source=sentence), mix=mix), 8 * len(sentence.split())
    assert "No entry differs." in said
    assert f"The largest of {numbers} differences is 0.000" in said


@pytest.mark.parametrize("mix", [1, 2, 57])
def test_with_positions_entries_differ_by_what_the_oracle_finds(mix):
    mine = settings(source="dog bites man")
    example = mine.example
    order = shuffled(3, mix).tolist()
    ids = [example.vocabulary[word] for word in mine.source]
    w, E = oracle.as_lists((example.encoder_layers[0], example.E))
    own, mixed = (
        oracle.encoder_layer(oracle.input_steps(some, E)[1], w, 2)["Z"] for some in (ids, [ids[k] for k in order])
    )
    gap = max(abs(a - b) for k, row in enumerate(mixed) for a, b in zip(row, own[order[k]], strict=True))
    said = text("order", mine, mix=mix, positions=True)
    assert f"by up to {gap:.3f}" in said
    assert re.search(r"\d+ of 24 entries differ", said)
    assert shows(html("order", mine, mix=mix, positions=True), np.ravel([*own, *mixed]))


def test_the_same_words_in_another_order_have_the_same_vectors_without_positions():
    one, other = (html("order", settings(source=words), mix=0) for words in ("dog bites man", "man bites dog"))

    def rows(body):
        return set(re.findall(r">yours, \d</th>(.*?)</tr>", body))

    assert len(rows(one)) == 3
    assert rows(one) == rows(other)


def test_own_order_says_that_nothing_is_shuffled():
    assert "Nothing is shuffled yet." in text("order", mix=0)


def test_one_word_has_no_other_order():
    assert "One word has no other order." in text("order", settings(source="cat"), mix=5)


def test_the_picture_names_both_orders():
    mine = settings(source="dog bites man")
    order = shuffled(3, 1)
    mixed = " ".join(np.array(mine.source)[order])
    assert "<desc" in html("order", mine)
    assert f"dog bites man becomes {mixed}</desc>" in html("order", mine)


def test_every_column_of_the_widest_run_stands_on_the_page():
    mine = settings(d_model=16)
    body = html("order", mine)
    assert '<th scope="col">15</th>' in body
    w = mine.example.encoder_layers[0]
    own = transformer.encoder_layer(mine.run.encoder.E_scaled, w, 2)
    assert shows(body, np.ravel(own))
    shown = stage("order", mine).display.text
    assert "showing first" in shown
    assert "showing first" not in body


def test_each_line_says_where_the_word_stands():
    mine = settings(source="dog bites man")
    body, order = html("order", mine, mix=2), shuffled(3, 2).tolist()
    for t in range(3):
        assert f">yours, {t}</th>" in body
        assert f">mixed, {order.index(t)}</th>" in body
