"""Queries, keys and values, scores, and shares: what the cards show agrees with plain loops."""

import math

import numpy as np
import oracle
import pytest
from reading_cards import html, lit, settings, shows, text

from helpers.cards.attention import SHOWN, _without_the_root
from helpers.displays.numbers import fixed

MINE = [
    settings(),
    settings(source="dog bites man", d_model=6, heads=3, seed=9),
    settings(source="a b c a d e f g", d_model=16, heads=8),
    settings(source="alone", d_model=4, heads=1),
]
ROLES = {"Q": "query", "K": "key", "V": "value"}


def block(W, head, d_k):
    """The columns of a head, by plain lists."""
    return oracle.columns(W.tolist(), range(head * d_k, (head + 1) * d_k))


@pytest.mark.parametrize("mine", MINE)
@pytest.mark.parametrize("role", ROLES)
def test_a_row_of_x_meets_the_columns_of_a_head(mine, role):
    layer, d_k = mine.run.encoder.layer(1), mine.sizes.d_k
    for head in range(mine.heads):
        W = block(layer[f"W{role.lower()}"], head, d_k)
        t, c = head % len(mine.source), d_k - 1
        expected = oracle.matmul(layer.X.tolist(), W)
        body = html("queries, keys, values", mine, word=t, head=head, role=role, component=c)
        assert shows(body, [value for row in (*W, *expected) for value in row])
        own = {
            one: oracle.matmul([layer.X[t].tolist()], block(layer[f"W{one.lower()}"], head, d_k))[0] for one in ROLES
        }
        assert shows(body, [value for row in own.values() for value in row])
        # X has its row lit, and so have the result and the row of the role.
        assert lit(body) == [mine.source[t], mine.source[t], ROLES[role]]
        said = text("queries, keys, values", mine, word=t, head=head, role=role, component=c)
        assert f"columns {head * d_k} to {head * d_k + d_k - 1} of W_{role}" in said
        assert f"= {fixed(expected[t][c], 6)} agrees with the array" in said


def test_a_repeated_word_has_another_query_at_its_other_place():
    Q = settings().run.encoder.layer(1).Q0
    gap = max(abs(a - b) for a, b in zip(Q[0].tolist(), Q[4].tolist(), strict=True))
    assert f"Its twin has another place, and a query that differs by up to {gap:.3f}." in text("queries, keys, values")
    assert "twin" not in text("queries, keys, values", word=1)
    assert "The furthest of its twins" in text("queries, keys, values", settings(source="a a a"))


@pytest.mark.parametrize("mine", MINE)
def test_a_score_is_the_dot_product_of_a_query_and_a_key(mine):
    layer = mine.run.encoder.layer(1)
    n = len(mine.source)
    for asks, answers in {(0, n - 1), (n - 1, 0), (n // 2, n // 2)}:
        q, K = layer.Q0[asks].tolist(), layer.K0.tolist()
        row = [oracle.dot(q, k) for k in K]
        body = html("scores", mine, asks=asks, answers=answers)
        assert shows(body, [*q, *K[answers], *row])
        assert lit(body) == [mine.source[asks]] * 2
        said = text("scores", mine, asks=asks, answers=answers)
        assert f"= {fixed(row[answers], 6)} agrees with the array" in said
        best = max(range(n), key=row.__getitem__)
        assert f"The key of “{mine.source[best]}” fits the query of “{mine.source[asks]}” best" in said
        place = sorted(row, reverse=True).index(row[answers]) + 1
        assert (f"comes at place {place} of {n}." in said) == (best != answers)


def test_random_scores_are_said_to_be_arbitrary_and_trained_ones_are_not():
    assert "The weights are random, so the pattern is arbitrary." in text("scores")
    assert "arbitrary" not in text("scores", settings(source="the cat sat", target="die katze saß", trained=True))


@pytest.mark.parametrize("mine", MINE)
def test_shares_with_and_without_the_root_stand_side_by_side(mine):
    layer = mine.run.encoder.layer(1)
    for t in range(len(mine.source)):
        raw = [oracle.dot(layer.Q0[t].tolist(), k) for k in layer.K0.tolist()]
        scaled = [score / math.sqrt(mine.sizes.d_k) for score in raw]
        body, said = html("softmax", mine, word=t), text("softmax", mine, word=t)
        for scores in (raw, scaled):
            exps = [math.exp(score - max(scores)) for score in scores]
            shares = [e / math.fsum(exps) for e in exps]
            assert shows(body, scores)
            assert shows(body, [*exps, *shares], sign=False)
            entropy = -math.fsum(p * math.log(p) for p in shares)
            assert shows(body, [max(shares), entropy + 0.0], sign=False)
        assert f"ln {len(mine.source)} = {math.log(len(mine.source)):.3f}" in said


def test_what_the_root_does_is_compared_and_not_typed():
    flat, sharp = np.array([0.5, 0.5]), np.array([0.9, 0.1])
    assert "grows by 0.400 and entropy shrinks by 0.368" in _without_the_root(flat, sharp)
    assert "shrinks by 0.400 and entropy grows by 0.368" in _without_the_root(sharp, flat)
    assert "changes nothing" in _without_the_root(flat, flat + np.array([SHOWN / 4, -SHOWN / 4]))
    assert "changes nothing that three decimals show" in text("softmax", settings(source="alone"))
