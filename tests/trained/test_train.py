"""The program that trains: its batches, its gradient and a few of its steps, checked with the engine."""

from dataclasses import replace

import numpy as np
import pytest
from support import assert_close

from helpers import transformer as tf
from helpers.trace import forward_pass
from helpers.trained import model, train, trained_example
from helpers.trained.sentences import training

SIZES = train.SIZES
PAIRS = training()[:200:40]
SMOOTHING = train.Recipe().smoothing


@pytest.fixture(scope="module")
def vector():
    return train.first_weights(SIZES, seed=3)


@pytest.fixture(scope="module")
def batch():
    return train.make_batch(PAIRS)


def shipped_vector():
    _, arrays = model.load()
    return np.concatenate([arrays[name].ravel() for name in model.weight_shapes(SIZES)])


def test_unpacking_undoes_laying_end_to_end():
    _, arrays = model.load()
    for name, W in train.unpack(shipped_vector(), SIZES).items():
        assert W.tolist() == arrays[name].tolist(), name


def test_sentences_in_one_batch_do_not_see_each_other(batch):
    alone = [forward_pass(trained_example(english.split(), german.split())).decoder for english, german in PAIRS]
    losses = np.concatenate([decoder.losses for decoder in alone])
    assert_close(train.batch_loss(tf, shipped_vector(), batch, SIZES, 0), losses.mean())


def test_the_differentiable_engine_is_the_engine(vector, batch):
    engine = train.differentiable_engine()
    assert engine.__file__ == tf.__file__
    assert engine.softmax.__code__.co_code == tf.softmax.__code__.co_code
    loss, _ = train.loss_and_gradient(SIZES, SMOOTHING)(vector, batch)
    assert_close(loss, train.batch_loss(tf, vector, batch, SIZES, SMOOTHING))


def test_the_engine_itself_is_left_as_it_was():
    train.differentiable_engine()
    assert tf.np is np


def test_the_gradient_is_that_of_finite_differences(batch):
    # With general weights no ReLU stands at its kink and no gamma hides behind a 1.
    vector = shipped_vector() + np.random.RandomState(0).normal(0, 0.1, len(shipped_vector()))
    _, gradient = train.loss_and_gradient(SIZES, SMOOTHING)(vector, batch)
    step, start = 1e-5, 0
    for name, shape in model.weight_shapes(SIZES).items():
        size = int(np.prod(shape))
        # The entry of each array that matters most: small ones would compare noise.
        k = start + int(np.argmax(np.abs(gradient[start : start + size])))
        up, down = vector.copy(), vector.copy()
        up[k], down[k] = vector[k] + step, vector[k] - step
        rise = [train.batch_loss(tf, v, batch, SIZES, SMOOTHING) for v in (up, down)]
        assert gradient[k] == pytest.approx((rise[0] - rise[1]) / (2 * step), rel=1e-4, abs=1e-9), name
        start += size
    assert start == len(vector) == len(gradient)


def test_a_few_steps_lower_the_loss_and_repeat_exactly(batch):
    recipe = replace(train.Recipe(), steps=30, warm_up=5, batch=4)
    heard = []
    first = train.train(recipe, report=lambda step, loss: heard.append((step, loss)))
    assert [step for step, _ in heard] == list(range(1, 31))
    before = train.batch_loss(tf, train.first_weights(SIZES, recipe.seed), batch, SIZES, SMOOTHING)
    assert train.batch_loss(tf, first, batch, SIZES, SMOOTHING) < before - 0.5
    assert train.train(recipe).tobytes() == first.tobytes()


def test_the_rate_rises_and_falls():
    recipe = train.Recipe()
    rates = [recipe.rate(step) for step in range(1, recipe.steps + 1)]
    assert max(rates) == rates[recipe.warm_up - 1] == recipe.peak
    assert rates[-1] == 0
    assert all(rate > 0 for rate in rates[:-1])
