import numpy as np
import pytest
from displays.reading import Page, columns, decimals

from helpers import PlainError
from helpers.displays import show_matrix

SMALL = np.array([[0.5, -0.25, 1e-17], [-1.0, 2.0, -0.0004]])


def lines(*args, **kwargs):
    return show_matrix.build(*args, **kwargs).text.split("\n")


def test_the_text_of_a_small_matrix():
    assert lines(SMALL, "X", ["the", "cat"]) == [
        "X  2 × 3",
        "            0       1       2",
        "the |  +0.500  -0.250  +0.000",
        "cat |  -1.000  +2.000  +0.000",
    ]


def test_words_above_and_a_note():
    assert lines(SMALL, "S0", ["the", "cat"], ["a", "looking", "b"], decimals=1, note="scaled scores") == [
        "S0  2 × 3 · scaled scores",
        "             a  looking        b",
        "the |     +0.5     -0.2     +0.0",
        "cat |     -1.0     +2.0     +0.0",
    ]


def test_heads_are_set_apart():
    text = lines(np.arange(8).reshape(2, 4) / 10, "Q", cut=2, decimals=1)
    assert text == [
        "Q  2 × 4",
        "        0     1       2     3",
        "0 |  +0.0  +0.1 |  +0.2  +0.3",
        "1 |  +0.4  +0.5 |  +0.6  +0.7",
    ]
    table = Page(show_matrix.build(np.ones((2, 4)), "Q", cut=2).html).tables[0]
    assert [[cell.get("class") for cell in row] for row in table.cell_attributes] == [[None, None, "cut", None]] * 2


def test_words_that_are_not_ascii_align():
    text = lines(SMALL, "X", ["katze", "saß"])[2:] + lines(SMALL, "X", ["日本", "nai\u0308ve"])[2:]
    assert [line[:7] for line in text[:2]] == ["katze |", "saß   |"]
    assert {columns(line) for line in text[:2]} == {columns(text[0])}
    assert {columns(line) for line in text[2:]} == {columns(text[2])}


def test_the_same_word_twice_is_fine():
    page = Page(show_matrix.build(np.ones((2, 2)), "A", ["the", "the"], ["the", "the"]).html)
    assert page.tables[0].labels == ["the", "the"]
    assert page.tables[0].head == ["the", "the"]


def test_twelve_of_32_columns_and_it_says_so():
    text = lines(np.ones((2, 32)), "F_pre", ["the", "looking"])
    assert text[0] == "F_pre  2 × 32 · showing first 12 of 32 columns"
    assert text[2] == "the     | " + " ".join(["+1.000"] * 12)
    page = Page(show_matrix.build(np.ones((2, 32)), "F_pre").html)
    assert page.tables[0].caption == "Fpre 2 × 32 · showing first 12 of 32 columns"
    assert len(page.tables[0].rows[0]) == 12


def test_twelve_columns_with_the_longest_label_fit():
    text = lines(-np.ones((1, 12)), "X", ["wordsoffourteen"])
    assert "first" not in text[0]
    assert max(map(len, text)) <= 100


def test_wide_numbers_are_cut_earlier():
    text = lines(np.full((1, 12), -123456.789), "X", max_cols=12)
    assert text[0] == "X  1 × 12 · showing first 8 of 12 columns"
    assert len(text[2]) <= 100


def test_nine_words_fit_and_long_words_are_shortened_or_cut():
    words = ["the", "cat", "sat", "on", "the", "mat", "and", "was", "looking"]
    assert "first" not in lines(np.ones((9, 9)), "S", words, words)[0]
    long_words = [f"Donaudampfschifffahrt{number}" for number in range(9)]
    text = lines(np.ones((9, 9)), "S", long_words, long_words)
    assert text[0] == "S  9 × 9 · showing first 5 of 9 columns"
    assert text[2].startswith("Donaudampfsch… |")
    assert max(map(columns, text)) <= 100
    assert "Donaudampfschifffahrt8" in show_matrix.build(np.ones((9, 9)), "S", long_words, long_words).html


def test_the_first_40_of_500_rows():
    text = lines(np.ones((500, 2)), "E")
    assert text[0] == "E  500 × 2 · showing first 40 of 500 rows"
    assert len(text) == 42


def test_a_table_with_headers_that_name_their_row_and_column():
    page = Page(show_matrix.build(SMALL, "W_Q", ["the", "cat"]).html)
    table = page.tables[0]
    assert table.caption == "WQ 2 × 3"
    assert table.head == ["0", "1", "2"]
    assert table.labels == ["the", "cat"]
    assert table.rows == [["+0.500", "\u22120.250", "+0.000"], ["\u22121.000", "+2.000", "+0.000"]]
    assert page.scopes == ["col"] * 3 + ["row"] * 2
    region = next(attrs for tag, attrs in page.attributes if attrs.get("class") == "scroll")
    assert region == {"class": "scroll", "tabindex": "0", "role": "region", "aria-label": "W_Q, 2 × 3"}


def test_labels_and_names_are_escaped():
    html = show_matrix.build(np.ones((1, 1)), "<i>&", ['<script>"'], ["</td>&amp;"]).html
    assert "<script>" not in html
    assert "&lt;script&gt;&quot;" in html
    assert "&lt;/td&gt;&amp;amp;" in html
    page = Page(html)
    assert page.tables[0].labels == ['<script>"']
    assert page.tables[0].head == ["</td>&amp;"]
    assert page.tables[0].caption.startswith("<i>&")


def test_one_column_draws_both_serifs_with_one_bar():
    assert 'class="m brk one"' in show_matrix.build(np.ones((3, 1)), "x").html
    assert 'class="m brk"' in show_matrix.build(np.ones((3, 2)), "x").html


def test_line_breaks_in_labels_do_not_break_lines():
    assert len(lines(np.ones((1, 1)), "X", ["a\nb"])) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones(3), "X"), "X has one dimension (3 entries), but a matrix with rows and columns is expected here."),
        ((1.0, "X"), "X has no dimension (it is a single number), but a matrix"),
        ((np.ones((2, 3, 4)), "X"), "X has 3 dimensions (2 × 3 × 4), but a matrix"),
        ((np.ones((0, 3)), "X"), "X is 0 × 3: there is nothing in it to show."),
        (([[1, 2], [3]], "X"), "X is not an array of numbers with rows of equal length."),
        (([["a"]], "X"), "X is not an array of numbers"),
        ((np.ones((2, 3)), "X", ["the"]), "1 row labels were given, but X has 2 rows."),
        ((np.ones((2, 3)), "X", None, ["a", "b"]), "2 column labels were given, but X has 3 columns."),
        ((np.ones((3, 3)), "X", "the"), "The row labels of X are one text, 'the'; a list of 3 words is expected."),
    ],
)
def test_wrong_calls_get_one_sentence(arguments, message):
    with pytest.raises(PlainError) as error:
        show_matrix.build(*arguments)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_html_and_text_print_the_same_numbers():
    display = show_matrix.build(np.random.RandomState(0).normal(0, 3, (9, 30)), "X")
    assert decimals(display.text) == decimals(Page(display.html).text)
    assert len(decimals(display.text)) == 9 * 12


def test_a_label_without_letters_still_names_its_row():
    page = Page(show_matrix.build(np.ones((2, 1)), "X", ["the", " "]).html)
    assert page.tables[0].labels == ["the", "·"]
