"""A check of a function names the mistake: the one that was made, and none that was not."""

import numpy as np
import pytest
from answers import decoder, encoder, hand_traces
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import TASKS, check, check_fresh
from helpers.checks import visible_cases
from helpers.checks.variants import _agree, _wrongs
from helpers.mistakes import CATALOGUE, LABELS
from helpers.tasks import walk
from helpers.tasks.coding import CODING

UNITS = (encoder, decoder, hand_traces)
RIGHT = {name: answer for unit in UNITS for name, answer in unit.RIGHT.items()}
SLIPS = [slip for unit in UNITS for slip in unit.SLIPS]
WALKED = [name for name, task in TASKS.items() if task.walk]
# What is read as numbers that may take any value; of yes, no and counts a random one may well be a known mistake.
REAL = [
    name for name in TASKS
    if name not in {"shapes", "token_ids", "binary_code", "dead_units", "causal_mask", "leaks", "most_attended",
                    "rank_of", "generate", "cached_step", "padding_mask", "shift_right", "live_and_dead"}
]  # fmt: skip

seeds = st.integers(0, 2**32 - 1)


def words(value):
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("name", "what", "function", "label"), SLIPS, ids=words)
def test_every_slip_of_the_lesson_plan_is_named_and_asked_about(name, what, function, label):
    feedback = check(**{name: function})
    assert feedback.labels == (label,)
    terms = [term for term, _ in feedback.details]
    question = dict(feedback.details)["Question"]
    assert question.endswith("?")
    assert terms.index("Question") == max(k for k, term in enumerate(terms) if term in ("Tried on", "Where")) + 1
    assert question.split("?")[0].split(". ")[-1] in feedback.display.html.replace("&#x27;", "'")


@pytest.mark.parametrize(("name", "what", "function", "label"), SLIPS, ids=words)
@settings(max_examples=3)
@given(seed=seeds)
def test_no_other_mistake_is_named_in_a_hidden_check(name, what, function, label, seed):
    labels = check_fresh(seed, **{name: function}).labels
    assert not labels or label in labels


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_has_no_mistake(name):
    assert check(**{name: RIGHT[name]}).labels == ()


# Nothing is claimed that was not done


def spoilt(name, seed, change):
    """The right function with results changed by `change`, which draws from a RandomState."""
    rng = np.random.RandomState(seed)

    def function(*args):
        result = TASKS[name].reference(*args)
        if isinstance(result, tuple):
            return tuple(change(rng, np.asarray(part, dtype=float)) for part in result)
        return change(rng, np.asarray(result, dtype=float))

    return function


def random(rng, right):
    return rng.normal(0, 1, right.shape)


def noisy(rng, right):
    return right + rng.normal(0, 1e-4, right.shape)


def shrunk(rng, right):
    return 0.8 * right


def one_off(rng, right):
    wrong = right.copy()
    wrong[tuple(rng.randint(n) for n in right.shape)] += 0.01 + rng.rand()
    return wrong


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("change", [random, noisy, shrunk, one_off])
@settings(max_examples=4)
@given(seed=seeds)
def test_a_mistake_that_is_in_no_catalogue_has_no_name(name, change, seed):
    feedback = check(**{name: spoilt(name, seed, change)})
    assert feedback.kind == "off"
    assert feedback.labels == ()
    assert "Question" not in dict(feedback.details)


def test_a_mistake_must_explain_every_case():
    right, wrong = TASKS["softmax"].reference, encoder.softmax

    def softmax(s):
        return wrong(s, axis=0) if len(s) == 9 else right(s) + 0.1

    assert check(softmax=softmax).labels == ()


def test_a_case_that_stops_says_nothing():
    def softmax(s):
        if len(s) == 1:
            raise ValueError("one row")
        return encoder.softmax(s, axis=0)

    assert check(softmax=softmax).labels == ("softmax.columns",)


def test_exponentials_that_overflow_hide_no_other_mistake():
    def softmax(s):
        e = np.exp(s)
        return e / e.sum(axis=0)

    assert check(softmax=softmax).labels == ("softmax.columns",)


def test_two_mistakes_that_look_alike_are_both_named():
    def masked_softmax(S, blocked):
        e = np.exp(np.where(blocked, -np.inf, S))
        return e / e.sum(axis=-1, keepdims=True)

    feedback = check(masked_softmax=masked_softmax)
    assert feedback.labels == ("mask.minus-infinity", "softmax.overflows")
    assert dict(feedback.details)["Question"].count(" Or: ") == 1


# Every mistake of the catalogue


def made_in(name):
    """Label → the task's function with that mistake, in the first set of places where it shows."""
    task, found = TASKS[name], {}
    cases = [case for case in task.visible() if not case.raises]
    layers = max((task.walk.right(case.args) for case in cases), key=len)
    for wrong in task.walk.wrongs(layers):
        found.setdefault(wrong.label, []).append(wrong)
    return found


def function_with(name, wrong):
    task = TASKS[name]
    return lambda *args: task.walk.spoil(task.walk.right(args), wrong) if task.walk.right(args) else args[0]


@pytest.mark.parametrize("name", WALKED)
def test_every_mistake_in_a_walk_is_named(name):
    missed = {}
    for label, wrongs in made_in(name).items():
        # In a whole layer there are very many: one in all places and one in a single place stand for them.
        chosen = wrongs if TASKS[name].walk.places else {wrongs[0], wrongs[-1]}
        feedbacks = [check(**{name: function_with(name, wrong)}) for wrong in chosen]
        shown = [feedback for feedback in feedbacks if feedback.kind == "off" and "stopped" not in feedback.verdict]
        bad = [feedback.labels for feedback in shown if label not in feedback.labels]
        if bad:
            missed[label] = bad
    assert not missed


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.slips])
def test_every_slip_of_a_task_is_named(name):
    for slip in TASKS[name].slips:
        feedbacks = [check(**{name: way}) for way in slip.ways]
        assert all(slip.label in feedback.labels for feedback in feedbacks if feedback.kind == "off")


@pytest.mark.parametrize("name", WALKED)
@np.errstate(all="ignore")
def test_one_look_at_all_mistakes_of_a_walk_leaves_those_that_one_look_at_each_does(name):
    task = TASKS[name]
    layers = next(filter(None, (task.walk.right(case.args) for case in visible_cases(name))))
    wrongs = _wrongs(task, layers)
    results = [result for _, result in wrongs.made]
    numbers = [result for result in results if isinstance(result, np.ndarray)]
    beyond = [np.where(result == result.flat[0], beyond, result) for beyond in (np.nan, np.inf) for result in numbers]
    for answer in [*results[::5], *beyond[::20], (), ("a",), {}, "a", None]:
        left = [wrong for wrong, result in wrongs.made if _agree(result, answer) is not False]
        assert list(wrongs.like(answer)) == left


def test_infinite_numbers_are_like_nothing_but_themselves():
    assert check(causal_mask=lambda n: np.zeros((n, n))).labels == ("mask.none",)
    assert check(causal_mask=lambda n: np.triu(np.full((n, n), -np.inf), k=1)).labels == ("mask.scores",)
    assert check(causal_mask=lambda n: np.triu(np.full((n, n), np.inf), k=1)).labels == ()


# Between two tasks, or in a step that is no function of its own in the lessons: only boxes show these.
IN_BOXES_ALONE = {
    "input.without-positions", "logits.input-rows", "logits.wrong-stream", "loss.perplexity", "loss.sum",
    "loss.of-mean-probability", "next.smallest", "next.column",
}  # fmt: skip


def test_every_mistake_that_code_can_make_is_in_some_task():
    in_walks = {label for name in WALKED for label in made_in(name)}
    in_slips = {slip.label for task in TASKS.values() for slip in task.slips}
    in_code = set(LABELS) - walk.NOT_IN_CODE
    assert in_code - in_walks - in_slips == IN_BOXES_ALONE


def test_labels_and_questions_of_slips_are_in_form():
    for task in TASKS.values():
        for slip in task.slips:
            assert "." in slip.label
            assert slip.question.endswith("?")
            assert slip.shows.endswith(".")
            assert slip.ways
    for mistake in (*CATALOGUE, *CODING):
        assert mistake.question.endswith("?")
