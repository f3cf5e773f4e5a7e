"""The card of generation: its tiles, its bars, its buttons, and what it says of the cache."""

import re

import pytest

from helpers.cards import find, generation
from helpers.cards.controls import Chosen
from helpers.cards.settings import Settings
from helpers.cards.shared import Shared
from helpers.cards.shell import Live
from helpers.cards.writing import LONGEST, Rule, newest, written
from helpers.trained import known_words

CARD = find("generation")


def chosen(**changes):
    return Chosen(**(vars(CARD.start(Settings())) | changes))


def plain(mine=None, **changes):
    return " ".join(CARD.draw(mine or Settings(), chosen(**changes)).display.text.split())


def ending():
    """Settings whose greedy words end, and how many words there are with the end."""
    for seed in range(99):
        mine = Settings(d_model=4, heads=2, layers=1, target=("ja",), source=("yes",), seed=seed)
        state = written(mine, Rule(), LONGEST)
        if state.ended and len(state.ids) > 2:
            return mine, len(state.ids) - 1
    raise AssertionError("none of these runs ends")


@pytest.mark.parametrize("words", [0, 1, 4])
def test_the_tiles_are_the_words_so_far_and_one_to_come(words):
    mine = Settings()
    names = {id_: word for word, id_ in mine.example.vocabulary.items()}
    so_far = [names[id_] for id_ in written(mine, Rule(), words).ids]
    assert len(so_far) == words + 1
    stage = CARD.draw(mine, chosen(words=words))
    assert " ".join(f"[{word}]" for word in so_far) + " (next word)" in stage.display.text
    assert stage.display.body.count('class="was"') == words + 1
    assert stage.display.body.count('class="to"') == 1
    assert stage.note == f"written: {words}"


def test_the_bars_are_shares_of_the_last_row_and_the_word_to_be_written_is_named():
    mine = Settings()
    state = written(mine, Rule(), 2)
    described = re.search(r"<desc[^>]*>(.*?)</desc>", CARD.draw(mine, chosen(words=2)).display.body).group(1)
    for word, share in zip(mine.example.candidates, state.shares, strict=True):
        assert f"{word} {share:.3f}".replace("<", "&lt;").replace(">", "&gt;") in described
    assert f"{mine.example.candidates[state.next]} {state.shares.max():.3f} likeliest" in described
    following = written(mine, Rule(), 3).ids[-1]
    assert following == mine.example.vocabulary[mine.example.candidates[state.next]]


def test_a_drawn_word_is_marked_as_drawn():
    text = plain(rule="sample", draw=5)
    assert text.count(" drawn") == 1
    assert "likeliest" not in text


def test_a_cut_is_said_and_shown_with_the_shares_before_it():
    assert "dashed" not in plain()
    text = plain(top_k=2)
    assert "dashed: before 5 words were cut" in text
    assert text.count("0.000 cut") == 5
    assert "dashed: before 6 words were cut" in plain(top_p=0.05)


@pytest.mark.parametrize(("temperature", "sharper"), [(0.2, True), (5.0, False)])
def test_temperature_sharpens_and_flattens(temperature, sharper):
    mine = Settings()
    even = written(mine, Rule(), 2).shares.max()
    other = written(mine, Rule(T=temperature), 2)
    assert (other.shares.max() > even) == sharper
    assert f"{other.shares.max():.3f} likeliest" in plain(mine, temperature=temperature)


def test_the_end_stops_it_and_the_sentence_is_told():
    mine, words = ending()
    out = " ".join(["ja"] * (words - 1))
    text = plain(mine, words=LONGEST)
    assert "Written so far" in text
    assert f"<eos> is written: the end. “yes” became “{out}”." in text
    assert "Next word after" not in text
    assert text == plain(mine, words=words)


def test_without_an_end_the_card_stops():
    never = next(Settings(seed=seed) for seed in range(99) if not written(Settings(seed=seed), Rule(), LONGEST).ended)
    assert f"{LONGEST} words and no <eos>: the card stops here." in plain(never, words=LONGEST)


def test_random_weights_are_named_as_such():
    assert "The weights are random, so the words mean nothing." in plain()


def test_the_encoder_runs_once():
    mine = Settings()
    written.cache_clear()
    newest.cache_clear()
    assert mine.run.encoder is mine.run.encoder
    assert "once, with 10,368 multiply-adds, and does not run again" in plain(mine)


def test_cached_and_full_are_compared(monkeypatch):
    assert "Each of the 3 cached steps equals the full one. Largest difference of a logit: 0.000000." in plain()
    assert "The cached step equals the full one." in plain(words=0)
    monkeypatch.setattr(generation, "gap", lambda settings, ids: 0.125)
    assert "differs from the full one. Largest difference of a logit: 0.125000." in plain()


# --- the buttons --------------------------------------------------------------------------------


@pytest.fixture
def live(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Live(CARD, Shared(Settings()))


def test_step_writes_one_word_and_start_again_none(live):
    live.widgets["step"].click()
    assert (live.chosen.words, live.widgets["words"].value) == (3, 3)
    assert "written: 3" in live.foot.value
    live.widgets["again"].click()
    assert live.chosen.words == 0
    assert live.stage.value.count('class="was"') == 1


def test_play_goes_to_the_end_and_begins_again_from_there(live):
    for _ in range(LONGEST):
        live.widgets["play"].click()  # without a loop one press is one word
        if generation._step(live.shared.settings, live.chosen) is None:
            break
    assert generation._step(live.shared.settings, live.chosen) is None
    live.widgets["play"].click()
    assert live.chosen.words == 1


def test_top_k_reaches_all_words_that_can_be_written(live):
    assert live.widgets["top_k"].max == 7
    live.shared.change(lambda: None, target="ja nein")
    assert live.widgets["top_k"].max == 3


# --- trained weights ----------------------------------------------------------------------------

TRANSLATIONS = [
    ("the cat sat on the mat", "die katze saß auf der matte"),
    ("dog bites man", "hund beißt mann"),
    ("man bites dog", "mann beißt hund"),
    ("the small cat slept", "die kleine katze schlief"),
]


@pytest.mark.parametrize(("english", "german"), TRANSLATIONS)
def test_with_trained_weights_it_translates(english, german):
    mine = Settings(trained=True, source=tuple(english.split()), target=tuple(german.split()))
    text = plain(mine, words=LONGEST)
    assert f"“{english}” became “{german}”. These are the words of your German sentence." in text
    assert "random" not in text
    other = Settings(trained=True, source=tuple(english.split()), target=("katze",))
    assert "These are not the words of your German sentence." in plain(other, words=LONGEST)


def test_with_trained_weights_every_german_word_can_be_written():
    mine = Settings(trained=True)
    known = len(known_words("german"))
    assert f"Next word after katze, 9 of {known + 1} words" in plain(mine, words=2)
    assert f"dashed: before {known - 2} words were cut" in plain(mine, words=2, top_k=3)


def test_an_unlikely_draw_is_among_the_bars():
    mine = Settings(trained=True)
    for draw in range(20):
        text = plain(mine, words=0, rule="sample", temperature=5.0, draw=draw)
        assert text.count(" drawn") == 1
