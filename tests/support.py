"""What several test files need: comparing to the last digits, plain errors, random examples."""

from contextlib import contextmanager

import numpy as np
import oracle
import pytest
from hypothesis import strategies as st

from helpers.errors import PlainError
from helpers.examples import Example
from helpers.sizes import Sizes

TOLERANCE = 1e-12
BLOCKS = {"encoder": ("",), "decoder": ("m", "c")}


def assert_close(found, expected, what="", tolerance=TOLERANCE):
    """Equal shapes, and no entry further off than `tolerance` times the largest entry (at least 1)."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape, f"{what}: {found.shape} is not {expected.shape}"
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    gap = np.abs(found - expected).max(initial=0.0)
    assert gap <= tolerance * scale, f"{what}: {gap:.3g} apart at scale {scale:.3g}"


@contextmanager
def plain_error(*named):
    """The body must raise PlainError: one short line that names all of `named`."""
    with pytest.raises(PlainError) as caught:
        yield
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert len(message) <= 200
    for part in named:
        assert str(part) in message, f"{part!r} is not named in {message!r}"


# Drawing


def draw_layer(rng, stack, d_model, d_ff):
    """Weights of one layer, with biases, gamma and beta that all make a difference."""

    def normal(*shape, deviation=None):
        return rng.normal(0, deviation or 1 / np.sqrt(shape[0]), shape)

    w = {f"W{name}{block}": normal(d_model, d_model) for block in BLOCKS[stack] for name in "qkvo"}
    w |= {"W1": normal(d_model, d_ff), "b1": normal(d_ff, deviation=0.5)}
    w |= {"W2": normal(d_ff, d_model), "b2": normal(d_model, deviation=0.5)}
    for norm in range(1, len(BLOCKS[stack]) + 2):
        w[f"gamma{norm}"] = rng.uniform(0.5, 1.5, d_model)
        w[f"beta{norm}"] = normal(d_model, deviation=0.5)
    return w


def draw_words(rng, n, prefix):
    """From few words, so that some repeat."""
    return [f"{prefix}{i}" for i in rng.integers(0, max(1, n - 1), n)]


def draw_padding(rng, n):
    """Flags for padded keys; at times none, at times all."""
    return rng.random(n) < rng.choice([0.0, 0.3, 1.0], p=[0.2, 0.7, 0.1])


def draw_example(seed, d_model, heads, d_ff, layers, n_src, n_tgt, padded):
    """An example of the given sizes; everything else follows from the seed."""
    rng = np.random.default_rng(seed)
    src, continuation = draw_words(rng, n_src, "s"), draw_words(rng, n_tgt - 1, "t")
    names = ["<pad>", "<sos>", "<eos>", *sorted({*src, *continuation})]
    vocab = len(names) + int(rng.integers(0, 5))
    masks = {}
    if padded:
        src_flags, tgt_flags = draw_padding(rng, n_src), draw_padding(rng, n_tgt)
        own = oracle.either(oracle.causal_mask(n_tgt), oracle.key_mask(n_tgt, tgt_flags))
        masks = {
            "src_blocked": np.array(oracle.key_mask(n_src, src_flags)),
            "tgt_blocked": np.array(own),
            "cross_blocked": np.array(oracle.key_mask(n_tgt, src_flags)),
        }
    return Example(
        sizes=Sizes(d_model, heads, d_ff, vocab, layers),
        src_words=src,
        tgt_words=["<sos>", *continuation],
        label_words=[*continuation, "<eos>"],
        vocabulary=dict(zip(names, map(int, rng.permutation(vocab)), strict=False)),
        E=rng.normal(0, 1 / np.sqrt(d_model), (vocab, d_model)),
        encoder_layers=[draw_layer(rng, "encoder", d_model, d_ff) for _ in range(layers)],
        decoder_layers=[draw_layer(rng, "decoder", d_model, d_ff) for _ in range(layers)],
        **masks,
    )


WIDTHS_AND_HEADS = [(d, h) for d in range(2, 17, 2) for h in range(1, d + 1) if d % h == 0]
seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 7)
widths_and_heads = st.sampled_from(WIDTHS_AND_HEADS)


@st.composite
def examples(draw, padded=None):
    """Strategy: examples of any small size; with or without padded words unless `padded` says which."""
    d_model, heads = draw(widths_and_heads)
    return draw_example(
        seed=draw(seeds),
        d_model=d_model,
        heads=heads,
        d_ff=draw(st.integers(1, 40)),
        layers=draw(st.integers(1, 3)),
        n_src=draw(lengths),
        n_tgt=draw(lengths),
        padded=draw(st.booleans()) if padded is None else padded,
    )


# The oracle's walk over an example


def ids_of(words, vocabulary):
    return [vocabulary[word] for word in words]


def walk(example):
    """Both stacks of the oracle on an example."""
    E, heads = oracle.as_lists(example.E), example.sizes.heads
    source = ids_of(example.src_words, example.vocabulary)
    target = ids_of(example.tgt_words, example.vocabulary)
    labels = ids_of(example.label_words, example.vocabulary)
    encoder = oracle.encoder(
        source, E, oracle.as_lists(example.encoder_layers), heads, oracle.as_lists(example.src_blocked)
    )
    decoder = oracle.decoder(
        target,
        labels,
        E,
        encoder.layers[-1]["Z"],
        oracle.as_lists(example.decoder_layers),
        heads,
        oracle.as_lists(example.tgt_blocked),
        oracle.as_lists(example.cross_blocked),
    )
    return encoder, decoder


def every_value(oracle_walk):
    """(layer or None, key, value) of everything in a walk."""
    for key, value in {**oracle_walk.input, **oracle_walk.output}.items():
        yield None, key, value
    for number, layer in enumerate(oracle_walk.layers, start=1):
        for key, value in layer.items():
            yield number, key, value
