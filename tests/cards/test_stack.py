"""The cards of both stacks: every matrix they open is the run's, and what they say of layers is compared."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.cards import find
from helpers.cards.controls import Chosen
from helpers.cards.settings import Settings
from helpers.cards.shared import Shared
from helpers.cards.shell import Live
from helpers.cards.stack import HANDS_ON, READS, _differing, key_of, openable, opened, tower
from helpers.displays.numbers import fixed
from helpers.steps import decoder_steps, encoder_steps

SMALL = Settings(d_model=4, heads=2, layers=3)
KEYS = {"encoder": "stack", "decoder": "decoder stack"}
both = pytest.mark.parametrize("stack", KEYS)


def drawn(stack, mine=SMALL, **changes):
    card = find(KEYS[stack])
    return card.draw(mine, Chosen(**(vars(card.start(mine)) | changes)))


@both
def test_every_step_and_every_weight_matrix_of_a_layer_can_be_opened(stack):
    steps = (encoder_steps if stack == "encoder" else decoder_steps)(2)
    names = {name for _, name in openable(stack)}
    for head in (0, 1):
        keys = {key_of(stack, name, head) for name in names}
        assert {step.key for step in steps if step.part == "layer" and step.head in (None, head)} <= keys
        values = getattr(SMALL.run, stack).layer(1)
        assert all(np.ndim(values[key]) == 2 for key in keys)
    assert {"Wo" + mark for mark in {"encoder": [""], "decoder": "mc"}[stack]} | {"W1", "W2"} <= names


@both
def test_an_opened_matrix_shows_the_numbers_of_its_layer_and_head(stack):
    for layer, head in ((1, 0), (2, 1), (3, 1)):
        values = getattr(SMALL.run, stack).layer(layer)
        for _, name in openable(stack):
            key = key_of(stack, name, head)
            shown = opened(SMALL, stack, name, head, layer).text.splitlines()
            first = [float(number) for number in shown[2].split("|", 1)[1].split()]
            wanted = np.where(values[key][0] <= -1e8, -np.inf, values[key][0])[: len(first)]
            assert np.allclose(first, wanted, rtol=0, atol=0.00501), key


@both
def test_another_layer_shows_other_numbers_and_weights(stack):
    for name in (HANDS_ON[stack], "W1"):
        texts = {drawn(stack, open=name, layer=layer).display.text for layer in (1, 2, 3)}
        assert len(texts) == 3


@both
def test_both_shapes_are_those_of_the_opened_matrix(stack):
    for _, name in openable(stack):
        stage = drawn(stack, open=name, head=1, layer=2)
        shape = np.shape(getattr(SMALL.run, stack).layer(2)[key_of(stack, name, 1)])
        assert stage.this == " × ".join(map(str, shape)), name
        assert stage.paper.count("×") == 1
    assert drawn(stack, open="W1", layer=1).paper == "512 × 2,048"


@both
def test_before_the_first_layer_the_input_waits(stack):
    stage = drawn(stack, layer=0)
    assert "No layer has worked yet." in stage.display.text
    assert fixed(getattr(SMALL.run, stack)[READS[stack]][0, 0], 2) in stage.display.text
    assert "layer 1 is to come" in stage.display.body


@both
def test_what_a_layer_reads_is_compared_with_what_the_one_below_hands_on(stack):
    values = getattr(SMALL.run, stack)
    for layer in (2, 3):
        assert np.array_equal(values.layer(layer)[READS[stack]], values.layer(layer - 1)[HANDS_ON[stack]])
        said = " ".join(drawn(stack, layer=layer).display.text.split())
        assert f"Layer {layer} reads what layer {layer - 1} hands on: no entry differs." in said
        weights = "Wq" if stack == "encoder" else "Wqm"
        other = np.sum(values.layer(layer)[weights] != values.layer(layer - 1)[weights])
        assert f"{other} of 16 entries differ" in said


def test_entries_that_differ_are_counted():
    a = np.zeros((2, 3))
    assert _differing(a, a) == "no entry differs"
    assert _differing(a, np.array([[0, 1, 0], [0, 0, 2]])) == "2 of 6 entries differ"


def test_z_enters_every_layer_of_the_decoder_alone():
    text = tower("decoder", 3, 2).text
    assert text.count("Z -> ") == 3
    assert "Z enters every layer" in tower("decoder", 3, 2).body
    assert "Z enters" not in tower("encoder", 3, 2).body
    assert "From the side comes Z" in drawn("decoder").display.text


def test_the_tower_says_which_layers_are_done_here_and_to_come():
    picture = tower("encoder", 3, 2)
    assert "layer 1 is done, layer 2 is here, layer 3 is to come" in picture.body
    assert [picture.body.count(f'class="{look}"') for look in ("done", "now")] == [1, 1]
    assert picture.text.splitlines()[1:4] == ["[ layer 3 ]  to come", "[ layer 2 ]  here", "[ layer 1 ]  done"]


@both
def test_play_goes_up_and_begins_again_at_the_end(stack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    live = Live(find(KEYS[stack]), Shared(SMALL))
    reached = []
    for _ in range(4):
        live.widgets["play"].click()
        reached.append(live.chosen.layer)
    assert reached == [2, 3, 1, 2]
    for expected in (1, 0, 0):
        live.widgets["back"].click()
        assert live.chosen.layer == live.widgets["layer"].value == expected


def test_fewer_layers_clamp_the_one_that_is_reached(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared = Shared(SMALL)
    live = Live(find("stack"), shared)
    live.widgets["layer"].value = 3
    shared.change(live.redraw, layers=2)
    assert live.chosen.layer == 2
    assert shared.settings == replace(SMALL, layers=2)
