"""The forward pass, equation by equation: by hand, by the oracle, by what must hold; wrong calls."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_close, draw_layer, lengths, plain_error, seeds, widths_and_heads

from helpers import transformer as tf

widths = st.integers(1, 9)
depths = st.integers(0, 3)
many = settings(max_examples=60, deadline=None, derandomize=True)


def frozen(rng, *shape):
    """Random numbers that cannot be written to: a function that works in place fails on them."""
    values = rng.normal(size=shape)
    values.setflags(write=False)
    return values


def frozen_layer(rng, stack, d_model, d_ff):
    w = draw_layer(rng, stack, d_model, d_ff)
    for values in w.values():
        values.setflags(write=False)
    return w


def layers_of(rng, stack, d_model, count):
    return [frozen_layer(rng, stack, d_model, 3 * d_model + 1) for _ in range(count)]


def random_mask(rng, n_q, n_k):
    return rng.random((n_q, n_k)) < 0.4


# Words to vectors


def test_token_ids_repeat_with_their_words():
    ids = tf.token_ids(["the", "cat", "the"], {"cat": 168, "the": 83})
    assert ids.tolist() == [83, 168, 83]
    assert np.issubdtype(ids.dtype, np.integer)


def test_lookup_copies_rows():
    E = np.arange(12.0).reshape(4, 3)
    rows = tf.lookup([2, 0, 2], E)
    assert rows.tolist() == [[6, 7, 8], [0, 1, 2], [6, 7, 8]]
    rows[0] = -1
    assert E[2].tolist() == [6, 7, 8]


def test_embed_scales_by_the_root_of_the_width():
    E = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])
    assert tf.embed([1], E).tolist() == [[10, 12, 14, 16]]
    assert tf.scale_embeddings(E).tolist() == (2 * E).tolist()


def test_positional_encoding_by_hand():
    PE = tf.positional_encoding(9, 8)
    assert PE.shape == (9, 8)
    assert PE[0].tolist() == [0, 1] * 4
    assert PE[8, 0] == pytest.approx(0.989, abs=5e-4)
    assert PE[3, 2] == pytest.approx(0.295520, abs=5e-7)
    for pair, divisor in enumerate([1, 10, 100, 1000]):
        assert_close(PE[:, 2 * pair], [math.sin(p / divisor) for p in range(9)])
        assert_close(PE[:, 2 * pair + 1], [math.cos(p / divisor) for p in range(9)])


@given(n=st.integers(1, 40), pairs=st.integers(1, 260))
@many
def test_positional_encoding_agrees_with_the_oracle(n, pairs):
    assert_close(tf.positional_encoding(n, 2 * pairs), oracle.positional_encoding(n, 2 * pairs))


@given(p=st.integers(0, 30), k=st.integers(0, 30), pairs=st.integers(1, 16), data=st.data())
@many
def test_k_steps_later_is_one_rotation(p, k, pairs, data):
    i = data.draw(st.integers(0, pairs - 1))
    PE = tf.positional_encoding(p + k + 1, 2 * pairs)
    turn = k / 10000 ** (i / pairs)
    rotation = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    assert_close(rotation @ PE[p, 2 * i : 2 * i + 2], PE[p + k, 2 * i : 2 * i + 2])


def test_products_of_position_codes_depend_on_the_distance_alone():
    PE = tf.positional_encoding(50, 8)
    assert_close(np.sum(PE[:-3] * PE[3:], axis=1), np.full(47, 1.964890), tolerance=5e-7)
    assert_close(np.sum(PE * PE, axis=1), np.full(50, 4.0))


# Attention


def test_softmax_by_hand():
    assert_close(tf.softmax(np.log([[1.0, 2, 5], [3, 3, 2]])), [[1 / 8, 2 / 8, 5 / 8], [3 / 8, 3 / 8, 2 / 8]])


def test_softmax_of_a_plain_list_is_a_row():
    assert_close(tf.softmax([1.0, 0.0, 0.5]), [0.506480, 0.186324, 0.307196], tolerance=5e-7)


@pytest.mark.parametrize("shift", [-1e9, -1000.0, 0.0, 1000.0])
def test_softmax_shares_survive_huge_scores(shift):
    assert_close(tf.softmax(np.array([[1.0, 0.0]]) + shift), [[math.e / (math.e + 1), 1 / (math.e + 1)]])


def test_scores_of_two_and_one():
    Q = np.array([[1.0, 1, 0, 0]])
    K = np.array([[1.0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 5, 0]])
    V = np.array([[1.0, 0], [0, 1], [2, 2]])
    H, A = tf.attention(Q, K, V)
    assert tf.raw_scores(Q, K).tolist() == [[2, 0, 1]]
    assert tf.scale_scores(tf.raw_scores(Q, K), 4).tolist() == [[1, 0, 0.5]]
    assert_close(A, [[0.506, 0.186, 0.307]], tolerance=5e-4)
    assert_close(H, [[A[0, 0] + 2 * A[0, 2], A[0, 1] + 2 * A[0, 2]]])


@given(seed=seeds, n_q=lengths, n_k=lengths, d_k=widths, d_v=widths, masked=st.booleans())
@many
def test_attention_agrees_with_the_oracle(seed, n_q, n_k, d_k, d_v, masked):
    rng = np.random.default_rng(seed)
    Q, K, V = frozen(rng, n_q, d_k), frozen(rng, n_k, d_k), frozen(rng, n_k, d_v)
    blocked = random_mask(rng, n_q, n_k) if masked else None
    H, A = tf.attention(Q, K, V, blocked)
    R = [[oracle.dot(q, k) for k in K.tolist()] for q in Q.tolist()]
    S = [[r / math.sqrt(d_k) for r in row] for row in R]
    expected = oracle.weights(S, oracle.as_lists(blocked))
    assert_close(tf.raw_scores(Q, K), R)
    assert_close(A, expected)
    assert_close(H, oracle.matmul(expected, V.tolist()))
    assert_close(A.sum(axis=1), np.ones(n_q))


@given(seed=seeds, n_q=lengths, n_k=lengths)
@many
def test_blocked_keys_get_nothing_and_a_wholly_blocked_row_shares_alike(seed, n_q, n_k):
    rng = np.random.default_rng(seed)
    S, blocked = frozen(rng, n_q, n_k), random_mask(rng, n_q, n_k)
    A = tf.masked_softmax(S, blocked)
    some_open = ~blocked.all(axis=1)
    assert (A[blocked & some_open[:, None]] == 0).all()
    assert (A[~some_open] == 1 / n_k).all()
    assert_close(A, oracle.weights(S.tolist(), blocked.tolist()))
    assert_close(tf.block(S, blocked), oracle.block(S.tolist(), blocked.tolist()))


def test_heads_are_blocks_of_columns():
    M = np.array([[1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12]])
    H = tf.split_heads(M, 3)
    assert H.tolist() == [[[1, 2], [7, 8]], [[3, 4], [9, 10]], [[5, 6], [11, 12]]]
    assert tf.merge_heads(H).tolist() == M.tolist()


@given(seed=seeds, size=widths_and_heads, n_q=lengths, n_k=lengths, masked=st.booleans())
@many
def test_multi_head_attention_agrees_with_the_oracle(seed, size, n_q, n_k, masked):
    d_model, h = size
    rng = np.random.default_rng(seed)
    x_q, x_kv = frozen(rng, n_q, d_model), frozen(rng, n_k, d_model)
    weights = [frozen(rng, d_model, d_model) for _ in range(4)]
    blocked = random_mask(rng, n_q, n_k) if masked else None
    given_lists = oracle.as_lists([x_q, x_kv, *weights])
    expected = oracle.multi_head_attention(*given_lists, h, oracle.as_lists(blocked))
    assert_close(tf.multi_head_attention(x_q, x_kv, *weights, h, blocked), expected["M"])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_causal_mask(n):
    mask = tf.causal_mask(n)
    assert mask.dtype == bool
    assert mask.tolist() == oracle.causal_mask(n)


def test_padding_mask():
    assert tf.padding_mask([5, 0, 7, 0]).tolist() == [False, True, False, True]
    assert tf.padding_mask(np.array([5, 0, 7]), pad=7).tolist() == [False, False, True]


# Around it


@pytest.mark.parametrize("row", [[3.0, -3.0], [0.3, -0.3]])
def test_layer_norm_by_hand(row):
    assert_close(tf.layer_norm(np.array([row]), np.ones(2), np.zeros(2)), [[1, -1]], tolerance=1e-4)
    assert tf.layer_norm(np.array([row]), np.ones(2), np.zeros(2), eps=0).tolist() == [[1, -1]]


def test_layer_norm_of_a_constant_row_is_beta():
    beta = np.array([1.0, -2, 3])
    assert tf.layer_norm(np.full((2, 3), 7.0), np.array([4.0, 5, 6]), beta).tolist() == [beta.tolist()] * 2


@given(seed=seeds, n=lengths, d_model=st.integers(2, 20))
@many
def test_layer_norm_mean_variance_and_oracle(seed, n, d_model):
    rng = np.random.default_rng(seed)
    x = 3 * frozen(rng, n, d_model) + 5
    gamma, beta = frozen(rng, d_model), frozen(rng, d_model)
    plain = tf.layer_norm(x, np.ones(d_model), np.zeros(d_model))
    variance = x.var(axis=1)
    assert_close(plain.mean(axis=1), np.zeros(n), tolerance=1e-11)
    assert_close(plain.var(axis=1), variance / (variance + 1e-5))
    assert_close(tf.layer_norm(x, gamma, beta), oracle.layer_norm(*oracle.as_lists([x, gamma, beta])))
    assert_close(tf.layer_norm(x, gamma, beta), gamma * plain + beta)


def test_layer_norm_of_ten_times_the_row_shows_the_trace_of_eps():
    x = np.array([[1.0, -1.0]])
    small, large = (tf.layer_norm(k * x, np.ones(2), np.zeros(2)) for k in (1, 10))
    assert small[0, 0] == pytest.approx(1 / math.sqrt(1 + 1e-5), abs=1e-15)
    assert large[0, 0] == pytest.approx(10 / math.sqrt(100 + 1e-5), abs=1e-15)


def test_add_norm_normalises_after_adding():
    x, sub = np.array([[1.0, 0, 2]]), np.array([[0.0, 3, 1]])
    expected = tf.layer_norm(np.array([[1.0, 3, 3]]), np.array([2.0, 1, 1]), np.array([0.0, 1, 0]))
    assert tf.add_norm(x, sub, np.array([2.0, 1, 1]), np.array([0.0, 1, 0])).tolist() == expected.tolist()


def test_relu():
    assert tf.relu(np.array([[-1.5, 0.0, 2.5]])).tolist() == [[0, 0, 2.5]]


def test_ffn_by_hand():
    x, W1, b1 = np.array([[1.0, -1]]), np.array([[1.0, 2, 0], [0, 3, 1]]), np.array([0.5, 0, -1])
    W2, b2 = np.array([[2.0, 1], [5, 5], [7, 7]]), np.array([-4.0, 0])
    # Before ReLU: 1.5, -1, -2; after the second product 3, 1.5; the second layer keeps its negative entry.
    assert tf.ffn(x, W1, b1, W2, b2).tolist() == [[-1, 1.5]]


def test_project_adds_a_bias_when_there_is_one():
    x, W = np.array([[1.0, 2]]), np.array([[3.0, 0], [1, 1]])
    assert tf.project(x, W).tolist() == [[5, 2]]
    assert tf.project(x, W, np.array([10.0, -2])).tolist() == [[15, 0]]


# The stacks


@given(seed=seeds, size=widths_and_heads, n=lengths, depth=depths, masked=st.booleans())
@many
def test_encoder_agrees_with_the_oracle(seed, size, n, depth, masked):
    d_model, h = size
    rng = np.random.default_rng(seed)
    X, layers = frozen(rng, n, d_model), layers_of(rng, "encoder", d_model, depth)
    blocked = random_mask(rng, n, n) if masked else None
    expected = X.tolist()
    for w in layers:
        one = tf.encoder_layer(np.array(expected), w, h, blocked)
        expected = oracle.encoder_layer(expected, oracle.as_lists(w), h, oracle.as_lists(blocked))["Z"]
        assert_close(one, expected)
    assert_close(tf.encoder(X, layers, h, blocked), expected)


@given(seed=seeds, size=widths_and_heads, n=lengths, n_src=lengths, depth=depths, masked=st.booleans())
@many
def test_decoder_agrees_with_the_oracle(seed, size, n, n_src, depth, masked):
    d_model, h = size
    rng = np.random.default_rng(seed)
    Y0, Z = frozen(rng, n, d_model), frozen(rng, n_src, d_model)
    layers = layers_of(rng, "decoder", d_model, depth)
    blocked, cross = (tf.causal_mask(n), random_mask(rng, n, n_src)) if masked else (None, None)
    expected = Y0.tolist()
    for w in layers:
        one = tf.decoder_layer(np.array(expected), Z, w, h, blocked, cross)
        steps = oracle.decoder_layer(
            expected, Z.tolist(), oracle.as_lists(w), h, oracle.as_lists(blocked), oracle.as_lists(cross)
        )
        expected = steps["Y3"]
        assert_close(one, expected)
    assert_close(tf.decoder(Y0, Z, layers, h, blocked, cross), expected)


@given(seed=seeds, size=widths_and_heads, n=lengths, depth=st.integers(1, 3))
@many
def test_without_positions_order_is_invisible(seed, size, n, depth):
    d_model, h = size
    rng = np.random.default_rng(seed)
    X, layers = frozen(rng, n, d_model), layers_of(rng, "encoder", d_model, depth)
    perm = rng.permutation(n)
    assert_close(tf.encoder(X[perm], layers, h), tf.encoder(X, layers, h)[perm], tolerance=1e-11)


@given(seed=seeds, size=widths_and_heads, n=lengths, n_src=lengths)
@many
def test_cross_attention_does_not_see_the_order_of_its_rows(seed, size, n, n_src):
    d_model, h = size
    rng = np.random.default_rng(seed)
    Y0, Z = frozen(rng, n, d_model), frozen(rng, n_src, d_model)
    layers = layers_of(rng, "decoder", d_model, 2)
    shuffled = Z[rng.permutation(n_src)]
    mask = tf.causal_mask(n)
    assert_close(tf.decoder(Y0, shuffled, layers, h, mask), tf.decoder(Y0, Z, layers, h, mask), tolerance=1e-11)


@given(seed=seeds, size=widths_and_heads, n=st.integers(2, 7), data=st.data())
@many
def test_a_changed_token_moves_no_earlier_row_and_its_own(seed, size, n, data):
    d_model, h = size
    t = data.draw(st.integers(0, n - 1))
    rng = np.random.default_rng(seed)
    Y0, Z, layers = frozen(rng, n, d_model), frozen(rng, 5, d_model), layers_of(rng, "decoder", d_model, 2)
    changed = Y0.copy()
    changed[t] = rng.normal(size=d_model)
    before, after = (tf.decoder(Y, Z, layers, h, tf.causal_mask(n)) for Y in (Y0, changed))
    assert_close(after[:t], before[:t])
    if d_model > 2:  # at width 2 a normalised row is always ±1
        assert np.abs(after[t] - before[t]).max() > 1e-6


@given(seed=seeds, size=widths_and_heads, n=lengths, n_src=lengths, pads=st.integers(1, 3))
@many
def test_padded_and_alone_agree(seed, size, n, n_src, pads):
    d_model, h = size
    rng = np.random.default_rng(seed)
    X, Y0 = frozen(rng, n_src + pads, d_model), frozen(rng, n + pads, d_model)
    encoder_layers, decoder_layers = (layers_of(rng, stack, d_model, 2) for stack in ("encoder", "decoder"))
    key_is_pad = tf.padding_mask([5] * n_src + [0] * pads)
    src, cross = (np.tile(key_is_pad, (rows, 1)) for rows in (n_src + pads, n + pads))

    alone = tf.encoder(X[:n_src], encoder_layers, h)
    padded = tf.encoder(X, encoder_layers, h, src)
    assert_close(padded[:n_src], alone, tolerance=1e-11)

    Y_alone = tf.decoder(Y0[:n], alone, decoder_layers, h, tf.causal_mask(n))
    Y_padded = tf.decoder(Y0, padded, decoder_layers, h, tf.causal_mask(n + pads), cross)
    assert_close(Y_padded[:n], Y_alone, tolerance=1e-10)


def test_unmasked_padding_does_move_the_output():
    rng = np.random.default_rng(0)
    X, layers = frozen(rng, 5, 8), layers_of(rng, "encoder", 8, 1)
    assert np.abs(tf.encoder(X, layers, 2)[:3] - tf.encoder(X[:3], layers, 2)).max() > 0.01


# Vectors to words


def test_shift_right():
    inputs, labels = tf.shift_right([127, 340])
    assert inputs.tolist() == [1, 127, 340]
    assert labels.tolist() == [127, 340, 2]
    inputs, labels = tf.shift_right(np.array([5]), sos=8, eos=9)
    assert (inputs.tolist(), labels.tolist()) == ([8, 5], [5, 9])


@pytest.mark.parametrize("position", [0, 1])
def test_shift_right_of_nothing_is_still_whole_numbers(position):
    array = tf.shift_right([])[position]
    assert array.tolist() == [(1, 2)[position]]
    assert np.issubdtype(array.dtype, np.integer)


def test_logits_against_the_unscaled_table():
    E = np.array([[1.0, 0], [0, 2], [3, 3]])
    assert tf.logits(np.array([[2.0, 5]]), E).tolist() == [[2, 10, 21]]


def test_cross_entropy_by_hand():
    found = tf.cross_entropy(np.log([[1.0, 3], [1, 1]]), [1, 0])
    assert_close(found, [math.log(4 / 3), math.log(2)])


def test_cross_entropy_of_huge_logits_is_finite():
    assert tf.cross_entropy(np.array([[1000.0, 0], [-1000, 0]]), [1, 0]).tolist() == [1000, 1000]


@given(seed=seeds, n=lengths, vocab=st.integers(1, 30))
@many
def test_losses_agree_with_the_oracle(seed, n, vocab):
    rng = np.random.default_rng(seed)
    scores, labels = 3 * frozen(rng, n, vocab), rng.integers(0, vocab, n)
    expected = oracle.output_steps(scores.tolist(), np.eye(vocab).tolist(), labels.tolist())
    assert_close(tf.cross_entropy(scores, labels), expected["losses"])
    assert_close(tf.nll(tf.softmax(scores), labels), expected["losses"])
    logs = [[math.log(p) for p in row] for row in expected["P"]]
    assert_close(tf.log_softmax(scores), logs)
    assert_close(tf.softmax(scores), expected["P"])
    spread = [-0.9 * row[label] - 0.1 * math.fsum(row) / vocab for row, label in zip(logs, labels, strict=True)]
    assert_close(tf.smoothed_loss(scores, labels, 0.1), spread)
    assert tf.mean_loss(tf.cross_entropy(scores, labels)) == pytest.approx(expected["loss"], rel=1e-12)
    assert tf.next_word(tf.softmax(scores)) == expected["next_word"]


# Calls that make no sense


def ones(*shape):
    return np.ones(shape)


WRONG_CALLS = {
    "unknown word": (lambda: tf.token_ids(["the", "dog"], {"the": 3}), ["dog"]),
    "a string for words": (lambda: tf.token_ids("the", {"the": 3}), ["'the'"]),
    "no words": (lambda: tf.token_ids([], {"the": 3}), ["at least one word"]),
    "id past the table": (lambda: tf.lookup([0, 4], ones(4, 3)), ["4"]),
    "negative id": (lambda: tf.lookup([-1], ones(4, 3)), ["-1"]),
    "ids that are not whole": (lambda: tf.lookup([1.0], ones(4, 3)), ["float"]),
    "ids that are booleans": (lambda: tf.lookup([True], ones(4, 3)), ["bool"]),
    "ids in two rows": (lambda: tf.embed([[1], [2]], ones(4, 3)), ["2 × 1"]),
    "no ids": (lambda: tf.embed([], ones(4, 3)), ["at least one"]),
    "odd width": (lambda: tf.positional_encoding(3, 7), ["d_model", "7", "even"]),
    "no positions": (lambda: tf.positional_encoding(0, 8), ["n is 0"]),
    "half a position": (lambda: tf.positional_encoding(1.5, 8), ["1.5"]),
    "sum of two shapes": (lambda: tf.add(ones(2, 3), ones(3)), ["2 × 3", "3"]),
    "inner sizes": (lambda: tf.project(ones(2, 3), ones(4, 5)), ["2 × 3", "4 × 5"]),
    "bias too short": (lambda: tf.project(ones(2, 3), ones(3, 5), ones(4)), ["4", "5"]),
    "bias for one row": (lambda: tf.project(ones(2, 3), ones(3, 5), ones(2, 5)), ["2 × 5"]),
    "queries wider than keys": (lambda: tf.raw_scores(ones(2, 3), ones(2, 4)), ["2 × 3"]),
    "fewer values than keys": (lambda: tf.mix(ones(2, 3), ones(2, 4)), ["2 × 3", "2 × 4"]),
    "mask transposed": (lambda: tf.block(ones(2, 3), ones(3, 2) > 0), ["3 × 2", "2 × 3"]),
    "mask with one row": (lambda: tf.masked_softmax(ones(2, 3), ones(3) > 0), ["3", "2 × 3"]),
    "mask of the wrong length": (
        lambda: tf.attention(ones(2, 3), ones(4, 3), ones(4, 3), tf.causal_mask(2)),
        ["2 × 2", "2 × 4"],
    ),
    "heads that do not fit": (lambda: tf.split_heads(ones(2, 8), 3), ["8", "3"]),
    "no heads": (lambda: tf.split_heads(ones(2, 8), 0), ["0"]),
    "split already": (lambda: tf.split_heads(ones(2, 3, 8), 2), ["2 × 3 × 8"]),
    "heads not split": (lambda: tf.merge_heads(ones(3, 8)), ["3 × 8"]),
    "gamma too short": (lambda: tf.layer_norm(ones(2, 3), ones(2), ones(3)), ["2", "3"]),
    "beta too short": (lambda: tf.layer_norm(ones(2, 3), ones(3), ones(1)), ["1", "3"]),
    "residual of another shape": (lambda: tf.add_norm(ones(2, 3), ones(1, 3), ones(3), ones(3)), ["1 × 3"]),
    "output mixer too narrow": (
        lambda: tf.multi_head_attention(ones(2, 4), ones(3, 4), *[ones(4, 4)] * 3, ones(2, 4), 2),
        ["2 × 4"],
    ),
    "no mask rows": (lambda: tf.causal_mask(0), ["0"]),
    "table of another width": (lambda: tf.logits(ones(2, 3), ones(9, 4)), ["2 × 3"]),
    "one label too few": (lambda: tf.nll(ones(2, 3), [1]), ["2", "1"]),
    "one label for all rows": (lambda: tf.cross_entropy(ones(2, 3), [1]), ["2", "1"]),
    "label past the table": (lambda: tf.cross_entropy(ones(2, 3), [0, 3]), ["3"]),
    "negative label": (lambda: tf.cross_entropy(ones(2, 3), [0, -1]), ["-1"]),
    "negative label of a probability": (lambda: tf.nll(ones(2, 3), [0, -1]), ["-1"]),
}


@pytest.mark.parametrize("wrong", list(WRONG_CALLS))
def test_wrong_calls_are_told_plainly(wrong):
    call, named = WRONG_CALLS[wrong]
    with plain_error(*named):
        call()
