"""The program that makes model.npz: `byhand train`. It needs autograd, which the extra "train" installs.

No formula stands here twice. The engine's own functions are differentiated: helpers/transformer.py is loaded a second
time, and its `np` exchanged for autograd's, which notes every operation and walks them back (Maclaurin et al., 2015).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from .. import transformer as tf
from ..examples import draw_layer, draw_table, stream
from ..sizes import WEIGHTS, Sizes
from .model import layers_of, weight_shapes
from .sentences import Pair, training, word_ids

SIZES = Sizes(d_model=16, heads=2, d_ff=64, vocab=len(word_ids()), layers=1)


@dataclass(frozen=True)
class Recipe:
    """How the model is trained. Adam's numbers and the smoothing are those of the paper (§5.3, §5.4).

    batch sentences a step; the rate rises for warm_up steps to its peak and falls to 0 at the last step.
    """

    seed: int = 0
    steps: int = 6000
    batch: int = 16
    warm_up: int = 400
    peak: float = 5e-3
    beta1: float = 0.9
    beta2: float = 0.98
    eps: float = 1e-9
    smoothing: float = 0.1

    def rate(self, step: int) -> float:
        """Step size at a step, counted from 1."""
        rise = step / self.warm_up
        fall = (self.steps - step) / max(self.steps - self.warm_up, 1)
        return self.peak * min(rise, fall)


# --- the engine, differentiable ----------------------------------------------------------------


@lru_cache(maxsize=1)
def differentiable_engine():
    """helpers/transformer.py as a module of its own, computing with autograd's NumPy."""
    import autograd.numpy

    # The name puts it beside the engine, so that its imports of errors and sizes find the same rooms.
    spec = importlib.util.spec_from_file_location("helpers.differentiable_transformer", tf.__file__)
    engine = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(engine)
    # autograd makes a class of its own of each kind of integer; the engine asks for NumPy's.
    engine.np = SimpleNamespace(**vars(autograd.numpy) | {"integer": np.integer})
    return engine


# --- weights as one long vector ----------------------------------------------------------------


def unpack(vector, sizes: Sizes) -> dict:
    """Cut the long vector into the arrays of the model, by name; works on autograd's arrays, too."""
    arrays, start = {}, 0
    for name, shape in weight_shapes(sizes).items():
        stop = start + int(np.prod(shape))
        arrays[name] = vector[start:stop].reshape(shape)
        start = stop
    return arrays


def first_weights(sizes: Sizes, seed: int) -> np.ndarray:
    """The random weights that training starts from, as one long vector."""
    rng = stream(seed)
    arrays = {"E": draw_table(rng, sizes)}
    for stack in WEIGHTS:
        for k in range(1, sizes.layers + 1):
            arrays |= {f"{stack}{k}.{name}": W for name, W in draw_layer(rng, sizes, stack).items()}
    return np.concatenate([arrays[name].ravel() for name in weight_shapes(sizes)])


# --- a batch -----------------------------------------------------------------------------------


class Batch(NamedTuple):
    """Several sentences laid end to end: the masks keep each from seeing the others, so the engine needs no batches.

    src_ids, tgt_ids, labels: (n,) of all sentences; src_positions, tgt_positions count anew in each sentence.
    """

    src_ids: np.ndarray
    tgt_ids: np.ndarray
    labels: np.ndarray
    src_positions: np.ndarray
    tgt_positions: np.ndarray
    src_blocked: np.ndarray
    tgt_blocked: np.ndarray
    cross_blocked: np.ndarray


def make_batch(pairs: Sequence[Pair]) -> Batch:
    """Lay pairs end to end."""
    vocabulary = word_ids()
    sources = [tf.token_ids(english.split(), vocabulary) for english, _ in pairs]
    targets = [tf.shift_right(tf.token_ids(german.split(), vocabulary)) for _, german in pairs]
    inputs = [ids for ids, _ in targets]
    src_owner, tgt_owner = (np.repeat(np.arange(len(pairs)), [len(ids) for ids in part]) for part in (sources, inputs))
    return Batch(
        src_ids=np.concatenate(sources),
        tgt_ids=np.concatenate(inputs),
        labels=np.concatenate([labels for _, labels in targets]),
        src_positions=np.concatenate([np.arange(len(ids)) for ids in sources]),
        tgt_positions=np.concatenate([np.arange(len(ids)) for ids in inputs]),
        src_blocked=src_owner[:, None] != src_owner,
        tgt_blocked=(tgt_owner[:, None] != tgt_owner) | tf.causal_mask(len(tgt_owner)),
        cross_blocked=tgt_owner[:, None] != src_owner,
    )


def batch_loss(engine, vector, batch: Batch, sizes: Sizes, smoothing: float):
    """Mean loss of all rows of a batch, computed by `engine`: the real one or the differentiable one. §5.4."""
    arrays = unpack(vector, sizes)
    E, h = arrays["E"], sizes.heads
    PE = tf.positional_encoding(1 + max(batch.src_positions.max(), batch.tgt_positions.max()), sizes.d_model)
    X = engine.add(engine.embed(batch.src_ids, E), PE[batch.src_positions])
    Y0 = engine.add(engine.embed(batch.tgt_ids, E), PE[batch.tgt_positions])
    Z = engine.encoder(X, layers_of(arrays, "encoder", sizes), h, batch.src_blocked)
    Y = engine.decoder(Y0, Z, layers_of(arrays, "decoder", sizes), h, batch.tgt_blocked, batch.cross_blocked)
    return engine.mean_loss(engine.smoothed_loss(engine.logits(Y, E), batch.labels, smoothing))


# --- training ----------------------------------------------------------------------------------


def loss_and_gradient(sizes: Sizes, smoothing: float) -> Callable:
    """The function of (vector, batch) that gives the loss and its gradient, a vector as long."""
    from autograd import value_and_grad

    engine = differentiable_engine()
    return value_and_grad(lambda vector, batch: batch_loss(engine, vector, batch, sizes, smoothing))


def train(recipe: Recipe, sizes: Sizes = SIZES, report: Callable = lambda step, loss: None) -> np.ndarray:
    """Train from scratch and return the weights as one long vector; `report` hears of every step."""
    rng = stream(recipe.seed)
    pairs, evaluate = training(), loss_and_gradient(sizes, recipe.smoothing)
    vector = first_weights(sizes, recipe.seed)
    m, v = np.zeros_like(vector), np.zeros_like(vector)
    for step in range(1, recipe.steps + 1):
        chosen = rng.randint(len(pairs), size=recipe.batch)
        loss, gradient = evaluate(vector, make_batch([pairs[k] for k in chosen]))
        m = recipe.beta1 * m + (1 - recipe.beta1) * gradient
        v = recipe.beta2 * v + (1 - recipe.beta2) * gradient**2
        m_hat, v_hat = m / (1 - recipe.beta1**step), v / (1 - recipe.beta2**step)
        vector = vector - recipe.rate(step) * m_hat / (np.sqrt(v_hat) + recipe.eps)
        report(step, float(loss))
    return vector
