import re

import numpy as np
import pytest
from displays.reading import Page, decimals
from hypothesis import given
from hypothesis import strategies as st

from helpers import PlainError
from helpers.displays import expand, show_matmul

A = np.array([[1.0, -2.0], [0.5, 0.25], [0.0, 4.0]])
B = np.array([[0.5, 0.0], [0.25, -1.0]])


def test_the_text_of_a_small_product():
    display = show_matmul.build(A, B, ("X", "W_Q", "Q"), rows=["the", "cat", "sat"], paper=("3 × 512", (512, 512)))
    assert display.text == (
        "Q = X · W_Q\n"
        "(3 × 2) · (2 × 2) → 3 × 2, inner dimension 2 cancels\n"
        "paper: (3 × 512) · (512 × 512)\n"
        "\n"
        "X  3 × 2\n"
        "            0       1\n"
        "the |  +1.000  -2.000\n"
        "cat |  +0.500  +0.250\n"
        "sat |  +0.000  +4.000\n"
        "\n"
        "W_Q  2 × 2\n"
        "          0       1\n"
        "0 |  +0.500  +0.000\n"
        "1 |  +0.250  -1.000\n"
        "\n"
        "Q  3 × 2\n"
        "            0       1\n"
        "the |  +0.000  +2.000\n"
        "cat |  +0.312  -0.250\n"
        "sat |  +1.000  -4.000\n"
        "\n"
        "Q[the, 0] = row the of X · column 0 of W_Q\n"
        "  (+1.0000)*(+0.5000) + (-2.0000)*(+0.2500)\n"
        "  = +0.000000   agrees with the array"
    )


def test_the_bias_stands_in_formula_table_and_sum():
    display = show_matmul.build(A, B, ("x", "W1", "F_pre", "b1"), bias=[0.5, -0.5], worked=(1, 1), cols=["u", "v"])
    assert display.text.startswith("F_pre = x · W1 + b1\n")
    assert "\n\nb1  2\n                  u       v\nevery row |  +0.500  -0.500\n\n" in display.text
    assert display.text.endswith(
        "F_pre[1, v] = row 1 of x · column v of W1 + b1\n"
        "  (+0.5000)*(+0.0000) + (+0.2500)*(-1.0000) + (-0.5000: b1)\n"
        "  = -0.750000   agrees with the array"
    )
    assert [table.caption for table in Page(display.html).tables] == ["x 3 × 2", "W1 2 × 2", "b1 2", "Fpre 3 × 2"]


def test_agreement_is_compared_and_not_assumed():
    wrong = A @ B
    wrong[0, 0] += 1e-6
    display = show_matmul.build(A, B, ("X", "W", "Q"), result=wrong)
    assert "= +0.000000   does NOT agree: the array has +0.000001" in display.text
    assert "1 of 6 entries of Q do NOT agree with X · W." in display.text
    assert "1 of 6 entries of Q do NOT agree with X · W." in Page(display.html).text
    assert "does NOT agree: the array has +0.000001" in Page(display.html).text
    assert "NOT" not in show_matmul.build(A, B, result=A @ B + 1e-13).text


def test_without_a_worked_entry():
    display = show_matmul.build(A, B, worked=None)
    assert "agree" not in display.text
    assert "<pre" not in display.html


def test_note_and_wide_result():
    display = show_matmul.build(np.ones((2, 3)), np.ones((3, 32)), note="each word by itself")
    assert display.text.count("showing first 12 of 32 columns") == 2
    assert "\neach word by itself\n" in display.text
    assert [len(table.rows[0]) for table in Page(display.html).tables] == [3, 12, 12]


def test_wide_inner_dimension_is_cut_in_a_and_whole_in_b():
    display = show_matmul.build(np.ones((2, 32)), np.ones((32, 3)))
    assert display.text.count("showing first 12 of 32 columns") == 1
    assert [(len(t.rows), len(t.rows[0])) for t in Page(display.html).tables] == [(2, 12), (32, 3), (2, 3)]


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 20), st.booleans())
def test_hover_rules_name_exactly_the_rows_and_columns_shown(n, d, m, biased):
    display = show_matmul.build(np.ones((n, d)), np.ones((d, m)), bias=np.ones(m) if biased else None)
    page = Page(display.html)
    rows = {int(i) for i in re.findall(r"\.prod:has\(\.c \.i(\d+):is\(:hover,:focus\)\) \.a \.i\1(?=[,{])", page.style)}
    cols = re.findall(r"\.prod:has\(\.c \.j(\d+):is\(:hover,:focus\)\) :is\(\.b,\.c thead\) \.j\1(?=[,{])", page.style)
    assert page.style.count(":has(") == len(rows) + len(cols)
    assert rows == set(range(n))
    assert {int(j) for j in cols} == set(range(min(m, 12)))
    *_, result = page.tables
    for i, row in enumerate(result.cell_attributes):
        for j, attributes in enumerate(row):
            assert attributes == {"class": f"i{i} j{j}", "tabindex": "-1"}
    for i, row in enumerate(page.tables[0].cell_attributes):
        assert {cell["class"] for cell in row} == {f"i{i}"}
    for row in page.tables[1].cell_attributes:
        assert [cell["class"] for cell in row] == [f"j{j}" for j in range(min(m, 12))]


def test_the_course_product_stays_a_cross_in_a_notebook_and_stacks_below():
    words = ["the", "cat", "sat", "on", "the", "mat", "and", "was", "looking"]
    html = show_matmul.build(np.ones((9, 8)), np.ones((8, 8)), rows=words).html
    assert 'class="prod w1000"' in html
    assert "@container (max-width:1000px){.tbh .prod.w1000{" in html
    assert 'class="prod w700"' in show_matmul.build(A, B).html


def test_html_and_text_print_the_same_numbers():
    random = np.random.RandomState(1)
    display = show_matmul.build(random.normal(0, 1, (9, 8)), random.normal(0, 1, (8, 32)), bias=random.normal(0, 1, 32))
    assert decimals(display.text) == decimals(Page(display.html).text)


def test_expand_writes_four_terms_a_line():
    A, B = np.arange(10.0).reshape(2, 5) - 4, np.ones((5, 3)) / 4
    display = expand.build(A, B, (1, 2), ("X", "W_Q", "Q"), rows=["the", "cat"], result=A @ B)
    assert display.text == (
        "Q[cat, 2] = row cat of X · column 2 of W_Q\n"
        "  (+1.0000)*(+0.2500) + (+2.0000)*(+0.2500) + (+3.0000)*(+0.2500) + (+4.0000)*(+0.2500) +\n"
        "  (+5.0000)*(+0.2500)\n"
        "  = +3.750000   agrees with the array"
    )
    assert decimals(display.text) == decimals(Page(display.html).text)


def test_expand_without_a_result_claims_nothing():
    assert expand.build(A, B, (0, 0), decimals=3).text.endswith("\n  = +0.000")


def test_expand_says_when_the_result_differs():
    text = expand.build(A, B, (2, 1), result=np.ones((3, 2))).text
    assert text.endswith("= -4.000000   does NOT agree: the array has +1.000000")


def test_a_long_sum_is_written_out_in_part_and_counted():
    display = expand.build(np.ones((1, 512)), np.ones((512, 1)), (0, 0), result=[[512.0]])
    assert "(+448.0000: the other 448 terms)" in display.text
    assert display.text.endswith("= +512.000000   agrees with the array")
    assert display.text.count("*") == 64


@given(st.integers(1, 80), st.floats(1e-3, 1e7))
def test_lines_of_terms_are_never_too_long(d, size):
    text = expand.build(np.full((1, d), -size), np.full((d, 1), size), (0, 0)).text
    assert max(map(len, text.split("\n"))) <= 100


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: show_matmul.build(np.ones((9, 8)), np.ones((4, 9)), ("X", "W", "Q")),
            "X is 9 × 8 and W is 4 × 9: they do not multiply, because a row of X has 8 entries and a column of W",
        ),
        (lambda: show_matmul.build(A, np.ones(2)), "B has one dimension (2 entries), but a matrix"),
        (lambda: show_matmul.build(A, B, result=np.ones((2, 3))), "C is 2 × 3, but A · B is 3 × 2."),
        (lambda: show_matmul.build(A, B, worked=(3, 0)), "Entry (3, 0) lies outside C, which is 3 × 2"),
        (lambda: show_matmul.build(A, B, worked=(-1, 0)), "Entry (-1, 0) lies outside C"),
        (
            lambda: show_matmul.build(A, B, worked="a"),
            "An entry is a pair (row, column) of two whole numbers, not 'a'.",
        ),
        (lambda: show_matmul.build(A, B, bias=[1.0]), "The bias has 1 entries, but 2 (one for each column of B)"),
        (lambda: show_matmul.build(A, B, rows=["a"]), "1 row labels were given, but A has 3 rows."),
        (lambda: show_matmul.build(A, B, inner=["a"]), "1 column labels were given, but A has 2 columns."),
        (lambda: show_matmul.build(A, B, ("X", "W")), "names takes 3 names, but ('X', 'W') was given."),
        (lambda: show_matmul.build(A, B, paper="9 × 512"), "paper takes two shapes, one for each matrix"),
        (lambda: expand.build(A, B, (0, 2)), "Entry (0, 2) lies outside C, which is 3 × 2"),
        (lambda: expand.build(A, A, (0, 0)), "A is 3 × 2 and B is 3 × 2: they do not multiply"),
    ],
)
def test_wrong_calls_get_one_sentence(call, message):
    with pytest.raises(PlainError) as error:
        call()
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
