"""A product with a chosen entry: the right cells are lit, the text has the chosen column, misfits are refused."""

import re

import numpy as np
import pytest

from helpers.displays.chosen_product import chosen_product
from helpers.displays.table import WIDTH, around, grid, text_lines
from helpers.errors import PlainError

RNG = np.random.default_rng(3)
A, B = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 16))


def product(entry, **more):
    return chosen_product(A, B, A @ B, entry, ("A", "B", "C"), ["x", "y", "z"], **more)


def test_the_row_the_column_and_the_entry_are_lit():
    body = product((1, 2)).body
    left, top, right = re.findall(r"<table.*?</table>", body)
    assert re.findall(r'<th scope="row" class="on">(.*?)</th>', left) == ["y"]
    assert left.count('<td class="on">') == 4
    assert re.findall(r'<th scope="col" class="on">(.*?)</th>', top) == ["2"]
    assert top.count('<td class="on">') == 4
    assert re.findall(r'<td class="hit">(.*?)</td>', right) == [f"{(A @ B)[1, 2]:+.3f}".replace("-", "−")]
    assert right.count('<td class="on">') == 0


def test_the_page_has_every_column_and_the_text_those_around_the_chosen_one():
    display = product((0, 15))
    assert display.body.count('<th scope="col"') == 4 + 16 + 16
    assert max(map(len, display.text.splitlines())) <= WIDTH
    assert f"{(A @ B)[0, 15]:+.3f}" in display.text
    assert "showing columns" in display.text


@pytest.mark.parametrize("col", [None, 0, 9, 15])
def test_a_grid_is_cut_around_a_column(col):
    whole = grid(B, "B", max_cols=16, cut=4, fit=False)
    part = around(whole, col)
    first = int(part.cols[0])
    assert part.cells == tuple(line[first : first + len(part.cols)] for line in whole.cells)
    assert {first + cut for cut in part.cuts if cut < len(part.cols)} == {
        cut for cut in (4, 8, 12) if first < cut < first + len(part.cols)
    }
    assert col is None or str(col) in part.cols
    assert "of 16" in part.caption or "showing columns" in part.caption


def test_blocked_weights_are_a_bare_hatched_zero():
    weights = np.array([[1.0, 0.0], [0.25, 0.75]])
    display = chosen_product(
        weights, np.eye(2), weights, (1, 1), ("A", "V", "H"), weights=True, blocked=np.array([[0, 1], [0, 0]], bool)
    )
    left = re.findall(r"<table.*?</table>", display.body)[0]
    assert re.findall(r"<td[^>]*>(?:<span>)?([^<]+)", left) == ["1.000", "0", "0.250", "0.750"]
    assert "blocked" in display.rules


@pytest.mark.parametrize(("entry", "C"), [((3, 0), A @ B), ((0, 16), A @ B), ((0, 0), B)])
def test_what_does_not_fit_is_refused(entry, C):
    with pytest.raises(PlainError):
        chosen_product(A, B, C, entry, ("A", "B", "C"))


@pytest.mark.parametrize("cut", [2, 4])
@pytest.mark.parametrize("word", ["a", "the", "a word of some length"])
def test_a_grid_with_dotted_lines_fits_into_a_line_around_every_column(cut, word):
    whole = grid(B, "B", [word] * len(B), max_cols=16, cut=cut, fit=False)
    for col in range(16):
        part = around(whole, col)
        assert max(map(len, text_lines(part))) <= WIDTH
        assert str(col) in part.cols
