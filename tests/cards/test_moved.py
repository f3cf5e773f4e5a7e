"""How far each word moved: bars and table against plain loops over the run's vectors."""

import math
import re

import numpy as np
import pytest

from helpers.cards import find
from helpers.cards.controls import Chosen
from helpers.cards.moved import cosine, distance, length, measured, stops
from helpers.cards.settings import Settings
from helpers.displays.numbers import fixed

MINE = Settings(layers=3)


def dot(a, b):
    return sum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def by_hand(measure, vector, row):
    if measure == "cosine":
        return dot(vector, row) / math.sqrt(dot(vector, vector)) / math.sqrt(dot(row, row))
    difference = vector - row if measure == "distance" else vector
    return math.sqrt(dot(difference, difference))


def drawn(mine=MINE, **changes):
    card = find("movement")
    return card.draw(mine, card.fitted(mine, Chosen(**(vars(card.start(mine)) | changes)))).display


def test_the_stops_are_the_table_the_input_and_every_layer():
    names, vectors = zip(*stops(MINE), strict=True)
    assert names == ("table", "X", "layer 1", "layer 2", "Z")
    up = MINE.run.encoder
    for mine, theirs in zip(vectors, (up.E_rows, up.X, up.layer(1).Z, up.layer(2).Z, up.output), strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("measure", ["cosine", "distance", "length"])
def test_every_number_agrees_with_plain_loops(measure):
    table = [[by_hand(measure, vector[t], MINE.run.encoder.E_rows[t]) for _, vector in stops(MINE)] for t in range(6)]
    assert np.allclose(measured(MINE, measure), table, rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", ["cosine", "distance", "length"])
@pytest.mark.parametrize("stop", range(5))
def test_each_bar_has_its_number_and_its_length(measure, stop):
    picture = drawn(measure=measure, stop=stop)
    values = measured(MINE, measure)[:, stop]
    wanted = "; ".join(f"{w} {fixed(v)}" for w, v in zip(MINE.source, values, strict=True))
    assert wanted.replace(" -", " \u2212") in picture.body
    widths = [float(w) for w in re.findall(r'<rect class="(?:bar|less)"[^>]* width="([\d.]+)"', picture.body)]
    assert np.allclose(widths, 140 * np.abs(values) / (2 if measure == "cosine" else values.max() or 1), atol=0.06)


def test_a_word_that_turned_past_a_right_angle_has_a_bar_to_the_left():
    for seed in range(200):
        mine = Settings(d_model=4, heads=1, layers=6, seed=seed)
        values = measured(mine, "cosine")[:, -1]
        if values.min() < 0 < values.max():
            break
    assert drawn(mine, measure="cosine", stop=99).body.count('class="less"') == np.sum(values < 0) > 0


def test_the_finding_names_who_turned_farthest_and_least():
    values = measured(MINE, "cosine")[:, -1]
    said = " ".join(drawn(stop=4).text.split())
    assert f"“{MINE.source[values.argmin()]}” turned farthest from its table row, cosine {fixed(values.min())}" in said
    assert f"“{MINE.source[values.argmax()]}” least, {fixed(values.max())}" in said
    assert "every word has the cosine +1.000" in " ".join(drawn(stop=0).text.split())


def test_two_equal_words_have_one_row_and_part_on_the_way():
    up = MINE.run.encoder
    apart = by_hand("distance", up.output[0], up.output[4])
    said = " ".join(drawn(stop=4).text.split())
    assert f"words 0 and 4, are 0.000 apart in the table and {apart:.3f} apart in Z." in said
    assert "apart" not in drawn(Settings(source=("a", "b")), stop=3).text


def test_a_row_of_zeros_has_no_direction():
    zero, one = np.zeros((1, 4)), np.ones((1, 4))
    assert cosine(zero, one) == 0
    assert length(one) == distance(zero, one) == 2
