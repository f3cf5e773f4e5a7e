"""The shipped model: what the loader gives, how small it is, and that it translates as its room says."""

import dataclasses

import numpy as np
import pytest
from support import plain_error

import helpers.trained
from helpers.sizes import Sizes
from helpers.trace import forward_pass
from helpers.trained import model, trained_example, trained_sizes, translate
from helpers.trained.report import nouns_found, report, strongest_look
from helpers.trained.sentences import NAMED, word_ids

CAT = ["the", "cat", "sat"]
KATZE = ["die", "katze", "saß"]


def test_the_file_is_small():
    assert model.FILE.stat().st_size < 48 * 1024


def test_sizes_suit_the_cards():
    sizes = trained_sizes()
    assert sizes == Sizes(d_model=16, heads=2, d_ff=64, vocab=len(word_ids()), layers=1)
    assert sizes.d_ff == 4 * sizes.d_model


def test_an_example_is_whole():
    example = trained_example(CAT, KATZE)
    assert example.src_words == ("the", "cat", "sat")
    assert example.tgt_words == ("<sos>", "die", "katze", "saß")
    assert example.label_words == ("die", "katze", "saß", "<eos>")
    assert example.vocabulary == word_ids()
    assert example.candidates is None
    assert example.symbols["n_tgt"] == 4


def test_the_start_token_alone_is_enough():
    run = forward_pass(trained_example(CAT, []))
    assert run.tgt_words == ("<sos>",)
    assert list(run.vocabulary)[int(run.decoder.next_word)] == "die"


def arrays_of(example):
    stacks = example.encoder_layers + example.decoder_layers
    return [example.E, *(W for weights in stacks for W in weights.values())]


def test_every_call_gives_the_same_and_nobody_can_write_into_it():
    first = arrays_of(trained_example(CAT, KATZE))
    model.load.cache_clear()
    for a, b in zip(first, arrays_of(trained_example(CAT, KATZE)), strict=True):
        assert a.tobytes() == b.tobytes()
        assert a.dtype == np.float64
        assert not b.flags.writeable


def test_three_decimals_are_all_there_are():
    for W in arrays_of(trained_example(CAT, KATZE)):
        assert [float(f"{w:.3f}") for w in W.flat] == W.ravel().tolist()


def test_unknown_words_are_named():
    with plain_error("English words 'zebra' and 'katze'"):
        trained_example(["the", "zebra", "katze", "zebra"], KATZE)
    with plain_error("German word 'hunde'"):
        trained_example(CAT, ["die", "hunde"])
    with plain_error("German word '<sos>'"):
        trained_example(CAT, ["<sos>", "die"])


@pytest.mark.parametrize("words", ["the cat", None, [1, 2], []])
def test_what_is_no_list_of_words_is_refused(words):
    with plain_error("list of", "word"):
        trained_example(words, KATZE)


def test_a_saved_model_comes_back_rounded_to_thousandths(tmp_path):
    sizes, arrays = model.load()
    model.save(tmp_path / "m.npz", {name: W + 0.0004 for name, W in arrays.items()}, sizes)
    again_sizes, again = model.load(tmp_path / "m.npz")
    assert again_sizes == sizes
    for name, W in arrays.items():
        assert again[name].tolist() == W.tolist(), name


def test_a_file_that_is_missing_or_of_other_words_says_so(tmp_path):
    with plain_error("byhand train"):
        model.load(tmp_path / "none.npz")
    with np.load(model.FILE) as file:
        arrays = dict(file)
    arrays["words"] = arrays["words"][::-1]
    np.savez_compressed(tmp_path / "other.npz", **arrays)
    with plain_error("other.npz", "byhand train"):
        model.load(tmp_path / "other.npz")


# What it has learned


@pytest.mark.parametrize(("english", "german"), NAMED)
def test_the_named_sentences_are_translated(english, german):
    assert " ".join(translate(english.split())) == german


def test_translating_needs_known_words():
    with plain_error("'zebra'"):
        translate(["zebra"])


def test_cross_attention_leans_on_cat_when_katze_is_due():
    run = forward_pass(trained_example(CAT, KATZE))
    row = KATZE.index("katze")  # the row that reads "die" predicts "katze"
    assert run.label_words[row] == "katze"
    by_head = [run.decoder[f"Ac{i}"][row, CAT.index("cat")] for i in range(run.sizes.heads)]
    assert max(by_head) > 0.5
    looks = strongest_look(CAT, KATZE)
    assert looks.shape == (4, 3)
    assert looks[row, 1] == max(by_head)


def test_lines_cross_where_german_changes_the_order():
    english, german = ["today", "the", "cat", "slept"], ["heute", "schlief", "die", "katze"]
    looks = strongest_look(english, german)[:4].argmax(axis=1)
    assert english[looks[german.index("schlief")]] == "slept"
    assert english[looks[german.index("katze")]] == "cat"


def test_without_positions_the_dog_and_the_man_cannot_be_told_apart():
    dog, man = (
        forward_pass(trained_example(s.split(), [])) for s in ("the dog bites the man", "the man bites the dog")
    )
    assert np.allclose(np.sort(dog.encoder.E_scaled, axis=0), np.sort(man.encoder.E_scaled, axis=0))
    assert translate(dog.src_words) != translate(man.src_words)


def test_nouns_found_counts_each_noun_of_a_sentence():
    assert len(nouns_found("the dog bites the man", "der hund beißt den mann")) == 2


def test_the_room_states_what_is_measured():
    measured = report()
    for line in str(measured).splitlines():
        assert line in helpers.trained.__doc__
    for right, all_ in dataclasses.astuple(measured)[:2]:
        assert right / all_ >= 0.95
