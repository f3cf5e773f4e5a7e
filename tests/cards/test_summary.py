"""The summary: every step with both shapes, and the one place where the two lengths meet."""

import re

import pytest

from helpers.cards import find
from helpers.cards.controls import Chosen
from helpers.cards.settings import Settings
from helpers.cards.summary import meeting, side
from helpers.sizes import PAPER_BASE, shape_in
from helpers.steps import all_steps, decoder_steps, encoder_steps

MINE = Settings(heads=4, layers=3, source=("a", "b", "c"), target=("ja", "nein"))


def drawn(mine, stack="decoder"):
    return find("summary").draw(mine, Chosen(stack=stack))


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("mine", [Settings(), MINE])
def test_every_step_has_the_shape_of_its_array_and_the_papers(mine, stack):
    text = drawn(mine, stack).display.text
    steps = encoder_steps(1) if stack == "encoder" else decoder_steps(1, True)
    run = getattr(mine.run, stack)
    paper = PAPER_BASE.symbols(len(mine.source), len(mine.target) + 1) | {"n_out": PAPER_BASE.vocab}
    for step in steps:
        array = (run.layer(1) if step.part == "layer" else run)[step.key]
        shapes = [getattr(array, "shape", ()), shape_in(paper, step.shape)]
        this, papers = (" × ".join(map(str, shape)) or "one number" for shape in shapes)
        assert re.search(rf"^{step.key}\s.*\s{this}\s+{papers}$", text, re.M), step.key


def test_both_lengths_meet_in_cross_attention_alone():
    met = meeting(all_steps(2))
    assert {step.mark for step in met} == {"c"}
    assert {step.family for step in met} == {"R", "S", "A", "H"}
    keys = {step.key: side(step) for step in decoder_steps(1)}
    assert (keys["Kc0"], keys["Qc0"], keys["Y3"], keys["loss"]) == ("n", "m", "m", "")
    assert {side(step) for step in encoder_steps(1)} == {"n"}


def test_what_is_said_counts_heads_and_layers():
    text = " ".join(drawn(MINE).display.text.split())
    assert "n and m meet in 4 steps, all in cross-attention: Rc0, Sc0, Ac0, Hc0." in text
    assert "12 times in this run" in text
    assert "No step of the encoder" in " ".join(drawn(MINE, "encoder").display.text.split())


def test_the_meeting_rows_are_lit_and_said_in_words():
    body = drawn(MINE).display.body
    assert body.count('class="on"') == body.count("<td>n and m</td>") == 4
    assert 'class="on"' not in drawn(MINE, "encoder").display.body


def test_the_chains_show_what_is_handed_on():
    text = drawn(MINE).display.text
    for box in (
        "[3 words]",
        "[X 3 × 8]",
        "encoder, 3 layers",
        "[Z 3 × 8]",
        "[Y3 3 × 8]",
        "[logits 3 × 3]",
        "[scores 3 × 3]",
    ):
        assert box in text
    assert drawn(MINE).this == "n 3, m 3, 3 layers"
    assert drawn(Settings(layers=1)).this == "n 6, m 7, 1 layer"


def test_with_trained_weights_all_words_compete_at_the_output():
    text = drawn(Settings(trained=True)).display.text
    V = Settings(trained=True).sizes.vocab
    assert f"[logits 7 × {V}]" in text
    assert re.search(rf"^logits\s.*7 × {V}\s+7 × 37000$", text, re.M)
