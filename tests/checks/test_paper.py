"""A box that is mistyped or not filled in costs nothing but itself: later boxes may go on from what is on paper."""

from itertools import pairwise

import numpy as np
import pytest

from helpers import homework
from helpers.transformer import BLOCKED

UNITS = ("encoder", "translation")
STUDENTS = ("", "ada", "s3")


def on_paper(hw):
    """Key → what stands on paper: every box worked out from the rounded ones before it, and rounded."""
    values = {name: hw.given[name] for box in hw.boxes for name in box.inputs if name in hw.given}
    for box in hw.boxes:
        result = np.asarray(box.work_out(values))
        rounded = result.round(3) if result.dtype.kind == "f" else result
        values[box.key] = np.where(result <= BLOCKED, -np.inf, rounded) if box.family == "B" else rounded
    return {box.key: values[box.key] for box in hw.boxes}


def costs(unit, student, typed):
    """Keys that do not earn all their points when boxes are typed in one after the other; None: left empty."""
    hw = homework(unit, student=student)
    feedback = {key: hw.check(**{key: None if value is None else value.tolist()}) for key, value in typed.items()}
    return {key for key, f in feedback.items() if f.points < f.possible}


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("unit", UNITS)
def test_a_box_left_empty_costs_only_itself(unit, student):
    paper = on_paper(homework(unit, student=student))
    for key in paper:
        assert costs(unit, student, paper | {key: None}) == {key}


@pytest.mark.parametrize("student", STUDENTS)
@pytest.mark.parametrize("unit", UNITS)
def test_a_box_mistyped_from_paper_costs_only_itself(unit, student):
    paper = on_paper(homework(unit, student=student))
    for key, value in paper.items():
        if value.ndim == 2:
            typo = value.copy()
            typo[1, 0] += 0.4
            assert costs(unit, student, paper | {key: typo}) == {key}


@pytest.mark.parametrize("unit", UNITS)
def test_wrong_numbers_after_an_empty_box_are_still_wrong(unit):
    paper = on_paper(homework(unit))
    keys = [key for key, value in paper.items() if value.ndim == 2]
    for before, key in pairwise(keys):
        off = paper[key].copy()
        off[0, 0] += 0.02
        assert key in costs(unit, "", paper | {before: None, key: off}), (before, key)


@pytest.mark.parametrize("unit", UNITS)
def test_nothing_written_before_is_no_excuse(unit):
    paper = on_paper(homework(unit))
    for key, value in paper.items():
        if value.ndim == 2:
            off = value.copy()
            off[0, 0] += 0.04
            assert costs(unit, "", {key: value}) == set(), key
            assert costs(unit, "", {key: off}) == {key}, key
