"""Bars and number lines: as long and as far as their numbers, which stand in title, description and text."""

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.cards.row_pictures import BAR, parts_of, shares_of, spread, two_shares

NUMBERS = st.floats(-9, 9, allow_nan=False, allow_infinity=False).map(lambda value: round(value, 3))


def bars(display):
    return [float(width) for width in re.findall(r'<rect [^>]*? width="([\d.]+)"', display.body)]


def described(display):
    return re.search(r"<desc [^>]*>(.*?)</desc>", display.body).group(1)


def test_a_blocked_word_has_no_bar():
    picture = shares_of(["a", "b", "c"], np.array([0.25, 0.75, 0.0]), "shares", np.array([False, False, True]))
    assert bars(picture) == [BAR / 4, BAR * 3 / 4]
    assert described(picture) == "a 0.250, b 0.750, c 0 blocked"
    assert picture.text.splitlines()[3].split() == ["c", "0", "blocked"]
    assert re.findall(r'font-weight="700">([^<]*)', picture.body) == ["b", "0.750"]


def test_two_ways_to_share_are_told_apart_by_more_than_colour():
    picture = two_shares(["a", "b"], np.array([0.5, 0.5]), np.array([1.0, 0.0]), ("this", "that"))
    assert bars(picture) == [BAR / 2, BAR, BAR / 2, 0]
    assert picture.body.count("<rect") == 2 * picture.body.count('fill="none"')
    assert "filled: this · hollow: that" in picture.body
    assert described(picture) == "a 0.500, 1.000; b 0.500, 0.000"


@settings(max_examples=50, deadline=None)
@given(st.lists(NUMBERS, min_size=1, max_size=8))
def test_parts_lie_on_the_side_of_their_sign(parts):
    names = [f"head {i}" for i in range(len(parts))]
    picture = parts_of(names, parts, sum(parts), "parts")
    middle = float(re.search(r'd="M([\d.]+) 0V', picture.body).group(1))
    largest = max(1e-12, *map(abs, [*parts, sum(parts)]))
    drawn = re.findall(r'<rect x="([\d.]+)" y="\d+" width="([\d.]+)"', picture.body)
    for value, (x, width) in zip([*parts, sum(parts)], drawn, strict=True):
        assert abs(float(width) - BAR / 2 * abs(value) / largest) < 0.06
        assert abs((float(x) + float(width) if value < 0 else float(x)) - middle) < 0.11


@settings(max_examples=50, deadline=None)
@given(st.lists(NUMBERS, min_size=4, max_size=16))
def test_dots_lie_in_the_order_of_their_numbers_and_within_the_line(row):
    row = np.array(row)
    picture = spread([row, row / 2], ("before", "after"), "a row")
    xs = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', picture.body)]
    assert len(xs) == 2 * len(row)
    line = re.search(r'd="M(\d+) \d+H(\d+)"', picture.body)
    assert all(float(line.group(1)) <= x <= float(line.group(2)) for x in xs)
    assert np.array_equal(np.argsort(row, kind="stable"), np.argsort(xs[: len(row)], kind="stable")) or len(
        {round(x, 1) for x in xs[: len(row)]}
    ) < len(row)
    assert f"deviation {row.std():.3f}" in picture.text
