"""Our marks beside those of nbgrader's own autograde, cell by cell: one lesson and one homework, since it is slow."""

import json

import nbformat
import pytest
from handing_in import answered, cell, full, marker, of_tests, release, unit
from round_trip import hand_in_and_mark

pytestmark = pytest.mark.slow
KINDS = ("right", "half", "untouched", "slips")


def submissions(name):
    tests = list(full(unit(name)))
    half = [test.removeprefix("check-") for test in tests[: len(tests) // 2]]
    slips = answered(name)
    if name == "encoder":
        # Wrong by a mistake that leaves no entry right, so that no draw of fresh numbers decides on a part.
        cell(slips, "softmax")["source"] = "def softmax(s):\n    return np.exp(s)"
        cell(slips, "embed")["source"] = "def embed(ids, E):\n    return E[ids]"
        cell(slips, "shapes")["source"] = "def shapes(n, d_model, h, d_ff):\n    return None"
        cell(slips, "encoder_parameters")["source"] = "def encoder_parameters(d_model, d_ff, layers):\n    return 1 / 0"
    else:
        cell(slips, "Q0")["source"] = "Q0 = [[1, 2], [3, 4], [5, ...]]"
        cell(slips, "S0")["source"] = "S0 = [[0.1] * 3] * 2"
        cell(slips, "paper-shapes-1")["source"] = "paper_shapes = {'ids': '3', 'E_rows': ..., 'X': '3 x 8'}"
        cell(slips, "X")["source"] = "X = 'eleven'"
    return dict(zip(KINDS, (answered(name), answered(name, *half), release(name), slips), strict=True))


@pytest.mark.parametrize("name", ["encoder", "homework_encoder"])
def test_the_same_points_cell_by_cell(name, tmp_path):
    handed_in = submissions(name)
    theirs = hand_in_and_mark(
        tmp_path, name, {student: nbformat.from_dict(notebook) for student, notebook in handed_in.items()}
    )
    with marker() as mark:
        for student, notebook in handed_in.items():
            ours = mark(name, json.dumps(notebook).encode(), student)
            assert of_tests(unit(name), ours) == theirs.points[student], student
            by_hand = {item for item, needed in theirs.needs_hand[student].items() if needed}
            assert set(ours.by_hand) == by_hand, student
