"""What a student types into a box is read as it was meant, or refused in one sentence that says where."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.checks.read import Unreadable, read, read_word
from helpers.errors import PlainError

WORDS = ["the", "cat", "sat"]
CANDIDATES = ["die", "katze", "saß", "<eos>"]
NAN = float("nan")


@st.composite
def written(draw):
    """Numbers as texts with k decimals, as people write them, and what they are worth."""
    k = draw(st.integers(2, 9))
    whole = draw(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=12))
    return k, [_with_decimals(n, k) for n in whole]


def _with_decimals(n, k):
    digits = str(abs(n)).rjust(k + 1, "0")
    return ("-" if n < 0 else "") + digits[:-k] + "." + digits[-k:]


@given(written(), st.sampled_from(["plain", "plus", "minus sign", "comma", "spaces", "decimal"]))
def test_texts_with_k_decimals_read_back_exactly_with_that_unit(numbers, manner):
    k, texts = numbers
    ways = {
        "plain": str,
        "plus": lambda text: text if text[0] == "-" else "+" + text,
        "minus sign": lambda text: text.replace("-", "−"),
        "comma": lambda text: text.replace(".", ","),
        "spaces": lambda text: f" {text}\n",
        "decimal": Decimal,
    }
    box = read([ways[manner](text) for text in texts])
    assert box.values.tolist() == [float(text) for text in texts]
    assert box.unit == float(f"1e-{k}")
    assert box.complete


@given(st.integers(2, 9), st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=12))
def test_floats_read_back_exactly_and_show_their_unit(k, whole):
    numbers = [n / 10**k for n in whole]
    decimals = [k - _zeros(n, k) for n in whole]
    by_hand = [d for d in decimals if 0 < d <= 6]
    last = max(by_hand if len(by_hand) > sum(d > 6 for d in decimals) else decimals)
    for given_ in (numbers, tuple(numbers), np.array(numbers), [np.float64(x) for x in numbers]):
        box = read(given_)
        assert box.values.tolist() == numbers
        assert box.unit == float(f"1e-{max(2, last)}")


def test_one_entry_worked_out_by_python_does_not_make_the_others_look_careless():
    assert read([[0.123, 1 / 3], [0.25, 0.5]]).unit == 0.001
    assert read([[0.12, 2 / 3], [1, 0.25]]).unit == 0.01
    assert read([[1 / 3, 2 / 3], [1, 0]]).unit == 1e-9
    assert read([[1 / 3, 2 / 3], [0.5, 1 / 7]]).unit == 1e-9


def _zeros(n, k):
    """Zeros at the end of n, at most k: the decimals that a float does not keep."""
    return next((z for z in range(k) if n % 10 ** (z + 1)), k)


@given(st.lists(st.lists(st.none() | st.floats(-9, 9), min_size=3, max_size=3), min_size=1, max_size=4))
def test_any_matrix_keeps_its_shape_and_its_blanks(rows):
    box = read(rows)
    assert box.values.shape == box.filled.shape == (len(rows), 3)
    assert box.filled.tolist() == [[entry is not None for entry in row] for row in rows]
    assert np.isnan(box.values).tolist() == [[entry is None for entry in row] for row in rows]
    assert 1e-9 <= box.unit <= 0.01


@pytest.mark.parametrize(
    ("entry", "value", "unit"),
    [
        (3, 3.0, 0.01),
        (0.5, 0.5, 0.01),
        (-0.25, -0.25, 0.01),
        (0.1 + 0.2, 0.1 + 0.2, 0.01),
        (1 / 3, 1 / 3, 1e-9),
        (1e-5, 1e-5, 1e-5),
        (Fraction(1, 3), 1 / 3, 1e-9),
        (Decimal("0.500"), 0.5, 0.001),
        ("1/3", 1 / 3, 1e-9),
        ("-1 / 8", -0.125, 1e-9),
        ("0,67", 0.67, 0.01),
        ("-0.5", -0.5, 0.01),
        ("\u22120.5", -0.5, 0.01),
        ("+0.5000", 0.5, 0.0001),
        (" 1e-3 ", 0.001, 0.001),
        ("1.50E-2", 0.015, 0.0001),
        (".5", 0.5, 0.01),
        ("5.", 5.0, 0.01),
        ("-inf", -np.inf, 0.01),
        ("\u2212∞", -np.inf, 0.01),
        ("-Infinity", -np.inf, 0.01),
        (-np.inf, -np.inf, 0.01),
        ("-1e9", -1e9, 0.01),
        (-1e9, -1e9, 0.01),
        (np.int8(3), 3.0, 0.01),
        (np.uint64(3), 3.0, 0.01),
        (np.float32(0.123), 0.123, 0.001),
        (np.float16(0.1), 0.1, 0.01),
        (np.longdouble("0.125"), 0.125, 0.001),
        (np.str_("0.125"), 0.125, 0.001),
        (np.array(0.125), 0.125, 0.001),
    ],
)
def test_one_entry(entry, value, unit):
    assert (read(entry).values.tolist(), read(entry).unit) == (value, unit)
    assert (read([entry]).values.tolist(), read([entry]).unit) == ([value], unit)


@pytest.mark.parametrize(
    ("entries", "unit"),
    [
        ([1, 0.541], 0.001),
        ([1.0, "1/3"], 1e-9),
        (["1", "1/3"], 1e-9),
        ([0, Fraction(1, 3)], 1e-9),
        ([0.33, "1/3"], 0.01),
        ([0.5, "0.500"], 0.001),
        (["-inf", 0.125], 0.001),
        ([1, 2, 3], 0.01),
        ([None, 0.1234], 0.0001),
        (np.float32([0.1, 1 / 3]), 1e-6),
        (np.float16([0.1, 1 / 3]), 1e-3),
        ([0.1234567890123], 1e-9),
    ],
)
def test_the_entry_with_the_most_decimals_sets_the_unit(entries, unit):
    assert read(entries).unit == unit


@pytest.mark.parametrize("blank", [None, ..., "", "…", " ", "..."])
def test_blanks_are_not_filled_in(blank):
    box = read(blank)
    assert (box.empty, box.complete, box.values.shape, box.filled.tolist()) == (True, False, (), False)
    assert read([[blank, blank]]).empty
    begun = read([[0.5, blank], [blank, 0.25]])
    assert (begun.empty, begun.complete, begun.filled.tolist()) == (False, False, [[True, False], [False, True]])
    assert begun.values[0, 0] == 0.5
    rows = read([[0.5, 0.25], blank, blank])
    assert rows.filled.tolist() == [[True, True], [False, False], [False, False]]
    assert read([blank, blank]).values.shape == (2,)


@pytest.mark.parametrize(
    ("answer", "shape"),
    [
        ([[1, 2, 3]], (1, 3)),
        ([[1], [2], [3]], (3, 1)),
        (((1, 2), (3, 4)), (2, 2)),
        ([(1, 2), np.array([3.0, 4.0])], (2, 2)),
        (np.zeros((2, 3, 4)), (2, 3, 4)),
        (np.arange(6, dtype=np.int16).reshape(2, 3), (2, 3)),
        (np.array([["0.5", "1"]]), (1, 2)),
        (np.array([[None, 0.5]], dtype=object), (1, 2)),
        (np.zeros((1, 2)).view(np.matrix), (1, 2)),
        (range(3), (3,)),
        ([], (0,)),
    ],
)
def test_the_shape_stays_as_typed(answer, shape):
    assert read(answer).values.shape == shape
    assert read(answer).filled.shape == shape


def test_nothing_at_all_is_not_complete():
    assert not read([]).complete


class Own(float):
    """A number of a student's own class, whose every answer is an error."""

    def _no(self, *args):
        raise RuntimeError("student code was run")

    __eq__ = __le__ = __sub__ = __repr__ = __str__ = __format__ = __float__ = __array__ = __len__ = __iter__ = _no
    __hash__ = None


def kind(value):
    """An id for pytest, which else would ask the value for its text."""
    return type(value).__name__


ENDLESS = []
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ([[1, 2, 3], [4, 5, "abc"]], "Row cat, column 2 holds 'abc', which is no number."),
        ([1, "abc"], "Entry cat holds 'abc', which is no number."),
        ("abc", "The box holds 'abc', which is no number."),
        ([[[1, "x"]]], "Head 0, row the, column 1 holds 'x', which is no number."),
        ([[1, 2], [3], [4, 5]], "Row cat has 1 entry, but row the has 2 entries."),
        ([[1], [1, 2, 3]], "Row cat has 3 entries, but row the has 1 entry."),
        ([1, [2, 3]], "Row the has 1 entry, but row cat has 2 entries."),
        ("1,000.5", "The box holds '1,000.5', with a comma and a point: leave out the one between thousands."),
        ("1.000,5", "The box holds '1.000,5', with a comma and a point: leave out the one between thousands."),
        ("1,2,3", "The box holds '1,2,3', which is no number."),
        ("1_000", "The box holds '1_000', which is no number."),
        ("1/0", "The box holds '1/0', which divides by 0."),
        ("1/3/4", "The box holds '1/3/4', which is no number."),
        ("nan", "The box holds 'nan', which is no number."),
        ("inf", "The box holds 'inf', which is no number."),
        ([0.5, np.nan], "Entry cat holds NaN, which is no number."),
        (Decimal("sNaN"), "The box holds NaN, which is no number."),
        (np.inf, "The box holds inf, and of the infinite only -inf is ever asked for."),
        (np.float32("inf"), "The box holds inf, and of the infinite only -inf is ever asked for."),
        (True, "The box holds True, which is no number."),
        (np.array([False]), "Entry the holds False, which is no number."),
        (0.5j, "The box holds 0.5j, which is no number."),
        (10**400, "The box holds a number too large to be one of these."),
        ([10**5000], "Entry the holds a number too large to be one of these."),
        ("1e999", "The box holds a number too large to be one of these."),
        ({"the": 1}, "The box holds something of type dict, which is no number."),
        (Own(0.5), "The box holds something of type Own, which is no number."),
        ([[1, Own(0.5)]], "Row the, column 1 holds something of type Own, which is no number."),
        (np.array([Own(0.5)], dtype=object), "Entry the holds something of type Own, which is no number."),
        (ENDLESS, "The answer is nested deeper, or is longer, than any box: write a list with one list a row."),
        (np.zeros((400, 400)), "The answer has 160000 entries, more than any box."),
    ],
    ids=kind,
)
def test_what_cannot_be_read_is_told_in_one_sentence(answer, sentence):
    with pytest.raises(Unreadable) as error:
        read(answer, WORDS)
    assert str(error.value) == sentence
    assert isinstance(error.value, PlainError)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_in_one_short_line(text):
    said = ""
    try:
        read([[0.5, text]], WORDS)
    except Unreadable as error:
        said = str(error)
    assert len(said.splitlines()) <= 1
    assert len(said) <= 150


def test_rows_without_words_are_numbered():
    with pytest.raises(Unreadable, match=r"^Row 1, column 0 holds 'x', which is no number\.$"):
        read([[1], ["x"]])
    with pytest.raises(Unreadable, match=r"^Row the \(position 2\) has 1 entry, but row the \(position 0\) has 2"):
        read([[1, 2], [3, 4], [5]], ["the", "cat", "the"])


# One word of several


@pytest.mark.parametrize(
    ("answer", "index"),
    [
        ("saß", 2),
        (" Katze", 1),
        ("<eos>", 3),
        ("⟨eos⟩", 3),
        ("EOS", 3),
        (np.str_("die"), 0),
        (["saß"], 2),
        (np.array("die"), 0),
        (2, 2),
        (2.0, 2),
        ("2", 2),
        (np.int64(1), 1),
        (None, None),
        (..., None),
        ("", None),
        (" … ", None),
    ],
)
def test_a_word_or_its_index(answer, index):
    assert read_word(answer, CANDIDATES) == index


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("hund", "'hund'"),
        (4, "4"),
        (-1, "-1"),
        (1.5, "1.5"),
        (np.nan, "nan"),
        (np.float64("inf"), "inf"),
        (np.int64(9), "9"),
        (np.str_("hund"), "'hund'"),
        (True, "True"),
        (["die", "katze"], "of type list"),
        (Own(1), "of type Own"),
        ([Own(1)], "of type Own"),
    ],
    ids=kind,
)
def test_another_word_is_refused(answer, said):
    with pytest.raises(Unreadable) as error:
        read_word(answer, CANDIDATES)
    assert str(error.value) == f"The answer should be one of the words die, katze, saß, <eos>; this is {said}."
