"""Boxes: every step that is written down, with the raw scores folded in, gives what the trace gives."""

from dataclasses import replace

import numpy as np
import pytest

from helpers import course_run, forward_pass, homework_example
from helpers.boxes import boxes_of, decoder_boxes, encoder_boxes, work_out
from helpers.steps import decoder_steps, encoder_steps
from helpers.trace import givens


def keys(boxes):
    return [box.key for box in boxes]


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_every_step_is_a_box_but_the_folded_ones(heads):
    assert keys(encoder_boxes(heads)) == [s.key for s in encoder_steps(heads) if s.written]
    assert keys(decoder_boxes(heads)) == [s.key for s in decoder_steps(heads) if s.written]


def test_what_is_not_written_down_is_the_row_s_own_word():
    """The sum before a norm, not written: the norm folds it in, and a last step that nobody reads just goes."""
    table = tuple(replace(step, written=step.written and step.key not in ("res2", "Z")) for step in encoder_steps(2))
    boxes = boxes_of(table)
    assert keys(boxes) == [key for key in keys(encoder_boxes(2)) if key not in ("res2", "Z")]
    table = tuple(replace(step, written=step.written and step.key != "res2") for step in encoder_steps(2))
    norm = boxes_of(table)[-1]
    assert (norm.key, norm.inputs, norm.formula) == ("Z", ("N1", "F", "gamma2", "beta2"), "LN(N1 + F)")
    run = course_run().encoder
    np.testing.assert_allclose(norm.work_out(run), run.Z, rtol=1e-13)


def test_the_homework_has_the_boxes_and_entries_it_says():
    example = homework_example()
    run = forward_pass(example)
    encoder, decoder = encoder_boxes(2), decoder_boxes(2, candidates=True)
    assert len(encoder) == 26
    assert sum(np.size(run.encoder[box.key]) for box in encoder) == 267
    assert sum(np.size(run.decoder[box.key]) for box in decoder) == 610


@pytest.mark.parametrize("run", [course_run(), forward_pass(homework_example())], ids=["course", "homework"])
def test_working_the_boxes_out_gives_the_run(run):
    heads, candidates = run.sizes.heads, run.example.candidates is not None
    read = work_out(encoder_boxes(heads), givens(run.example, "encoder", 1))
    written = work_out(decoder_boxes(heads, candidates), givens(run.example, "decoder", 1) | {"Z": read["Z"]})
    for values, stack, boxes in (
        (read, run.encoder, encoder_boxes(heads)),
        (written, run.decoder, decoder_boxes(heads)),
    ):
        for box in boxes:
            np.testing.assert_allclose(values[box.key], stack[box.key], rtol=1e-13, atol=1e-13)


def test_scores_fold_their_raw_products_in():
    scores = next(box for box in encoder_boxes(2) if box.key == "S1")
    assert scores.inputs == ("Q1", "K1", "d_k")
    assert scores.formula == "Q1 · K1ᵀ / √d_k"
    assert scores.hint.startswith("One dot product for each query and each key. Divide")
    Q, K = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])
    np.testing.assert_allclose(scores.rule(Q, K, 4), [[5.5, 8.5]])


def test_every_box_belongs_to_one_part_of_the_pass():
    groups = [(box.group, box.key) for box in encoder_boxes(2)]
    assert list(dict(groups)) == ["start", "head 0", "head 1", "mix", "FFN"]
    assert dict(reversed(groups))["FFN"] == "F_pre"
    assert {box.key for box in decoder_boxes(2) if box.group == "cross mix"} == {"Cc", "Mc", "res2", "Y2"}
    assert {box.key for box in decoder_boxes(2) if box.group == "words"} == {
        "logits",
        "P",
        "losses",
        "loss",
        "next_word",
    }
