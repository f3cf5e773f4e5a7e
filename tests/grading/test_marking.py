"""Honest submissions: every right answer earns its points, half of them half, the untouched release nothing."""

import json
import re

import nbformat
import pytest
from handing_in import UNITS, answered, cell, code, full, marker, name_of, of_tests, place, raw, release, texts, unit

from helpers import homework, personal_example
from helpers.boxes import encoder_boxes, work_out
from helpers.points import POINTS
from helpers.trace import givens


@pytest.fixture(scope="module")
def mark():
    with marker() as mark:
        yield mark


@pytest.fixture(scope="module")
def right(mark):
    return {name: mark(name, answered(name)) for name in UNITS}


per_unit = pytest.mark.parametrize("name", UNITS)


@per_unit
def test_right_answers_earn_every_point(right, name):
    marked = right[name]
    assert of_tests(unit(name), marked) == full(unit(name))
    assert marked.by_hand == [item for item in POINTS[name] if item.startswith("prose-")]
    assert (marked.repairs, marked.limits, marked.remarks, marked.labels) == ([], [], [], {})


@per_unit
def test_an_untouched_release_earns_nothing_and_waits_for_nobody(mark, name):
    marked = mark(name, release(name))
    assert {**marked.points} == dict.fromkeys(unit(name).points, 0.0)
    assert marked.by_hand == []
    assert (marked.repairs, marked.limits, marked.remarks) == ([], [], [])


@per_unit
def test_half_the_answers_earn_their_own_points(mark, name):
    tests = list(full(unit(name)))
    half = {test.removeprefix("check-") for test in tests[: len(tests) // 2]}
    # What an answer is made from must be there too.
    marked = mark(name, answered(name, *half))
    assert of_tests(unit(name), marked) == {
        test: points * (test.removeprefix("check-") in half) for test, points in full(unit(name)).items()
    }


@per_unit
def test_the_autograded_notebook_is_valid_and_in_the_releases_order(right, name):
    notebook = right[name].notebook
    nbformat.validate(nbformat.from_dict(json.loads(json.dumps(notebook))))
    assert [one["id"] for one in notebook["cells"]] == [one["id"] for one in release(name)["cells"]]
    assert [one["metadata"] for one in notebook["cells"]] == [one["metadata"] for one in release(name)["cells"]]
    assert not [
        one["id"] for one in notebook["cells"] for out in one.get("outputs", ()) if out["output_type"] == "error"
    ]


@per_unit
def test_every_verdict_stands_below_its_test_and_ends_in_its_points(right, name):
    for test, points in of_tests(unit(name), right[name]).items():
        outputs = cell(right[name].notebook, test)["outputs"]
        results = [out for out in outputs if out["output_type"] == "execute_result"]
        assert [float(out["data"]["text/plain"]) for out in results] == [points], test
        assert "Right" in texts(cell(right[name].notebook, test))


@per_unit
def test_no_hidden_test_is_in_what_students_get_back(right, name):
    told = json.dumps(right[name].notebook)
    assert "HIDDEN" not in told
    assert "check_fresh" not in told
    assert "With fresh numbers" not in told


@per_unit
def test_the_progress_of_the_student_is_shown_where_it_was_asked_for(right, name):
    last = next(one for one in right[name].notebook["cells"] if one["source"].strip().endswith("progress()"))
    points = sum(full(unit(name)).values())
    assert f"{points:g}" in texts(last)


def test_the_same_bytes_get_the_same_marks(mark):
    notebook = answered("encoder")
    cell(notebook, "softmax")["source"] = "def softmax(s):\n    return np.exp(s) / np.exp(s).sum()"
    cell(notebook, "embed")["source"] = "def embed(ids, E):\n    return E[ids] * (1 + 1e-3 * np.random.rand())"
    first, second = mark("encoder", notebook), mark("encoder", notebook)
    assert first.points == second.points
    assert first.labels == second.labels
    assert first.notebook == second.notebook


def test_a_named_mistake_costs_points_is_told_and_is_counted(mark):
    notebook = answered("encoder")
    cell(notebook, "softmax")["source"] = (
        "def softmax(s):\n    e = np.exp(s - s.max())\n    return e / e.sum(axis=0, keepdims=True)"
    )
    marked = mark("encoder", notebook)
    assert 0 <= marked.points["check-softmax"] <= 1
    assert marked.labels["check-softmax"] == ("softmax.columns",)
    shown = texts(cell(marked.notebook, "check-softmax"))
    assert "Question" in shown
    assert {test for test, points in full(unit("encoder")).items() if marked.points[test] < points} >= {"check-softmax"}


def test_right_on_what_is_shown_and_wrong_on_fresh_numbers_says_so_and_not_why(mark):
    notebook = answered("encoder")
    cell(notebook, "xavier_limit")["source"] = (
        "def xavier_limit(m, n):\n    return np.sqrt(6 / (m + n)) if m + n in (16, 40, 2, 1024, 2560) else 0.0"
    )
    marked = mark("encoder", notebook)
    points = marked.points["check-xavier_limit"]
    assert points < 2
    shown = texts(cell(marked.notebook, "check-xavier_limit"))
    if "Right" in shown:
        assert f"With fresh numbers this answer earns {points:g} of 2 points." in shown


def test_an_argument_that_is_changed_is_seen_across_the_wire(mark):
    notebook = answered("encoder")
    cell(notebook, "softmax")["source"] = (
        "def softmax(s):\n    s -= s.max(axis=-1, keepdims=True)\n    e = np.exp(s)\n"
        "    return e / e.sum(axis=-1, keepdims=True)"
    )
    marked = mark("encoder", notebook)
    assert marked.points["check-softmax"] == 0
    assert "It changed one of its arguments" in texts(cell(marked.notebook, "check-softmax"))


def test_a_function_that_calls_one_not_written_yet_names_it(mark):
    notebook = answered("encoder", "add_norm")
    marked = mark("encoder", notebook)
    assert marked.points["check-add_norm"] == 0
    assert "write layer_norm first" in texts(cell(marked.notebook, "check-add_norm"))


def test_an_error_in_a_function_is_told_with_its_kind(mark):
    notebook = answered("encoder", "softmax")
    cell(notebook, "softmax")["source"] = "def softmax(s):\n    raise KeyError('weights')"
    shown = texts(cell(mark("encoder", notebook).notebook, "check-softmax"))
    assert "It stopped with KeyError: 'weights'" in shown


def test_a_warning_costs_nothing(mark):
    notebook = answered("encoder")
    cell(notebook, "softmax")["source"] += "\n\nimport warnings\nwarnings.warn('careful')\nnp.log(np.zeros(1))"
    assert of_tests(unit("encoder"), mark("encoder", notebook)) == full(unit("encoder"))


def test_a_cell_with_a_broken_line_costs_its_own_points(mark):
    notebook = answered("encoder")
    cell(notebook, "softmax")["source"] = "def softmax(s)\n    return s"
    marked = mark("encoder", notebook)
    assert marked.points["check-softmax"] == 0
    assert "softmax has no value" in texts(cell(marked.notebook, "check-softmax"))
    assert "expected ':'" in texts(cell(marked.notebook, "softmax"))
    assert marked.points["check-layer_norm"] == 2


def test_cells_of_ones_own_run_in_their_place(mark):
    notebook = answered("encoder")
    there = place(notebook, "softmax")
    cell(notebook, "softmax")["source"] = "def softmax(s):\n    return mine(s)"
    notebook["cells"].insert(
        there,
        code("def mine(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)"),
    )
    notebook["cells"].insert(
        there + 2, code("%matplotlib inline\nprint(enc.X.shape, words[1])\nsoftmax(enc.S0).sum(1)")
    )
    marked = mark("encoder", notebook)
    assert of_tests(unit("encoder"), marked) == full(unit("encoder"))
    own = [one for one in marked.notebook["cells"] if one["id"].startswith("own-")]
    assert "(9, 8) cat" in texts(own[1])
    assert "array([1." in texts(own[1])


def test_a_lessons_names_are_there_for_those_who_read_them(mark):
    """Released cells run when an answer reads what they give, and only then."""
    notebook = answered("encoder")
    cell(notebook, "xavier_limit")["source"] = (
        "def xavier_limit(m, n):\n    assert len(codes) == 5 and counter(3).shape == (3, 8)\n"
        "    return np.sqrt(6 / (m + n))"
    )
    # `codes` is given a value further down, as students who run their cells out of order have it.
    there = place(notebook, "check-xavier_limit")
    moved = [notebook["cells"].pop(there - 1), notebook["cells"].pop(there - 1)]
    notebook["cells"] += moved
    marked = mark("encoder", notebook)
    assert any(re.search("Moved", repair) for repair in marked.repairs)
    cell(notebook, "xavier_limit")["source"] = (
        "def xavier_limit(m, n):\n    return np.sqrt(6 / (m + n)) * len(words) / 9"
    )
    assert mark("encoder", notebook).points["check-xavier_limit"] == 2


# The homework's numbers


def filled(numbers, typed=""):
    notebook = release("homework_encoder")
    for one in notebook["cells"]:
        if name_of(one) in numbers:
            one["source"] = f"{name_of(one)} = {numbers[name_of(one)]}"
        if typed and one["cell_type"] == "code":
            one["source"] = one["source"].replace('student = ""', f'student = "{typed}"')
    return notebook


def numbers(example):
    values = work_out(encoder_boxes(2), givens(example, "encoder", 1))
    return {box.key: values[box.key].round(3).tolist() for box in encoder_boxes(2)}


def boxes(marked):
    return {key: marked.points[f"check-{key}"] for key in (box.key for box in encoder_boxes(2))}


def test_with_a_salt_the_numbers_of_the_folder_count(mark):
    own = filled(numbers(personal_example("ada", "salt of the tests")), "ada")
    marked = mark("homework_encoder", own, "ada", "salt of the tests")
    assert set(boxes(marked).values()) == {2}
    assert marked.remarks == []
    elsewhere = mark("homework_encoder", own, "bob", "salt of the tests")
    assert boxes(elsewhere)["Q0"] <= 1
    assert elsewhere.remarks == ["The notebook works with the numbers of 'ada'; it was handed in by bob."]


def test_with_a_salt_the_pinned_numbers_do_not_count_and_the_report_says_so(mark):
    pinned = numbers(homework("encoder").example)
    marked = mark("homework_encoder", filled(pinned), "ada", "salt of the tests")
    assert boxes(marked)["E_rows"] <= 1
    assert marked.remarks == ["The notebook works with the pinned numbers; those of ada count."]


def test_without_a_salt_the_pinned_numbers_count_and_those_of_the_own_id(mark):
    pinned = numbers(homework("encoder").example)
    assert set(boxes(mark("homework_encoder", filled(pinned))).values()) == {2}
    own = filled(numbers(personal_example("ada")), "Ada ")
    assert set(boxes(mark("homework_encoder", own)).values()) == {2}
    assert boxes(mark("homework_encoder", filled(numbers(personal_example("ada")))))["Q0"] <= 1


def test_the_given_numbers_in_the_sandbox_are_those_that_count(mark):
    notebook = filled({}, "somebody else")
    cell(notebook, "E_rows")["source"] = "E_rows = hw.given.E[[hw.given.vocabulary[word] for word in words]]"
    marked = mark("homework_encoder", notebook, "ada", "salt of the tests")
    assert marked.points["check-E_rows"] == 2


def test_a_box_that_is_half_filled_earns_a_part(mark):
    notebook = release("homework_encoder")
    cell(notebook, "ids")["source"] = "ids = [6, 8, 5]"
    cell(notebook, "E_rows")["source"] = (
        "from fractions import Fraction\nE_rows = [[-0.3, '-0,3', Fraction(-3, 10), ...], [0.5, 0.8, None, ''], ...]"
    )
    marked = mark("homework_encoder", notebook)
    shown = texts(cell(marked.notebook, "check-E_rows"))
    assert "not filled in" in shown
    assert marked.points["check-ids"] == 2


def test_the_translation_goes_on_from_a_students_own_z(mark):
    ask = answered("homework_translation")
    marked = mark("homework_translation", ask)
    assert marked.points["check-Km0"] == 2
    own = next(one for one in ask["cells"] if one["id"] == "z-own-box")
    own["source"] = own["source"].replace("[ ... , ... , ... , ... ]", "[0.1, 0.2, -0.4, 0.1]", 1)
    changed = mark("homework_translation", ask)
    assert changed.remarks == ["Every entry of your Z must be filled in. Leave all of it empty to use the printed Z."]
    own["source"] = "Z = [[0.1, 1.2, -0.4, -0.9], [1.1, -1.2, 0.4, -0.3], [0.7, 0.7, -1.4, 0]]\nhw = hw.start(Z=Z)"
    changed = mark("homework_translation", ask)
    assert changed.points["check-Kc0"] <= 1
    assert raw(ask)
