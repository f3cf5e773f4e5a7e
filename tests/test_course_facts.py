"""Figures that the lessons state about the course run, computed anew from the engine.

The lessons quote these numbers in prose, where nothing recomputes them; here something does.
"""

import dataclasses
import math

import numpy as np
import pytest

from helpers import transformer as tf
from helpers.examples import course_example, draw_layer, draw_table
from helpers.trace import course_run, forward_pass

RUN = course_run()
EXAMPLE = course_example()
E = RUN.E
(ENCODER_WEIGHTS,) = EXAMPLE.encoder_layers
(DECODER_WEIGHTS,) = EXAMPLE.decoder_layers
WORDS = list(RUN.src_words)
THE, CAT, LOOKING = 0, 1, 8
BY, TINY = 6, 3
EOS = 2


def printed(value, decimals):
    """The value as a lesson prints it."""
    return f"{value:.{decimals}f}"


def loss_of(**changes):
    return forward_pass(dataclasses.replace(EXAMPLE, **changes)).decoder.loss


def entropy(p, axis=-1):
    return -np.sum(p * np.log(p), axis=axis)


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def decode(ids, blocked):
    Y0 = tf.embed(ids, E) + tf.positional_encoding(len(ids), 8)
    return tf.logits(tf.decoder(Y0, RUN.encoder.Z, [DECODER_WEIGHTS], 2, blocked), E)


# Sections of the encoder lesson


def test_rows_of_the_table_are_near_length_one_and_of_the_positions_two():
    assert np.linalg.norm(E, axis=1).mean() == pytest.approx(1, abs=0.05)
    assert np.linalg.norm(RUN.encoder.PE, axis=1) == pytest.approx(np.full(9, 2))


def test_both_rows_of_the_are_one_row_until_positions_are_added():
    encoder = RUN.encoder
    assert [word for word in WORDS if WORDS.count(word) == 2] == ["the", "the"]
    assert encoder.E_scaled[0].tolist() == encoder.E_scaled[4].tolist()
    assert np.abs(encoder.X[0] - encoder.X[4]).max() > 0.5


def test_position_code_by_hand():
    assert printed(RUN.encoder.PE[3, 2], 6) == "0.295520"
    assert printed(RUN.encoder.PE[8, 0], 3) == "0.989"
    PE = tf.positional_encoding(15, 8)
    assert [printed(PE[p, c], 3) for p in (8, 14) for c in (0, 1)] == ["0.989", "-0.146", "0.991", "0.137"]


def test_mean_and_variance_of_the():
    row = RUN.encoder.X[THE]
    assert (printed(row.mean(), 4), printed(row.var(), 4)) == ("0.2803", "0.4513")


def test_units_that_relu_zeroes():
    dead = RUN.encoder.F_pre < 0
    assert (dead.sum(), dead.size, printed(100 * dead.mean(), 1)) == (138, 288, "47.9")
    dead = RUN.decoder.F_pre < 0
    assert (dead.sum(), dead.size, printed(100 * dead.mean(), 1)) == (111, 224, "49.6")


# The decoder lesson


@pytest.mark.parametrize("head", [0, 1])
def test_masking_after_softmax_and_renormalising_is_exactly_right(head):
    S, A = RUN.decoder[f"Sm{head}"], RUN.decoder[f"Am{head}"]
    late = np.where(EXAMPLE.tgt_blocked, 0, tf.softmax(S))
    assert late / late.sum(axis=1, keepdims=True) == pytest.approx(A, abs=1e-15)


def test_masking_too_late_and_zero_scores():
    sums = [np.where(EXAMPLE.tgt_blocked, 0, tf.softmax(RUN.decoder[f"Sm{head}"])).sum(axis=1) for head in (0, 1)]
    assert [printed(sums[0].min(), 3), printed(sums[0].max(), 3)] == ["0.123", "1.000"]
    zeroed = tf.softmax(np.where(EXAMPLE.tgt_blocked, 0, RUN.decoder.Sm0))
    assert printed(zeroed[0, 0], 3) == "0.216"


def test_a_wholly_blocked_row():
    S = RUN.decoder.Sm0
    assert tf.masked_softmax(S, np.ones((7, 7), bool)).tolist() == np.full((7, 7), 1 / 7).tolist()
    assert tf.softmax(S + tf.BLOCKED) == pytest.approx(tf.softmax(S), abs=1e-6)


def test_without_the_mask_the_last_row_agrees_and_the_loss_falls_a_little():
    unmasked = forward_pass(dataclasses.replace(EXAMPLE, tgt_blocked=None)).decoder
    for head in (0, 1):
        assert unmasked[f"Am{head}"][BY].tolist() == RUN.decoder[f"Am{head}"][BY].tolist()
    assert unmasked.Y1[BY] == pytest.approx(RUN.decoder.Y1[BY], abs=1e-14)
    assert (printed(RUN.decoder.loss, 3), printed(unmasked.loss, 3)) == ("6.970", "6.904")


def test_head_0_of_cross_attention_leans_on():
    leaning = [WORDS[j] for j in RUN.decoder.Ac0.argmax(axis=1)]
    assert leaning == ["was", "sat", "looking", "sat", "sat", "mat", "looking"]


def test_last_row_of_the_probabilities():
    row, p = RUN.decoder.logits[-1], RUN.decoder.P[-1]
    assert (printed(row.max(), 2), printed(row[EOS], 6)) == ("3.27", "-0.249453")
    assert (printed(p.max(), 4), printed(p[EOS], 4)) == ("0.0336", "0.0010")
    assert np.sum(p > p[EOS]) + 1 == 289
    assert (printed(entropy(p), 3), printed(math.log(500), 3)) == ("5.691", "6.215")


def test_top_five_and_nucleus():
    likeliest = np.sort(RUN.decoder.P[-1])[::-1]
    assert printed(likeliest[:5].sum(), 3) == "0.110"
    assert np.sum(np.cumsum(likeliest) < 0.9) + 1 == 309


def test_losses():
    P = RUN.decoder.P
    assert printed(-np.log(P).mean(), 3) == "6.728"
    assert printed(RUN.decoder.loss, 3) == "6.970"
    assert printed(np.exp(RUN.decoder.loss), 0) == "1064"
    assert printed(tf.smoothed_loss(RUN.decoder.logits, RUN.decoder.labels, 0.1).mean(), 3) == "6.946"


def test_three_pads_unmasked_move_the_output():
    ids = [*RUN.encoder.ids, 0, 0, 0]
    X = tf.embed(ids, E) + tf.positional_encoding(12, 8)
    blocked = np.tile(tf.padding_mask(ids), (12, 1))
    moved = np.abs(tf.encoder(X, [ENCODER_WEIGHTS], 2)[:9] - RUN.encoder.Z).max()
    assert printed(moved, 3) == "0.467"
    assert tf.encoder(X, [ENCODER_WEIGHTS], 2, blocked)[:9] == pytest.approx(RUN.encoder.Z, abs=1e-14)


# Traces by hand


def test_trace_of_cat():
    e = RUN.encoder
    assert printed(e.E_rows[CAT, 0], 6) == "-0.242053"
    assert printed(e.E_scaled[CAT, 0], 6) == "-0.684630"
    assert printed(e.X[CAT, 0], 6) == "0.156841"
    assert printed(e.Q0[CAT, 0], 6) == "-1.140044"
    assert printed(e.R0[CAT, LOOKING], 6) == "2.864096"
    assert printed(e.S0[CAT, LOOKING], 6) == "1.432048"
    assert printed(np.exp(e.S0[CAT] - e.S0[CAT].max()).sum(), 6) == "3.038680"
    assert printed(e.A0[CAT].max(), 6) == "0.329090"
    assert printed(e.H0[CAT, 0], 6) == "-1.043069"
    assert printed(e.M[CAT, 0], 6) == "0.298177"
    assert printed(e.res1[CAT].mean(), 6) == "0.226192"
    assert printed(e.res1[CAT].var(), 6) == "1.708248"
    assert printed(np.sqrt(e.res1[CAT].var() + tf.EPS), 6) == "1.307003"
    assert (e.F_pre[CAT, 8] > 0, e.F_pre[CAT, 24] > 0, np.sum(e.F_relu[CAT] == 0)) == (True, False, 15)
    assert printed(e.Z[CAT, 0], 6) == "0.268271"
    assert (printed(e.V0[:, 0].min(), 4), printed(e.V0[:, 0].max(), 4)) == ("-3.0817", "1.6414")


def test_trace_of_by():
    d = RUN.decoder
    assert (d.F_pre[BY, 8] > 0, d.F_pre[BY, 27] > 0, np.sum(d.F_relu[BY] == 0)) == (True, False, 19)
    row = d.logits[BY]
    assert printed(np.exp(row - row.max()).sum(), 6) == "29.742343"
    assert printed(d.losses[BY], 6) == "6.916985"
    assert printed(tf.cross_entropy(d.logits, d.labels)[BY], 6) == "6.916985"


# Ten experiments


def reversed_gap(X, backwards):
    return np.abs(tf.encoder(backwards, [ENCODER_WEIGHTS], 2)[::-1] - tf.encoder(X, [ENCODER_WEIGHTS], 2)).max()


def test_experiment_1_order_is_invisible_without_positions():
    rows, PE = RUN.encoder.E_scaled, RUN.encoder.PE
    assert reversed_gap(rows, rows[::-1]) < 5e-15
    assert printed(reversed_gap(rows + PE, rows[::-1] + PE), 2) == "1.65"


def test_experiment_2_a_table_twice_as_large():
    loud = forward_pass(dataclasses.replace(EXAMPLE, E=2 * E))
    X = loud.encoder.X
    assert printed(cosine(RUN.encoder.X[0], RUN.encoder.X[4]), 3) == "0.604"
    assert printed(cosine(X[0], X[4]), 3) == "0.844"
    assert (printed(RUN.decoder.loss, 2), printed(loud.decoder.loss, 2)) == ("6.97", "8.33")


def test_experiment_3_what_w_o_mixes():
    C = RUN.encoder.C
    silent = C.copy()
    silent[:, 4:] = 0
    assert (C @ np.eye(8) == C).all()
    assert np.abs(silent - C).max(axis=0)[:4].tolist() == [0] * 4
    assert (np.abs(silent @ ENCODER_WEIGHTS["Wo"] - RUN.encoder.M).max(axis=0) > 0.01).all()


def test_experiment_4_the_last_word_becomes_cat():
    ids = RUN.decoder.ids.tolist()
    other = [*ids[:-1], RUN.vocabulary["cat"]]
    causal = tf.causal_mask(7)
    assert np.abs(decode(other, causal) - decode(ids, causal))[:BY].max() == 0
    assert printed(np.abs(decode(other, None) - decode(ids, None))[:BY].max(), 2) == "0.85"


def test_experiment_5_queries_of_zero():
    weights = ENCODER_WEIGHTS | {"Wq": np.zeros((8, 8))}
    e = forward_pass(dataclasses.replace(EXAMPLE, encoder_layers=(weights,))).encoder
    assert pytest.approx(np.full((9, 9), 1 / 9), abs=1e-15) == e.A0
    assert pytest.approx(np.tile(e.M[0], (9, 1)), abs=1e-14) == e.M


def test_experiment_6_scores_that_are_not_scaled():
    e = RUN.encoder
    assert printed(entropy(e.A0).mean(), 3) == "2.049"
    assert printed(entropy(tf.softmax(e.R0)).mean(), 3) == "1.737"
    assert printed(math.log(9), 3) == "2.197"


def test_experiment_7_the_trace_of_eps():
    one, zero = np.ones(8), np.zeros(8)
    X = RUN.encoder.X
    gap = np.abs(tf.layer_norm(10 * X, one, zero) - tf.layer_norm(X, one, zero)).max()
    assert f"{gap:.0e}" == "2e-05"
    assert printed(RUN.encoder.N1[CAT].std(), 6) == "0.999997"


def test_experiment_8_the_order_of_z_is_invisible():
    perm = np.random.RandomState(0).permutation(9)
    Y3 = tf.decoder(RUN.decoder.Y0, RUN.encoder.Z[perm], [DECODER_WEIGHTS], 2, tf.causal_mask(7))
    assert tf.logits(Y3, E) == pytest.approx(RUN.decoder.logits, abs=1e-13)


def test_experiment_9_without_relu_no_depth():
    X, W1, W2 = RUN.encoder.X, ENCODER_WEIGHTS["W1"], ENCODER_WEIGHTS["W2"]
    assert pytest.approx(X @ (W1 @ W2), abs=1e-13) == X @ W1 @ W2
    assert np.abs(tf.relu(X @ W1) @ W2 - X @ W1 @ W2).max() > 0.5


def test_experiment_10_products_of_position_codes():
    PE = tf.positional_encoding(60, 8)
    assert {printed(x, 6) for x in np.sum(PE[:-3] * PE[3:], axis=1)} == {"1.964890"}
    assert {printed(x, 6) for x in np.sum(PE * PE, axis=1)} == {"4.000000"}


# Traps


@pytest.mark.parametrize(("width", "shrunk"), [(4, "0.866"), (8, "0.935"), (512, "0.999")])
def test_sample_variance_shrinks_rows(width, shrunk):
    x = np.random.RandomState(0).normal(size=(1, width)) * 10
    ours = tf.layer_norm(x, np.ones(width), np.zeros(width))
    sample = (x - x.mean()) / x.std(ddof=1)
    assert printed(ours.std(), 3) == "1.000"
    assert printed(sample.std(), 3) == shrunk


def test_wavelengths_end_before_10000_turns():
    # Over one wavelength a pair's cosine comes back: the slowest divisor at widths 512, 8 and 4.
    for width, divisor in ((512, 9647), (8, 1000), (4, 100)):
        angle = math.acos(tf.positional_encoding(2, width)[1, -1])
        assert 1 / angle == pytest.approx(divisor, rel=1e-4)


def redrawn(seed):
    """The course run with weights from another seed, drawn after the demo of initialisations as the course's are."""
    stream = np.random.RandomState(seed)
    stream.uniform(size=15 * 8 + 8 * 2 * 64)
    return dataclasses.replace(
        EXAMPLE,
        E=draw_table(stream, EXAMPLE.sizes),
        encoder_layers=(draw_layer(stream, EXAMPLE.sizes, "encoder"),),
        decoder_layers=(draw_layer(stream, EXAMPLE.sizes, "decoder"),),
    )


def test_unmasking_lowers_the_loss_for_87_of_200_seeds():
    def falls(example):
        masked, unmasked = (
            forward_pass(e).decoder.loss for e in (example, dataclasses.replace(example, tgt_blocked=None))
        )
        return unmasked < masked

    assert redrawn(42).E.tolist() == E.tolist()
    assert sum(falls(redrawn(seed)) for seed in range(200)) == 87
