"""The lessons' round trip through nbgrader itself: release, submissions of every kind, autograde, the marks.

A student's right answers are the solution notebook's own; wrong ones are made from them.
"""

import pytest
from course_units import LESSONS, PROJECT, answers, functions, grading, prose, release, solution
from round_trip import assert_marked_alike, errors, hand_in_and_mark

# Put after a right answer, these make it wrong in one way each. NAME is the function's name.
pytestmark = pytest.mark.slow
SPOIL_ALL = """
def _spoiled(value):
    if isinstance(value, dict):
        return {key: _spoiled(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_spoiled(entry) for entry in value)
    return value + 1

def NAME(*arguments, _right=NAME, **named):
    return _spoiled(_right(*arguments, **named))
"""
# Of an array the first entry only; of anything else nothing.
SPOIL_ONE = """
def NAME(*arguments, _right=NAME, **named):
    value = _right(*arguments, **named)
    first = value[0] if isinstance(value, tuple) else value
    if isinstance(first, np.ndarray) and first.size:
        first = first.copy()
        first.flat[0] += 1
        return (first, *value[1:]) if isinstance(value, tuple) else first
    return value
"""
# The answer to the first question it is asked, whatever it is asked later: a pasted matrix.
PASTE = """
def NAME(*arguments, _right=NAME, _pasted=[], **named):
    if not _pasted:
        _pasted.append(_right(*arguments, **named))
    return _pasted[0]
"""
# Wrong by mistakes that leave no entry right, so that no draw of fresh numbers decides on a part; one of them stops.
SLIPS = {
    "embed": "def embed(ids, E):\n    return E[ids]",
    "softmax": "def softmax(s):\n    return np.exp(s)",
    "shapes": "def shapes(n, d_model, h, d_ff):\n    return None",
    "encoder_parameters": "def encoder_parameters(d_model, d_ff, layers):\n    return 1 / 0",
}
# Marked by nbgrader and by us on other fresh numbers, and yet the same.
CERTAIN = ("right", "half", "untouched", "slips")


def answer(unit, wanted=lambda position: True, spoil=""):
    """A student's notebook: the release with the solution's answers at the wanted positions, each then spoilt."""
    notebook, right = release(unit), solution(unit)
    sources = {name: cell.source for name, cell in answers(right).items()}
    for position, (name, cell) in enumerate(answers(notebook).items()):
        if wanted(position):
            spoilt = (spoil.replace("NAME", function) for function in functions(sources[name]))
            cell.source = "\n".join([sources[name], *spoilt])
    if wanted(0) and not spoil:
        for name, cell in prose(notebook).items():
            cell.source = prose(right)[name].source
    return notebook


def slips(unit):
    notebook = answer(unit)
    for name, cell in answers(notebook).items():
        cell.source = SLIPS.get(name, cell.source)
    return notebook


def submissions(unit):
    half = len(answers(release(unit))) // 2
    return {
        "right": answer(unit),
        "half": answer(unit, wanted=lambda position: position < half),
        "wrong": answer(unit, spoil=SPOIL_ALL),
        "nearly": answer(unit, spoil=SPOIL_ONE),
        "pasted": answer(unit, spoil=PASTE),
        "untouched": release(unit),
        **({"slips": slips(unit)} if unit == "encoder" else {}),
    }


@pytest.fixture(scope="module", params=LESSONS)
def marks(request, tmp_path_factory):
    unit = request.param
    return hand_in_and_mark(tmp_path_factory.mktemp("course"), unit, submissions(unit))


def test_nbgraders_own_release_is_ours_byte_for_byte(marks):
    ours = PROJECT / "notebooks" / marks.unit / f"{marks.unit}.ipynb"
    assert marks.released() == ours.read_bytes()


def test_everyone_was_marked(marks):
    assert marks.points.keys() == submissions(marks.unit).keys()
    expected = {grading(cell).grade_id for cell in release(marks.unit).cells if grading(cell).get("points")}
    assert {*marks.possible, *marks.needs_hand["right"]} == expected


def test_right_answers_earn_every_point(marks):
    assert marks.points["right"] == marks.possible


def test_an_untouched_release_earns_nothing(marks):
    assert set(marks.points["untouched"].values()) == {0}


def test_half_the_answers_earn_their_own_points_and_no_others(marks):
    names = list(answers(release(marks.unit)))
    written = {f"check-{name}" for name in names[: len(names) // 2]}
    assert marks.points["half"] == {name: marks.possible[name] * (name in written) for name in marks.possible}


def test_wrong_answers_earn_next_to_nothing(marks):
    points, possible = marks.points["wrong"], marks.possible
    assert all(points[name] < possible[name] / 2 for name in possible), points
    assert sum(points.values()) < 0.1 * sum(possible.values())


def test_nearly_right_answers_earn_part_of_the_points(marks):
    """A rejected answer earns at most half of its points, and the share that is right decides how much of them."""
    points, possible = marks.points["nearly"], marks.possible
    partial = {name for name in possible if 0 < points[name] < possible[name]}
    assert partial
    assert all(points[name] <= possible[name] / 2 for name in partial), points
    assert 0 < sum(points.values()) < sum(possible.values())


def test_a_pasted_matrix_never_passes(marks):
    points, possible = marks.points["pasted"], marks.possible
    assert all(points[name] <= possible[name] / 2 for name in possible), points


def test_our_marker_gives_the_same_points_cell_by_cell(marks):
    handed_in = submissions(marks.unit)
    assert_marked_alike(marks, {student: handed_in[student] for student in CERTAIN if student in handed_in})


def test_words_wait_for_a_person_unless_none_were_written(marks):
    assert set(marks.needs_hand["right"].values()) == {True}
    assert set(marks.needs_hand["untouched"].values()) == {False}


def test_no_graded_notebook_holds_an_error(marks):
    assert {
        student: errors(marks.notebook(student)) for student in marks.points if errors(marks.notebook(student))
    } == {}
