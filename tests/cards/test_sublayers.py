"""Add & Norm, the feed-forward network and the cross block: numbers and findings agree with plain loops."""

import math
import re

import numpy as np
import oracle
import pytest
from reading_cards import html, lit, settings, shows, text

from helpers.cards import find
from helpers.cards.sublayers import _died, _normed
from helpers.displays.numbers import fixed

MINE = [
    settings(),
    settings(source="dog bites man", target="mann beißt hund", d_model=6, heads=3, seed=9),
    settings(source="a b c a d e f g", d_model=16, heads=4, layers=6),
    settings(source="alone", target="allein", d_model=4, heads=1),
]
NORMS = [
    ("add & norm", "encoder", ("X", "M", "N1"), 1),
    ("second add & norm", "encoder", ("N1", "F", "Z"), 2),
    ("masked add & norm", "decoder", ("Y0", "Mm", "Y1"), 1),
    ("cross mix", "decoder", ("Y1", "Mc", "Y2"), 2),
    ("decoder feed-forward", "decoder", ("Y2", "F", "Y3"), 3),
]
NETWORKS = [("feed-forward", "encoder", "N1"), ("decoder feed-forward", "decoder", "Y2")]
TRAINED = settings(source="the cat sat", target="die katze saß", trained=True)


def side(mine, stack):
    run, example = mine.run, mine.example
    return (run.encoder if stack == "encoder" else run.decoder).layer(1), (
        example.src_words if stack == "encoder" else example.tgt_words
    )


@pytest.mark.parametrize("mine", MINE)
@pytest.mark.parametrize(("key", "stack", "names", "number"), NORMS)
def test_rows_are_added_and_normalised(mine, key, stack, names, number):
    layer, words = side(mine, stack)
    x, sub, out = (layer[name].tolist() for name in names)
    total = oracle.add(x, sub)
    normed = oracle.layer_norm(total, layer[f"gamma{number}"].tolist(), layer[f"beta{number}"].tolist())
    assert np.allclose(normed, out, rtol=0, atol=1e-12)
    for t in {0, len(words) - 1}:
        body = html(key, mine, word=t)
        assert shows(body, [*x[t], *sub[t], *total[t], *normed[t]])
        assert shows(body, [value for row in normed for value in row])
        for row in (*total, *normed):
            mean = math.fsum(row) / len(row)
            assert shows(body, [mean, math.sqrt(math.fsum((v - mean) ** 2 for v in row) / len(row))])
        assert lit(body)[-2:] == [words[t].replace("<", "&lt;").replace(">", "&gt;")] * 2
    assert "Every row has mean 0 and deviation 1 now." in text(key, mine)


def test_the_finding_of_a_norm_is_compared():
    plain = {"gamma1": np.ones(4), "beta1": np.zeros(4)}
    rows = np.array([[1.0, 2.0, 3.0, 6.0], [0.0, 5.0, 1.0, 2.0]])
    normed = np.array(oracle.layer_norm(rows.tolist(), [1.0] * 4, [0.0] * 4))
    assert _normed(rows, normed, plain, 1).startswith("Every row has mean 0 and deviation 1 now.")
    assert "γ and β" in _normed(rows, 2 * normed + 1, plain, 1)
    flat = np.array([[1.0, 1.0, 1.0, 1.001]])
    assert "so flat that ε counts" in _normed(flat, 0 * flat, plain, 1)
    assert "Its deviation was" in _normed(flat, 0 * flat, plain, 1)
    assert "The deviations of the 2 rows ran from 1.871 to 1.871." in _normed(rows, normed, plain, 1)


@pytest.mark.parametrize("mine", [*MINE, TRAINED])
@pytest.mark.parametrize(("key", "stack", "x"), NETWORKS)
def test_units_are_widened_cut_and_narrowed(mine, key, stack, x):
    layer, words = side(mine, stack)
    weights = {name: layer[name].tolist() for name in ("W1", "b1", "W2", "b2")}
    pre, relu, out = oracle.ffn_steps(layer[x].tolist(), weights).values()
    dead = sum(value <= 0 for row in pre for value in row)
    for t, u, c in ((0, 0, 0), (len(words) - 1, mine.sizes.d_ff - 1, mine.sizes.d_model - 1)):
        chosen = {"word": t, "unit": u, "column": c}
        body, said = html(key, mine, **chosen), text(key, mine, **chosen)
        mine_dead = sum(value <= 0 for value in pre[t])
        assert f"For “{words[t]}” {mine_dead} of {len(pre[t])} units died." in said
        assert f"Over the sentence {dead} of {len(words) * len(pre[t])}." in said
        assert f"= {fixed(pre[t][u], 6)} agrees with the array" in said
        lives = f"Unit {u} lives and keeps {fixed(pre[t][u])}."
        dies = f"Unit {u} dies: {fixed(pre[t][u])} → 0."
        assert (lives in said, dies in said) == ((True, False) if pre[t][u] > 0 else (False, True))
        assert shows(body, [pre[t][u], relu[t][u], *out[t]])
        assert f"= {fixed(out[t][c])} comes from {len(pre[t]) - mine_dead} living units" in said


def test_units_that_are_dead_for_every_word_are_named():
    alive = np.array([[True, False, False], [False, False, True]])
    assert _died(alive, 0, "a").endswith("Over the sentence 4 of 6. Dead for every word: 1 (1).")
    assert _died(alive[:, [0, 2]], 1, "b").endswith("No unit is dead for every word.")
    assert _died(np.zeros((2, 20), dtype=bool), 0, "a").endswith("20 (0, 1, 2, 3, 4, 5, 6, 7, …).")
    assert _died(alive[:1], 0, "a") == "For “a” 2 of 3 units died. Over the sentence 2 of 3."


@pytest.mark.parametrize("unit", [0, 11, 12, 31])
def test_the_numbers_around_a_unit_are_shown(unit):
    mine = settings()
    layer = mine.run.encoder.layer(1)
    first = min(unit // 12 * 12, 20)
    said = text("feed-forward", word=1, unit=unit)
    assert f"row cat · units {first} to {first + 11} of 32" in said
    body = html("feed-forward", word=1, unit=unit)
    assert shows(body, [*layer.F_pre[1, first : first + 12], *layer.F_relu[1, first : first + 12]])
    assert re.search(rf'<th scope="col" class="on">{unit}</th>', body)


@pytest.mark.parametrize("mine", [*MINE[:3], TRAINED])
def test_english_values_are_mixed_into_a_german_row(mine):
    layer, words = side(mine, "decoder")
    for t in range(len(words)):
        shares = oracle.softmax_row(layer.Sc0[t].tolist())
        said, body = text("cross mix", mine, word=t), html("cross mix", mine, word=t)
        best = mine.source[shares.index(max(shares))]
        assert f"Row “{words[t]}” takes most from “{best}”, {fixed(max(shares), sign=False)}." in said
        assert shows(body, oracle.matmul([shares], layer.Vc0.tolist())[0])
        assert shows(body, layer.Cc[t])
        assert ("arbitrary" in said) != mine.trained
        assert "blocked" not in said


def test_another_word_changes_what_is_shown_and_every_card_knows_its_layer():
    for key, *_ in (*NORMS, *NETWORKS):
        assert html(key, word=0) != html(key, word=1)
    assert find("second add & norm").draw(settings(), find("second add & norm").start(settings())).note
