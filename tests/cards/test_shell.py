"""Cards at work, without a browser: widgets change, pictures follow, and nothing a reader does raises."""

import asyncio
import re

import pytest

from helpers.cards import find
from helpers.cards.settings import Settings
from helpers.cards.shared import Shared
from helpers.cards.shell import Live
from helpers.displays.style import FRAME, minified


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def shared():
    return Shared(Settings())


def live(key, shared):
    return Live(find(key), shared)


def alert(card):
    found = re.search(r'role="alert">(.*?)</p>', card.stage.value)
    return found and found[1]


def statuses(card):
    return re.findall(r'role="status">(.*?)</p>', card.stage.value)


def test_a_change_on_one_card_moves_another(shared):
    sentence, scores = live("sentence", shared), live("scores", shared)
    sentence.widgets["source"].value = "man bites dog"
    assert shared.settings.source == ("man", "bites", "dog")
    assert [label for label, _ in scores.widgets["asks"].options] == ["man", "bites", "dog"]
    assert ">bites<" in scores.stage.value
    assert "3 × 3" in scores.foot.value


def test_what_is_typed_is_tidied_and_said(shared):
    card = live("sentence", shared)
    card.widgets["source"].value = "The cat, sat!"
    assert card.widgets["source"].value == "the cat sat"
    assert len(statuses(card)) == 2
    card.widgets["source"].value = "the cat"
    assert statuses(card) == []


def test_what_is_refused_stays_typed_and_changes_nothing(shared):
    card = live("sentence", shared)
    picture = card.stage.value
    card.widgets["source"].value = "one two three four five six seven eight nine"
    assert alert(card) == "The English sentence has 9 words; the cards take up to 8."
    assert card.widgets["source"].value.endswith("nine")
    assert shared.settings == Settings()
    card.widgets["source"].value = "the cat sat on the mat"
    assert card.stage.value == picture


def test_an_example_is_one_press_away(shared):
    card = live("sentence", shared)
    card.widgets["source_2"].click()
    assert card.widgets["source"].value == "dog bites man"


def test_a_new_width_offers_its_heads_and_recommended_goes_back(shared):
    card = live("sizes", shared)
    card.widgets["d_model"].value = 12
    assert [value for _, value in card.widgets["heads"].options] == [1, 2, 3, 4, 6]
    card.widgets["heads"].value = 6
    card.widgets["layers"].value = 5
    card.widgets["d_model"].value = 10
    assert shared.settings.heads == card.widgets["heads"].value == 5
    card.widgets["recommended"].click()
    assert (shared.settings.d_model, shared.settings.heads, shared.settings.layers) == (8, 2, 2)
    assert [card.widgets[name].value for name in ("d_model", "heads", "layers")] == [8, 2, 2]


def test_new_weights_show_their_seed(shared):
    sizes, scores = live("sizes", shared), live("scores", shared)
    before = scores.stage.value
    sizes.widgets["new_weights"].click()
    assert sizes.widgets["seed"].value == shared.settings.seed == 43
    assert "random weights, seed 43" in scores.foot.value
    assert scores.stage.value != before


def test_a_place_beyond_a_shorter_sentence_becomes_its_last_word(shared):
    sentence, scores = live("sentence", shared), live("scores", shared)
    scores.widgets["asks"].value = 5
    sentence.widgets["source"].value = "the cat sat"
    assert scores.chosen.asks == scores.widgets["asks"].value == 2


def test_the_card_that_asked_is_drawn_first(shared):
    order = []
    cards = [live(key, shared) for key in ("sizes", "scores", "sentence")]
    for card in cards:
        card.stage.observe(lambda change, key=card.card.key: order.append(key), "value")
    cards[2].widgets["source"].value = "a b c"
    assert order[0] == "sentence"
    assert set(order) == {"sizes", "scores", "sentence"}


def test_style_is_sent_with_the_head_and_not_with_every_picture(shared):
    card = live("scores", shared)
    assert "<style>" in card.head.value
    assert minified(FRAME) in card.head.value
    heads = []
    card.head.observe(lambda change: heads.append(1), "value")
    card.widgets["answers"].value = 3
    assert heads == []
    assert "<style>" not in card.stage.value + card.foot.value


def test_a_remark_on_what_was_recalled_is_said_by_one_card():
    shared = Shared(Settings(), "Something was wrong.")
    first, second = live("sizes", shared), live("scores", shared)
    assert statuses(first) == ["Something was wrong."]
    assert statuses(second) == []


def test_a_cell_that_is_run_again_leaves_no_endless_row_of_cards(shared):
    cards = [live("scores", shared) for _ in range(5)]
    shared.change(cards[-1].redraw, source="a b")
    assert [">b<" in card.stage.value for card in cards] == [False, False, False, True, True]


def test_play_goes_on_until_the_end_and_stops_when_pressed(shared, monkeypatch):
    from helpers.cards import shell
    from helpers.cards.card import Card, Stage
    from helpers.cards.controls import Number, Press
    from helpers.displays.output import Display

    monkeypatch.setattr(shell, "SECONDS_A_STEP", 0.01)
    play = Press("play", "Play", plays=True, change=lambda s, c: {"at": c.at + 1} if c.at < 5 else None)
    shown = Card("toy", "encoder", 99, "Toy", "?", "3", lambda s, c: Stage(Display(str(c.at), str(c.at)), "", ""),
                 (Number("at", "at", 0, high=9), play))  # fmt: skip

    async def to_the_end():
        card = Live(shown, shared)
        button = card.widgets["play"]
        button.click()
        assert (button.description, card.chosen.at) == ("Pause", 1)
        await asyncio.sleep(0.2)
        assert (button.description, card.chosen.at) == ("Play", 5)
        card.apply({"at": 4})
        button.click()
        assert (button.description, card.chosen.at) == ("Play", 5), "after the last step there is nothing to pause"
        card.apply({"at": 0})
        button.click()
        button.click()
        await asyncio.sleep(0.1)
        assert (button.description, card.chosen.at) == ("Play", 1)

    asyncio.run(to_the_end())
    card = Live(shown, shared)
    card.widgets["play"].click()  # without a loop: one step
    assert card.chosen.at == 1
