"""The key: a simulated student's numbers are those of the key, or within its tolerance; slips are seen at a glance."""

import numpy as np
import pytest
from pupils.honest import fill, numeric_boxes
from support import plain_error

from helpers import homework_example, personal_example
from helpers.mistakes import mistakes_in
from helpers.worksheets.content import Stack
from helpers.worksheets.key import written
from helpers.worksheets.orders import order

EXAMPLES = ["", "ada", "ben", "chloë", "dmitri", "eve"]


def stacks(student):
    example = personal_example(student) if student else homework_example()
    encoder = Stack(example, "encoder", 3)
    return example, {
        "encoder": encoder,
        "translation": Stack(example, "decoder", 3, Z=encoder.solved["Z"].value),
    }


def distances(example, found, kind):
    """(box, how far a student of this kind is from the key, its tolerance) of every box."""
    for unit, stack in found.items():
        Z = found["encoder"].solved["Z"].value if unit == "translation" else None
        done = fill(example, unit, kind, 3, np.random.default_rng(0), Z=Z)
        for box in numeric_boxes(unit):
            solved, theirs = stack.solved[box.key], np.asarray(done[box.key], dtype=float)
            blocked = solved.value <= -1e8
            assert np.array_equal(np.isneginf(theirs), blocked)
            gap = np.abs(np.where(blocked, 0, theirs) - np.where(blocked, 0, solved.value)).max()
            yield f"{unit} {box.key}", gap, solved.tolerance


@pytest.mark.parametrize("student", EXAMPLES)
def test_whoever_rounds_at_each_step_gets_the_key_to_the_digit(student):
    example, found = stacks(student)
    assert [(key, gap) for key, gap, _ in distances(example, found, "rounds") if gap > 1e-9] == []


@pytest.mark.parametrize("kind", ["full", "mixes", "internals"])
@pytest.mark.parametrize("student", EXAMPLES)
def test_honest_work_of_other_kinds_is_within_the_tolerance(student, kind):
    example, found = stacks(student)
    assert [(key, gap) for key, gap, most in distances(example, found, kind) if gap > most + 1e-9] == []


def test_the_tolerance_is_a_few_units():
    _, found = stacks("")
    tolerances = [s.tolerance for stack in found.values() for s in stack.solved.values()]
    assert max(tolerances) <= 0.030
    assert found["encoder"].solved["ids"].tolerance == found["encoder"].solved["E_rows"].tolerance == 0
    assert found["encoder"].solved["X"].tolerance == pytest.approx(0.001)


@pytest.mark.parametrize("student", EXAMPLES)
def test_every_slip_is_what_a_known_mistake_makes_and_is_seen(student):
    _, found = stacks(student)
    for stack in found.values():
        for box in stack.boxes:
            solved = stack.solved[box.key]
            made = [v for m in mistakes_in(box) for v in m.variants(box, stack.values, solved.value)]
            for slip in solved.slips:
                assert any(np.shape(v) == solved.value.shape and v[slip.at] == slip.wrong for v in made)
                assert abs(slip.wrong - solved.value[slip.at]) > 2 * solved.tolerance
                assert slip.shows.endswith(".")


def test_most_boxes_have_slips():
    _, found = stacks("")
    boxes = [s for stack in found.values() for s in stack.solved.values()]
    assert sum(bool(s.slips) for s in boxes) >= 0.95 * len(boxes)


def test_rounding_is_that_of_a_person():
    assert written([0.0005, -0.0005, 0.1234999, 1.0004999, -1e9], 3).tolist() == [
        0.001, -0.001, 0.123, 1.0, -1e9,
    ]  # fmt: skip
    # Half a unit that a float misses by a hair.
    assert written(2.0005 - 1e-13, 3) == 2.001
    assert str(float(written(-0.0001, 3))) == "0.0"


@pytest.mark.parametrize(
    ("sentences", "sizes", "students", "written_as_0"),
    [(("good morning", "guten Morgen"), (2, 1, 4), range(30), set()), (("a b", "c"), (8, 2, 8), range(40, 50), {46})],
)
def test_few_decimals_give_a_finite_key_or_one_sentence(sentences, sizes, students, written_as_0):
    """With 2 decimals errors are as large as a probability, and a small one is written as 0, without a logarithm."""
    wanted = order(*sentences, **dict(zip(("d_model", "heads", "d_ff"), sizes, strict=True)), decimals=2)
    for k in students:
        theirs = wanted.of(f"golden {k}")
        example = theirs.recipe.example(theirs.words, theirs.decoder_words, theirs.salt)
        Z = Stack(example, "encoder", 2).solved["Z"].value
        if k in written_as_0:
            with plain_error("2 decimals", "written as 0", "no logarithm"):
                Stack(example, "decoder", 2, Z=Z)
            continue
        for key, solved in Stack(example, "decoder", 2, Z=Z).solved.items():
            assert key == "next_word" or np.isfinite(solved.value).all()
            assert 0 <= solved.tolerance < 10
