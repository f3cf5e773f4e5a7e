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


def test_the_map_is_in_the_text_as_well():
    def change(A):
        if len(A) == 9:
            A[0, 1] = np.nan

    text = check(softmax=broken(change)).text
    assert "  the     |   +0.100       nan*" in text
    assert "  80 right · 1 off (*)" in text


def test_true_and_nan_are_written_as_they_are():
    wrong_mask = TASKS["causal_mask"].reference(7).copy()
    wrong_mask[2, 1] = True
    assert detail(check(causal_mask=lambda n: wrong_mask), "One entry") == "row 2, column 1: you have True"
    assert detail(check(softmax=lambda s: s * np.nan), "One entry").endswith("you have nan")


def test_a_vector_has_a_map_of_one_row():
    def token_ids(words, vocabulary):
        return [id_ + (k == 1) for k, id_ in enumerate(TASKS["token_ids"].reference(words, vocabulary))]

    feedback = check(token_ids=token_ids)
    cat = TASKS["token_ids"].visible()[0].args[1]["cat"] + 1
    assert feedback.marked.counts() == {"right": 8, "off": 1, "again": 0, "empty": 0}
    assert f" {cat}*  " in feedback.text
    assert detail(feedback, "One entry") == f"entry cat: you have {cat}"


def test_a_feedback_keeps_what_was_returned_then():
    kept = np.zeros((9, 9))
    feedback = check(softmax=lambda s: kept if s.shape == kept.shape else s)
    before = feedback.text
    kept += 7
    assert feedback.text == before


# What student code may do without stopping a check


class Hostile:
    """An object of a student's own class, each of whose answers is an error."""

    def __array__(self, *args, **kwargs):
        raise RuntimeError("no array")

    def __eq__(self, other):
        raise RuntimeError("no comparison")

    def __repr__(self):
        raise RuntimeError("no text")

    __hash__ = None


class NoLength(list):
    def __len__(self):
        raise RuntimeError("no length")


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no message")


class Bare(BaseException):
    pass


def returning(value):
    return lambda *args: value


def raising(error):
    def function(*args):
        raise error

    return function


def endless(*args):
    return endless(*args)


RETURNED = [
    Hostile(),
    (Hostile(), Hostile()),
    [Hostile()] * 9,
    [np.zeros(2)] * 9,
    NoLength([1]),
    dict.fromkeys(TASKS["shapes"].returns, Hostile()),
    np.full((9, 9), None),
    np.ma.masked_array([1.0, 2.0], [True, False]),
    10**400,
    1j,
    print,
    (k for k in range(3)),
]
RAISED = [
    SystemExit(1),
    GeneratorExit(),
    Bare("bare"),
    Unspeakable(),
    ValueError("a\nb\n" + 9999 * "x"),
    StopIteration(),
]


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize(
    "function",
    [*map(returning, RETURNED), *map(raising, RAISED), endless, lambda: 1, dict],
    ids=lambda function: getattr(function, "__qualname__", ""),
)
def test_nothing_that_student_code_does_stops_a_check(name, function):
    for feedback in (check(**{name: function}), check_fresh(1, **{name: function})):
        assert feedback.kind == "off"
        assert feedback.points <= feedback.possible / 2
        assert "\n" not in feedback.verdict
        assert len(feedback.text) < 1000
        assert feedback.display.html


def test_a_person_can_interrupt_a_function_that_never_ends():
    with pytest.raises(KeyboardInterrupt):
        check(softmax=raising(KeyboardInterrupt()))


def test_a_return_that_is_missing_is_asked_for():
    assert "end it with return" in detail(check(softmax=returning(None)), "Next")
    right = TASKS["encoder"].reference
    feedback = check(encoder=lambda X, layers, h: right(X, layers, h) if layers else None)
    assert (feedback.kind, feedback.verdict) == ("off", "It returned nothing here.")
    assert detail(feedback, "Tried on") == "no layers at all"
    assert detail(feedback, "Tests") == "2 of 3 right"


def test_a_function_that_calls_an_unwritten_one_is_told_which():
    names = {}
    exec("def softmax(s):\n    raise NotImplementedError('not written yet')\n", names)
    feedback = check(attention=lambda Q, K, V: names["softmax"](Q @ K.T))
    assert feedback.kind == "empty"
    assert detail(feedback, "Next") == "attention calls softmax, which is not written yet: write softmax first."


def test_an_error_asked_for_may_be_any_error():
    right = TASKS["token_ids"].reference

    def token_ids(words, vocabulary):
        if set(words) - set(vocabulary):
            raise NotImplementedError("unknown words")
        return right(words, vocabulary)

    assert check(token_ids=token_ids).kind == "right"


@pytest.mark.parametrize("name", ["encoder_parameters", "encoder_multiply_adds", "model_parameters"])
def test_a_count_is_right_to_the_last_unit(name):
    right = TASKS[name].reference
    assert check(**{name: lambda *sizes: float(right(*sizes))}).kind == "right"
    feedback = check(**{name: lambda *sizes: right(*sizes) + (right(*sizes) > 10**6)})
    assert (feedback.kind, feedback.verdict) == ("off", "The number is off.")
    large = next(n for n in (right(*case.args) for case in TASKS[name].visible()) if n > 10**6)
    assert detail(feedback, "One entry") == f"you have {large + 1}"


# A word of one's own


LINES = [name for name, task in TASKS.items() if task.side]


@pytest.mark.parametrize("name", LINES)
def test_a_line_of_a_trace_is_tried_on_the_chosen_word(name):
    task, run = TASKS[name], course_run()
    words = run.src_words if task.side == "encoder" else run.tgt_words
    for row, word in enumerate(words):
        chosen = word if list(words).count(word) == 1 else row
        feedback = check(word=chosen, **{name: task.reference})
        assert feedback.kind == "right"
        tried = detail(feedback, "Tried on")
        assert tried.startswith(f"word {word} (position {row})" if chosen == row else f"word {word}")
        assert check(word=chosen, **{name: lambda *args: 0}).kind == "off"


@pytest.mark.parametrize(
    ("answer", "word", "sentence"),
    [
        ("mix_terms", "zebra", "'zebra' is not among the words that the encoder reads: the, cat, sat, on, the, mat,"),
        ("masked_line", "cat", "'cat' is not among the words that the decoder reads: <sos>, at, a, tiny,"),
        ("mix_terms", "the", "as in check(mix_terms=mix_terms, word=0)."),
        ("mix_terms", 9, "it must be a whole number from 0 to 8."),
        ("softmax", "cat", "softmax is not tried on a word: leave word out."),
    ],
)
def test_a_word_that_cannot_be_taken_is_one_sentence(answer, word, sentence):
    with pytest.raises(PlainError) as error:
        check(word=word, **{answer: TASKS[answer].reference})
    assert sentence in str(error.value)
