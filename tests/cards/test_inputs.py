"""Rows of the table, scaling, adding, and the decoder's input."""

import math
import re

import numpy as np
import oracle
import pytest
from reading_cards import html, lit, settings, shows, stage, text

WORDS = ["the", "cat", "sat", "on", "the", "mat"]
MINE = [settings(), settings(source="dog bites man", d_model=6, heads=3, seed=9), settings(source="a a a", d_model=12)]


@pytest.mark.parametrize("mine", MINE)
def test_the_row_of_the_word_is_lit_in_the_table_and_in_the_stack(mine):
    for t, word in enumerate(mine.source):
        id_ = mine.example.vocabulary[word]
        body = html("table rows", mine, word=t)
        assert lit(body) == [f"{id_} {word}", word]
        assert shows(body, mine.example.E[id_])
        assert f"“{word}” has id {id_}, so it takes row {id_} of E." in text("table rows", mine, word=t)


def test_a_repeated_word_is_said_to_have_equal_rows():
    assert "It stands at places 0 and 4: these rows are equal." in text("table rows", word=4)
    assert "Nothing but the id chooses the row." in text("table rows", word=1)


@pytest.mark.parametrize("mine", MINE)
def test_scaling_multiplies_by_the_root_of_the_width(mine):
    E = mine.example.E.tolist()
    d = mine.d_model
    for t, word in enumerate(mine.source):
        row = E[mine.example.vocabulary[word]]
        scaled = oracle.scale_embeddings([row])[0]
        body = html("scaling", mine, word=t)
        assert shows(body, [*row, *scaled])
        length = math.sqrt(math.fsum(x * x for x in row))
        assert shows(body, [length, length * math.sqrt(d), math.sqrt(d / 2)], sign=False)
    assert f"√d_model is {math.sqrt(d):.3f} here and 22.627 in the paper" in text("scaling", mine)


@pytest.mark.parametrize("mine", MINE)
def test_adding_gives_the_encoders_input(mine):
    ids = [mine.example.vocabulary[word] for word in mine.source]
    _, X = oracle.input_steps(ids, mine.example.E.tolist())
    assert shows(html("adding", mine), np.ravel(X))


def test_adding_tells_identical_rows_apart():
    PE = oracle.positional_encoding(5, 8)
    gap = max(abs(a - b) for a, b in zip(PE[0], PE[4], strict=True))
    said = text("adding")
    assert "“the” stands at places 0 and 4. Its rows of E_scaled are equal, entry by entry." in said
    assert re.search(rf"Its rows of X differ in \d of 8 entries, by up to {gap:.3f}\.", said)
    assert "No word stands here twice." in text("adding", settings(source="the cat sat"))


def test_adding_compares_the_places_of_the_chosen_word_if_it_is_repeated():
    mine = settings(source="dog bites man dog man")
    assert "“man” stands at places 2 and 4." in text("adding", mine, word=4)
    assert "“dog” stands at places 0 and 3." in text("adding", mine, word=1)


def test_adding_writes_the_chosen_entry_out_and_shows_every_column():
    mine = settings(d_model=16)
    E, PE = mine.example.E[mine.example.vocabulary["sat"]], oracle.positional_encoding(3, 16)[2]
    assert f"X[sat, 15] = ({4 * E[15]:+.6f}) + ({PE[15]:+.6f})" in text("adding", mine, word=2, column=15)
    body = html("adding", mine)
    assert shows(body, np.ravel(mine.run.encoder.X))
    assert "showing first" not in body


@pytest.mark.parametrize("mine", MINE)
def test_the_strip_has_a_line_at_each_row_that_is_used_and_a_strong_one_at_the_chosen(mine):
    used = sorted({mine.example.vocabulary[word] for word in mine.source})
    for t, word in enumerate(mine.source):
        body, id_ = html("table rows", mine, word=t), mine.example.vocabulary[word]
        assert f"Rows used: {', '.join(map(str, used))}. Chosen: {id_}." in body
        assert re.findall(r'd="M([\d.]+) 26v20"', body) == [f"{20 + 480 * k / 499:.1f}" for k in used]
        assert re.findall(r'd="M([\d.]+) 20v32"', body) == [f"{20 + 480 * id_ / 499:.1f}"]


@pytest.mark.parametrize("mine", MINE)
def test_the_decoders_input_is_built_like_the_encoders(mine):
    ids = [mine.example.vocabulary[word] for word in ("<sos>", *mine.target)]
    _, Y0 = oracle.input_steps(ids, mine.example.E.tolist())
    for t in range(len(ids)):
        body = html("decoder input", mine, word=t)
        assert shows(body, np.ravel(Y0))
        assert lit(body)[-1] == ("&lt;sos&gt;", *mine.target)[t]
    n = min(len(mine.source), len(ids))
    assert f"The first {n} rows of PE are the same in both stacks." in text("decoder input", mine)
    assert "Position 0 has its row in both." in text("decoder input", mine)


def test_a_position_beyond_the_english_sentence_is_said_to_be_the_decoders_alone():
    mine = settings(source="cat")
    assert "The first row of PE is the same in both stacks." in text("decoder input", mine)
    assert "Position 3 has its row here only" in text("decoder input", mine, word=3)


def test_shapes_of_this_run_stand_beside_the_papers():
    for key in ("table rows", "scaling", "adding"):
        shown = stage(key, MINE[1])
        assert (shown.this, shown.paper) == ("3 × 6", "3 × 512")
    shown = stage("decoder input", MINE[1])
    assert (shown.this, shown.paper) == ("7 × 6", "7 × 512")
