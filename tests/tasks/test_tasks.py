"""Every task accepts its reference, is tried on cases that can tell, and rejects the slips of the lesson plan."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import TASKS, check, check_fresh
from helpers.points import POINTS

seeds = st.integers(0, 2**32 - 1)

# A unit in which functions are written has answers beside this folder.
UNITS = {unit: import_module(f"answers.{unit}") for unit in POINTS if not unit.startswith("homework_")}
RIGHT = {name: answer for unit in UNITS.values() for name, answer in unit.RIGHT.items()}
SLIPS = [slip for unit in UNITS.values() for slip in unit.SLIPS]


def test_points_and_tasks_name_the_same_functions():
    assert {task.unit for task in TASKS.values()} == set(UNITS)
    for unit in UNITS:
        in_table = [name for name in POINTS[unit] if not name.startswith("prose-")]
        assert in_table == [name for name, task in TASKS.items() if task.unit == unit]
    assert set(RIGHT) == set(TASKS)
    assert {name for name, *_ in SLIPS} == set(TASKS)


@pytest.mark.parametrize("name", TASKS)
def test_reference_earns_everything(name):
    feedback = check(**{name: TASKS[name].reference})
    assert (feedback.kind, feedback.points) == ("right", POINTS[TASKS[name].unit][name])


@pytest.mark.parametrize("name", RIGHT)
def test_another_right_answer_earns_everything(name):
    assert check(**{name: RIGHT[name]}).kind == "right"


@pytest.mark.parametrize("name", RIGHT)
@settings(max_examples=15)
@given(seed=seeds)
def test_another_right_answer_is_right_on_every_fresh_draw(name, seed):
    assert check_fresh(seed, **{name: RIGHT[name]}).kind == "right"


@pytest.mark.parametrize(("name", "slip", "function", "label"), SLIPS, ids=lambda v: v if isinstance(v, str) else "")
def test_a_slip_is_off_in_the_students_own_check(name, slip, function, label):
    feedback = check(**{name: function})
    assert feedback.kind == "off"
    assert feedback.points <= feedback.possible / 2


@pytest.mark.parametrize(("name", "slip", "function", "label"), SLIPS, ids=lambda v: v if isinstance(v, str) else "")
@settings(max_examples=8)
@given(seed=seeds)
def test_a_slip_never_passes_the_hidden_check(name, slip, function, label, seed):
    feedback = check_fresh(seed, **{name: function})
    assert feedback.kind == "off"
    assert feedback.points <= feedback.possible / 2


@pytest.mark.parametrize("name", TASKS)
@settings(max_examples=5)
@given(seed=seeds)
def test_pasted_results_of_the_visible_cases_fail_the_hidden_ones(name, seed):
    task = TASKS[name]
    cases = task.visible()
    pasted = {repr(case.args): task.reference(*case.args) for case in cases if not case.raises}

    def function(*args):
        return pasted.get(repr(args), next(iter(pasted.values())))

    assert check_fresh(seed, **{name: function}).kind == "off"


@pytest.mark.parametrize("name", TASKS)
def test_fresh_cases_are_the_same_for_the_same_seed_and_differ_between_seeds(name):
    drawn = [repr([case.args for case in TASKS[name].fresh(np.random.RandomState(seed))]) for seed in (1, 1, 2)]
    without_addresses = [text.split(" at 0x")[0] for text in drawn]
    assert without_addresses[0] == without_addresses[1]
    assert drawn[0] != drawn[2]


def test_shapes_are_the_ones_of_the_papers_base_model():
    paper = TASKS["shapes"].reference(9, 512, 8, 2048)
    assert (paper["X"], paper["Q_h"], paper["S_h"], paper["F_pre"]) == ((9, 512), (9, 64), (9, 9), (9, 2048))


def test_counts_are_the_ones_the_lesson_names():
    assert TASKS["encoder_parameters"].reference(8, 32, 1) == 840
    assert TASKS["encoder_parameters"].reference(512, 2048, 1) == 3_150_336
    assert TASKS["encoder_multiply_adds"].reference(9, 8, 32, 1) == 8208


def test_order_matters_only_once_positions_are_added():
    without, with_positions, _ = TASKS["order_gap"].visible()
    assert TASKS["order_gap"].reference(*without.args) < 1e-12
    assert TASKS["order_gap"].reference(*with_positions.args) == pytest.approx(1.65, abs=0.005)


def test_dead_units_of_the_course_run_are_138_of_288():
    case = TASKS["dead_units"].visible()[0]
    assert TASKS["dead_units"].reference(*case.args).tolist() == [15, 15, 14, 17, 16, 18, 13, 15, 15]
