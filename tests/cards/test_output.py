"""Logits and losses: every number against plain loops, and what is marked on the picture."""

import re
from math import exp, log

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import transformer as tf
from helpers.cards import find
from helpers.cards.candidates import MOST_WORDS, by_size, shown_columns
from helpers.cards.controls import Chosen
from helpers.cards.output import smoothed_target
from helpers.cards.settings import Settings

SMALL = Settings(d_model=4, heads=2, layers=1, target=("ja", "ja", "nein"))


def logits_text(mine, word=0, candidate=0):
    return find("logits").draw(mine, Chosen(word=word, candidate=candidate)).display.text


def losses(mine, word=0, smoothing=0.1):
    return find("losses").draw(mine, Chosen(word=word, smoothing=smoothing))


def by_hand(mine):
    """The output of a run by plain loops."""
    example = mine.example
    return oracle.output_steps(mine.run.decoder.output.tolist(), example.E_out.tolist(), example.labels.tolist())


@pytest.mark.parametrize("mine", [Settings(), SMALL])
def test_logits_are_dot_products_with_the_unscaled_table(mine):
    expected = by_hand(mine)["logits"]
    names = mine.example.candidates
    for t in range(len(mine.example.tgt_words)):
        for c in range(len(names)):
            text = logits_text(mine, t, c)
            assert f"= {expected[t][c]:+.6f}   agrees with the array" in text
            best = max(range(len(names)), key=lambda k: expected[t][k])
            assert f"“{names[best]}” scores highest, {expected[t][best]:+.3f}" in " ".join(text.split())


def test_the_written_out_product_takes_the_row_of_y3_and_the_row_of_the_table():
    row, words = SMALL.run.decoder.output[1], SMALL.example.E_out[1]
    terms = " + ".join(f"({a:+.4f})*({b:+.4f})" for a, b in zip(row, words, strict=True))
    assert terms in logits_text(SMALL, 1, 1)


def test_with_random_weights_the_card_says_that_the_order_is_arbitrary():
    assert "The weights are random" in logits_text(Settings())


def test_another_position_or_word_is_lit_up():
    bodies = {find("logits").draw(Settings(), Chosen(word=w, candidate=c)).display.body for w in (0, 3) for c in (0, 5)}
    assert len(bodies) == 4


def test_labels_are_among_the_shown_words_and_no_more_than_nine_are_shown():
    for mine in (Settings(), SMALL):
        shown = shown_columns(mine)
        assert set(mine.example.labels.tolist()) <= set(shown)
        assert len(set(shown)) == len(shown) <= MOST_WORDS


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=8))
def test_by_size_puts_the_largest_first_and_equal_ones_in_order(shares):
    assert by_size(np.array(shares)) == sorted(range(len(shares)), key=lambda k: (-shares[k], k))


# --- losses -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mine", [Settings(), SMALL])
@pytest.mark.parametrize("eps", [0.0, 0.1, 0.7, 1.0])
def test_losses_plain_and_smoothed_are_those_of_plain_loops(mine, eps):
    expected = by_hand(mine)
    label, other = smoothed_target(eps, len(mine.example.candidates))
    text = losses(mine, smoothing=eps).display.text
    smoothed = []
    for t, row in enumerate(expected["P"]):
        truth = mine.example.labels[t]
        smoothed.append(-sum((label if c == truth else other) * log(p) for c, p in enumerate(row)))
        word = mine.example.label_words[t]
        line = rf"{word}\s+{row[truth]:.3f}\s+{expected['losses'][t]:.3f}\s+{smoothed[t]:.3f}"
        assert re.search(line, text)
    assert re.search(rf"mean\s+{expected['loss']:.3f}\s+{sum(smoothed) / len(smoothed):.3f}", text)
    assert np.allclose(smoothed, tf.smoothed_loss(mine.run.decoder.logits, mine.example.labels, eps), atol=1e-12)


@given(st.floats(0, 1), st.integers(1, 50))
def test_a_smoothed_target_adds_up_to_1(eps, words):
    label, other = smoothed_target(eps, words)
    assert label + (words - 1) * other == pytest.approx(1)
    assert label >= other - 1e-12


@pytest.mark.parametrize("t", [0, 4, 6])
def test_the_bars_are_the_row_of_p_and_the_label_is_marked_in_words(t):
    mine = Settings()
    stage, P = losses(mine, t), by_hand(mine)["P"][t]
    names, label = mine.example.candidates, mine.example.labels[t]
    described = re.search(r"<desc[^>]*>(.*?)</desc>", stage.display.body).group(1)
    assert described.count(" label") == 1
    for c, p in enumerate(P):
        name = names[c].replace("<", "&lt;").replace(">", "&gt;")
        assert f"{name} {p:.3f}{' label' if c == label else ''}, dashed" in described
    assert f"pays −ln {P[label]:.3f} = {-log(P[label]):.3f}." in stage.display.text


def test_whether_the_mean_beats_guessing_is_compared():
    said = {seed: " ".join(losses(Settings(seed=seed)).display.text.split()) for seed in range(40)}
    for seed, text in said.items():
        mean = by_hand(Settings(seed=seed))["loss"]
        assert ("less than the ln 7" in text and "no less" not in text) == (mean < log(7))
    assert {"no less" in text for text in said.values()} == {True, False}


def test_smoothing_and_the_papers_stand_in_the_foot():
    assert losses(Settings(), smoothing=0.25).note == "label smoothing 0.25, in the paper 0.1"


def test_a_word_that_is_certain_pays_nothing():
    """With a single competing word beside the end, both shares are told by one exponential."""
    mine = Settings(target=("ja",))
    logits = by_hand(mine)["logits"]
    share = 1 / (1 + exp(logits[0][1] - logits[0][0]))
    assert f"ja     {share:.3f} label" in losses(mine).display.text


# --- trained weights: the whole vocabulary competes ---------------------------------------------


def test_with_trained_weights_nine_words_stand_for_all_and_the_label_is_one_of_them():
    mine = Settings(trained=True, target=("matte", "auf", "katze"))
    V = mine.sizes.vocab
    text = logits_text(mine, 0, mine.example.vocabulary["katze"])
    assert f"9 of {V} words that compete" in text
    assert "random" not in text
    for t in range(4):
        display = losses(mine, t).display
        assert f"9 of {V} words" in display.text
        label, P = mine.example.label_words[t], mine.run.decoder.P[t]
        assert f"{P[mine.example.vocabulary[label]]:.3f} label" in display.text
        assert display.body.count("<rect") == 9


def test_with_trained_weights_the_right_translation_costs_far_less_than_guessing():
    mine = Settings(trained=True)
    assert mine.run.decoder.loss < 0.5
    assert "less than the ln" in losses(mine).display.text
