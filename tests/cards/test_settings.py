"""The one Settings object: what can be chosen, and the run that follows."""

import itertools

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.cards.settings import (
    MOST_LAYERS,
    RECOMMENDED,
    SOURCE_EXAMPLES,
    TARGET_EXAMPLES,
    WIDTHS,
    Settings,
    allowed_heads,
    ids_of,
)
from helpers.errors import PlainError
from helpers.sizes import COURSE


def changed(**changes):
    return Settings().changed(**changes)[0]


def test_every_choice_of_width_and_heads_is_a_valid_size():
    for width in WIDTHS:
        for h in allowed_heads(width):
            sizes = changed(d_model=width, heads=h).sizes
            assert (sizes.d_model, sizes.heads, sizes.d_k, sizes.d_ff) == (width, h, width // h, 4 * width)
            assert sizes.d_k >= 2


def test_recommended_sizes_are_those_of_the_course():
    assert {name: RECOMMENDED[name] for name in ("d_model", "heads")} == {
        "d_model": COURSE.d_model,
        "heads": COURSE.heads,
    }
    assert changed(**RECOMMENDED).sizes.d_ff == COURSE.d_ff


@pytest.mark.parametrize(("width", "before", "after"), [(12, 4, 4), (10, 4, 2), (6, 4, 3), (4, 8, 2), (8, 3, 2)])
def test_heads_follow_a_new_width(width, before, after):
    start = Settings(d_model=16, heads=before) if 16 % before == 0 else Settings(d_model=12, heads=before)
    assert start.changed(d_model=width)[0].heads == after


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"d_model": 7}, "d_model is 7; it must be one of 4, 6, 8, 10, 12 or 16."),
        ({"heads": 3}, "3 heads do not share 8 columns; 1, 2 or 4 do."),
        ({"layers": 7}, "layers is 7; the cards take 1 to 6."),
        ({"layers": 0}, "layers is 0; it must be a whole number of at least 1."),
        ({"seed": 10_000}, "seed is 10000; the cards take 0 to 9999."),
        ({"source": ""}, "There is no word in the English sentence yet: type one to 8 words."),
        ({"target": "a b c d e f g h"}, "The German sentence has 8 words; the cards take up to 7."),
        ({"source": ("A", "b")}, "('A', 'b') are no words of a sentence as the cards keep them."),
    ],
)
def test_what_cannot_be_had_is_one_sentence(changes, said):
    with pytest.raises(PlainError) as error:
        changed(**changes)
    assert str(error.value) == said


def test_the_examples_that_are_offered_can_be_had():
    sources = [changed(source=text).source for text in SOURCE_EXAMPLES]
    assert any(len(set(words)) < len(words) for words in sources), "one has a repeated word"
    assert ("dog", "bites", "man") in sources
    assert ("man", "bites", "dog") in sources
    for text in TARGET_EXAMPLES:
        assert changed(target=text).target == tuple(text.split())


def test_the_run_is_the_forward_pass_of_the_oracle():
    mine = changed(source="man bites dog", target="mann beißt hund", d_model=6, heads=3, layers=3, seed=7)
    example, h = mine.example, mine.heads
    E, E_out = oracle.as_lists((example.E, example.E_out))
    encoder_layers, decoder_layers = oracle.as_lists((example.encoder_layers, example.decoder_layers))
    src, tgt = ([example.vocabulary[word] for word in words] for words in (example.src_words, example.tgt_words))
    up = oracle.encoder(src, E, encoder_layers, h)
    labels = example.labels.tolist()
    down = oracle.decoder(tgt, [0] * 4, E, up.layers[-1]["Z"], decoder_layers, h, oracle.causal_mask(4))
    for k in range(3):
        assert np.allclose(mine.run.encoder.layer(k + 1).Z, up.layers[k]["Z"], rtol=0, atol=1e-12)
        assert np.allclose(mine.run.decoder.layer(k + 1).Y3, down.layers[k]["Y3"], rtol=0, atol=1e-12)
    losses = oracle.output_steps(down.layers[-1]["Y3"], E_out, labels)["losses"]
    assert np.allclose(mine.run.decoder.losses, losses, rtol=0, atol=1e-12)
    assert [example.candidates[column] for column in labels] == ["mann", "beißt", "hund", "<eos>"]


def test_a_word_keeps_its_row_in_every_sentence_and_weights_stay_when_words_change():
    one, other = changed(source="dog bites man").example, changed(source="man bites the dog").example
    for word in ("dog", "bites", "man"):
        assert one.vocabulary[word] == other.vocabulary[word]
    assert np.array_equal(one.E, other.E)
    assert np.array_equal(one.decoder_layers[1]["Wqc"], other.decoder_layers[1]["Wqc"])


def test_another_layer_leaves_the_layers_below_as_they_were():
    two, three = changed(layers=2), changed(layers=3)
    for k in (1, 2):
        assert np.array_equal(two.run.encoder.layer(k).Z, three.run.encoder.layer(k).Z)
    assert not np.array_equal(three.example.encoder_layers[1]["Wq"], three.example.encoder_layers[2]["Wq"])


def test_another_seed_changes_every_weight_matrix():
    one, other = changed(seed=1).example, changed(seed=2).example
    assert not np.array_equal(one.E, other.E)
    for stack in ("encoder_layers", "decoder_layers"):
        for mine, theirs in zip(getattr(one, stack), getattr(other, stack), strict=True):
            assert all(not np.array_equal(W, theirs[name]) for name, W in mine.items() if W.ndim == 2)


def test_random_numbers_are_pinned():
    """The legacy stream is frozen: everybody sees these numbers on every NumPy."""
    example = Settings().example
    assert [example.vocabulary[word] for word in ("the", "cat", "katze")] == [140, 261, 75]
    assert np.round(example.E[3, :3], 6).tolist() == [0.326047, -0.030548, 1.019116]
    assert np.round(example.encoder_layers[1]["Wv"][0, :3], 6).tolist() == [0.491485, 0.253145, -0.561127]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(st.characters(categories=("L",)), min_size=1, max_size=4), min_size=1, max_size=14))
def test_ids_are_distinct_and_free(words):
    ids = ids_of(words)
    assert set(ids) == set(words)
    assert len(set(ids.values())) == len(ids)
    assert all(3 <= id_ < 500 for id_ in ids.values())


def test_ids_that_meet_are_told_apart_whatever_the_order():
    first = {}
    for number in itertools.count():
        word = f"w{number}"
        (id_,) = ids_of([word]).values()
        if id_ in first:
            break
        first[id_] = word
    meeting = [first[id_], word]
    assert ids_of(meeting) == ids_of(meeting[::-1])
    assert len(set(ids_of(meeting).values())) == 2


def test_settings_that_are_equal_share_one_run():
    assert changed(seed=5).run is changed(seed=5).run


def test_layers_that_can_be_chosen():
    assert changed(layers=MOST_LAYERS).run.encoder.layer(MOST_LAYERS).Z.shape == (6, 8)
