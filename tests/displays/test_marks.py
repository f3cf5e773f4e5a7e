"""The map of a student's own numbers: what is marked, in both twins, whatever the numbers are."""

import numpy as np
import pytest
from displays.reading import Page, columns
from hypothesis import given
from hypothesis import strategies as st

from helpers.displays.marks import Marked

WORDS = ["the", "cat", "sat"]
PE = np.array([[0, 1, 0, 1], [0.841, 0.540, 0, 1], [0.909, -0.416, 0, np.nan]])


def entries(shape, *places):
    """Booleans of a shape, true at some places."""
    marks = np.zeros(shape, dtype=bool)
    for place in places:
        marks[place] = True
    return marks


TWO_OFF = Marked(PE, entries((3, 4), (1, 2), (2, 2)), entries((3, 4), (2, 3)), (1, 2), rows=WORDS)


def cells(marked):
    """(class, text) of every cell of the map's table, row by row."""
    table = Page(f"<div>{marked.html()}</div>").tables[0]
    return [
        [(attrs.get("class"), text) for attrs, text in zip(line, row, strict=True)]
        for line, row in zip(table.cell_attributes, table.rows, strict=True)
    ]


def test_the_text_of_a_map():
    assert TWO_OFF.text_lines() == [
        "            0        1        2        3",
        "the |  +0.000   +1.000   +0.000   +1.000",
        "cat |  +0.841   +0.540   +0.000*  +1.000",
        "sat |  +0.909   -0.416   +0.000*       ·",
    ]


def test_the_table_frames_what_is_off_and_what_is_missing():
    assert cells(TWO_OFF) == [
        [(None, "+0.000"), (None, "+1.000"), (None, "+0.000"), (None, "+1.000")],
        [(None, "+0.841"), (None, "+0.540"), ("o first", "+0.000 off"), (None, "+1.000")],
        [(None, "+0.909"), (None, "\u22120.416"), ("o", "+0.000 off"), ("e", "· not filled in")],
    ]
    table = Page(f"<div>{TWO_OFF.html()}</div>").tables[0]
    assert (table.labels, table.head, table.caption) == (WORDS, ["0", "1", "2", "3"], "")


def test_the_counts():
    assert TWO_OFF.counts() == {"right": 9, "off": 2, "again": 0, "empty": 1}
    assert TWO_OFF.drawn


def test_an_entry_to_look_at_again_is_right_and_marked():
    marked = Marked(PE[:2], entries((2, 4)), None, (1, 2), rows=WORDS[:2])
    assert marked.drawn
    assert marked.counts() == {"right": 7, "off": 0, "again": 1, "empty": 0}
    assert marked.text_lines()[2] == "cat |  +0.841   +0.540   +0.000<  +1.000"
    assert cells(marked)[1][2] == ("first", "+0.000 to look at again")


def test_a_vector_is_one_row_named_by_its_words():
    marked = Marked(np.array([3.0, 1.0, 5.0]), entries(3, 1), None, (1,), rows=WORDS, decimals=0, sign=False)
    assert marked.text_lines() == ["         the   cat   sat", "yours |    3     1*    5"]
    assert cells(marked) == [[(None, "3"), ("o first", "1 off"), (None, "5")]]


@pytest.mark.parametrize("shape", [(3, 1), (1, 3)])
def test_one_column_and_one_row(shape):
    marked = Marked(np.full(shape, 0.5), entries(shape, (0, 0)))
    assert marked.counts() == {"right": 2, "off": 1, "again": 0, "empty": 0}
    assert [len(cells(marked)), len(cells(marked)[0])] == list(shape)


def test_a_name_stands_above():
    marked = Marked(PE, entries((3, 4), (0, 0)), name="your H")
    assert marked.text_lines()[0] == "your H"
    assert Page(f"<div>{marked.html()}</div>").tables[0].caption == "your H 3 × 4"


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.5, 3, "+0.500"),
        (-0.25, 2, "-0.25"),
        (0.123456789, 6, "+0.123457"),
        (0.123456789, 9, "+0.123457"),
        (-np.inf, 3, "-inf"),
        (-1e9, 3, "-inf"),
        (np.inf, 3, "+inf"),
        (np.nan, 3, "nan"),
        (1e300, 3, "+1e+300"),
        (-123456789.5, 3, "-inf"),
        (-23456789.5, 3, "-2.35e+07"),
        (True, 3, "True"),
        (np.int64(7), 0, "+7"),
        (-0.0001, 3, "+0.000"),
    ],
)
def test_one_number(value, decimals, text):
    marked = Marked(np.array([[value]]), entries((1, 1), (0, 0)), decimals=decimals)
    assert marked.text_lines()[1] == f"0 |  {text}*"
    shown = text.replace("-", "\u2212").replace("inf", "∞")
    assert cells(marked) == [[("o", f"{shown} off")]]


def test_true_and_false_are_written_out():
    marked = Marked(np.array([[True, False]]), entries((1, 2), (0, 1)))
    assert marked.text_lines()[1] == "0 |   True   False*"


@pytest.mark.parametrize(
    ("given_", "off", "empty"),
    [
        (np.ones((2, 2)), entries((2, 2)), None),
        (np.ones((13, 2)), np.ones((13, 2), dtype=bool), None),
        (np.ones((2, 3, 4)), np.ones((2, 3, 4), dtype=bool), None),
        (np.array(1.0), np.array(True), None),
        (np.ones((0, 3)), np.ones((0, 3), dtype=bool), None),
        (np.full((2, 2), np.nan), entries((2, 2)), np.ones((2, 2), dtype=bool)),
    ],
    ids=["nothing off", "too long", "three dimensions", "a number", "no entries", "nothing filled in"],
)
def test_no_map_where_it_would_say_nothing(given_, off, empty):
    assert not Marked(given_, off, empty).drawn


def test_labels_that_do_not_fit_give_way_to_numbers():
    assert Marked(np.ones((2, 1)), entries((2, 1), (0, 0)), rows=WORDS).text_lines()[1] == "0 |  +1.000*"


@st.composite
def maps(draw):
    n, m = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    random = np.random.RandomState(draw(st.integers(0, 999)))
    given_ = random.normal(0, draw(st.sampled_from([0.01, 1, 1e3, 1e12])), (n, m))
    word = st.text(alphabet="abß日<&\n ", max_size=30)
    rows = draw(st.none() | st.lists(word, min_size=n, max_size=n))
    cols = draw(st.none() | st.lists(word, min_size=m, max_size=m))
    empty = random.rand(n, m) < 0.2
    opened = draw(st.none() | st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)))
    return Marked(given_, random.rand(n, m) < 0.3, empty, opened, "your H", rows, cols, draw(st.integers(0, 6)))


@given(maps())
def test_every_map_counts_all_entries_and_keeps_to_the_page(marked):
    counts = marked.counts()
    assert sum(counts.values()) == marked.given.size
    assert all(columns(line) <= 100 for line in marked.text_lines())
    found = [name for line in cells(marked) for name, _ in line]
    assert found.count("o") + found.count("o first") == counts["off"]
    assert found.count("e") == counts["empty"]
    assert found.count("first") == counts["again"]
    if "showing first" not in marked.text_lines()[0]:
        body = "\n".join(marked.text_lines()[2:])
        assert body.count("*") == counts["off"]
