"""What goes wrong in the decoder's tasks where the table of steps has no place for it, task by task."""

from __future__ import annotations

import numpy as np

from .. import decoding
from .. import transformer as tf
from .decoder import TASKS
from .task import slip

_RIGHT = {task.name: task.reference for task in TASKS}


# --- words and masks ---------------------------------------------------------------------------


_SHIFT_RIGHT = (
    slip("ids.not-shifted", "Your inputs are the labels. Can row 3 read what it must predict?",
         "Does not shift the inputs right.",
         lambda ids, sos, eos: ([*ids, eos], [*ids, eos]), lambda ids, sos, eos: ([sos, *ids], [sos, *ids]),
         lambda ids, sos, eos: (list(ids), list(ids)), lambda ids, sos, eos: (list(ids), [*ids, eos])),
    slip("labels.no-end", "Your labels never end. What should the last row predict?",
         "Leaves out the end of the sequence.",
         lambda ids, sos, eos: ([sos, *ids[:-1]], list(ids)), lambda ids, sos, eos: ([sos, *ids], list(ids))),
    slip("labels.both-ends", "Both rows have a start and an end. Which of them is read, and which is predicted?",
         "Puts both tokens around inputs and labels.",
         lambda ids, sos, eos: ([sos, *ids, eos], [sos, *ids, eos]),
         lambda ids, sos, eos: ([sos, *ids, eos], [*ids, eos])),
)  # fmt: skip

_CAUSAL_MASK = (
    slip("mask.diagonal", "No word sees itself. What is left for row 0?", "Blocks the diagonal too.",
         lambda n: np.triu(np.ones((n, n)))),
    slip("mask.flipped", "Your rows look ahead and not back. Whose past is that?",
         "Blocks the past instead of the future.", lambda n: np.tril(np.ones((n, n)), k=-1)),
    slip("mask.allowed", "True stands for allowed here. What does True mean in our mask?",
         "Marks what may be seen instead of what is blocked.", lambda n: np.tril(np.ones((n, n)))),
    slip("mask.none", "Every word sees every other. Which of them come later?", "Blocks nothing.",
         lambda n: np.zeros((n, n))),
    slip("mask.scores", "These are numbers to be added to scores. Which values does a mask of True and False have?",
         "Returns −∞ or −1e9 instead of True.",
         *(lambda n, low=low: np.where(tf.causal_mask(n), low, 0.0) for low in (-np.inf, tf.BLOCKED))),
)  # fmt: skip


def _minus_infinity(S, blocked):
    S = np.where(blocked, -np.inf, S)
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


_MASKED_SOFTMAX = (
    slip("mask.minus-infinity", "A row that is blocked throughout is no number. What is 0 divided by 0?",
         "Fills with −∞ itself, which leaves nothing to divide by.", _minus_infinity),
    slip("mask.added", "A row that is blocked throughout kept its weights. Was −1e9 added, or did it take their place?",
         "Adds −1e9 to the scores instead of putting it in their place.",
         lambda S, blocked: tf.softmax(S + tf.BLOCKED * np.asarray(blocked))),
    slip("softmax.overflows", "An exponential is no number any more. What may be subtracted from a row?",
         "Takes exponentials of scores far from zero as they stand.",
         lambda S, blocked: np.exp(tf.block(S, blocked)) / np.exp(tf.block(S, blocked)).sum(axis=-1, keepdims=True)),
)  # fmt: skip


def _moves(decode, ids, t, rows):
    changed = np.array(ids)
    changed[t] = 0 if changed[t] else 1
    return bool(np.abs(decode(changed)[rows] - decode(np.array(ids))[rows]).max(initial=0) > 1e-9)


_LEAKS = (
    slip("leaks.never", "You found no leak anywhere. Which rows move when a later word does?",
         "Returns False throughout.", lambda decode, ids, t: False),
    slip("leaks.always", "You found a leak everywhere. Which rows must not move?",
         "Returns True throughout.", lambda decode, ids, t: True),
    slip("leaks.row-t", "Row t is allowed to move. Which rows may not see word t?",
         "Counts row t, or all rows from it on, among those that must not move.",
         lambda decode, ids, t: _moves(decode, ids, t, slice(t + 1)),
         lambda decode, ids, t: _moves(decode, ids, t, slice(None)),
         lambda decode, ids, t: _moves(decode, ids, t, slice(t, None))),
    slip("leaks.reversed", "You return True where nothing leaks. What does True mean here?",
         "Returns the opposite.", lambda decode, ids, t: not _moves(decode, ids, t, slice(t))),
)  # fmt: skip

_MOST_ATTENDED = (
    slip("attended.columns", "You went down the columns. Who shares out its attention: a row or a column?",
         "Takes the largest entry of each column.",
         lambda A, words: [words[j % len(words)] for j in A.argmax(axis=0)]),
    slip("attended.least", "You took the smallest weight. Which word counts most?", "Takes the smallest weight.",
         lambda A, words: [words[j] for j in A.argmin(axis=1)]),
    slip("attended.ids", "These are places. Which word stands there?", "Returns places instead of words.",
         lambda A, words: A.argmax(axis=1)),
)  # fmt: skip


# --- the stack ---------------------------------------------------------------------------------


def _each_from_input(Y0, Z, layers, h):
    return [_RIGHT["decoder_layer"](Y0, Z, w, h) for w in layers][-1]


def _reads_itself(Y0, Z, layers, h):
    """Every layer hands its own result on as the Z of the next."""
    for w in layers:
        Y0 = Z = _RIGHT["decoder_layer"](Y0, Z, w, h)
    return Y0


def _layers(change):
    return lambda Y0, Z, layers, h: _RIGHT["decoder"](Y0, Z, change(layers), h)


_DECODER = (
    slip("layers.first-repeated", "Every layer has the weights of the first. With whose weights does layer 2 work?",
         "Uses the first layer's weights in every layer.", _layers(lambda ws: list(ws[:1]) * len(ws))),
    slip("layers.reversed", "You began with the last layer. Which layer reads Y0?",
         "Runs the layers from the top.", _layers(lambda ws: ws[::-1])),
    slip("layers.first-only", "One layer has run. How many are in the list?", "Runs the first layer only.",
         _layers(lambda ws: ws[:1])),
    slip("layers.each-from-input", "Your last layer reads Y0. What does layer 2 read?",
         "Gives every layer the input of the first.", _each_from_input),
    slip("layers.z-replaced", "Layer 2 attends to layer 1 of the decoder. Which Z does every layer read?",
         "Hands a layer's own result on as Z.", _reads_itself),
)  # fmt: skip


# --- words again -------------------------------------------------------------------------------


def _kept(row, ids):
    """Softmax over some ids alone; of no ids at all it is no number."""
    e = np.zeros(len(row))
    e[ids] = np.exp(row - row.max())[ids]
    return e / e.sum()


def _by_size(row):
    return np.argsort(-row, kind="stable")


def _nucleus_size(row, p):
    return int((decoding.nucleus(row, p) > 0).sum())


def _not_renormalised(name):
    return lambda row, setting: np.where(_RIGHT[name](row, setting) > 0, tf.softmax(row), 0)


def _with_zeros_logged(p):
    return -np.sum(p * np.log(p))


def _naive_loss(logits, labels, log=np.log):
    e = np.exp(logits)
    return -log(e / e.sum(axis=-1, keepdims=True))[np.arange(len(logits)), labels]


def _entropy_in(base):
    return lambda p: decoding.entropy(p) / np.log(base)


_CHOOSING = {
    "rank_of": (
        slip("rank.from-0", "Your favourite has place 0. Which place has the largest?", "Counts places from 0.",
             lambda row, token: decoding.rank_of(row, token) - 1),
        slip("rank.from-smallest", "You began at the smallest. Which entry has place 1?", "Ranks from the smallest.",
             lambda row, token: decoding.rank_of(-row, token)),
        slip("rank.argsort", "This is the id at that place. Which place has the token itself?",
             "Reads argsort as if it were a list of ranks.",
             *(lambda row, token, more=more: _by_size(row)[token] + more for more in (0, 1))),
    ),
    "entropy": (
        slip("entropy.bits", "These are bits. Which logarithm gives nats?", "Uses the logarithm to base 2 or 10.",
             _entropy_in(2), _entropy_in(10)),
        slip("entropy.zeros", "Your entropy is no number. What does x · ln x tend to as x goes to 0?",
             "Takes the logarithm of 0.", _with_zeros_logged),
        slip("entropy.sign", "The logarithm of a probability is negative. Which sign has entropy?",
             "Leaves out the minus sign.", lambda p: -decoding.entropy(p)),
    ),
    "temperature": (
        slip("temperature.after-softmax", "You divided probabilities. Do they still sum to 1?",
             "Divides probabilities, not logits.", lambda row, T: tf.softmax(row) / T),
        slip("temperature.multiplied", "You multiplied by T. Does a high temperature sharpen or flatten?",
             "Multiplies logits by T.", lambda row, T: tf.softmax(row * T)),
        slip("temperature.ignored", "Your shares do not depend on T. Where does it enter?", "Does not use T.",
             lambda row, T: tf.softmax(row)),
    ),
    "top_k": (
        slip("choice.not-renormalised", "The shares of those you kept do not add up to 1. What should they add up to?",
             "Does not share the mass out again.", _not_renormalised("top_k")),
        slip("top_k.one-off", "You kept one too many or too few. How many stay in the race?", "Keeps k − 1 or k + 1.",
             lambda row, k: _kept(row, _by_size(row)[: k - 1]), lambda row, k: _kept(row, _by_size(row)[: k + 1]),
             lambda row, k: _kept(row, _by_size(row)[: max(k - 1, 1)]),
             lambda row, k: decoding.top_k(row, k - 1) if k > 1 else np.full(len(row), 1 / len(row))),
        slip("top_k.smallest", "You kept the smallest. Which logits stay in the race?", "Keeps the smallest logits.",
             lambda row, k: _kept(row, _by_size(-row)[:k])),
    ),
    "nucleus": (
        slip("choice.not-renormalised", "The shares of those you kept do not add up to 1. What should they add up to?",
             "Does not share the mass out again.", _not_renormalised("nucleus")),
        slip("nucleus.crossing", "Your nucleus stops short of the mass p. Does the one that crosses p belong to it?",
             "Leaves out the id that takes the mass past p.",
             *(lambda row, p, least=least: _kept(row, _by_size(row)[: max(_nucleus_size(row, p) - 1, least)])
               for least in (0, 1))),
        slip("nucleus.one-more", "Your nucleus has one id more than it needs. When is the mass p reached?",
             "Keeps one id after the mass is reached.",
             lambda row, p: _kept(row, _by_size(row)[: _nucleus_size(row, p) + 1])),
    ),
    "cross_entropy": (
        slip("loss.log-of-zero", "A loss is infinite. Which probability was rounded to 0 before its logarithm?",
             "Takes the logarithm of a softmax that is 0.",
             lambda logits, labels: tf.nll(tf.softmax(logits), labels)),
        slip("softmax.overflows", "An exponential is no number any more. What may be subtracted from a row?",
             "Takes exponentials of large logits as they stand.", _naive_loss),
        slip("loss.mean", "This is one number for all rows. Which loss has each row?", "Averages over the rows.",
             lambda logits, labels: tf.cross_entropy(logits, labels).mean()),
    ),
}  # fmt: skip


def _smoothed(own, others):
    """Smoothed loss with other shares for the label and for every entry: own(eps, V), others(eps, V)."""

    def wrong(logits, labels, eps):
        V = logits.shape[-1]
        spread = -tf.log_softmax(logits).sum(axis=-1)
        return own(eps, V) * tf.cross_entropy(logits, labels) + others(eps, V) * spread

    return wrong


_SMOOTHED_LOSS = (
    slip("smoothing.others-only", "The label has no part of eps here. Over how many entries is it spread?",
         "Shares eps among the other V − 1 entries.",
         _smoothed(lambda eps, V: 1 - eps - eps / (V - 1), lambda eps, V: eps / (V - 1))),
    slip("smoothing.not-used", "Your losses do not depend on eps. Where does it enter?", "Does not use eps.",
         lambda logits, labels, eps: tf.cross_entropy(logits, labels)),
    slip("smoothing.not-shared", "Every entry has the whole of eps. By what is it divided?",
         "Gives eps to every entry instead of sharing it.", _smoothed(lambda eps, V: 1 - eps, lambda eps, V: eps)),
    slip("smoothing.label-whole", "Your target adds up to more than 1. What does the label give away?",
         "Leaves the label its whole share.", _smoothed(lambda eps, V: 1.0, lambda eps, V: eps / V)),
    slip("smoothing.exchanged", "The label has only eps left. Which part of the target is it?",
         "Exchanges eps and 1 − eps.", _smoothed(lambda eps, V: eps, lambda eps, V: (1 - eps) / V)),
)  # fmt: skip


# --- generating, the cache, padding ------------------------------------------------------------


def _generated(step, sos, eos, max_len, choose, row=-1, stops=True):
    ids = [sos]
    for _ in range(max_len):
        ids.append(int(choose(step(ids)[row])))
        if stops and ids[-1] == eos:
            break
    return ids


_GENERATE = (
    slip("next.first-row", "You read the first row. Which row has seen everything?",
         "Reads the prediction of the first row.", lambda *args: _generated(*args, row=0)),
    slip("generate.never-stops", "You went on after the end. Which id says that nothing follows?",
         "Does not stop at eos.", lambda *args: _generated(*args, stops=False)),
    slip("generate.no-start", "Your first id is a choice. With which id did you begin?", "Leaves out sos.",
         lambda *args: _generated(*args)[1:]),
    slip("generate.no-end", "The end is missing. Was eos chosen or not?", "Leaves out the eos that was chosen.",
         lambda step, sos, eos, max_len, choose: [
             i for k, i in enumerate(_generated(step, sos, eos, max_len, choose)) if not k or i != eos]),
    slip("generate.one-off", "You chose once too often or too rarely. What does max_len count?",
         "Counts sos among the choices, or chooses once more.",
         *(lambda step, sos, eos, most, choose, more=more: _generated(step, sos, eos, most + more, choose)
           for more in (-1, 1))),
)  # fmt: skip


def _heads(y, W, h):
    return tf.split_heads(tf.project(y, W), h)


def _longer(cache, **rows):
    return cache | {name: np.concatenate([cache[name], more], axis=1) for name, more in rows.items()}


def _cached(keys, kept=None):
    """A cached step whose masked block appends `keys(y, w, h)`, {"K": …, "V": …}, and keeps what `kept` gives."""

    def wrong(y, cache, w, h):
        longer = _longer(cache, **keys(y, w, h))
        H, _ = tf.attention(_heads(y, w["Wqm"], h), longer["K"], longer["V"])
        y1 = tf.add_norm(y, tf.project(tf.merge_heads(H), w["Wom"]), w["gamma1"], w["beta1"])
        H, _ = tf.attention(_heads(y1, w["Wqc"], h), cache["Kc"], cache["Vc"])
        y2 = tf.add_norm(y1, tf.project(tf.merge_heads(H), w["Woc"]), w["gamma2"], w["beta2"])
        F = tf.ffn(y2, w["W1"], w["b1"], w["W2"], w["b2"])
        return tf.add_norm(y2, F, w["gamma3"], w["beta3"]), longer if kept is None else kept(y, cache, w, h)

    return wrong


def _rows(K="Wkm", V="Wvm"):
    return lambda y, w, h: {"K": _heads(y, w[K], h), "V": _heads(y, w[V], h)}


def _own_rows(y, cache, w, h):
    return _longer(cache, **_rows()(y, w, h))


_CACHED_STEP = (
    slip("cache.query", "A query went into the cache. Who reads an old query?", "Keeps Q in place of K or V.",
         _cached(_rows(K="Wqm")), _cached(_rows(V="Wqm")),
         _cached(_rows(), lambda y, cache, w, h: _longer(cache, **_rows(K="Wqm")(y, w, h)))),
    slip("cache.not-longer", "The cache has as many rows as before. What does the next word need of this one?",
         "Returns the cache it was given.", _cached(_rows(), lambda y, cache, w, h: cache)),
    slip("cache.own-row", "The new row does not see itself. Which key is it asking besides the old ones?",
         "Attends to the old rows alone.",
         _cached(lambda y, w, h: {}, _own_rows), _cached(lambda y, w, h: {}, lambda y, cache, w, h: cache)),
    slip("cache.exchanged", "Keys stand among the values. Which projection makes a value?", "Exchanges K and V.",
         _cached(_rows(K="Wvm", V="Wkm"))),
)  # fmt: skip


def _square(ids, pad, along):
    return np.broadcast_to(np.expand_dims(np.asarray(ids) == pad, along), (len(ids), len(ids)))


_PADDING_MASK = (
    slip("mask.allowed", "True stands for words here. What does True mean in our mask?",
         "Marks words instead of padding.", lambda ids, pad: np.asarray(ids) != pad),
    slip("padding.always-0", "You look for 0. Which id is the padding?", "Takes 0 for the padding whatever pad is.",
         lambda ids, pad: np.asarray(ids) == 0),
    slip("padding.query-rows", "You blocked whole query rows. What does their softmax see?",
         "Blocks padded queries instead of keys.", lambda ids, pad: _square(ids, pad, 1)),
    slip("padding.square", "This is one row of flags for every query. How many flags does a key need?",
         "Returns a whole matrix.", lambda ids, pad: _square(ids, pad, 0)),
)  # fmt: skip


# --- counts ------------------------------------------------------------------------------------


def _parameters(tables=1, biases=1, norms=1, cross=1):
    def wrong(d_model, d_ff, layers, V):
        one = 12 * d_model**2 - (1 - cross) * 4 * d_model**2 + 2 * (2 * d_model * d_ff + biases * (d_ff + d_model))
        return tables * V * d_model + layers * (one + norms * 10 * d_model)

    return wrong


_PARAMETERS = (
    slip("counts.table-twice", "The table is counted more than once. How many tables exist?",
         "Counts the tied table two or three times.", _parameters(tables=2), _parameters(tables=3)),
    slip("counts.no-table", "The layers are all there. Where do the words come from?",
         "Leaves out the embedding table.", _parameters(tables=0)),
    slip("counts.only-matrices", "A layer owns more than its matrices. What else in it is learned?",
         "Leaves out biases, norms or both.",
         _parameters(biases=0, norms=0), _parameters(biases=0), _parameters(norms=0)),
    slip("counts.no-cross", "The decoder attends twice. To what does it attend the second time?",
         "Leaves out cross-attention.", _parameters(cross=0)),
)  # fmt: skip


def _products(cross=1, scores=1, output=1):
    def wrong(n, m, d, f, layers, V):
        encoder = 4 * n * d * d + scores * 2 * n * n * d + 2 * n * d * f
        decoder = 4 * m * d * d + scores * 2 * m * m * d + 2 * m * d * f
        decoder += cross * (2 * m * d * d + 2 * n * d * d + scores * 2 * m * n * d)
        return layers * (encoder + decoder) + output * m * V * d

    return wrong


_MULTIPLY_ADDS = (
    slip("counts.no-cross", "The decoder attends twice. To what does it attend the second time?",
         "Leaves out cross-attention.", _products(cross=0)),
    slip("counts.no-scores", "The heads multiply too. Which products have a column for each key?",
         "Leaves out Q · Kᵀ and A · V.", _products(scores=0)),
    slip("counts.no-output", "The vectors never became words. What do 500 logits a row cost?",
         "Leaves out the output projection.", _products(output=0)),
)  # fmt: skip

SLIPS = {
    "shift_right": _SHIFT_RIGHT,
    "causal_mask": _CAUSAL_MASK,
    "masked_softmax": _MASKED_SOFTMAX,
    "leaks": _LEAKS,
    "most_attended": _MOST_ATTENDED,
    "decoder": _DECODER,
    "smoothed_loss": _SMOOTHED_LOSS,
    "generate": _GENERATE,
    "cached_step": _CACHED_STEP,
    "padding_mask": _PADDING_MASK,
    "model_parameters": _PARAMETERS,
    "model_multiply_adds": _MULTIPLY_ADDS,
    **_CHOOSING,
}
