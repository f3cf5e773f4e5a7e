"""Find the slip: endless, the same for the same seed, and checked by the engine that checks the homework."""

import numpy as np
import pytest
from support import plain_error

from helpers import find_the_slip
from helpers.checks.marks import first_off
from helpers.mistakes import mistakes_in

UNITS = ["encoder", "translation"]


def solution(slip):
    step = first_off(slip.marks)
    label = slip.marks[step].labels[0]
    return step, next(letter for letter, mistake in slip.choices.items() if mistake.label == label)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(12))
def test_one_step_and_one_way_are_right(unit, seed):
    slip = find_the_slip(unit, seed)
    step, letter = solution(slip)
    right = slip.answer(step=step, how=letter)
    assert (right.kind, right.points) == ("right", 2)
    for other in set(slip.choices) - {letter}:
        assert slip.answer(step=step, how=other).points == 1
    keys = [box.key for box in slip.boxes]
    for key in set(keys) - {step}:
        answer = slip.answer(step=key, how=letter)
        assert answer.points == 0
        assert answer.verdict.endswith("earlier." if keys.index(key) > keys.index(step) else "later.")


@pytest.mark.parametrize("unit", UNITS)
def test_every_other_step_is_right_for_the_numbers_before_it(unit):
    slip = find_the_slip(unit, 3)
    step, _ = solution(slip)
    assert [key for key, mark in slip.marks.items() if mark.kind != "right"] == [step]


def test_the_same_seed_is_the_same_slip_and_seeds_differ():
    assert find_the_slip("encoder", 4).display.text == find_the_slip("encoder", 4).display.text
    found = {solution(find_the_slip("encoder", seed)) for seed in range(25)}
    assert len({step for step, _ in found}) > 8


def test_a_label_answers_as_its_letter_does():
    slip = find_the_slip("encoder", 2)
    step, letter = solution(slip)
    assert slip.answer(step=step, how=slip.choices[letter].label).kind == "right"
    assert slip.answer(step=step, how=f" {letter.upper()} ").kind == "right"
    assert slip.answer(step=step).verdict == f"{step} is the step. How did it break?"


@pytest.mark.parametrize("nothing", ["", "  ", None, ..., "...", "…"])
def test_an_empty_answer_is_not_filled_in_yet(nothing):
    slip = find_the_slip("encoder", 2)
    for how in ("", nothing, "a", 7):
        empty = slip.answer(step=nothing, how=how)
        assert (empty.kind, empty.verdict, empty.points, empty.begun) == ("empty", "Not filled in yet.", 0, False)
    assert slip.answer().kind == "empty"
    step, _ = solution(slip)
    assert slip.answer(step.lower(), nothing).verdict == f"{step} is the step. How did it break?"


def test_what_was_found_is_counted_and_no_points():
    slip = find_the_slip("encoder", 2)
    step, letter = solution(slip)
    assert slip.answer(step).text.endswith("(1 of 2 found)")
    assert "point" not in slip.answer(step, letter).display.text


@pytest.mark.parametrize("unit", UNITS)
def test_the_list_of_ways_tells_neither_the_step_nor_the_way(unit):
    for seed in range(20):
        slip = find_the_slip(unit, seed)
        step, _ = solution(slip)
        families = {box.key: {m.label for m in mistakes_in(box)} for box in slip.boxes}
        labels = [mistake.label for mistake in slip.choices.values()]
        assert len(set(labels)) == len({m.shows for m in slip.choices.values()}) == 5, labels
        fit = {key: found.intersection(labels) for key, found in families.items()}
        assert len(fit[step]) >= 2
        assert any(len(found) >= 2 and not found & fit[step] for found in fit.values())


def test_the_rows_of_the_table_stand_under_their_ids():
    for unit in UNITS:
        slip = find_the_slip(unit, 1)
        lines = slip.display.text.splitlines()
        for word, number in slip.givens["vocabulary"].items():
            (line,) = [line for line in lines if line.startswith(f"{number} {word} ")]
            assert [float(entry) for entry in line.partition("|")[2].split()] == list(slip.givens["E"][number])


def test_everything_needed_is_shown():
    slip = find_the_slip("translation", 1)
    text = slip.display.text
    for name in ("E ", "Z ", "Wqm0", "Wkc1", "Wom", "W1", "b2", "E_out", "labels", *[box.key for box in slip.boxes]):
        assert f"\n{name}" in f"\n{text}", name
    assert np.all([f"\n{letter} " in text for letter in slip.choices])
    assert max(map(len, text.splitlines())) <= 100


def test_the_answer_is_not_given_away():
    for seed in range(6):
        slip = find_the_slip("encoder", seed)
        assert solution(slip)[0] not in slip.display.text[slip.display.text.index("One step broke") :]


@pytest.mark.parametrize(("unit", "seed"), [("decoder", 1), ("encoder", -1), ("encoder", "x"), (None, 0)])
def test_a_pass_that_is_none_is_one_plain_error(unit, seed):
    with plain_error():
        find_the_slip(unit, seed)


def test_an_answer_that_is_none_is_one_plain_error():
    slip = find_the_slip("encoder", 1)
    with plain_error("R0"):
        slip.answer(step="R0")
    with plain_error("'q'"):
        slip.answer(step="Q0", how="q")
