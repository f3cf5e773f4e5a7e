"""What goes wrong in the encoder's tasks where the table of steps has no place for it, task by task."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .. import transformer as tf
from .encoder import TASKS, shapes
from .task import slip

_RIGHT = {task.name: task.reference for task in TASKS}
_PER_HEAD = ("Q_h", "K_h", "V_h", "H_h")
# Numbers of heads that a student may have written into a count: the course's, the paper's, and a few more.
_HEADS = (2, 3, 4, 8)


# --- shapes ------------------------------------------------------------------------------------


def _full_width(keys):
    return lambda n, d_model, h, d_ff: shapes(n, d_model, h, d_ff) | dict.fromkeys(keys, (n, d_model))


def _turned(*keys):
    def wrong(*sizes):
        right = shapes(*sizes)
        return right | {key: right[key][::-1] for key in keys or right}

    return wrong


def _keys_kept(n, d_model, h, d_ff):
    return shapes(n, d_model, h, d_ff) | {"H_h": (n, n)}


_SUBSETS = [keys for size in range(1, 5) for keys in combinations(_PER_HEAD, size)]
_SHAPES = (
    slip("shapes.turned", "Words stand along the columns here. Does a longer sentence make X taller or wider?",
         "Writes columns × rows.", _turned(), *(_turned(key) for key in shapes(9, 8, 2, 32))),
    slip("shapes.heads-full-width", "Your head is as wide as the model. How wide is one of h heads?",
         "Gives every head d_model columns.", *map(_full_width, _SUBSETS)),
    slip("shapes.keys-kept", "The columns of A are still there after A · V. Which inner sizes cancel?",
         "Gives the output of a head a column for every key.", _keys_kept),
)  # fmt: skip


# --- words, table, positions -------------------------------------------------------------------


def _unknown_is(default):
    return lambda words, vocabulary: [vocabulary.get(word, default(vocabulary)) for word in words]


def _unknown_left_out(words, vocabulary):
    return [vocabulary[word] for word in words if word in vocabulary]


_TOKEN_IDS = (
    slip("ids.unknown-word", "A word that is not in the vocabulary got an id. Which row of the table would be its own?",
         "Gives unknown words an id, or passes over them.",
         *(_unknown_is(lambda v, default=default: default) for default in (0, None, -1, 1)), _unknown_is(len),
         _unknown_left_out),
)  # fmt: skip

_XAVIER = (
    slip("xavier.deviation", "This is the deviation. What is the variance of uniform(−a, a)?",
         "Takes the limit of a uniform draw for its deviation.", lambda m, n: np.sqrt(2 / (m + n))),
    slip("xavier.one-side", "Only one side of the matrix is in here. Which two sizes does the limit balance?",
         "Uses the inputs or the outputs alone.",
         *(lambda m, n, side=side, of=of: np.sqrt(of / (m, n)[side]) for side in (0, 1) for of in (3, 6))),
    slip("xavier.no-root", "This is the square of it. Where is the root?", "Leaves out the root.",
         lambda m, n: 6 / (m + n)),
)  # fmt: skip

_ORDER_GAP = (
    slip("order.rows-not-matched", "You compared the outputs place by place. In which row is cat now?",
         "Compares f(X[perm]) with f(X) as it stands.", lambda f, X, perm: np.abs(f(X[perm]) - f(X)).max()),
    slip("order.inverse", "You moved the rows once more instead of matching them. Where did row 0 go?",
         "Applies the permutation to the wrong side.", lambda f, X, perm: np.abs(f(X[perm])[perm] - f(X)).max()),
    slip("order.constant", "Your gap is 0 for every f. Does every f forget the order?",
         "Returns 0 whatever the function does.", lambda f, X, perm: 0.0),
    slip("order.no-absolute", "Your gaps cancel. What does the sign of a gap tell?", "Leaves out the absolute value.",
         lambda f, X, perm: (f(X[perm]) - f(X)[perm]).max(), lambda f, X, perm: (f(X)[perm] - f(X[perm])).max()),
)  # fmt: skip

_BINARY_CODE = (
    slip("binary.highest-first", "Your columns run from the highest bit. Which bit flips at every step?",
         "Writes the highest bit first.", lambda n, bits: _RIGHT["binary_code"](n, bits)[:, ::-1]),
    slip("binary.from-1", "Your first row is the code of 1. Which position has the first word?",
         "Counts positions from 1.", lambda n, bits: _RIGHT["binary_code"](n + 1, bits)[1:]),
    slip("matrix.transposed", "Rows and columns are exchanged. What does a row stand for?",
         "The matrix is transposed.", lambda n, bits: _RIGHT["binary_code"](n, bits).T),
)  # fmt: skip

_SHIFT_MATRIX = (
    slip("shift_matrix.textbook-sign", "This turns the other way. Which comes first in our pair, sine or cosine?",
         "Takes the rotation from a textbook, where the cosine comes first.",
         lambda k, i, d_model: tf.shift_matrix(k, i, d_model).T),
    slip("shift_matrix.column-as-i", "You used the column's number as i. Columns 2 and 3 share one i: which?",
         "Takes the column index for the pair index i.",
         lambda k, i, d_model: tf.shift_matrix(k, 2 * i, d_model)),
    slip("shift_matrix.exponent", "Your slower pairs turn too fast. Which factor stands before i in the exponent?",
         "Leaves out the 2 of 2i.", lambda k, i, d_model: tf.shift_matrix(k, i / 2, d_model)),
)  # fmt: skip


# --- attention and stack -----------------------------------------------------------------------


def _naive_softmax(s):
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


def _dealt_out(M, h):
    return np.stack([M[:, head::h] for head in range(h)])


_SPLIT = (
    slip("heads.reshaped", "You reshaped straight to heads. Which word is row 1 of head 0?",
         "Reshapes to (h, n, d_k) in one go, which mixes words.", lambda M, h: M.reshape(h, len(M), -1)),
    slip("heads.interleaved", "You took every other column. Which block of columns belongs to head 0?",
         "Deals out columns to the heads in turn instead of in blocks.", _dealt_out),
    slip("heads.words-first", "Words come first here. What should H[0] be: a word or a head?",
         "Returns (n, h, d_k).", lambda M, h: M.reshape(len(M), h, -1)),
)  # fmt: skip

_MERGE = (
    slip("heads.reshaped", "You reshaped the heads straight to rows. Which heads stand in row 0 now?",
         "Reshapes (h, n, d_k) to (n, d_model) in one go, which mixes words.",
         lambda H: H.reshape(H.shape[1], -1)),
    slip("heads.interleaved", "The columns of the heads alternate. Where does head 0 end and head 1 begin?",
         "Interleaves the heads' columns instead of putting the heads side by side.",
         lambda H: H.transpose(1, 2, 0).reshape(H.shape[1], -1)),
    slip("heads.stacked", "The heads stand below one another. How many rows should a sentence of n words have?",
         "Stacks the heads below one another.", lambda H: H.reshape(-1, H.shape[2])),
    slip("heads.summed", "You added the heads. How wide is the row when they stand side by side?",
         "Adds the heads instead of concatenating them.", lambda H: H.sum(axis=0)),
    slip("heads.swapped", "The heads stand in the wrong order. Which one comes first?",
         "Concatenates the heads in reverse order.", lambda H: tf.merge_heads(H[::-1])),
)  # fmt: skip


def _dead(x, W1, b1):
    return tf.project(x, W1, b1) <= 0


_DEAD_UNITS = (
    slip("units.per-unit", "You counted the words of each unit. Which sum runs along a row?",
         "Counts down the columns: words for each unit.", lambda x, W1, b1: _dead(x, W1, b1).sum(axis=0)),
    slip("units.living", "You counted the units that are alive. Which entries does ReLU cut?",
         "Counts the units above 0.", lambda x, W1, b1: (~_dead(x, W1, b1)).sum(axis=1)),
    slip("units.together", "This is one number for all words. Does every word cut the same units?",
         "Counts over the whole matrix.", lambda x, W1, b1: _dead(x, W1, b1).sum()),
    slip("ffn.bias-forgotten", "The product is right. What is added to every row of it?", "Leaves out the bias.",
         lambda x, W1, b1: _dead(x, W1, 0 * b1).sum(axis=1)),
)  # fmt: skip


def _all_from_input(X, layers, h):
    return [tf.encoder_layer(X, w, h) for w in layers][-1]


_ENCODER = (
    slip("layers.first-repeated", "Every layer has the weights of the first. With whose weights does layer 2 work?",
         "Uses the first layer's weights in every layer.", lambda X, ws, h: tf.encoder(X, ws[:1] * len(ws), h)),
    slip("layers.reversed", "You began with the last layer. Which layer reads X?",
         "Runs the layers from the top.", lambda X, ws, h: tf.encoder(X, ws[::-1], h)),
    slip("layers.first-only", "One layer has run. How many are in the list?", "Runs the first layer only.",
         lambda X, ws, h: tf.encoder(X, ws[:1], h)),
    slip("layers.each-from-input", "Your last layer reads X. What does layer 2 read: X, N1 or Z?",
         "Gives every layer the input of the first.", _all_from_input),
)  # fmt: skip


# --- counts ------------------------------------------------------------------------------------


def _with_heads(per_matrix, h):
    """Parameters of the encoder when `per_matrix` of the four projections are as wide as h whole models."""

    def wrong(d_model, d_ff, layers):
        return _RIGHT["encoder_parameters"](d_model, d_ff, layers) + layers * per_matrix * (h - 1) * d_model**2

    return wrong


def _without(biases, norms):
    def wrong(d_model, d_ff, layers):
        left_out = biases * (d_ff + d_model) + norms * 4 * d_model
        return _RIGHT["encoder_parameters"](d_model, d_ff, layers) - layers * left_out

    return wrong


def _scores_counted(times):
    """Multiply-adds when the two products of n² · d_model each are counted `times` in all."""

    def wrong(n, d_model, d_ff, layers):
        return _RIGHT["encoder_multiply_adds"](n, d_model, d_ff, layers) + layers * (times - 2) * n * n * d_model

    return wrong


_ONE_LAYER = slip(
    "counts.one-layer", "This is one layer. How many are there?", "Counts one layer of several.",
    lambda d_model, d_ff, layers: _RIGHT["encoder_parameters"](d_model, d_ff, 1),
)  # fmt: skip
_PARAMETERS = (
    slip("counts.heads-full-width", "Your heads are as wide as the model. How wide is one head?",
         "Counts h matrices of full width.", *(_with_heads(m, h) for m in (3, 4) for h in _HEADS)),
    slip("counts.only-matrices", "A layer owns more than its matrices. What else in it is learned?",
         "Leaves out biases, norms or both.", _without(1, 1), _without(1, 0), _without(0, 1)),
    _ONE_LAYER,
)  # fmt: skip
_MULTIPLY_ADDS = (
    slip("counts.no-scores", "The heads multiply too. Which products have a column for each key?",
         "Leaves out Q · Kᵀ, A · V or both.", _scores_counted(0), _scores_counted(1)),
    slip("counts.heads-full-width", "Your heads are as wide as the model. How wide is one head?",
         "Counts h products of full width.", *(_scores_counted(2 * h) for h in _HEADS)),
    slip("counts.one-layer", "This is one layer. How many are there?", "Counts one layer of several.",
         lambda n, d_model, d_ff, layers: _RIGHT["encoder_multiply_adds"](n, d_model, d_ff, 1)),
)  # fmt: skip

SLIPS = {
    "shapes": _SHAPES,
    "token_ids": _TOKEN_IDS,
    "xavier_limit": _XAVIER,
    "order_gap": _ORDER_GAP,
    "binary_code": _BINARY_CODE,
    "shift_matrix": _SHIFT_MATRIX,
    "softmax": (
        slip("softmax.overflows", "Your largest exponential is no number any more. What may be subtracted from a row?",
             "Takes exponentials of large scores as they stand.", _naive_softmax),
    ),
    "split_heads": _SPLIT,
    "merge_heads": _MERGE,
    "dead_units": _DEAD_UNITS,
    "encoder": _ENCODER,
    "encoder_parameters": _PARAMETERS,
    "encoder_multiply_adds": _MULTIPLY_ADDS,
}  # fmt: skip
