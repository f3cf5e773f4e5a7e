"""The weighted average and the heads together: bars, averages and the parts of the heads agree with plain loops."""

import re
from dataclasses import replace

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from reading_cards import html, lit, settings, shows, text

from helpers.cards.attention import block_of
from helpers.cards.mixing import _reach, mixed
from helpers.cards.row_pictures import BAR
from helpers.displays.numbers import fixed

MINE = [
    settings(),
    settings(source="dog bites man", target="mann beißt hund", d_model=6, heads=3, seed=9),
    settings(source="a b c a d e f g", d_model=16, heads=4),
]


@hypothesis_settings(max_examples=20, deadline=None)
@given(st.integers(0, 99), st.integers(0, 1), st.integers(0, 5), st.integers(0, 3))
def test_a_row_is_the_average_of_values_by_its_shares(seed, head, t, c):
    mine = settings(seed=seed)
    layer = mine.run.encoder.layer(1)
    shares = oracle.softmax_row(layer[f"S{head}"][t].tolist())
    values = layer[f"V{head}"].tolist()
    average = oracle.matmul([shares], values)[0]
    chosen = {"word": t, "head": head, "component": c}
    body, said = html("weighted average", mine, **chosen), text("weighted average", mine, **chosen)
    assert shows(body, average)
    assert shows(body, shares, sign=False)
    assert f"= {fixed(average[c], 6)} agrees with the array" in said
    column = oracle.column(values, c)
    bounds = f"{fixed(min(column))} ≤ {fixed(average[c])} ≤ {fixed(max(column))}"
    assert f"An average stays within what it averages: {bounds}." in said
    best = mine.source[shares.index(max(shares))]
    assert f"“{mine.source[t]}” takes most from “{best}”, {fixed(max(shares), sign=False)}." in said


def test_what_is_no_average_is_said_to_be_none():
    layer = settings().run.encoder.layer(1)
    values = {key: layer[key] for key in ("A0", "V0", "blocked")} | {"H0": 9 * layer.H0}
    assert "so this is no average." in mixed(replace(block_of(settings(), ""), values=values), 0, 0, 0).text


@pytest.mark.parametrize("mine", MINE)
def test_bars_are_as_long_as_the_shares(mine):
    A = mine.run.encoder.layer(1).A0
    for t in range(len(mine.source)):
        body = html("weighted average", mine, word=t)
        picture = body[body.index("<svg") : body.index("</svg>")]
        widths = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', picture)]
        assert np.allclose(widths, BAR * A[t], atol=0.06)
        words = zip(mine.source, A[t], strict=True)
        assert ", ".join(f"{word} {fixed(share, sign=False)}" for word, share in words) in picture


@pytest.mark.parametrize("mine", MINE)
def test_every_head_brings_its_part_of_an_entry_of_m(mine):
    layer, d_k = mine.run.encoder.layer(1), mine.sizes.d_k
    for t, c in ((0, 0), (len(mine.source) - 1, mine.d_model - 1)):
        products = [layer.C[t, k] * layer.Wo[k, c] for k in range(mine.d_model)]
        parts = [sum(products[i * d_k : (i + 1) * d_k]) for i in range(mine.heads)]
        said = text("heads together", mine, word=t, column=c)
        for i, part in enumerate(parts):
            assert f"head {i}: {i * d_k}–{i * d_k + d_k - 1} {fixed(part)}" in said
        assert f"together {fixed(sum(products))}" in said
        body = html("heads together", mine, word=t, column=c)
        assert shows(body, oracle.matmul([layer.C[t].tolist()], layer.Wo.tolist())[0])
        assert lit(body) == [mine.source[t]] * 2
        assert body.count('class="on cut"') >= mine.heads - 1, "the blocks of the heads are marked"
    assert f"{'Both' if mine.heads == 2 else f'All {mine.heads}'} heads reach column 0." in text("heads together", mine)


@pytest.mark.parametrize("mine", MINE)
def test_without_w_o_one_head_reaches_a_column(mine):
    C = mine.run.encoder.layer(1).C
    for c in range(mine.d_model):
        said = text("heads together", mine, column=c, without=True)
        assert f"Of {mine.heads} heads only head {c // mine.sizes.d_k} reaches column {c}." in said
        assert f"together {fixed(C[0, c])}" in said
        assert "M = C" not in said


@pytest.mark.parametrize(
    ("reaches", "said"),
    [
        ([True], "There is one head, and it reaches column 3."),
        ([False], "There is one head, and it does not reach column 3."),
        ([True, True], "Both heads reach column 3."),
        ([True, False, True], "2 of 3 heads reach column 3."),
        ([False, True, False], "Of 3 heads only head 1 reaches column 3."),
        ([False, False], "0 of 2 heads reach column 3."),
    ],
)
def test_the_heads_that_reach_a_column_are_counted(reaches, said):
    assert _reach(reaches, 3, without=False).startswith(said)


@pytest.mark.parametrize("mine", MINE)
def test_a_masked_row_averages_what_it_may_see(mine):
    layer, words = mine.run.decoder.layer(1), mine.example.tgt_words
    for t in range(len(words)):
        said = text("masked heads", mine, word=t)
        hidden = len(words) - t - 1
        assert f"averages {t + 1} of {len(words)} value rows." in said
        assert (f"The other {hidden} weigh exactly 0." in said) == (hidden > 0)
        assert said.count("0 blocked") == hidden
        body = html("masked heads", mine, word=t)
        seen = oracle.softmax_row([float(score) for score in layer.Sm0[t, : t + 1]])
        average = oracle.matmul([seen], layer.Vm0[: t + 1].tolist())[0]
        assert shows(body, average)
        assert shows(body, layer.Mm[t])
        assert body.count('class="x"') == len(words) * (len(words) - 1) // 2
