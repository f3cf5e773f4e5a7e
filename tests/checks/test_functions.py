"""A check says what is off and where, in words, and never stops the notebook."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import TASKS, PlainError, check, check_fresh, course_run
from helpers.checks import Feedback


def broken(change):
    """The right softmax, spoilt by `change`, a function that writes into the result."""

    def softmax(s):
        result = TASKS["softmax"].reference(s)
        change(result)
        return result

    return softmax


def detail(feedback, term):
    return dict(feedback.details).get(term, "")


def test_a_right_answer_says_so_and_earns_all_points():
    feedback = check(softmax=TASKS["softmax"].reference)
    assert (feedback.kind, feedback.points, feedback.possible) == ("right", 2, 2)
    assert repr(feedback).startswith("softmax(s): Right.  (2 of 2 points)")


def test_one_wrong_entry_is_named_by_its_words():
    def change(A):
        if A.shape == (9, 9):
            A[1, 8] += 0.5

    feedback = check(softmax=broken(change))
    assert feedback.verdict == "1 of 81 entries is off."
    assert detail(feedback, "Tried on") == "the course run"
    assert detail(feedback, "Where") == "row cat, column looking"
    assert detail(feedback, "One entry") == "row cat, column looking: you have +0.82909"
    assert feedback.points == pytest.approx(0.5 * 2 * (80 / 81 + 1 + 1) / 3, abs=0.005)


def test_a_word_that_comes_twice_is_named_with_its_position():
    def change(A):
        if len(A) == 9:
            A[4] += 1

    feedback = check(softmax=broken(change))
    assert detail(feedback, "Where") == "row the (position 4), every column"


def test_the_key_is_never_shown():
    right = course_run().encoder.A0
    feedback = check(softmax=lambda s: np.full_like(s, 0.77))
    shown = repr(feedback) + feedback.display.html
    assert not any(f"{value:.3f}" in shown for value in right.ravel())


@pytest.mark.parametrize(
    ("function", "verdict"),
    [
        (lambda s: s[:3], "It returns 3 × 9; it should be 9 × 9."),
        (lambda s: s[0], "It returns 9 numbers in a row; it should be 9 × 9."),
        (lambda s: 0.5, "It returns a single number; it should be 9 × 9."),
        (lambda s: "one", "It should be an array of numbers, 9 × 9; this is of type str."),
        (lambda s: [[1.0], [1.0, 2.0]], "It should be an array of numbers, 9 × 9; this is a list of 2."),
        (lambda s: {"A": s}, "It should be an array of numbers, 9 × 9; this is of type dict."),
        (lambda: 1, "It stopped with TypeError: "),
        (lambda s: s.nothing, "with AttributeError: 'numpy.ndarray' object has no attribute 'nothing'"),
        (lambda s: s * np.nan, "81 of 81 entries are off."),
        (lambda s: s.__itruediv__(2), "It changed one of its arguments"),
        (3, "softmax should be the function softmax(s); this is of type int."),
    ],
)
def test_a_wrong_answer_gets_one_plain_sentence(function, verdict):
    feedback = check(softmax=function)
    assert (feedback.kind, feedback.points) == ("off", 0)
    assert verdict in feedback.verdict
    assert "\n" not in feedback.verdict


def test_an_error_is_told_with_the_line_it_happened_in():
    source = "def softmax(s):\n    e = 1\n    return e / 0\n"
    names = {}
    exec(compile(source, "cell", "exec"), names)
    assert "in line 3 of its cell with ZeroDivisionError" in check(softmax=names["softmax"]).verdict


def not_written(*args):
    raise NotImplementedError("not written yet")


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("stub", [not_written, lambda *args: None, lambda *args: ...])
def test_a_stub_is_not_written_yet_and_earns_nothing(name, stub):
    for feedback in (check(**{name: stub}), check_fresh(1, **{name: stub})):
        assert (feedback.kind, feedback.points) == ("empty", 0)
        assert feedback.verdict == "Not written yet."


def test_the_fewer_points_of_two_checks_count():
    right = check(softmax=TASKS["softmax"].reference)
    off = check(softmax=lambda s: s)
    assert (right & off) is off
    assert (off & right) is off
    assert (right & right) is right


def test_a_result_of_two_parts_names_the_part():
    right = TASKS["attention"].reference
    assert "entries of H are off" in check(attention=lambda Q, K, V: (right(Q, K, V)[0] + 1, right(Q, K, V)[1])).verdict
    feedback = check(attention=lambda Q, K, V: right(Q, K, V)[0])
    assert feedback.verdict == "It should return 2 results, (H, A); this is an array of 9 × 4."


def test_a_dictionary_names_its_keys():
    right = TASKS["shapes"].reference

    def one_off(*sizes):
        return right(*sizes) | {"H_h": (9, 9)}

    feedback = check(shapes=one_off)
    assert feedback.verdict == "1 of 14 entries is off."
    assert detail(feedback, "Where") == "H_h"
    assert detail(feedback, "One entry") == "for H_h you have (9, 9)"
    missing = check(shapes=lambda *sizes: {k: v for k, v in right(*sizes).items() if k != "Z"})
    assert (missing.verdict, detail(missing, "Where")) == ("1 of 14 keys is missing.", "Z")


def test_heads_are_named():
    def head_1_off(M, h):
        H = TASKS["split_heads"].reference(M, h).copy()
        H[1:, 2] += 1
        return H

    feedback = check(split_heads=head_1_off)
    assert detail(feedback, "Where") == "head 1, row sat, every column"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({}, "check takes one answer by name, as in check(softmax=softmax); this is nothing."),
        (
            {"softmax": 1, "embed": 2},
            "check takes one answer by name, as in check(softmax=softmax); this is softmax, embed.",
        ),
        ({"soft_max": 1}, "There is no task 'soft_max'. Did you mean softmax?"),
        ({"zebra": 1}, "There is no task 'zebra'."),
    ],
)
def test_a_wrong_call_is_one_sentence(answer, sentence):
    with pytest.raises(PlainError) as error:
        check(**answer)
    assert str(error.value) == sentence


@given(
    verdict=st.text(max_size=200),
    details=st.lists(st.tuples(st.text(max_size=10), st.text(max_size=300)), max_size=4),
)
def test_feedback_is_escaped_and_no_line_is_too_long(verdict, details):
    feedback = Feedback("off", "<b>" + verdict, "softmax(s)", 0.5, 2, details)
    assert all(len(line) <= 100 for line in feedback.text.split("\n"))
    assert "&lt;b&gt;" in feedback.display.html
    assert "<b><b>" not in feedback.display.html


def test_the_map_frames_exactly_the_entries_that_are_off():
    def change(A):
        if len(A) == 9:
            A[2, 3] += 1
            A[5, 0] += 1

    html = check(softmax=broken(change)).display.html
    assert html.count('class="o first"') == 1
    assert html.count('class="o"') == 1
    assert html.count('<span class="hid"> off</span>') == 2
