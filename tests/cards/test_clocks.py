"""Clock hands: every pair of a code, the turn of some steps, and what a sine alone leaves open."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st
from reading_cards import html, settings, shows, stage, text

from helpers.displays.numbers import typeset


@options(max_examples=60, deadline=None)
@given(st.integers(0, 99), st.integers(0, 50), st.sampled_from([4, 6, 8, 16]), st.data())
def test_hands_turn_and_landing_are_those_of_the_formula(p, k, d, data):
    i = data.draw(st.integers(0, d // 2 - 1))
    body = html("clock hands", settings(d_model=d, heads=2), position=p, steps=k, pair=i)
    for pair in range(d // 2):
        angle = p / 10000 ** (2 * pair / d)
        for name, value in (("sin", math.sin(angle)), ("cos", math.cos(angle))):
            number = f"{value:+.3f}".replace("-0.000", "+0.000")
            assert f"{name} {typeset(number)}" in body
    omega = 1 / 10000 ** (2 * i / d)
    turn = [math.cos(k * omega), math.sin(k * omega), -math.sin(k * omega), math.cos(k * omega)]
    assert shows(body, [*turn, math.sin((p + k) * omega), math.cos((p + k) * omega)])
    assert "The same matrix takes any position" in text(
        "clock hands", settings(d_model=d, heads=2), position=p, steps=k, pair=i
    )


@pytest.mark.parametrize(("p", "told"), [(8, "the pair tells them apart"), (14, "the pair tells them apart")])
def test_the_sine_alone_is_ambiguous_and_the_pair_is_not(p, told):
    said = text("clock hands", position=p, pair=0)
    sine, cosine = f"{math.sin(p):+.3f}", f"{math.cos(p):+.3f}"
    assert f"both have the sine {sine}" in said
    assert f"cosines are {cosine} and {-math.cos(p):+.3f}" in said
    assert told in said


def test_the_hand_of_position_0_points_up_and_turns_clockwise():
    body = html("clock hands", position=0, steps=1)
    first = re.search(r'stroke="#2f74d0".*?cx="([\d.]+)" cy="([\d.]+)"', body)
    assert (float(first[1]), float(first[2])) == (70.0, 14.0)
    later = re.search(r'stroke-dasharray="4 3"/><circle cx="([\d.]+)" cy="([\d.]+)"', body)
    assert float(later[1]) > 70
    assert float(later[2]) > 14


def test_the_number_of_pairs_stands_beside_the_papers():
    shown = stage("clock hands", settings(d_model=12, heads=2))
    assert (shown.this, shown.paper, shown.weights) == ("6 pairs", "256 pairs", False)
