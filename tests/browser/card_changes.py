"""One change for every card, and for the cards that carry the lessons what must then be on the screen.

Those numbers come straight from the engine, not from what draws the card.
"""

from dataclasses import dataclass

import numpy as np

from helpers import decoding
from helpers import transformer as tf
from helpers.displays.numbers import MINUS
from helpers.trace import forward_pass


@dataclass(frozen=True)
class Change:
    """Set controls one after another; None for the value of a button. `engine`: what must then be shown, if told."""

    steps: tuple
    engine: object = None


def written(values, sign=True, decimals=3):
    """Numbers as a display writes them; those around zero are left out, as their sign is noise."""
    values = [value for value in np.ravel(values) if abs(value) >= 10**-decimals]
    return [(f"{value:+.{decimals}f}" if sign else f"{value:.{decimals}f}").replace("-", MINUS) for value in values]


def _order(settings, chosen):
    """With positions: the first layer's output for the sentence as it stands."""
    layer = forward_pass(settings.example).encoder.layer(1)
    return written(layer.Z)


def _own_order(settings, chosen):
    """Without positions: one layer on the scaled rows alone, whatever the order."""
    example = settings.example
    rows = tf.embed(tf.token_ids(example.src_words, example.vocabulary), example.E)
    return written(tf.encoder_layer(rows, example.encoder_layers[0], settings.sizes.heads))


def _clock(settings, chosen):
    d, p = settings.sizes.d_model, chosen.position
    angles = [at / 10_000 ** (2 * i / d) for at in (p, p + chosen.steps) for i in range(d // 2)]
    return written([*map(np.sin, angles), *map(np.cos, angles)])


def _scores(settings, chosen):
    layer = forward_pass(settings.example).encoder.layer(1)
    i = chosen.head
    return written(layer[f"Q{i}"] @ layer[f"K{i}"].T)


def _softmax(settings, chosen):
    layer = forward_pass(settings.example).encoder.layer(1)
    Q, K = layer[f"Q{chosen.head}"], layer[f"K{chosen.head}"]
    return written(tf.softmax(Q @ K.T / np.sqrt(Q.shape[1]))[chosen.word], sign=False)


def _cheating(settings, chosen):
    """The weights without the mask: later words too get a share."""
    layer = forward_pass(settings.example).decoder.layer(1)
    i = chosen.head
    Q, K = layer[f"Qm{i}"], layer[f"Km{i}"]
    S = Q @ K.T / np.sqrt(Q.shape[1])
    return written(tf.softmax(S), sign=False)


def _cross(settings, chosen):
    run = forward_pass(settings.example)
    layer, w = run.decoder.layer(1), settings.example.decoder_layers[0]
    Q = tf.split_heads(tf.project(layer.Y1, w["Wqc"]), settings.sizes.heads)[chosen.head]
    K = tf.split_heads(tf.project(run.encoder.output, w["Wkc"]), settings.sizes.heads)[chosen.head]
    S = tf.scale_scores(tf.raw_scores(Q, K), Q.shape[1])
    return written(S) + written(tf.softmax(S)[chosen.word], sign=False)


def _generation(settings, chosen):
    """The shares of the next word, all words before it the likeliest ones."""
    example = settings.example
    columns = tf.token_ids(example.candidates, example.vocabulary)
    step = decoding.decoder_step(example, forward_pass(example).encoder.output)
    ids = [tf.SOS]
    for _ in range(chosen.words):
        ids.append(int(columns[np.argmax(step(ids)[-1][columns])]))
    return written(tf.softmax(step(ids)[-1][columns] / chosen.temperature), sign=False)


def _logits(settings, chosen):
    return written(forward_pass(settings.example).decoder.logits[chosen.word])


CHANGES = {
    "sizes": Change((("d_model", 12), ("layers", 3))),
    "sentence": Change((("source", "the old dog saw the cat"),)),
    "table rows": Change((("word", 2),)),
    "scaling": Change((("word", 1),)),
    "order": Change((("again", None), ("positions", True)), _order),
    "position codes": Change((("code", "sine and cosine"),)),
    "clock hands": Change((("position", 11), ("steps", 5), ("pair", 1)), _clock),
    "position matrix": Change((("word", 3), ("column", 2))),
    "adding": Change((("word", 4),)),
    "queries, keys, values": Change((("word", 1), ("head", 1), ("component", 2))),
    "scores": Change((("asks", 2), ("answers", 1), ("head", 1)), _scores),
    "softmax": Change((("word", 3), ("head", 1)), _softmax),
    "weighted average": Change((("word", 1), ("component", 1))),
    "heads together": Change((("word", 2), ("column", 3))),
    "add & norm": Change((("word", 3),)),
    "feed-forward": Change((("word", 1), ("unit", 5))),
    "second add & norm": Change((("word", 2),)),
    "stack": Change((("layer", 2), ("open", "A"), ("head", 1))),
    "movement": Change((("stop", 1), ("measure", "distance"))),
    "german sentence": Change((("target", "der alte hund sah die katze"),)),
    "shifted right": Change((("next", None), ("word", 1))),
    "decoder input": Change((("word", 3),)),
    "masked scores": Change((("word", 1), ("head", 1), ("cheat", True)), _cheating),
    "masked heads": Change((("word", 2), ("head", 1), ("column", 1))),
    "masked add & norm": Change((("word", 2),)),
    "cross-attention": Change((("word", 3), ("head", 1)), _cross),
    "cross mix": Change((("word", 1), ("column", 2))),
    "decoder feed-forward": Change((("word", 2), ("unit", 3))),
    "decoder stack": Change((("layer", 2), ("open", "Am"))),
    "logits": Change((("word", 2), ("candidate", 1)), _logits),
    "losses": Change((("word", 3), ("smoothing", 0.3))),
    "teacher forcing": Change((("place", 2), ("new", "katze"))),
    "generation": Change((("again", None), ("step", None), ("step", None), ("temperature", 0.7)), _generation),
    "summary": Change((("stack", "encoder"),)),
}
