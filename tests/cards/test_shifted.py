"""The sentence shifted right: what a position has seen and must predict, and who says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cards import find
from helpers.cards.controls import Chosen
from helpers.cards.settings import Settings
from helpers.cards.shared import Shared
from helpers.cards.shell import Live
from helpers.cards.shifted import shifted

WORDS = ["die", "katze", "saß", "🐱", "مرحبا", "x" * 20]


def drawn(mine, word):
    return find("shifted right").draw(mine, Chosen(word=word)).display


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7))
def test_inputs_and_labels_are_one_sentence_one_place_apart(target):
    mine = Settings(target=tuple(target))
    reads, predicts = shifted(mine)
    assert reads == list(mine.example.tgt_words) == ["<sos>", *target]
    assert predicts == list(mine.example.label_words) == [*target, "<eos>"]


@pytest.mark.parametrize("word", range(7))
def test_a_position_has_seen_itself_and_what_is_before(word):
    mine = Settings()
    picture, words = drawn(mine, word), mine.target
    seen, due = " ".join(("<sos>", *words)[: word + 1]), (*words, "<eos>")[word]
    described = f"Position {word} has read {seen} and must predict {due}."
    assert described.replace("<", "&lt;").replace(">", "&gt;") in picture.body
    assert picture.body.count('class="done"') == word + 1
    assert picture.body.count('class="now"') == 1
    assert picture.text.count("\n> ") == 1
    assert f"> {word}  reads {('<sos>', *words)[word]}, must predict {due}" in picture.text
    assert (f"read at position {word + 1}" in " ".join(picture.text.split())) == (word < 6)


def test_whether_the_due_word_was_seen_before_is_looked_up():
    mine = Settings(target=("hund", "beißt", "hund"))
    assert "“beißt” is not among what it has seen." in " ".join(drawn(mine, 1).text.split())
    assert "It has seen “hund” before" in " ".join(drawn(mine, 2).text.split())


def test_the_next_position_comes_round_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    live = Live(find("shifted right"), Shared(Settings(target=("ja", "nein"))))
    places = [live.chosen.word]
    for _ in range(3):
        live.widgets["next"].click()
        places.append(live.widgets["word"].value)
    assert places == [2, 0, 1, 2]
