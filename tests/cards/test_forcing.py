"""Teacher forcing: one pass equals many, and a later word moves no earlier row, not by the last bit."""

import numpy as np
import oracle
import pytest
from card_settings import any_settings
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import transformer as tf
from helpers.cards import find, forcing
from helpers.cards.controls import Chosen
from helpers.cards.settings import Settings
from helpers.trained import known_words


def drawn(mine, place=3, new="mat"):
    return find("teacher forcing").draw(mine, Chosen(place=place, new=new)).display


def plain(display):
    return " ".join(display.text.split())


def by_hand(mine, words):
    """Logits of a pass over some words, by plain loops."""
    example = mine.example
    ids = [example.vocabulary[word] for word in words]
    layers = oracle.as_lists(example.decoder_layers)
    E, Z = example.E.tolist(), mine.run.encoder.output.tolist()
    _, y = oracle.input_steps(ids, E)
    for w in layers:
        y = oracle.decoder_layer(y, Z, w, mine.heads, oracle.causal_mask(len(ids)))["Y3"]
    return np.array([[oracle.dot(row, word) for word in example.E_out.tolist()] for row in y])


@settings(max_examples=40)
@given(st.data())
def test_earlier_rows_do_not_move_by_exactly_0(data):
    mine = data.draw(any_settings())
    words = mine.example.tgt_words
    place = data.draw(st.integers(1, len(words) - 1))
    new = data.draw(st.sampled_from(forcing.other_words(mine)))
    before = forcing.logits_reading(mine, words)
    after = forcing.logits_reading(mine, forcing.with_word(words, place, new))
    assert np.array_equal(before[:place], after[:place])
    if new != words[place]:
        assert not np.array_equal(before[place], after[place])


def test_the_table_says_by_how_much_rows_move_and_what_they_predict():
    mine = Settings()
    words = mine.example.tgt_words
    before, after = by_hand(mine, words), by_hand(mine, (*words[:3], "mat", *words[4:]))
    moved, names = np.abs(after - before).max(axis=1), mine.example.candidates
    lines = drawn(mine).text.splitlines()[3:10]
    for t, line in enumerate(lines):
        cells = line.replace(" → ", "→").split()
        reads = "saß→mat" if t == 3 else words[t]
        guess, now = names[np.argmax(before[t])], names[np.argmax(after[t])]
        assert cells == [str(t), reads, mine.example.label_words[t], guess, now, f"{moved[t]:.3f}" if t >= 3 else "0"]
    assert f"it and those after it by up to {moved.max():.3f}." in plain(drawn(mine))


def test_the_change_of_p_is_after_minus_before():
    mine = Settings(target=("ja",))
    words = mine.example.tgt_words
    P, Q = ([oracle.softmax_row(row) for row in by_hand(mine, w).tolist()] for w in (words, ("<sos>", "cat")))
    text = drawn(mine, 1, "cat").text
    assert "change of P" in text
    assert f"{Q[1][0] - P[1][0]:+.3f}  {Q[1][1] - P[1][1]:+.3f}" in text


def test_the_same_word_again_moves_nothing_and_the_card_invites():
    display = drawn(Settings(), 3, "saß")
    assert "Put another word in place of “saß”" in plain(display)
    assert "change of P" not in display.text
    assert "→" not in display.text


def test_what_is_said_follows_from_what_moved():
    assert "do not move, by exactly 0" in forcing._what_moved("a", "b", 1, np.array([0.0, 1.0]))
    assert "move by up to 0.250000" in forcing._what_moved("a", "b", 1, np.array([0.25, 1.0]))


def test_one_pass_and_many_give_the_same_logits_and_that_is_compared(monkeypatch):
    assert "28 rows in all, give the same logits" in plain(drawn(Settings()))
    assert forcing.gap_to_single_passes(Settings()) < 1e-12
    monkeypatch.setattr(forcing, "gap_to_single_passes", lambda mine: 0.5)
    assert "28 rows in all, give other logits" in plain(drawn(Settings()))


def test_right_predictions_are_counted():
    mine = Settings()
    right = sum(
        mine.example.candidates[np.argmax(row)] == label
        for row, label in zip(by_hand(mine, mine.example.tgt_words), mine.example.label_words, strict=True)
    )
    assert f"predicts 7 words, {right} of them right." in plain(drawn(mine))


@pytest.mark.parametrize("target", [("ja",), ("ja", "ja", "nein")])
def test_the_start_token_cannot_be_changed(target):
    mine = Settings(target=target)
    places = [place for _, place in find("teacher forcing").controls[0].options(mine)]
    assert places == list(range(1, len(target) + 1))


def test_with_trained_weights_any_german_word_can_be_put_in_and_earlier_rows_stay():
    mine = Settings(trained=True)
    words = mine.example.tgt_words
    offered = forcing.other_words(mine)
    assert set(known_words("german")) == set(offered)
    before = forcing.logits_reading(mine, words)
    for new in offered:
        after = forcing.logits_reading(mine, forcing.with_word(words, 4, new))
        assert np.array_equal(before[:4], after[:4])
    assert "predicts 7 words, 7 of them right." in plain(drawn(mine, 4, "hund"))


def test_the_changes_shown_are_the_largest():
    mine = Settings(trained=True)
    words = mine.example.tgt_words
    P, Q = (tf.softmax(forcing.logits_reading(mine, w)) for w in (words, forcing.with_word(words, 3, "hund")))
    change = np.abs(Q - P).max(axis=0)
    names = sorted(mine.example.vocabulary, key=mine.example.vocabulary.get)
    head = drawn(mine, 3, "hund").text.split("change of P", 1)[1].splitlines()[1].split()
    assert set(head) == {names[c] for c in np.argsort(-change, kind="stable")[:9]}
