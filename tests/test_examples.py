"""Examples: the recipe of the course run drawn again, examples of one's own, and what does not fit."""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import assert_close, draw_example, plain_error, seeds

from helpers import examples
from helpers.examples import course_example, initialisation_demo, random_example, xavier_limit
from helpers.sizes import COURSE, Sizes
from helpers.trace import forward_pass

REFERENCE = json.loads((Path(__file__).parent / "reference" / "course_run.json").read_text(encoding="utf-8"))
SMALL = Sizes(d_model=6, heads=3, d_ff=5, vocab=12, layers=2)


# The recipe


def xavier(stream, m, n):
    a = math.sqrt(6 / (m + n))
    return stream.uniform(-a, a, (m, n))


def recipe():
    """Draw the course run as its recipe says, in its order, from one stream."""
    stream = np.random.RandomState(42)
    start = stream.rand(15, 8)
    chain = [(stream.rand(8, 8), xavier(stream, 8, 8)) for _ in range(8)]
    E = stream.normal(0, 1 / np.sqrt(8), (500, 8))

    def draw(names):
        shapes = {"W1": (8, 32), "W2": (32, 8)}
        return {name: xavier(stream, *shapes.get(name, (8, 8))) for name in names.split()}

    encoder = draw("Wq Wk Wv Wo W1 W2")
    decoder = draw("Wqm Wkm Wvm Wom Wqc Wkc Wvc Woc W1 W2")
    return start, chain, E, encoder, decoder


def test_course_weights_follow_the_recipe():
    _, _, E, encoder, decoder = recipe()
    example = course_example()
    assert example.E.tolist() == E.tolist()
    for (drawn,), matrices in ((example.encoder_layers, encoder), (example.decoder_layers, decoder)):
        assert {name: drawn[name].tolist() for name in matrices} == oracle.as_lists(matrices)
        for name in drawn.keys() - matrices.keys():
            assert (drawn[name] == (1 if name.startswith("gamma") else 0)).all()


def test_course_ids_follow_the_recipe():
    drawn = np.random.default_rng(0).choice(np.arange(50, 500), size=14, replace=False)
    words = list(dict.fromkeys(REFERENCE["prefix"] + REFERENCE["continuation"]))
    assert len(words) == 14
    expected = {"<pad>": 0, "<sos>": 1, "<eos>": 2} | dict(zip(words, drawn.tolist(), strict=True))
    assert course_example().vocabulary == expected == REFERENCE["vocabulary"]


def test_course_sizes_and_words():
    example = course_example()
    assert example.sizes == COURSE
    assert " ".join(example.src_words) == "the cat sat on the mat and was looking"
    assert " ".join(example.tgt_words) == "<sos> at a tiny mouse running by"
    assert " ".join(example.label_words) == "at a tiny mouse running by <eos>"


def test_the_course_example_is_made_once():
    assert course_example() is course_example()


# The demo of initialisations


def test_demo_follows_the_recipe():
    start, chain, *_ = recipe()
    demo = initialisation_demo()
    uniform, glorot = start.tolist(), start.tolist()
    assert len(demo.uniform) == len(demo.xavier) == 9
    assert demo.uniform[0].tolist() == demo.xavier[0].tolist() == uniform
    for k, (from_zero_to_one, from_xavier) in enumerate(chain, start=1):
        uniform = oracle.matmul(uniform, from_zero_to_one.tolist())
        glorot = oracle.matmul(glorot, from_xavier.tolist())
        assert_close(demo.uniform[k], uniform)
        assert_close(demo.xavier[k], glorot)


def least_cosine(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return (unit @ unit.T).min()


def mean_cosine(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return (unit @ unit.T)[np.triu_indices(len(rows), k=1)].mean()


def test_demo_figures():
    """Sizes of the entries, and how far a column spreads from row to row."""
    demo = initialisation_demo()
    uniform, glorot = demo.uniform[-1], demo.xavier[-1]
    expected = REFERENCE["init_demo"]
    assert np.abs(uniform).mean() == pytest.approx(expected["uniform_mean_abs"], rel=1e-12)
    assert np.abs(uniform).mean() == pytest.approx(33_139, abs=0.5)
    assert uniform.std(axis=0).mean() == pytest.approx(expected["uniform_row_std"], rel=1e-12)
    assert np.abs(glorot).mean() == pytest.approx(expected["xavier_mean_abs"], rel=1e-12)
    assert glorot.std(axis=0).mean() == pytest.approx(expected["xavier_row_std"], rel=1e-12)
    assert least_cosine(uniform) == pytest.approx(1, abs=5e-7)
    assert mean_cosine(glorot) == pytest.approx(0.676, abs=5e-4)


@pytest.mark.parametrize(("m", "n", "kept"), [(8, 8, 1.0), (8, 32, 0.4), (32, 8, 1.6)])
def test_xavier_limit_keeps_variance_for_square_matrices(m, n, kept):
    a = xavier_limit(m, n)
    assert a == pytest.approx(math.sqrt(6 / (m + n)), rel=1e-15)
    assert m * a**2 / 3 == pytest.approx(kept, rel=1e-12)


# Examples of one's own


def same(a, b):
    return oracle.as_lists([a.E, a.encoder_layers, a.decoder_layers]) == oracle.as_lists(
        [b.E, b.encoder_layers, b.decoder_layers]
    )


def test_random_example_is_the_same_for_the_same_seed():
    a, b, c = (random_example(["a", "b"], ["c"], SMALL, seed) for seed in (3, 3, 4))
    assert a.vocabulary == b.vocabulary
    assert same(a, b)
    assert not same(a, c)


@given(
    seed=seeds,
    src=st.lists(st.sampled_from("abcd"), min_size=1, max_size=6),
    continuation=st.lists(st.sampled_from("cdefg"), min_size=1, max_size=6),
    general=st.booleans(),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_random_example_fits_its_words(seed, src, continuation, general):
    example = random_example(src, continuation, SMALL, seed, general)
    distinct = {*src, *continuation}
    assert list(example.src_words) == src
    assert list(example.tgt_words) == ["<sos>", *continuation]
    assert list(example.label_words) == [*continuation, "<eos>"]
    assert set(example.vocabulary) == {"<pad>", "<sos>", "<eos>", *distinct}
    assert [example.vocabulary[name] for name in ("<pad>", "<sos>", "<eos>")] == [0, 1, 2]
    ids = list(example.vocabulary.values())
    assert len(set(ids)) == len(ids)
    assert all(0 <= i < SMALL.vocab for i in ids)
    assert (example.src_blocked, example.cross_blocked) == (None, None)
    assert example.tgt_blocked.tolist() == oracle.causal_mask(len(continuation) + 1)
    assert len(example.encoder_layers) == len(example.decoder_layers) == 2
    assert np.isfinite(forward_pass(example).decoder.loss)


def test_plain_and_general_weights():
    plain, general = (random_example(["a"], ["b"], SMALL, 1, general) for general in (False, True))
    for name in ("b1", "b2", "beta1", "beta2"):
        assert not plain.encoder_layers[0][name].any()
        assert general.encoder_layers[0][name].all()
    for name in ("gamma1", "gamma2"):
        assert (plain.encoder_layers[1][name] == 1).all()
        assert (general.encoder_layers[1][name] != 1).all()


def test_random_weights_stay_within_their_limits():
    w = random_example(["a"], ["b"], SMALL, 0).decoder_layers[1]
    for name in ("Wqm", "Wvc", "W1", "W2"):
        limit = math.sqrt(6 / sum(w[name].shape))
        assert 0.7 * limit < np.abs(w[name]).max() <= limit


def test_layers_have_weights_of_their_own():
    first, second = random_example(["a"], ["b"], SMALL, 0).encoder_layers
    assert not np.array_equal(first["Wq"], second["Wq"])
    assert not np.array_equal(first["Wq"], first["Wk"])


# What does not fit

WRONG_WORDS = {
    "more words than ids": (list("abcdef"), list("ghij"), ["12", "9", "10"]),
    "no words to read": ([], ["a"], ["at least one word"]),
    "a sentence instead of words": ("the cat", ["a"], ["'the cat'"]),
}


@pytest.mark.parametrize("wrong", list(WRONG_WORDS))
def test_words_that_do_not_fit_are_told_plainly(wrong):
    src, continuation, named = WRONG_WORDS[wrong]
    with plain_error(*named):
        random_example(src, continuation, SMALL, 0)


def test_as_many_words_as_ids_just_fit():
    assert len(random_example(list("abcdef"), list("ghi"), SMALL, 0).vocabulary) == 12


def test_no_vocabulary_beside_the_reserved_ids():
    with plain_error("2", "3 reserved"):
        random_example(["a"], ["b"], Sizes(2, 1, 1, vocab=2), 0)


def without(layers, name):
    return [{key: array for key, array in layer.items() if key != name} for layer in layers]


def reshaped(layers, name, *shape):
    return [layer | {name: np.zeros(shape)} for layer in layers]


@pytest.fixture(scope="module")
def fitting():
    return draw_example(8, d_model=6, heads=3, d_ff=5, layers=2, n_src=4, n_tgt=3, padded=True)


WRONG_PARTS = {
    "unknown word": (lambda e: {"src_words": ["s0", "dog"]}, ["'dog'"]),
    "unknown label": (lambda e: {"label_words": ["t0", "t0", "dog"]}, ["'dog'"]),
    "no words": (lambda e: {"src_words": []}, ["at least one word"]),
    "labels and inputs": (lambda e: {"label_words": ["<eos>"]}, ["3", "1"]),
    "table too short": (lambda e: {"E": e.E[:-1]}, ["E "]),
    "one layer missing": (lambda e: {"encoder_layers": e.encoder_layers[:1]}, ["encoder", "1", "2"]),
    "no Wk": (lambda e: {"encoder_layers": without(e.encoder_layers, "Wk")}, ["Wk", "encoder layer 1"]),
    "no gamma3": (lambda e: {"decoder_layers": without(e.decoder_layers, "gamma3")}, ["gamma3", "decoder"]),
    "W1 turned": (lambda e: {"decoder_layers": reshaped(e.decoder_layers, "W1", 5, 6)}, ["W1", "5", "6"]),
    "b1 too long": (lambda e: {"encoder_layers": reshaped(e.encoder_layers, "b1", 6)}, ["b1", "6", "5"]),
    "mask turned": (lambda e: {"cross_blocked": e.cross_blocked.T}, ["cross_blocked", "4", "3"]),
    "mask of one row": (lambda e: {"src_blocked": e.src_blocked[0]}, ["src_blocked", "4"]),
    "mask too small": (lambda e: {"tgt_blocked": np.zeros((2, 2), bool)}, ["tgt_blocked", "2", "3"]),
    "mask by a wrong name": (lambda e: {"tgt_blocked": "future"}, ["tgt_blocked", "'future'"]),
}


@pytest.mark.parametrize("wrong", list(WRONG_PARTS))
def test_parts_that_do_not_fit_are_told_plainly(fitting, wrong):
    change, named = WRONG_PARTS[wrong]
    changed = change(fitting)
    with plain_error(*named):
        dataclasses.replace(fitting, **changed)


@pytest.mark.parametrize("i", [-1, 99])
def test_ids_outside_the_table_are_told_plainly(fitting, i):
    outside = dataclasses.replace(fitting, vocabulary=fitting.vocabulary | {fitting.src_words[0]: i})
    with plain_error(i, len(fitting.E)):
        forward_pass(outside)


def test_reserved_words_are_not_drawn_twice():
    example = random_example(["<pad>", "a"], ["b"], SMALL, 0)
    assert example.vocabulary["<pad>"] == examples.PAD == 0
    assert len(example.vocabulary) == 5


def arrays_of(thing):
    if isinstance(thing, np.ndarray):
        yield thing
    for part in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple)) else ():
        yield from arrays_of(part)


@pytest.mark.parametrize("thing", [course_example(), initialisation_demo()], ids=["example", "demo"])
def test_nobody_can_write_into_what_all_lessons_share(thing):
    arrays = list(arrays_of(vars(thing)))
    assert arrays
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


ODD = [None, 3, "abc", {}, object(), 1.5, [[1], [1, 2]], lambda x: x, [None], np.array(3.0)]
PARTS = [field.name for field in dataclasses.fields(course_example()) if field.init]


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("part", PARTS)
def test_an_example_of_odd_things_is_one_plain_error(part, value):
    if value is None and part.endswith(("blocked", "candidates")):
        return
    with plain_error():
        forward_pass(dataclasses.replace(course_example(), **{part: value}))


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_a_run_of_odd_things_is_one_plain_error(value):
    with plain_error():
        forward_pass(value)
    for arguments in ((value, ["a"], SMALL), (["a"], value, SMALL), (["a"], ["b"], value)):
        with plain_error():
            random_example(*arguments)
    if value != 3:
        with plain_error("seed"):
            random_example(["a"], ["b"], SMALL, value)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_is_within_its_range(seed):
    with plain_error("seed"):
        random_example(["a"], ["b"], SMALL, seed)


@given(st.integers(0, 2**32 - 1) | st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=9))
def test_a_seeded_stream_is_that_of_numpy(seed):
    seed = np.array(seed, dtype=np.uint32) if isinstance(seed, list) else seed
    ours, numpys = examples.seeded(seed), np.random.RandomState(seed)
    for draw in (lambda rng: rng.rand(3), lambda rng: rng.normal(size=3), lambda rng: rng.randint(-7, 8, 5)):
        assert draw(ours).tolist() == draw(numpys).tolist()
    assert ours.permutation(9).tolist() == numpys.permutation(9).tolist()
