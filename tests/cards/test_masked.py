"""Masked scores: with the mask nothing leaks, without it what leaks agrees with plain loops."""

import re

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.cards import find
from helpers.cards.controls import Chosen
from helpers.cards.masked import leaked, without_the_mask
from helpers.cards.settings import Settings
from helpers.displays.numbers import fixed

MINE = Settings(layers=2)


def drawn(mine=MINE, **changes):
    card = find("masked scores")
    return card.draw(mine, Chosen(**(vars(card.start(mine)) | changes))).display


def text(**changes):
    return " ".join(drawn(**changes).text.split())


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 50), st.integers(1, 7), st.sampled_from([1, 2, 4]))
def test_weights_without_the_mask_agree_with_plain_loops(seed, n, heads):
    mine = Settings(heads=heads, seed=seed, target=tuple("abcdefg"[:n]))
    for head in range(heads):
        scores = mine.run.decoder.layer(1)[f"Sm{head}"].tolist()
        free = [oracle.softmax_row(row) for row in scores]
        assert np.allclose(without_the_mask(mine, 1, head), free, rtol=0, atol=1e-12)
        shares = [sum(row[t + 1 :]) for t, row in enumerate(free)]
        assert np.allclose(leaked(without_the_mask(mine, 1, head)), shares, rtol=0, atol=1e-12)
        assert not leaked(mine.run.decoder.layer(1)[f"Am{head}"]).any()


@pytest.mark.parametrize("word", range(7))
@pytest.mark.parametrize(("layer", "head"), [(1, 0), (2, 1)])
def test_the_cheat_says_what_a_row_takes_from_later_words(word, layer, head):
    free = without_the_mask(MINE, layer, head)
    said = text(word=word, layer=layer, head=head, cheat=True)
    share = fixed(free[word, word + 1 :].sum(), sign=False)
    if word == 6:
        assert "is the last row: nothing comes later, so 0.000 leaks" in said
    else:
        assert f"gives {share} of its weight to later words." in said
        assert f"{fixed(free[word, word + 1], sign=False)} falls on “{MINE.target[word]}”" in said


def test_every_row_has_a_bar_of_what_leaks():
    picture, shares = drawn(cheat=True), leaked(without_the_mask(MINE, 1, 0))
    described = "; ".join(f"{w} {fixed(s, sign=False)}" for w, s in zip(MINE.example.tgt_words, shares, strict=True))
    assert described.replace("<", "&lt;").replace(">", "&gt;") in picture.body
    widths = [float(w) for w in re.findall(r'<rect class="less"[^>]* width="([\d.]+)"', picture.body)]
    assert np.allclose(widths, 140 * shares, atol=0.06)
    assert f"{np.sum(shares > 0)} of 7 rows leak." in text(cheat=True)


def test_with_the_mask_a_row_shares_among_what_it_sees():
    for word in (0, 3, 6):
        said = text(word=word)
        assert f"shares its weight among {word + 1} of 7 words. No row gives any weight to a later word" in said
    assert "without the mask" not in text().lower()


def test_both_weights_stand_side_by_side_when_it_cheats():
    shown = drawn(cheat=True)
    layer = MINE.run.decoder.layer(1)
    for M in (layer.Am0, without_the_mask(MINE, 1, 0)):
        assert all(fixed(value, sign=False) in shown.text for value in M[2])
    assert "-inf" not in shown.text
    assert drawn().text.count("-inf") == 21
    assert shown.body.count('class="side"') == 1


def test_another_head_and_another_layer_show_other_weights():
    assert len({drawn(head=head, layer=layer, cheat=True).text for head in (0, 1) for layer in (1, 2)}) == 4
