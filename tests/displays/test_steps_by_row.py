"""Addition, LayerNorm, softmax, ReLU and the split into heads."""

import numpy as np
import pytest
from displays.reading import Page, decimals

from helpers import PlainError
from helpers.displays import show_elementwise, show_head_split, show_layer_norm, show_relu, show_softmax

A = np.array([[0.5, -1.0], [0.25, 2.0]])
B = np.array([[0.25, 1.0], [-0.25, 0.5]])


def same_numbers(display):
    return decimals(display.text) == decimals(Page(display.html).text)


def test_addition_shows_three_lines_a_word_and_one_entry():
    display = show_elementwise.build(A, B, ("E_scaled", "PE", "X"), ["the", "cat"], worked=(1, 0))
    assert display.text == (
        "X = E_scaled + PE  2 × 2 · entry by entry, nothing mixes\n"
        "                   0       1\n"
        "the\n"
        "  E_scaled |  +0.500  -1.000\n"
        "  PE       |  +0.250  +1.000\n"
        "  X        |  +0.750  +0.000\n"
        "cat\n"
        "  E_scaled |  +0.250  +2.000\n"
        "  PE       |  -0.250  +0.500\n"
        "  X        |  +0.000  +2.500\n"
        "X[cat, 0] = (+0.250000) + (-0.250000) = +0.000000   agrees with the array"
    )
    assert same_numbers(display)
    page = Page(display.html)
    assert page.tables[0].labels == ["the", "Escaled", "PE", "X", "cat", "Escaled", "PE", "X"]
    assert page.scopes == ["col"] * 2 + ["rowgroup", "row", "row", "row"] * 2


def test_addition_compares_with_the_result():
    wrong = A + B
    wrong[0, 0] += 0.01
    text = show_elementwise.build(A, B, result=wrong).text
    assert "does NOT agree: the array has +0.760000" in text
    assert "1 of 4 entries of A + B do NOT agree with A + B." in text


def test_addition_of_wide_matrices_is_cut():
    display = show_elementwise.build(np.ones((2, 32)), np.ones((2, 32)), worked=None)
    assert "showing first 12 of 32 columns" in display.text
    assert "agree" not in display.text
    assert max(map(len, display.text.split("\n"))) <= 100


def test_layer_norm_shows_each_row_before_and_after():
    x = np.array([[3.0, -3.0], [0.3, -0.3]])
    display = show_layer_norm.build(x, [1.0, 2.0], [0.0, 0.5], "N1", ["big", "small"], eps=0.0)
    assert display.text == (
        "N1  2 × 2 · each row by its own mean and standard deviation\n"
        "                0      1\n"
        "big     mean +0.0000   std. dev. 3.0000\n"
        "  before |  +3.00  -3.00\n"
        "  after  |  +1.00  -1.50\n"
        "small   mean +0.0000   std. dev. 0.3000\n"
        "  before |  +0.30  -0.30\n"
        "  after  |  +1.00  -1.50"
    )
    assert same_numbers(display)


def test_layer_norm_of_a_constant_row_is_beta():
    text = show_layer_norm.build(np.full((1, 4), 7.0), np.ones(4), np.full(4, 0.25)).text
    assert "mean +7.0000   std. dev. 0.0000" in text
    assert "after  |  +0.25  +0.25  +0.25  +0.25" in text


def test_softmax_is_written_out_and_adds_up():
    display = show_softmax.build([2.0, 0.0, 1.0], ["a", "b", "c"], "A0 row a", decimals=3)
    assert display.text == (
        "A0 row a  softmax of 3 scores, the largest +2.000\n"
        "            score  less max       exp    weight\n"
        "a     |    +2.000    +0.000     1.000     0.665\n"
        "b     |    +0.000    -2.000     0.135     0.090\n"
        "c     |    +1.000    -1.000     0.368     0.245\n"
        "total |                         1.503     1.000"
    )
    assert same_numbers(display)
    assert Page(display.html).tables[0].head == ["score", "less max", "exp", "weight"]


@pytest.mark.parametrize("blocked", [-np.inf, -1e9])
def test_softmax_with_blocked_scores(blocked):
    text = show_softmax.build([1000.0, blocked], decimals=1).text.split("\n")
    assert text[2].split() == ["0", "|", "+1000.0", "+0.0", "1.0", "1.0"]
    assert text[3].split() == ["1", "|", "-inf", "-inf", "0.0", "0.0"]


def test_softmax_of_many_scores_shows_the_first_forty():
    display = show_softmax.build(np.zeros(500))
    assert "showing first 40 of 500 rows" in display.text
    assert len(display.text.split("\n")) == 43
    assert display.text.endswith("500.000000    1.000000")


def test_head_split_shows_the_whole_and_every_block():
    M = np.arange(8.0).reshape(2, 4)
    display = show_head_split.build(M, 2, "Q", ["the", "cat"], decimals=0)
    assert display.text == (
        "Q  2 × 4 · 2 heads of 2 columns\n"
        "        0   1     2   3\n"
        "the |  +0  +1 |  +2  +3\n"
        "cat |  +4  +5 |  +6  +7\n"
        "\n"
        "Q0  2 × 2 · columns 0 to 1 of Q\n"
        "        0   1\n"
        "the |  +0  +1\n"
        "cat |  +4  +5\n"
        "\n"
        "Q1  2 × 2 · columns 2 to 3 of Q\n"
        "        0   1\n"
        "the |  +2  +3\n"
        "cat |  +6  +7"
    )
    assert [table.caption.split(" ")[0] for table in Page(display.html).tables] == ["Q", "Q0", "Q1"]


def test_relu_counts_the_units_it_zeroes():
    F_pre = np.array([[-1.0, 0.5, -0.25, 0.0], [1.0, 2.0, 3.0, -4.0]])
    display = show_relu.build(F_pre, ["the", "cat"], max_cols=3)
    assert display.text == (
        "F_relu  2 × 4 · showing first 3 of 4 columns · zeroed: how many units of the row ReLU sets to 0\n"
        "       zeroed         0       1       2\n"
        "the |       3 |    0.00    0.50    0.00\n"
        "cat |       1 |    1.00    2.00    3.00\n"
        "4 of 8 units zero (50.0 %)"
    )
    assert same_numbers(display)
    assert Page(display.html).tables[0].rows[0] == ["3", "0.00", "0.50", "0.00"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: show_elementwise.build(A, np.ones((3, 2)), ("X", "M", "res1")), "M is 3 × 2, but X is 2 × 2."),
        (lambda: show_elementwise.build(A, B, result=A[:1]), "A + B is 1 × 2, but A + B is 2 × 2."),
        (lambda: show_elementwise.build(A, B, worked=(0, 2)), "Entry (0, 2) lies outside A + B, which is 2 × 2"),
        (lambda: show_elementwise.build(A, B, rows=["a"]), "1 row labels were given, but A has 2 rows."),
        (lambda: show_layer_norm.build(A, [1.0], [0, 0]), "gamma has 1 entries, but 2 (one for each column of x)"),
        (lambda: show_layer_norm.build(A[0], [1, 1], [0, 0]), "x has one dimension (2 entries)"),
        (lambda: show_softmax.build(A), "softmax has 2 dimensions (2 × 2), but one row of numbers is expected here."),
        (lambda: show_softmax.build([1, 2], ["a"]), "1 score labels were given, but softmax has 2 scores."),
        (lambda: show_softmax.build([-1e9, -np.inf]), "Every score of softmax is blocked"),
        (lambda: show_head_split.build(np.ones((2, 8)), 3), "Q is 2 × 8: its 8 columns do not fall into 3 heads"),
        (lambda: show_head_split.build(np.ones((2, 8)), 0), "Q is 2 × 8: its 8 columns do not fall into 0 heads"),
        (lambda: show_relu.build(np.ones(4)), "F_pre has one dimension (4 entries)"),
    ],
)
def test_wrong_calls_get_one_sentence(call, message):
    with pytest.raises(PlainError) as error:
        call()
    assert str(error.value).startswith(message)
