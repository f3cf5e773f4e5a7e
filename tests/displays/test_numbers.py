import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.displays import fixed, recording
from helpers.displays.numbers import clip, columns_of, left, right, symbol_html, typeset, wrap


@pytest.mark.parametrize(
    ("value", "decimals", "sign", "text"),
    [
        (0.1568, 3, True, "+0.157"),
        (-0.1568, 3, True, "-0.157"),
        (0.1568, 3, False, "0.157"),
        (-0.1568, 3, False, "-0.157"),
        (0.841471, 3, True, "+0.841"),  # rounded once, not by way of 0.8415
        (0.0, 3, True, "+0.000"),
        (-0.0, 3, True, "+0.000"),
        (-0.0004, 3, True, "+0.000"),
        (-0.0004, 3, False, "0.000"),
        (-8.33e-17, 20, True, "+0.00000000000000000000"),
        (9e-13, 15, True, "+0.000000000000000"),
        (2e-12, 15, True, "+0.000000000002000"),
        (0.125, 2, True, "+0.12"),  # an exact tie goes to the even digit
        (0.375, 2, True, "+0.38"),
        (2.5, 0, True, "+2"),
        (-0.3, 0, True, "+0"),
        (33138.98, 2, False, "33138.98"),
        (-math.inf, 3, True, "-inf"),
        (-1e9, 3, True, "-inf"),
        (-1e9 + 3, 6, True, "-inf"),
        (math.inf, 3, True, "+inf"),
        (math.nan, 3, True, "nan"),
    ],
)
def test_fixed(value, decimals, sign, text):
    assert fixed(value, decimals, sign) == text


@given(st.floats(-1e6, 1e6), st.integers(0, 9), st.booleans())
def test_fixed_is_never_minus_zero_and_never_far_off(value, decimals, sign):
    text = fixed(value, decimals, sign)
    assert abs(float(text) - value) <= 0.5 * 10.0**-decimals + 1e-9
    assert len(text.partition(".")[2]) == decimals
    if float(text) == 0:
        assert "-" not in text
    assert text[0] in "+-" or not sign


def test_recording_collects_what_is_printed_and_stops():
    with recording() as records:
        fixed(0.25, 3)
        fixed(-1e-17, 6)
        fixed(-math.inf)
    fixed(1.0)
    assert records == [(0.25, 3), (0.0, 6)]


def test_nested_recordings_do_not_mix():
    with recording() as outer:
        fixed(1.0)
        with recording() as inner:
            fixed(2.0)
        fixed(3.0)
    assert (outer, inner) == ([(1.0, 3), (3.0, 3)], [(2.0, 3)])


def test_typeset_uses_the_true_minus_and_infinity():
    assert typeset("-0.356") == "\u22120.356"
    assert typeset("-inf") == "\u2212\u221e"
    assert typeset("+0.356") == "+0.356"


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("W_Q", "W<sub>Q</sub>"),
        ("Q0", "Q0"),
        ("E_scaled", "E<sub>scaled</sub>"),
        ("Q = X · W_Q", "Q = X · W<sub>Q</sub>"),
        ("K0ᵀ", "K0ᵀ"),
        ("a_b_c", "a_b_c"),
        ("<b>_x", "&lt;b&gt;_x"),
        ('"x" & y', "&quot;x&quot; &amp; y"),
    ],
)
def test_symbols(name, html):
    assert symbol_html(name) == html


@pytest.mark.parametrize(
    ("text", "width"), [("katze", 5), ("saß", 3), ("naïve", 5), ("nai\u0308ve", 5), ("日本", 4), ("", 0)]
)
def test_columns_of_counts_what_a_terminal_shows(text, width):
    assert columns_of(text) == width
    assert columns_of(left(text, 9)) == columns_of(right(text, 9)) == 9


def test_clip_says_that_something_is_missing():
    assert clip("looking", 7) == "looking"
    assert clip("looking", 6) == "looki…"
    assert columns_of(clip("日本語日本語", 6)) <= 6


@given(st.text(alphabet="ab ß日", max_size=120), st.integers(5, 40))
def test_wrap_keeps_every_letter_and_the_width(text, width):
    lines = wrap(text, width, indent="  ")
    assert len(lines) == 1 or columns_of(text) > width
    assert all(columns_of(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
