"""Several calls in one question: as so many single ones, each with its own time, and as strict."""

import numpy as np
import pytest
from rooms import opened

from helpers.grading.limits import Limits
from helpers.grading.runner import Runner
from helpers.grading.sandbox import LimitReached
from helpers.grading.wire import ITEMS, Function, Missing, Said, Trees


def said(*args):
    trees = Trees(64, 64)
    return Said(trees.say((list(args), {})), trees.blobs, ITEMS - trees.items)


def asked(session, name, *calls):
    value, found = session.tried(name, [said(*args) for args in calls])
    return value, [one.error or one.result for one in found], [one.after for one in found]


TRIED = """
import os, time
import numpy as np
calls = []
def f(x):
    calls.append(1)
    return x * 2
def change(x):
    x[0] = 7
    return len(calls)
def some(n):
    if n == 2:
        raise KeyError("two")
    return n
def large(n):
    return np.zeros(2**16 * n)
plain = 5
"""


def test_several_calls_in_one_question_give_what_single_ones_give(session):
    assert session.run(TRIED, "cell 1").error is None
    arrays = [np.arange(6.0).reshape(2, 3), np.array([1, 2]), np.array(True)]
    value, found, after = asked(session, "f", *([one] for one in arrays))
    assert value == Function()
    assert after == [None, None, None]
    for one, array in zip(found, arrays, strict=True):
        np.testing.assert_array_equal(one, session.call("f", [array]))
    value, found, after = asked(session, "change", [np.array([1.0, 2.0])], [[1, 2]])
    assert found == [6, 6]
    np.testing.assert_array_equal(after[0][0][0], [7.0, 2.0])
    assert after[1] == ([[7, 2]], {})
    value, found, _ = asked(session, "some", [1], [2], [3])
    assert (found[0], str(found[1]), found[2]) == (1, "KeyError: 'two'", 3)
    # More than fits into one message.
    value, found, _ = asked(session, "large", *([n] for n in (1, 2, 3, 4, 5)))
    assert [len(one) for one in found] == [2**16 * n for n in (1, 2, 3, 4, 5)]


def test_what_is_no_function_is_told_as_a_value(session):
    session.run(TRIED, "cell 1")
    assert session.tried("plain", [said(1)]) == (5, [])
    assert session.tried("nothing", [said(1)]) == (Missing(), [])


def test_the_first_of_several_calls_that_takes_too_long_is_the_last(session):
    session.run(TRIED + "def slow(n):\n    while n == 2: pass\n    return n\n", "cell 1")
    value, found, _ = asked(session, "slow", [1], [2], [3])
    assert (value, found[0], str(found[1])) == (Function(), 1, "slow took longer than 2 s")
    assert len(found) == 2
    assert session.alive
    # Each has its own time.
    session.run("def nap(n):\n    time.sleep(0.9)\n    return n\n", "cell 2")
    assert asked(session, "nap", [1], [2], [3])[1] == [1, 2, 3]


def test_a_call_among_several_that_ends_the_process_is_told_last(session):
    session.run(TRIED + "def leave(n):\n    if n == 2: os._exit(0)\n    time.sleep(0.05)\n    return n\n", "cell 1")
    _, found, _ = asked(session, "leave", [1], [2], [3])
    assert found[0] == 1
    assert str(found[-1]) == "leave ended Python itself"
    assert not session.alive


def test_a_call_among_several_that_takes_all_memory_is_the_last(session):
    session.run(TRIED + "def much(n):\n    return len(bytearray(10**9)) if n == 2 else n\n", "cell 1")
    _, found, _ = asked(session, "much", [1], [2], [3])
    assert [str(one) for one in found] == ["1", "much asked for more than 256 MB of memory"]
    assert asked(session, "much", [1], [3])[1] == [1, 3]


def test_a_call_that_ends_the_process_late_takes_its_time_from_the_notebook():
    limits = Limits(cell_seconds=2, call_seconds=2, notebook_seconds=3, memory_mb=256, grace_seconds=1)
    late = "import os, time\ndef late(n):\n    time.sleep(0.5)\n    return n if n < 3 else os._exit(0)"
    with opened(limits) as sandbox, Runner(sandbox) as runner:
        runner.run(late, "cell 1")
        for _ in range(4):
            runner.tried("late", [said(n) for n in range(4)])
        assert runner.over == "the notebook ran longer than 3 s"
        assert runner.seconds >= 3


FORGED = """
import gc, json, os, struct, sys
def wire(n):
    frame = sys._getframe()
    while "question" not in frame.f_locals: frame = frame.f_back
    nonce = frame.f_locals["question"]["nonce"]
    text = json.dumps({"nonce": nonce, "function": True, "sizes": [], **HEADER}).encode()
    os.write(3, struct.pack(">4sIQ", b"byh1", len(text), 0) + text)
    return 1
"""


@pytest.mark.parametrize(
    "header",
    [
        {"answers": 3},
        {"answers": [3], "more": True},
        {"answers": [{"tree": 1, "pieces": 1}], "more": True},
        {"answers": [{"tree": 1, "pieces": -1}], "more": True},
        {"answers": [{"tree": 1, "pieces": 0}] * 9, "more": True},
        {"answers": [{"tree": 1, "pieces": 0}]},
        {"answers": []},
        {"answers": [], "more": True},
    ],
)
def test_answers_that_do_not_fit_the_calls_end_the_session(session, header):
    session.run(f"HEADER = {header!r}" + FORGED, "cell 1")
    _, found = session.tried("wire", [said(1), said(2)])
    if session.alive:
        session.value("HEADER")
    assert not session.alive
    assert isinstance(found[-1].error, LimitReached)
    assert str(found[-1].error) == "wire wrote to the marker's line itself"
