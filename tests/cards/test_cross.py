"""Cross-attention: sources, scores and lines agree with the run, whatever is chosen."""

import re
from itertools import product

import numpy as np
import oracle
import pytest

from helpers.cards import find
from helpers.cards.controls import Chosen
from helpers.cards.cross import FROM, alignment
from helpers.cards.settings import Settings
from helpers.displays.numbers import fixed

MINE = Settings(layers=2)


def drawn(mine=MINE, **changes):
    card = find("cross-attention")
    return card.draw(mine, Chosen(**(vars(card.start(mine)) | changes))).display


def widths(body, look):
    return [float(w) for w in re.findall(rf'<path class="{look}"[^>]* stroke-width="([\d.]+)"', body)]


@pytest.mark.parametrize(("word", "head", "layer"), list(product((0, 3, 6), (0, 1), (1, 2))))
def test_the_shares_are_the_softmax_of_the_scores(word, head, layer):
    scores = MINE.run.decoder.layer(layer)[f"Sc{head}"][word].tolist()
    shares = oracle.softmax_row(scores)
    picture = drawn(word=word, head=head, layer=layer)
    described = ", ".join(f"{w} {fixed(s, sign=False)}" for w, s in zip(MINE.source, shares, strict=True))
    assert f"Shares: {described}." in picture.body
    assert np.allclose(widths(picture.body, "lit"), [1 + 14 * share for share in shares], atol=0.06)
    most = int(np.argmax(shares))
    said = " ".join(picture.text.split())
    assert f"leans most on “{MINE.source[most]}”, {fixed(shares[most], sign=False)}." in said
    assert f"“{(*MINE.target, '<eos>')[word]}” is due" in said
    assert all(fixed(score) in picture.text for score in scores)


def test_grey_lines_are_the_other_positions_from_a_weight_on():
    A = MINE.run.decoder.layer(1).Ac0
    grey = sorted(6 * weight for t, row in enumerate(A) for weight in row if t != 1 and weight >= FROM)
    assert np.allclose(sorted(widths(drawn(word=1).body, "grey")), grey, atol=0.06)


def test_queries_come_from_the_decoder_and_keys_and_values_from_the_encoder():
    rows = [re.split(r"  +", line.strip()) for line in drawn(head=1).text.splitlines()[2:5]]
    assert [row[:3] for row in rows] == [
        ["Qc1", "decoder", "Y1 · Wqc1"], ["Kc1", "encoder", "Z · Wkc1"], ["Vc1", "encoder", "Z · Wvc1"],
    ]  # fmt: skip
    layer = MINE.run.decoder.layer(1)
    for row, source, weight in zip(rows, ("Y1", "Z", "Z"), ("Wqc1", "Wkc1", "Wvc1"), strict=True):
        assert np.allclose(oracle.matmul(layer[source].tolist(), layer[weight].tolist()), layer[row[0]])
        assert row[4] == " × ".join(map(str, layer[row[0]].shape))


def test_the_scores_are_rectangular():
    mine = Settings(source=("man", "bites", "dog"), target=("mann",))
    stage = find("cross-attention").draw(mine, find("cross-attention").start(mine))
    assert (stage.this, stage.paper) == ("2 × 3", "2 × 3")
    assert "Sc0  2 × 3" in stage.display.text
    assert find("cross-attention").draw(MINE, find("cross-attention").start(MINE)).this == "7 × 6"


def test_one_english_word_has_all_the_weight():
    assert "it has all the weight" in drawn(Settings(source=("cat",))).text


def test_equal_weights_lean_on_nobody():
    mine = Settings(source=("cat", "sat"))
    assert "leans most" in drawn(mine).text
    picture = alignment(np.full((2, 3), 1 / 3), ("<sos>", "a"), ("x", "y", "z"), 0)
    assert widths(picture.body, "lit") == [5.7] * 3


def test_random_weights_are_called_arbitrary():
    assert "The weights are random, so the pattern is arbitrary." in " ".join(drawn().text.split())


def test_trained_weights_lean_on_the_word_that_is_due_and_are_not_called_arbitrary():
    trained, _ = Settings(source=("the", "cat", "sat"), target=("die", "katze", "saß")).changed(trained=True)
    for word, english in ((1, "cat"), (2, "sat")):
        row = trained.run.decoder.layer(1).Ac0[word]
        said = " ".join(drawn(trained, word=word, head=0, layer=1).text.split())
        assert trained.source[row.argmax()] == english
        assert f"leans most on “{english}”, {fixed(row.max(), sign=False)}." in said
        assert "arbitrary" not in said
