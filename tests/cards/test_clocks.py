"""Clock hands: every pair of a code, the turn of some steps, and what a sine alone leaves open."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st
from reading_cards import html, settings, shows, stage, text

from helpers import transformer
from helpers.cards.clocks import same_sine
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
    said = text("clock hands", settings(d_model=d, heads=2), position=p, steps=k, pair=i)
    assert f"One matrix takes every position {k} step{'s' * (k != 1)} on." in said
    assert "Tried at positions 0 to 99, it misses by at most 0.000" in said
    assert f"the code of position {p + k} says the same: " in said


def test_a_matrix_that_turns_the_other_way_would_be_found_out(monkeypatch):
    right = transformer.shift_matrix
    monkeypatch.setattr(transformer, "shift_matrix", lambda k, i, d: right(k, i, d).T)
    said = text("clock hands", position=6, steps=3)
    assert "This matrix does not take every position 3 steps on." in said
    assert "the code of position 9 says something else: +0.412 and -0.911" in said


def test_both_dot_products_are_written_out():
    said = text("clock hands", position=6, steps=3, pair=1)
    a, b = math.cos(0.3), math.sin(0.3)
    s, c = math.sin(0.6), math.cos(0.6)
    assert f"sin: ({a:+.3f}) · ({s:+.3f}) + ({b:+.3f}) · ({c:+.3f}) = {math.sin(0.9):+.3f}" in said
    assert f"cos: ({-b:+.3f}) · ({s:+.3f}) + ({a:+.3f}) · ({c:+.3f}) = {math.cos(0.9):+.3f}" in said


@pytest.mark.parametrize("p", [1, 8, 14])
def test_the_sine_alone_is_ambiguous_and_the_pair_is_not(p):
    said = text("clock hands", position=p, pair=0)
    other = (math.pi - p) % (2 * math.pi)
    assert f"angle {p:.3f} and angle {other:.3f} both have the sine {math.sin(p):+.3f}" in said
    assert f"cosines are {math.cos(p):+.3f} and {-math.cos(p):+.3f}: the pair tells them apart" in said


def test_at_three_o_clock_both_hands_are_one():
    said, other = same_sine(math.pi / 2, 0)
    assert said.startswith("Here the sine is enough.")
    assert said.endswith("they are one hand.")
    assert other == pytest.approx(math.pi / 2)


def test_the_two_hands_of_one_sine_have_their_tips_on_one_upright_line():
    body = html("clock hands", position=6, pair=1)
    drawn = body[body.index("one sine, two hands") :]
    x = 70 + 56 * math.sin(0.6)
    assert f"M{x:.1f} 4V136" in drawn
    assert drawn.count(f'cx="{x:.1f}"') == 2
    for y in (70 - 56 * math.cos(0.6), 70 + 56 * math.cos(0.6)):
        assert f'cy="{y:.1f}"' in drawn


def test_only_the_chosen_pairs_clock_has_a_thick_ring():
    for pair in range(4):
        rings = re.findall(r'r="56" fill="none" stroke="#808080" stroke-width="(\d)"', html("clock hands", pair=pair))
        assert rings == [*("3" if i == pair else "1" for i in range(4)), "1"]


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
