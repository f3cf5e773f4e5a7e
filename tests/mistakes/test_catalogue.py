"""The catalogue: every entry can be made, differs from the right result, and reads well."""

import re

import numpy as np
import pytest

from helpers import homework_example, personal_example
from helpers.boxes import decoder_boxes, encoder_boxes, work_out
from helpers.checks.homework import homework_boxes, homework_givens
from helpers.mistakes import CATALOGUE, LABELS, Mistake, mistakes_in
from helpers.mistakes.mistake import possible
from helpers.mistakes.writing import RIGHT

BOXES = [box for boxes in (encoder_boxes(2), decoder_boxes(2, candidates=True)) for box in boxes]
PAIRS = [(mistake, box) for box in BOXES for mistake in mistakes_in(box)]
# Wrong rules that need sizes the homework does not have.
NEEDS_OTHER_SIZES = {"scores.k-not-transposed"}


def passes():
    for example in (homework_example(), *(personal_example(f"catalogue {k}") for k in range(6))):
        for unit in ("encoder", "translation"):
            boxes = homework_boxes(unit, example)
            yield boxes, work_out(boxes, homework_givens(unit, example))


PASSES = list(passes())


@pytest.mark.parametrize("mistake", CATALOGUE, ids=lambda m: f"{m.label}-{'-'.join(m.families)}")
def test_every_entry_happens_somewhere_and_reads_well(mistake):
    assert possible(CATALOGUE, next(box for box in BOXES if mistake.happens_in(box)))
    assert re.fullmatch(r"[a-z]+\.[a-z0-9_-]+", mistake.label)
    assert mistake.question.endswith("?")
    assert len(mistake.question) <= 130
    assert mistake.shows.endswith(".")
    assert not re.search(r"\b(simply|just|obviously|clearly|wrong!|error)\b", mistake.question + mistake.shows)


@pytest.mark.parametrize("mistake", [m for m in CATALOGUE if m.takes == RIGHT], ids=lambda m: m.label)
def test_a_slip_of_the_pen_moves_entries_and_turns_signs_and_does_nothing_else(mistake):
    """The checker learns such a slip once for each shape, from the numbers 1, 2, 3, …, and trusts it ever after."""
    rng, seen = np.random.RandomState(4), 0
    for boxes, values in PASSES:
        for box in filter(mistake.happens_in, boxes):
            shape = np.shape(values[box.key])
            numbered = 1.0 + np.arange(float(np.prod(shape))).reshape(shape)
            right = rng.standard_normal(shape)
            learnt, made = (mistake.stack(box, {}, numbers) for numbers in (numbered, right))
            assert set(np.abs(learnt).ravel()) <= set(numbered.ravel())
            expected = np.sign(learnt) * right.ravel()[np.abs(learnt).astype(int) - 1]
            assert np.array_equal(made, expected)
            seen += made.size
    assert seen


def test_one_label_is_one_mistake_in_each_box():
    for box in BOXES:
        labels = [m.label for m in mistakes_in(box)]
        assert len(set(labels)) == len(labels), box.key


@pytest.mark.parametrize("label", LABELS)
def test_every_mistake_changes_what_it_can_happen_in(label):
    made, changes = 0, {}
    for boxes, values in PASSES:
        for box in boxes:
            for mistake in (m for m in mistakes_in(box) if m.label == label):
                right = np.asarray(values[box.key])
                variants = mistake.variants(box, values, right)
                made += len(variants)
                changed = any(v.shape != right.shape or np.abs(v - right).max() > 1e-3 for v in variants)
                # The favourite of the first row may be that of the last: once in all these passes is enough.
                changes[box.key] = changes.get(box.key, False) or changed or not variants
    assert made > 0 or label in NEEDS_OTHER_SIZES
    # The plain typo is the right result, to be left by one entry.
    assert all(changes.values()) or label == "entry.typo", [key for key, changed in changes.items() if not changed]


def test_the_design_names_these_and_they_are_there():
    """The list of the design, line by line: softmax, scores, heads, masks, sums, norms, FFN, inputs, codes, output."""
    assert {
        "softmax.columns", "softmax.everything", "softmax.no-exp",
        "scores.not-scaled", "scores.divided-by-d_k", "scores.divided-by-root-d_model", "scores.multiplied",
        "scores.k-not-transposed", "scores.transposed", "heads.interleaved", "heads.swapped", "heads.summed",
        "mask.after-softmax", "mask.flipped", "mask.diagonal", "mask.zero", "mask.none", "mask.on-cross",
        "output.no-wo", "weights.transposed", "residual.forgotten", "residual.doubled", "residual.wrong-stream",
        "norm.columns", "norm.sample-variance", "norm.variance", "norm.mean-kept", "norm.before-residual",
        "relu.forgotten", "relu.after-second", "ffn.bias-forgotten",
        "embedding.not-scaled", "embedding.scaled-after-pe", "rows.wrong-row",
        "pe.column-as-i", "pe.cosine-next", "pe.base-1000", "pe.halves", "pe.swapped", "pe.from-1",
        "cross.sources-swapped", "ids.not-shifted", "logits.input-rows",
        "loss.log10", "loss.no-minus", "loss.wrong-row",
        "entry.sign", "rows.exchanged", "columns.exchanged", "matrix.transposed", "entry.typo", "row.copied",
        "rounding.early",
    } <= set(LABELS)  # fmt: skip


def test_a_new_mistake_is_one_entry():
    halved = Mistake("scores.halved", ("S",), lambda Q, K, d_k: Q @ K.T / 2, "Where is the root?", "Halves the scores.")
    box = next(box for box in BOXES if box.key == "S0")
    _, values = PASSES[0]
    assert possible((*CATALOGUE, halved), box)[-1] is halved
    (variant,) = halved.variants(box, values, values["S0"])
    np.testing.assert_allclose(variant, values["Q0"] @ values["K0"].T / 2)


# Independent values of a few wrong rules, by plain loops; the simulated students of tests/pupils cover all of them.


def variant_of(label, key, unit=0, which=0):
    boxes, values = PASSES[unit]
    box = next(box for box in boxes if box.key == key)
    (mistake,) = [m for m in mistakes_in(box) if m.label == label]
    return mistake.variants(box, values, np.asarray(values[key]))[which], values


def test_columns_of_a_softmax_add_up_to_one():
    made, values = variant_of("softmax.columns", "A0")
    np.testing.assert_allclose(made.sum(axis=0), 1)
    np.testing.assert_allclose(made / made[0], np.exp(values["S0"] - values["S0"][0]), rtol=1e-12)


def test_sample_variance_shrinks_rows_by_the_root_of_three_quarters():
    made, _ = variant_of("norm.sample-variance", "N1")
    np.testing.assert_allclose(made.std(axis=1), np.sqrt(3 / 4), rtol=1e-4)


def test_a_mask_of_zeros_leaves_the_future_some_weight():
    made, values = variant_of("mask.zero", "Am0", unit=1)
    first = np.exp(values["Sm0"][0, 0])
    np.testing.assert_allclose(made[0], [first / (first + 3), *[1 / (first + 3)] * 3])


def test_degrees_turn_slowly():
    made, _ = variant_of("pe.degrees", "PE")
    np.testing.assert_allclose(made[1, 0], 0.0174524064)
