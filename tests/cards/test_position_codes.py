"""Codes for a position, measured: each tick is what a slower count finds."""

import math
from html import escape

import pytest
from reading_cards import html, settings, text

from helpers.cards.position_codes import CODES, measured
from helpers.cards.settings import WIDTHS

# What must hold of each code, for width 8, worked out by hand: bounded, unique, consistent, smooth, unlimited.
PASSES = {
    "counter": (False, True, True, True, True),
    "fraction": (True, True, False, True, True),
    "one-hot": (True, False, True, False, False),
    "binary": (True, True, True, False, False),
    "sine and cosine": (True, True, True, True, True),
    "random": (True, True, True, False, True),
}


@pytest.mark.parametrize("name", CODES)
def test_ticks_are_those_worked_out_by_hand(name):
    assert tuple(test.passes for test in measured(CODES[name], 8)) == PASSES[name]


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("d", [4, 8, 16])
def test_measurements_agree_with_loops(name, d):
    few, longer = (CODES[name](n, d).tolist() for n in (8, 16))
    found = {test.name: test for test in measured(CODES[name], d)}
    assert found["unique"].value == len({tuple(round(x, 9) for x in row) for row in longer})
    moved = max(abs(a - b) for r, s in zip(few, longer, strict=False) for a, b in zip(r, s, strict=True))
    assert found["consistent"].value == pytest.approx(moved, abs=1e-12)
    steps = [math.dist(few[t], few[t + 1]) for t in range(7)]
    threes = [math.dist(few[t], few[t + 3]) for t in range(5)]
    if min(threes) > 1e-9:
        assert found["smooth"].value == pytest.approx(max(steps) / min(threes))
    assert found["bounded"].value == max(abs(x) for row in CODES[name](5000, d).tolist() for x in row)


def test_only_the_waves_keep_every_promise():
    whole = [name for name in CODES if all(test.passes for test in measured(CODES[name], 8))]
    assert whole == ["sine and cosine"]
    assert "Sine and cosine passes all five." in text("position codes", code="sine and cosine")
    assert "Counter is not bounded." in text("position codes", code="counter")
    assert "One-hot is not unique and not smooth and not unlimited." in text("position codes", code="one-hot")


def test_binary_digits_are_those_of_the_position_lowest_first():
    rows = CODES["binary"](10, 8).astype(int).tolist()
    assert rows == [[int(digit) for digit in reversed(f"{p:08b}")] for p in range(10)]


@pytest.mark.parametrize("d", WIDTHS)
def test_at_every_width_the_waves_pass_and_every_other_code_fails_somewhere(d):
    for name, code in CODES.items():
        assert all(one.passes for one in measured(code, d)) == (name == "sine and cosine"), name


@pytest.mark.parametrize(("d", "passes"), [(4, False), (8, False), (12, False), (16, True)])
def test_binary_runs_out_where_its_bits_do(d, passes):
    found = {one.name: one for one in measured(CODES["binary"], d)}["unlimited"]
    assert found.passes is passes
    assert found.value == min(2**d, 5000)


@pytest.mark.parametrize("name", CODES)
def test_verdict_and_reason_stand_for_each_criterion(name):
    body = html("position codes", code=name)
    for one in measured(CODES[name], 8):
        tick, verdict = ("✓", "passes") if one.passes else ("✗", "fails")
        assert f"<dt>{tick} {one.name}</dt><dd><b>{verdict}</b>: {escape(one.why)}" in body


def test_reasons_name_what_was_measured():
    assert "The largest entry among 5,000 positions is 4,999, which" in text("position codes", code="counter")
    assert "16 positions share 9 codes" in text("position codes", code="one-hot")
    assert "5,000 positions share 256 codes" in text("position codes", code="binary")
    step, three = (2 * math.sqrt(math.fsum(math.sin(k / 2 / 10**i) ** 2 for i in range(4))) for k in (1, 3))
    said = text("position codes", code="sine and cosine")
    assert f"One step is {step:.2f} long at most, three steps {three:.2f} at least" in said


@pytest.mark.parametrize("name", CODES)
def test_the_overview_has_the_ticks_of_all_and_marks_the_one_that_is_shown(name):
    body = html("position codes", code=name)
    for other, passes in PASSES.items():
        ticks = "".join(f"<td>{'✓ yes' if passed else '✗ no'}</td>" for passed in passes)
        assert f">{'→ ' * (other == name)}{other}</th>{ticks}</tr>" in body


@pytest.mark.parametrize("name", CODES)
def test_only_columns_that_are_alike_are_called_one_line(name):
    rows = CODES[name](10, 8)
    same = all(rows[t][0] == rows[t][c] for t in range(10) for c in range(4))
    assert ("all columns are alike" in text("position codes", code=name)) == same


@pytest.mark.parametrize("name", CODES)
def test_the_curves_are_described_with_their_numbers(name):
    body = html("position codes", settings(d_model=4), code=name)
    for column in range(4):
        assert f"column {column}: " in body
    assert body.count("<polyline") == 4
