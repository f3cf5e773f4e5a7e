import numpy as np
import pytest
from displays.reading import Page, columns
from hypothesis import given
from hypothesis import strategies as st

from helpers import PlainError
from helpers.displays import show_shapes, show_table


def test_shapes_here_and_in_the_paper():
    display = show_shapes.build("W_Q", (8, 8), "512 × 512")
    assert display.text == "W_Q  this run 8 × 8 · paper 512 × 512"
    assert Page(display.html).text.split() == ["WQ", "this", "run", "8", "×", "8", "paper", "512", "×", "512"]


def test_a_table_of_words_and_numbers():
    display = show_table.build(
        ["symbol", "meaning", "this run", "paper"],
        [["d_model", "width of a row", 8, 512], ["V", "vocabulary", np.int64(500), 37000]],
        caption="Sizes",
    )
    assert display.text == (
        "Sizes\n"
        "symbol   meaning         this run   paper\n"
        "-----------------------------------------\n"
        "d_model  width of a row         8     512\n"
        "V        vocabulary           500  37,000"
    )
    page = Page(display.html)
    assert page.tables[0].caption == "Sizes"
    assert page.tables[0].head == ["symbol", "meaning", "this run", "paper"]
    assert page.tables[0].labels == ["d_model", "V"]
    assert page.tables[0].rows == [["width of a row", "8", "512"], ["vocabulary", "500", "37,000"]]
    assert page.scopes == ["col"] * 4 + ["row"] * 2


def test_alignment_floats_and_signs():
    display = show_table.build(["k", "a", "b"], [["x", -0.25, "-3"], ["y", 10.5, None]], align="lrl")
    assert display.text.split("\n")[2:] == ["x   -0.250  -3", "y  +10.500"]
    assert Page(display.html).tables[0].rows[0] == ["\u22120.250", "\u22123"]


def test_long_cells_wrap():
    display = show_table.build(["a", "b"], [["w", "word " * 60], ["x", "y"]])
    lines = display.text.split("\n")
    assert 95 < max(map(len, lines)) <= 100
    assert len(lines) > 5
    assert lines[3].startswith("   word")


def test_cells_are_escaped():
    html = show_table.build(["<a>"], [["<b>&"]], caption="<c>").html
    assert "<a>" not in html
    assert "<b>" not in html
    assert "&lt;b&gt;&amp;" in html
    assert "<caption>&lt;c&gt;</caption>" in html


def test_a_header_without_text_is_no_header():
    page = Page(show_table.build(["", "a"], [["", "1"]]).html)
    assert page.scopes == ["col"]


@given(st.lists(st.lists(st.text(alphabet="ab ß日-1", max_size=60), min_size=6, max_size=6), max_size=4))
def test_no_line_is_longer_than_100(rows):
    text = show_table.build(list("abcdef"), rows).text
    assert max(map(columns, text.split("\n"))) <= 100


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: show_table.build(["a", "b"], [["x"]]), "Row 0 of the table has 1 cells, but its header has 2."),
        (lambda: show_table.build(["a"], [["x"]], align="lr"), "align takes one letter, l or r, for each of 1 columns"),
        (lambda: show_table.build(["a"], [["x"]], align="c"), "align takes one letter, l or r"),
        (lambda: show_table.build(["a"] * 26, []), "A table has 1 to 25 columns, not 26."),
    ],
)
def test_wrong_calls_get_one_sentence(call, message):
    with pytest.raises(PlainError) as error:
        call()
    assert str(error.value).startswith(message)
