"""What was checked in this kernel is remembered, counted and shown; nothing is written anywhere."""

import os

import pytest
from support import plain_error

from helpers import TASKS, check, check_fresh, progress
from helpers.checks import Feedback
from helpers.checks.progress import GROUPS, forget, note, progress_of
from helpers.points import POINTS


@pytest.fixture(autouse=True)
def fresh_kernel():
    forget()
    yield
    forget()


def first_line(display):
    return display.text.splitlines()[0]


def feedback(kind, points=0.0, **more):
    return Feedback(kind, "So.", "S0", points, 2, **more)


def test_before_the_first_check():
    assert progress().text == "Nothing was checked yet: run a check, then run this cell again."
    assert first_line(progress("encoder")) == "0 of 22 tasks right. 22 not written. 0 of 44 points."


def test_checks_are_counted_and_the_unit_is_the_last_one():
    check(softmax=TASKS["softmax"].reference)
    check(layer_norm=lambda x, gamma, beta: x)
    check(embed=lambda ids, E: None)
    assert first_line(progress()) == (
        "1 of 22 tasks right. 1 to look at again (layer_norm), 20 not written. 2 of 44 points."
    )
    assert progress().text.splitlines()[-1] == (
        "The first task to mend is layer_norm. The 3 questions in words (9 points) are marked by hand."
    )
    assert 'title="embed: not written" aria-current="step"' in progress().html
    check(causal_mask=TASKS["causal_mask"].reference)
    assert first_line(progress()) == "1 of 22 tasks right. 21 not written. 2 of 44 points."
    assert first_line(progress("encoder")).startswith("1 of 22 tasks right. 1 to look at again (layer_norm)")
    assert "aria-current=" not in progress("encoder").html


def test_the_last_answer_counts_and_hidden_checks_do_not():
    check(softmax=lambda s: s)
    check(softmax=TASKS["softmax"].reference)
    check_fresh(1, softmax=lambda s: s)
    assert first_line(progress()) == "1 of 22 tasks right. 21 not written. 2 of 44 points."


@pytest.mark.parametrize("unit", ["encoder", "decoder", "hand_traces"])
def test_all_of_a_lesson(unit):
    names = [name for name, task in TASKS.items() if task.unit == unit]
    for name in names:
        check(**{name: TASKS[name].reference})
    count, points = len(names), 2 * len(names)
    assert first_line(progress()) == f"{count} of {count} tasks right. {points} of {points} points."


def test_an_unknown_unit():
    with plain_error("'encoders'", *POINTS):
        progress("encoders")


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (feedback("right", 2), "right"),
        (feedback("right", 2, followed=True), "right"),
        (feedback("off", 1), "off"),
        (feedback("stale", 1), "off"),
        (feedback("empty", begun=True), "begun"),
        (feedback("empty"), "todo"),
    ],
)
def test_the_state_of_one_item(answer, state):
    note("encoder", "shapes", answer)
    assert f'<li class="{state}" title="shapes: ' in progress().html


def test_groups_of_a_unit(monkeypatch):
    monkeypatch.setitem(POINTS, "small", {"Q0": 2, "S0": 2, "Z": 2, "paper-shapes-1": 1, "prose-1": 3})
    monkeypatch.setitem(GROUPS, "small", {"head 0": ("Q0", "S0"), "end": ["Z"]})
    done = {"Q0": feedback("right", 2), "Z": feedback("off", 0.5)}
    assert progress_of("small", done, "Z").text.splitlines() == [
        "1 of 4 steps right. 1 to look at again (Z), 2 not filled in. 2.5 of 7 points.",
        "  head 0  #  .",
        "  end    [/]",
        "  other   .",
        "  # right   / to look at again   . not filled in   [ ] checked last",
        "The first step to mend is Z. The 1 question in words (3 points) is marked by hand.",
    ]
    note("small", "Q0", done["Q0"])
    assert first_line(progress()) == "1 of 4 steps right. 3 not filled in. 2 of 7 points."


def test_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check(softmax=TASKS["softmax"].reference)
    progress()
    assert os.listdir() == []
