"""What holds for every display, whatever it is given."""

import re

import numpy as np
import pytest
from displays.reading import Page, columns, decimals
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import displays
from helpers.displays import recording

NOISE = 1e-13
WORD = st.text(alphabet="abcß日é<>&\"'-_ ", min_size=1, max_size=30)


@st.composite
def inputs(draw):
    n, m = draw(st.integers(1, 9)), draw(st.integers(1, 20))
    heads = draw(st.sampled_from([h for h in (1, 2, 3, 4) if m % h == 0]))
    random = np.random.RandomState(draw(st.integers(0, 1000)))
    scale = draw(st.sampled_from([1e-14, 0.01, 1.0, 1000.0]))
    M = random.normal(0, scale, (n, m))
    M[random.rand(n, m) < 0.1] = 0.0
    rows = draw(st.none() | st.lists(WORD, min_size=n, max_size=n))
    cols = draw(st.none() | st.lists(WORD, min_size=m, max_size=m))
    blocked = random.rand(n, m) < 0.3
    blocked[:, 0] = False
    return M, rows, cols, blocked, heads, random


def build_all(M, rows, cols, blocked, heads, seed):
    """Build every display (pictures apart) from one matrix."""
    n, m = M.shape
    random = np.random.RandomState(seed)
    W, weights = random.normal(0, 1, (m, 5)), np.abs(random.normal(0, 1, (n, m))) * ~blocked
    weights /= weights.sum(axis=1, keepdims=True)
    d = displays
    return {
        "show_matrix": d.show_matrix.build(M, "W_Q", rows, cols, cut=m // heads),
        "show_matmul": d.show_matmul.build(M, W, ("X", "W_Q", "Q"), rows=rows, inner=cols, bias=W[0]),
        "expand": d.expand.build(M, W, (0, 4), rows=rows, result=M @ W),
        "show_elementwise": d.show_elementwise.build(M, -M, ("X", "M", "res1"), rows),
        "show_masked": d.show_masked.build(M, blocked, "S0", rows, cols),
        "show_weights_masked": d.show_weights_masked.build(weights, blocked, "A0", rows, cols),
        "show_flow": d.show_flow.build(
            {"head 0": "X, W_Q -- multiply --> Q & K -- compare --> S0", "<b>": "A -- b --> C"}
        ),
        "show_heat": d.show_heat.build(M, "S0", rows, cols),
        "show_layer_norm": d.show_layer_norm.build(M, np.ones(m), np.zeros(m), "N1", rows),
        "show_softmax": d.show_softmax.build(M[0], cols, "A0 row 0"),
        "show_head_split": d.show_head_split.build(M, heads, "Q", rows),
        "show_relu": d.show_relu.build(M, rows),
        "show_shapes": d.show_shapes.build("X", M.shape, "9 × 512"),
        "show_hint": d.show_hint.build("Hint", " ".join(map(str, rows or ["row -1"]))),
        "show_progress": d.show_progress.build({"start": _states(rows or "abc"), "rest": _states([])}, 1.25, 7),
        "show_table": d.show_table.build(["word", "value"], [[f"w{i}", float(M[i, 0])] for i in range(n)]),
    }


def _states(words):
    """A state for every word, all four in turn."""
    return {f"{k} {word}": ("right", "off", "begun", "todo")[k % 4] for k, word in enumerate(words)}


def test_every_display_is_tried_here():
    pictures = {"show_curves", "show_encoding_picture", "show_waves", "show_wavelengths"}
    built = build_all(np.ones((2, 4)), None, None, np.zeros((2, 4), dtype=bool), 2, 0)
    assert set(built) | pictures == {n for n in displays.__all__ if n.startswith("show_")} | {"expand"}


@settings(max_examples=30, deadline=None)
@given(inputs(), st.integers(0, 99))
def test_text_and_html_of_every_display(given_, seed):
    *arguments, _ = given_
    for name, display in build_all(*arguments, seed).items():
        lines = display.text.split("\n")
        assert max(map(columns, lines)) <= 100, name
        assert all(line == line.rstrip() or "|" in line for line in lines), name
        assert not re.search(r"-0\.0+(?!\d)", display.text), name
        page = Page(display.html)
        assert not {None, ""} & set(page.scopes), name
        for table in page.tables:
            assert all(table.labels), name
            assert all(table.rows), name
        if name not in ("show_heat", "show_weights_masked"):  # their key repeats the ends of the scale
            assert decimals(display.text) == decimals(page.text), name
        assert not re.search(r"-\d", page.text), name  # a hyphen is no minus sign


@settings(max_examples=15, deadline=None)
@given(inputs(), st.integers(0, 99))
def test_rounding_noise_changes_nothing(given_, seed):
    """Nothing printed or coloured depends on the last bits, away from the edges of rounding."""
    M, rows, cols, blocked, heads, random = given_
    noise = random.uniform(-NOISE, NOISE, M.shape)
    with recording() as clean_numbers:
        clean = build_all(M, rows, cols, blocked, heads, seed)
    if any(near_an_edge(*number) for number in clean_numbers):
        return
    moved = build_all(M + noise * 1e-3, rows, cols, blocked, heads, seed)
    for name in set(clean) - {"show_relu"}:  # a unit at 1e-16 is on either side of zero
        assert clean[name].text == moved[name].text, name


def near_an_edge(value, decimals_):
    scaled = abs(value) * 10.0**decimals_ - 0.5
    return abs(scaled - round(scaled)) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_every_display_is_the_same_twice(seed):
    random = np.random.RandomState(seed)
    arguments = (random.normal(0, 1, (5, 8)), None, None, random.rand(5, 8) < 0.2, 2, seed)
    for first, second in zip(build_all(*arguments).values(), build_all(*arguments).values(), strict=True):
        assert first.text == second.text
        assert first.html == second.html


def test_arrays_are_not_changed():
    M = np.random.RandomState(0).normal(0, 1, (5, 8))
    before = M.copy()
    build_all(M, None, None, np.zeros((5, 8), dtype=bool), 2, 0)
    assert np.array_equal(M, before)
