"""How a person works a box out: the same rules, with every number that is jotted down on the way.

Whoever rounds what they jot down ends a little away from the exact result. How far is right, and beyond which point it
is a mistake, follows from moving each jotted number by half a unit and watching the result (`moves`). These rules are
compared with those of the table in a test; nothing but the tolerance is ever computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .transformer import BLOCKED, EPS, pair_divisor


class Jotter:
    """Hands on every jotted number, each moved by half a unit in a slice of its own along a leading axis.

    The first walk counts the numbers (`slices` is None), the second moves them.
    """

    def __init__(self, unit: float):
        self.unit = unit
        self.slices: int | None = None
        self.next = 0
        self.jotted: list[np.ndarray] = []
        self.call = 0

    def __call__(self, value):
        """Jot a matrix down, each of its entries rounded on its own."""
        if self.slices is None:
            self.jotted.append(self._half_units(value))
            self.next += value.size
            return value
        halves = self.jotted[self.call]
        self.call += 1
        moved = _copies(value, self.slices, halves.shape)
        flat = moved.reshape(self.slices, -1)
        entries = np.arange(halves.size)
        flat[self.next + entries, entries] += halves.ravel()
        self.next += halves.size
        return moved

    def products(self, total, count: int):
        """Jot down the `count` products that each entry of `total` is the sum of.

        One slice moves the same product of every entry: no entry depends on another one's products.
        """
        if self.slices is None:
            self.next += count
            return total
        moved = _copies(total, self.slices, total.shape[-2:])
        moved[self.next : self.next + count] += self.unit / 2
        self.next += count
        return moved

    def _half_units(self, value) -> np.ndarray:
        """Half a unit where rounding changes a number, 0 where it is written exactly."""
        places = value / self.unit
        return np.where(np.abs(places - np.round(places)) > 1e-6, self.unit / 2, 0.0)


def _copies(value, slices: int, shape: tuple[int, ...]) -> np.ndarray:
    """A value as often as there are slices, or its own slices, to be changed one by one: (slices, *shape)."""
    copies = np.empty((slices, *shape))
    copies[...] = value
    return copies


def _dot(jot, a, b, bias=0.0):
    return jot.products(a @ b, a.shape[-1]) + bias


def _scores(jot, Q, K, d_k):
    return jot(_dot(jot, Q, np.swapaxes(K, -1, -2))) / jot(np.sqrt([[float(d_k)]]))


def _softmax(jot, S, blocked=None):
    # A person takes e to the score itself: no maximum is subtracted on paper.
    e = jot(np.exp(S if blocked is None else np.where(blocked, BLOCKED, S)))
    return e / jot(e.sum(axis=-1, keepdims=True))


def _norm(jot, x, gamma, beta):
    deviation = jot(x - jot(x.mean(axis=-1, keepdims=True)))
    variance = jot(jot(deviation**2).mean(axis=-1, keepdims=True))
    return gamma * jot(deviation / jot(np.sqrt(variance + EPS))) + beta


def _codes(jot, n, d_model):
    c = np.arange(d_model)
    angle = jot(np.arange(n)[:, None] / pair_divisor(c // 2, d_model))
    return np.where(c % 2 == 0, np.sin(angle), np.cos(angle))


def _losses(jot, P, labels):
    p = P[..., np.arange(P.shape[-2]), labels]
    # Where errors could take a probability to 0 or below, the least that can be written stands for it.
    return -np.log(np.where(p > 0, p, jot.unit))


# Family → the rule, worked out with a pen. Boxes that are looked up or copied have none: nothing is rounded there.
RULES = {
    "E_scaled": lambda jot, rows: rows * jot(np.sqrt([[float(rows.shape[-1])]])),
    "PE": _codes,
    "input": lambda jot, a, b: a + b,
    "Q": _dot,
    "K": _dot,
    "V": _dot,
    "S": _scores,
    "B": lambda jot, S, blocked: np.where(blocked, BLOCKED, S),
    "A": _softmax,
    "H": _dot,
    "C": lambda jot, *heads: np.concatenate(np.broadcast_arrays(*heads), axis=-1),
    "M": _dot,
    "res": lambda jot, x, sub: x + sub,
    "norm": _norm,
    "F_pre": _dot,
    "F_relu": lambda jot, F_pre: np.maximum(F_pre, 0),
    "F": _dot,
    "logits": lambda jot, Y3, E: _dot(jot, Y3, np.swapaxes(E, -1, -2)),
    "P": _softmax,
    "losses": _losses,
    "loss": lambda jot, losses: losses.mean(axis=-1),
}


def moves(rule: Callable, inputs: Sequence, errors: Sequence, unit: float, shape: tuple[int, ...]) -> np.ndarray:
    """How far each entry moves, (slices, *shape), when one input entry or one jotted number moves.

    rule: takes a Jotter and the inputs, as those of RULES do. inputs: in its order. errors: beside each how far its
    entries may be off, an array, or None where it is given exactly. unit: of the last place that is written.
    """
    jot = Jotter(unit)
    right = rule(jot, *inputs)
    slices = jot.next + sum(np.size(e) for e in errors if e is not None)
    jot.slices, start, jot.next = slices, jot.next, 0
    moved = []
    # A logarithm is steep where its input is small, and steeper below it than above.
    halves = -1.0 if rule is _losses else 1.0
    for value, error in zip(inputs, errors, strict=True):
        if error is not None:
            value = _copies(value, slices, np.shape(value))
            entries = np.arange(np.size(error))
            value.reshape(slices, -1)[start + entries, entries] += halves * np.ravel(error)
            start += np.size(error)
        moved.append(value)
    return np.broadcast_to(rule(jot, *moved), (slices, *shape)) - right


def tolerance(moved: np.ndarray, unit: float) -> np.ndarray:
    """How far an entry may be from the rule: half a unit of its own, and what the other roundings add up to.

    Their worst sum is rarely met; four deviations of a sum of uniform errors are, where they are fewer.
    """
    worst = np.abs(moved).sum(axis=0)
    likely = 4 * np.sqrt((moved**2).sum(axis=0) / 3)
    return 0.5 * unit + np.minimum(worst, likely)
