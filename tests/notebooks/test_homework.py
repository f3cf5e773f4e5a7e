"""The homework notebooks: what they print agrees with the table, and their round trip through nbgrader.

A student here works every box out, rounds what is written down to three decimals, and goes on with that.
"""

import re

import numpy as np
import pytest
from course_units import HOMEWORKS, PROJECT, answers, checks, grading, prose, release, solution, text_outputs
from round_trip import assert_marked_alike, errors, hand_in_and_mark

from helpers import homework
from helpers.boxes import decoder_boxes, encoder_boxes
from helpers.counts import encoder_multiply_adds
from helpers.points import POINTS
from helpers.sizes import HOMEWORK, PAPER_BASE
from helpers.steps import decoder_steps, encoder_steps
from helpers.transformer import BLOCKED

STACKS = {"homework_encoder": "encoder", "homework_translation": "decoder"}
SLIP = "E_scaled"
PERSON = "ada"
PEN = 3  # decimals written down

# What is no matrix of its shape, or no number.
TYPED = {
    "Q0": "Q0 = [[1, 2], [3, 4], [5, ...]]",
    "S0": "S0 = [[0.1] * 3] * 2",
    "paper-shapes-1": "paper_shapes = {'ids': '3', 'E_rows': ..., 'X': '3 x 8'}",
    "X": "X = 'eleven'",
}

per_unit = pytest.mark.parametrize("unit", HOMEWORKS)


def the_homework(unit, student=""):
    return homework(unit.removeprefix("homework_"), student=student)


def boxes_of(unit):
    boxes = encoder_boxes(2) if STACKS[unit] == "encoder" else decoder_boxes(2, candidates=True)
    return {box.key: box for box in boxes}


def steps_of(unit):
    steps = encoder_steps(2) if STACKS[unit] == "encoder" else decoder_steps(2, candidates=True)
    return {step.key: step for step in steps}


def numbers_of(unit, student="", slip=None):
    """Key → what a student writes; slip: the key of a box whose entries are all doubled, and gone on with."""
    example = the_homework(unit, student)
    values = {
        name: example.given[name] for box in boxes_of(unit).values() for name in box.inputs if name in example.given
    }
    for key, box in boxes_of(unit).items():
        result = np.asarray(box.work_out(values))
        if result.dtype.kind == "f":
            result = np.where(result <= BLOCKED, -np.inf, result.round(PEN))
        values[key] = 2 * result if key == slip else result
    return {key: values[key] for key in boxes_of(unit)}


def typed(key, numbers):
    """What stands in a box."""
    return f"{key} = {np.asarray(numbers).tolist()}"


def filled(unit, numbers, student=""):
    """The release with some boxes filled in, the questions about the paper and the prose answered."""
    notebook, right = release(unit), solution(unit)
    for name, cell in answers(notebook).items():
        if name in numbers:
            cell.source = typed(name, numbers[name])
        elif name not in boxes_of(unit):
            cell.source = answers(right)[name].source
    for name, cell in prose(notebook).items():
        cell.source = prose(right)[name].source
    if student:
        setup = next(cell for cell in notebook.cells if cell.id == "setup")
        assert 'student = ""' in setup.source
        setup.source = setup.source.replace('student = ""', f'student = "{student}"')
    return notebook


# --- the notebook and the table ----------------------------------------------------------------


@per_unit
def test_boxes_stand_in_the_order_of_the_table_of_points(unit):
    order = list(answers(solution(unit)))
    assert order == [name for name in POINTS[unit] if not name.startswith("prose-")]
    assert {*boxes_of(unit)} == {name for name in order if not name.startswith("paper-shapes-")}


@per_unit
def test_points_are_those_of_the_table(unit):
    found = {name.removeprefix("check-"): grading(cell).points for name, cell in checks(solution(unit)).items()}
    found |= {name: grading(cell).points for name, cell in prose(solution(unit)).items()}
    assert found == POINTS[unit]


def formula(unit, key):
    steps = steps_of(unit)
    step = steps[key]
    # Raw scores are written into the box of the scaled ones.
    folded = steps.get(f"R{key[1:]}") if step.family == "S" else None
    return step.formula.replace(folded.key, folded.formula) if folded else step.formula


@per_unit
def test_every_box_says_formula_and_shape_of_the_table(unit):
    for key, box in boxes_of(unit).items():
        shape = " × ".join(box.step.shape)
        size = f"shape {shape}" if shape else "a word" if key == "next_word" else "a single number"
        said = f"{key} = {formula(unit, key)}, {size}"
        assert answers(release(unit))[key].source.splitlines()[0] == f"# {said}"


@per_unit
def test_every_box_is_announced_with_its_formula_its_shapes_and_the_hint_of_the_table(unit):
    cells = {cell.id: cell.source for cell in release(unit).cells}
    symbols = the_homework(unit).example.symbols
    for key, box in boxes_of(unit).items():
        text = cells[f"{key}-ask"]
        here = [str(symbols[name]) for name in box.step.shape]
        title = "" if box.step.title == key else f" · {box.step.title}"
        assert text.startswith(f"### {key}{title}\n"), key
        assert f"`{key} = {formula(unit, key)}`" in text, key
        assert " × ".join(box.step.shape) in text, key
        assert f"here {' × '.join(here)}" in text or not here, key
        hints = [box.step.hint]
        hints += [steps_of(unit)[f"R{key[1:]}"].hint] if box.family == "S" else []
        folded = re.search(r"<details><summary>Hint</summary>(.*)</details>", text).group(1)
        assert all(hint in folded for hint in hints), key


@per_unit
def test_an_empty_box_has_a_dot_for_every_entry_and_the_word_of_every_row(unit):
    example = the_homework(unit).example
    words = {"n_src": example.src_words, "n_tgt": example.tgt_words}
    for key, box in boxes_of(unit).items():
        source = answers(release(unit))[key].source
        namespace = {}
        exec(source, namespace)
        assert np.shape(namespace[key]) == tuple(example.symbols[name] for name in box.step.shape), key
        assert {*np.ravel(np.array(namespace[key], dtype=object))} == {...}, key
        if len(box.step.shape) == 2:
            assert re.findall(r"\],  # (.*)", source) == list(words[box.step.shape[0]]), key
        if len(box.step.shape) == 1:
            assert source.endswith(f"]  # {', '.join(words[box.step.shape[0]])}"), key


@per_unit
def test_prose_holds_no_number_of_the_pinned_run(unit):
    """It has to be true of everyone's numbers."""
    true_of_all = {"0.67", "1.34", "0.5", "1.000", "0.999", "1.001", "0.866", "0.00001", "1.386"}
    text = " ".join(cell.source for cell in solution(unit).cells if cell.cell_type == "markdown")
    assert {*re.findall(r"\d+\.\d+", re.sub(r"§[\d.]+", "", text))} <= true_of_all


@per_unit
def test_counts_in_the_introduction(unit):
    example = the_homework(unit).example
    sizes = [int(np.prod([example.symbols[name] for name in box.step.shape])) for box in boxes_of(unit).values()]
    if STACKS[unit] == "encoder":
        work = encoder_multiply_adds(HOMEWORK, n_src=3)
    else:
        masked = 4 * 4 * 4**2 + 2 * 4**2 * 4
        cross = 2 * (4 + 3) * 4**2 + 2 * 4 * 3 * 4
        work = masked + cross + 2 * 4 * 4 * 8 + 4 * 4 * 4
    opening = solution(unit).cells[0].source
    assert f"{len(sizes)} boxes with {sum(sizes)} numbers" in opening
    assert f"{work:,} multiply-adds" in opening
    assert HOMEWORK.d_ff == 2 * HOMEWORK.d_model
    assert PAPER_BASE.d_ff == 4 * PAPER_BASE.d_model


# --- the round trip ----------------------------------------------------------------------------


def mistyped(unit):
    notebook = filled(unit, numbers_of(unit))
    for name, cell in answers(notebook).items():
        cell.source = TYPED.get(name, cell.source)
    return notebook


def submissions(unit):
    right = numbers_of(unit)
    half = dict(list(right.items())[: len(right) // 2])
    # The last box of the half is half wrong: its first column is.
    last = list(half)[-1]
    assert half[last].shape[1] == 2
    half[last] = half[last] + [0.5, 0]
    return {
        "right": filled(unit, right),
        "half": filled(unit, half),
        "slip": filled(unit, numbers_of(unit, slip=SLIP)),
        "personal": filled(unit, numbers_of(unit, PERSON), PERSON),
        "elsewhere": filled(unit, numbers_of(unit, PERSON)),
        "untouched": release(unit),
        **({"typed": mistyped(unit)} if unit == "homework_encoder" else {}),
    }


@pytest.fixture(scope="module", params=[HOMEWORKS[0], pytest.param(HOMEWORKS[1], marks=pytest.mark.slow)])
def marks(request, tmp_path_factory):
    unit = request.param
    return hand_in_and_mark(tmp_path_factory.mktemp("course"), unit, submissions(unit))


def of_boxes(marks, student):
    """Key → points of a student, the questions about the paper left out."""
    keys = boxes_of(marks.unit)
    return {key: marks.points[student][f"check-{key}"] for key in keys}


def possible(marks):
    return {key: marks.possible[f"check-{key}"] for key in boxes_of(marks.unit)}


def test_nbgraders_own_release_is_ours_byte_for_byte(marks):
    ours = PROJECT / "notebooks" / marks.unit / f"{marks.unit}.ipynb"
    assert marks.released() == ours.read_bytes()


def test_everyone_was_marked_and_no_notebook_holds_an_error(marks):
    assert marks.points.keys() == submissions(marks.unit).keys()
    assert {student: errors(marks.notebook(student)) for student in marks.points} == {s: [] for s in marks.points}


def test_right_numbers_earn_every_point(marks):
    assert marks.points["right"] == marks.possible


def test_numbers_of_ones_own_earn_every_point(marks):
    assert marks.points["personal"] == marks.possible


def test_numbers_of_someone_else_fail_wherever_a_drawn_number_enters(marks):
    """Boxes that only go on from others are right for what they go on from; that is follow-through."""
    found, full = of_boxes(marks, "elsewhere"), possible(marks)
    drawn = re.compile(r"vocabulary|E|E_out|Z|W.*|b\d")
    reading = [key for key, box in boxes_of(marks.unit).items() if any(map(drawn.fullmatch, box.inputs))]
    assert len(reading) >= 10
    assert all(found[key] <= full[key] / 2 for key in reading), found


def test_half_the_boxes_earn_their_own_points_and_half_a_box_a_part(marks):
    found, full = of_boxes(marks, "half"), possible(marks)
    written = list(full)[: len(full) // 2]
    *whole, last = written
    assert all(found[key] == full[key] for key in whole), found
    # A rejected box earns half of its points times the share of entries that are right.
    assert found[last] == full[last] / 2 / 2
    assert all(found[key] == 0 for key in full if key not in written), found


def test_a_slip_that_is_gone_on_with_costs_one_box_and_the_report_names_it(marks):
    found, full = of_boxes(marks, "slip"), possible(marks)
    assert {key for key in full if found[key] < full[key]} == {SLIP}, found
    report = next(cell for cell in marks.notebook("slip").cells if cell.id == "progress")
    assert SLIP in "\n".join(text_outputs(report))


def test_our_marker_gives_the_same_points_cell_by_cell(marks):
    handed_in = submissions(marks.unit)
    # Unlike nbgrader, our marker asks whether the id in the notebook is that of the student who hands it in.
    del handed_in["personal"]
    assert_marked_alike(marks, handed_in)


def test_an_untouched_release_earns_nothing(marks):
    assert set(marks.points["untouched"].values()) == {0}


def test_words_wait_for_a_person_unless_none_were_written(marks):
    assert set(marks.needs_hand["right"].values()) == {True}
    assert set(marks.needs_hand["untouched"].values()) == {False}
