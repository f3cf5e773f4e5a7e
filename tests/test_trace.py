"""Every intermediate: against the oracle on random examples, against the reference on the course run."""

import json
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from support import assert_close, draw_example, every_value, examples, ids_of, plain_error, walk

from helpers import transformer as tf
from helpers.examples import course_example
from helpers.steps import decoder_steps, encoder_steps
from helpers.trace import course_run, forward_pass

REFERENCE = json.loads((Path(__file__).parent / "reference" / "course_run.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def deep():
    """A run of three layers in which no two sizes are equal."""
    example = draw_example(5, d_model=12, heads=3, d_ff=7, layers=3, n_src=5, n_tgt=6, padded=False)
    return forward_pass(example)


# Against the oracle


def compare(stack, oracle_walk):
    """Compare every value of one stack; return the keys met."""
    met = set()
    for layer, key, expected in every_value(oracle_walk):
        place = stack if layer is None else stack.layer(layer)
        assert_close(place[key], expected, f"{key} of layer {layer}")
        met.add(key)
    return met


@given(example=examples())
@settings(max_examples=220, deadline=None, derandomize=True)
def test_every_step_agrees_with_the_oracle(example):
    run = forward_pass(example)
    heads = example.sizes.heads
    encoder, decoder = walk(example)
    assert compare(run.encoder, encoder) == {step.key for step in encoder_steps(heads)}
    assert compare(run.decoder, decoder) == {step.key for step in decoder_steps(heads)}
    assert_close(run.encoder.output, encoder.layers[-1]["Z"])
    assert_close(run.decoder.output, decoder.layers[-1]["Y3"])


@given(example=examples())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_composites_agree_with_the_walk_of_the_table(example):
    run, h = forward_pass(example), example.sizes.heads
    src, causal, cross = example.src_blocked, example.tgt_blocked, example.cross_blocked
    X, Y = run.encoder.X, run.decoder.Y0
    for k, (v, w) in enumerate(zip(example.encoder_layers, example.decoder_layers, strict=True), start=1):
        e, d = run.encoder.layer(k), run.decoder.layer(k)
        assert_close(tf.multi_head_attention(X, X, v["Wq"], v["Wk"], v["Wv"], v["Wo"], h, src), e.M)
        assert_close(tf.add_norm(X, e.M, v["gamma1"], v["beta1"]), e.N1)
        assert_close(tf.ffn(e.N1, v["W1"], v["b1"], v["W2"], v["b2"]), e.F)
        assert_close(tf.encoder_layer(X, v, h, src), e.Z)
        H, A = tf.attention(d.Qm0, d.Km0, d.Vm0, causal)
        assert_close(A, d.Am0)
        assert_close(H, d.Hm0)
        Z = run.encoder.output
        assert_close(tf.multi_head_attention(d.Y1, Z, w["Wqc"], w["Wkc"], w["Wvc"], w["Woc"], h, cross), d.Mc)
        assert_close(tf.decoder_layer(Y, Z, w, h, causal, cross), d.Y3)
        X, Y = e.Z, d.Y3
    assert_close(tf.encoder(run.encoder.X, example.encoder_layers, h, src), run.encoder.output)
    decoded = tf.decoder(run.decoder.Y0, run.encoder.output, example.decoder_layers, h, causal, cross)
    assert_close(decoded, run.decoder.output)
    scores = tf.logits(decoded, example.E)
    assert_close(scores, run.decoder.logits)
    labels = ids_of(example.label_words, example.vocabulary)
    assert_close(tf.cross_entropy(scores, labels), run.decoder.losses)


@given(example=examples())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_rows_of_attention_weights_sum_to_one(example):
    run = forward_pass(example)
    for k in range(1, example.sizes.layers + 1):
        for place, blocks in ((run.encoder.layer(k), [""]), (run.decoder.layer(k), ["m", "c"])):
            for block in blocks:
                for head in range(example.sizes.heads):
                    A = place[f"A{block}{head}"]
                    assert_close(A.sum(axis=1), np.ones(len(A)))
                    assert (A >= 0).all()


# Against the reference

PATHS = {
    "encoder": {
        "E_scaled": "scaled_embeddings",
        "PE": "PE",
        "X": "X",
        "C": "attention.concat",
        "M": "attention.out",
        "res1": "residual_1",
        "N1": "norm_1",
        "F_pre": "ffn.pre_relu",
        "F_relu": "ffn.post_relu",
        "F": "ffn.out",
        "res2": "residual_2",
        "Z": "output",
    },
    "decoder": {
        "E_scaled": "scaled_embeddings",
        "Y0": "X",
        "Cm": "self_attention.concat",
        "Mm": "self_attention.out",
        "res1": "residual_1",
        "Y1": "Y1",
        "Cc": "cross_attention.concat",
        "Mc": "cross_attention.out",
        "res2": "residual_2",
        "Y2": "Y2",
        "F_pre": "ffn.pre_relu",
        "F_relu": "ffn.post_relu",
        "F": "ffn.out",
        "res3": "residual_3",
        "Y3": "output",
        "logits": "logits",
        "P": "probabilities",
    },
}
PER_HEAD = {"Q": "Q", "K": "K", "V": "V", "S": "scores", "A": "weights", "H": "heads"}
BLOCK_NAMES = {"encoder": {"": "attention"}, "decoder": {"m": "self_attention", "c": "cross_attention"}}
DECIMALS = {"A": 8, "P": 9}
# The reference says "scaled scores" once and shows the blocked ones by a mask of its own.
MASKS = {"decoder.self_attention.mask"}


def reference_at(path):
    found = REFERENCE
    for name in path.split("."):
        found = found[name]
    return found


def reference_cases():
    """Yield (stack, key, path, head or None) of every array that the reference has for a step."""
    for stack, paths in PATHS.items():
        for key, path in paths.items():
            yield stack, key, f"{stack}.{path}", None
        for block, name in BLOCK_NAMES[stack].items():
            for letter, array in PER_HEAD.items():
                for head in (0, 1):
                    yield stack, f"{letter}{block}{head}", f"{stack}.{name}.{array}", head


def leaves(tree, path=""):
    if isinstance(tree, dict):
        return {leaf for name, entry in tree.items() for leaf in leaves(entry, f"{path}.{name}")}
    return {path.lstrip(".")}


def assert_rounds_to(found, expected, decimals):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 0.5 * 10**-decimals + 1e-12


@pytest.mark.parametrize(("stack", "key", "path", "head"), list(reference_cases()))
def test_course_run_agrees_with_the_reference(stack, key, path, head):
    expected = reference_at(path)
    expected = expected if head is None else expected[head]
    letter = key[0] if head is not None else key
    assert_rounds_to(getattr(course_run(), stack)[key], expected, DECIMALS.get(letter, 6))


def test_no_array_of_the_reference_is_left_out():
    compared = {path for _, _, path, _ in reference_cases()} | MASKS
    assert compared == leaves({stack: REFERENCE[stack] for stack in PATHS})


def test_course_masks():
    mask = np.array(REFERENCE["decoder"]["self_attention"]["mask"], dtype=bool)
    run = course_run()
    assert run.example.tgt_blocked.tolist() == mask.tolist()
    assert run.example.src_blocked is None
    assert run.example.cross_blocked is None
    for head in (0, 1):
        S, B, A = (run.decoder[f"{letter}m{head}"] for letter in "SBA")
        assert (B[mask] == tf.BLOCKED).all()
        assert (B[~mask] == S[~mask]).all()
        assert (A[mask] == 0).all()


def test_course_words_ids_and_labels():
    run = course_run()
    assert list(run.src_words) == REFERENCE["prefix"]
    assert list(run.tgt_words) == ["<sos>", *REFERENCE["continuation"]]
    assert list(run.label_words) == [*REFERENCE["continuation"], "<eos>"]
    assert run.vocabulary == REFERENCE["vocabulary"]
    assert run.encoder.ids.tolist() == REFERENCE["src_ids"]
    assert run.decoder.ids.tolist() == REFERENCE["dec_input_ids"]
    assert run.decoder.labels.tolist() == REFERENCE["labels"]


def test_course_losses():
    run = course_run()
    assert_rounds_to(run.decoder.losses, REFERENCE["losses"], 6)
    assert run.decoder.loss == pytest.approx(REFERENCE["mean_loss"], abs=0.5e-6)
    assert np.exp(run.decoder.loss) == pytest.approx(REFERENCE["perplexity"], abs=0.5e-4)
    assert run.decoder.next_word == REFERENCE["top5"]["ids"][0]


REFERENCE_WEIGHTS = {
    "encoder": {"": "encoder", "ffn": "encoder_ffn"},
    "decoder": {"m": "decoder_self", "c": "cross", "ffn": "decoder_ffn"},
}


@pytest.mark.parametrize("stack", list(REFERENCE_WEIGHTS))
def test_course_weights(stack):
    place = getattr(course_run(), stack)
    for block, name in REFERENCE_WEIGHTS[stack].items():
        for weight, expected in REFERENCE["weights"][name].items():
            assert_rounds_to(place[weight if block == "ffn" else weight + block], expected, 6)
    for norm in range(1, 3 if stack == "encoder" else 4):
        assert place[f"gamma{norm}"].tolist() == [1] * 8
        assert place[f"beta{norm}"].tolist() == [0] * 8
    assert place.b1.tolist() == [0] * 32
    assert place.b2.tolist() == [0] * 8


def test_course_table():
    assert_rounds_to(course_run().E, REFERENCE["weights"]["E"], 6)


def test_no_weight_of_the_reference_is_left_out():
    named = {name for blocks in REFERENCE_WEIGHTS.values() for name in blocks.values()}
    assert named | {"E"} == set(REFERENCE["weights"])


# What follows from the logits of the course run: temperature, top five, greedy and sampled continuations


def warm(row, T):
    return oracle.softmax_row([x / T for x in row])


def entropy(p):
    return -sum(x * np.log(x) for x in p if x > 0)


def top_five(row):
    p = oracle.softmax_row(row)
    best = sorted(range(len(p)), key=lambda token: -p[token])[:5]
    mass = sum(p[token] for token in best)
    return best, [p[token] / mass if token in best else 0.0 for token in range(len(p))]


def next_logits(ids):
    """Logits of the row after the last of `ids`: the whole decoder again, the encoder's Z kept."""
    run = course_run()
    Y0 = tf.add(tf.embed(ids, run.E), tf.positional_encoding(len(ids), 8))
    Y = tf.decoder(Y0, run.encoder.Z, run.example.decoder_layers, 2, tf.causal_mask(len(ids)))
    return tf.logits(Y, run.E)[-1].tolist()


@pytest.mark.parametrize("expected", REFERENCE["temperature"], ids=lambda entry: f"T={entry['T']}")
def test_temperature(expected):
    p = warm(course_run().decoder.logits[-1].tolist(), expected["T"])
    assert entropy(p) == pytest.approx(expected["entropy"], abs=0.5e-4 + 1e-9)
    assert max(p) == pytest.approx(expected["max_probability"], abs=0.5e-5 + 1e-9)
    assert p.index(max(p)) == expected["argmax"]


def test_top_five():
    best, p = top_five(course_run().decoder.logits[-1].tolist())
    assert best == REFERENCE["top5"]["ids"]
    assert_rounds_to([p[token] for token in best], REFERENCE["top5"]["renormalised"], 6)
    drawn = np.random.default_rng(7).choice(500, size=8, p=p)
    assert drawn.tolist() == REFERENCE["top5"]["samples"]


def test_greedy_continuation():
    ids = [1]
    for expected in REFERENCE["greedy"]["steps"]:
        p = oracle.softmax_row(next_logits(ids))
        best = p.index(max(p))
        assert (len(ids), best) == (expected["context_length"], expected["id"])
        assert p[best] == pytest.approx(expected["probability"], abs=0.5e-5 + 1e-9)
        assert entropy(p) == pytest.approx(expected["entropy"], abs=0.5e-4 + 1e-9)
        ids.append(best)
    assert ids == REFERENCE["greedy"]["ids"]


@pytest.mark.parametrize("T", list(REFERENCE["sampled"]))
def test_sampled_continuation(T):
    rng, ids = np.random.default_rng(3), [1]
    for _ in range(8):
        ids.append(int(rng.choice(500, p=warm(next_logits(ids), float(T)))))
    assert ids == REFERENCE["sampled"][T]


# Asking a run


def test_names_and_keys_are_two_ways_to_ask():
    run = course_run()
    for step in encoder_steps(2):
        assert getattr(run.encoder, step.key) is run.encoder[step.key]
        assert step.key in run.encoder
        assert step.key in dir(run.encoder)
    assert run.encoder.layer(1).Q0 is run.encoder.Q0
    assert run.encoder.output.tolist() == run.encoder.Z.tolist()
    assert run.decoder.output.tolist() == run.decoder.Y3.tolist()


def test_course_run_is_computed_once():
    assert course_run() is course_run()
    assert course_run().example is course_example()


def test_givens_and_head_blocks(deep):
    for k, weights in enumerate(deep.example.decoder_layers, start=1):
        layer = deep.decoder.layer(k)
        for name, array in weights.items():
            assert layer[name].tolist() == array.tolist()
        for name in ("Wqm", "Wkm", "Wvm", "Wqc", "Wkc", "Wvc"):
            for head in range(3):
                assert layer[f"{name}{head}"].tolist() == layer[name][:, 4 * head : 4 * head + 4].tolist()
    assert deep.encoder.layer(3).Wk2.tolist() == deep.example.encoder_layers[2]["Wk"][:, 8:].tolist()


def test_layers_hand_on(deep):
    for stack, first, last in ((deep.encoder, "X", "Z"), (deep.decoder, "Y0", "Y3")):
        assert stack.layer(1)[first].tolist() == stack[first].tolist()
        assert stack.layer(2)[first].tolist() == stack.layer(1)[last].tolist()
        assert stack.layer(3)[first].tolist() == stack.layer(2)[last].tolist()
        assert stack.output.tolist() == stack.layer(3)[last].tolist()


@pytest.mark.parametrize("key", ["Q0", "S1", "N1", "Z", "W1", "Wq2", "gamma1"])
def test_with_several_layers_a_key_needs_its_layer(deep, key):
    with plain_error(key, "3 layers", ".layer("):
        deep.encoder[key]
    with plain_error(key, ".layer("):
        getattr(deep.encoder, key)


@pytest.mark.parametrize("number", [0, 4, -1, True, 1.0, "1", None])
def test_layers_outside_are_told_plainly(deep, number):
    with plain_error("1 to 3", repr(number)):
        deep.encoder.layer(number)


@pytest.mark.parametrize("key", ["Q2", "Qm0", "Q_0", "q0", "output_", 7])
def test_unknown_keys_are_told_plainly(key):
    with plain_error(key):
        course_run().encoder[key]


def test_an_unknown_key_names_its_neighbours():
    with plain_error("'Q_0'", "Q0"):
        course_run().encoder["Q_0"]


def test_hasattr_knows_what_there_is(deep):
    assert hasattr(course_run().encoder, "Q0")
    assert not hasattr(course_run().encoder, "Qm0")
    assert not hasattr(deep.encoder, "Q0")


@pytest.mark.parametrize("name", ["X", "Q0", "Wq", "Wq0", "b1"])
def test_results_and_weights_cannot_be_written_to(name):
    before = course_run().encoder[name].copy()
    with pytest.raises(ValueError, match="read-only"):
        course_run().encoder[name][0] = 99
    assert course_run().encoder[name].tolist() == before.tolist()
