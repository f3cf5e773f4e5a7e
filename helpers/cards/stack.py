"""Encoder 18 and decoder 10: the stack, layer by layer, and any matrix of the layer that is reached."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from ..displays.chosen import chosen_matrix
from ..displays.output import Display
from ..sizes import HEAD_WEIGHTS, PAPER_BASE, WEIGHTS
from ..steps import Step, decoder_steps, encoder_steps
from . import drawn
from .bars import sentence
from .card import Card, Stage, shapes
from .controls import HEAD, Chosen, Menu, Number, Press
from .settings import Settings

READS = {"encoder": "X", "decoder": "Y0"}
HANDS_ON = {"encoder": "Z", "decoder": "Y3"}
_READ = {"X": ("n_src",), "Y0": ("n_tgt",), "Z": ("n_src",)}
LAYER_PX, HEIGHT_PX, GAP_PX = 134, 34, 12
MOST_ROWS = 16
"""Rows of a weight matrix that are shown: as many as the widest d_model of the cards."""


# --- what can be opened ------------------------------------------------------------------------


@cache
def _steps(stack: str) -> dict[str, Step]:
    """The steps of a layer by what the menu calls them; head 0 stands for all heads."""
    steps = encoder_steps(1) if stack == "encoder" else decoder_steps(1)
    return {_without_head(step.key, step.head is not None): step for step in steps if step.part == "layer"}


def _without_head(key: str, has_head: bool) -> str:
    return key.rstrip("0") if has_head else key


@cache
def openable(stack: str) -> tuple[tuple[str, str], ...]:
    """(label, name) of every matrix of a layer, in the order in which it is needed: read, weights, results."""
    names = {READS[stack]: "what the layer reads"}
    for name, step in _steps(stack).items():
        for used in step.inputs:
            if used == "Z":
                names["Z"] = "what the encoder hands over"
            elif _is_weight(stack, _without_head(used, True)):
                names[_without_head(used, True)] = "weights"
        names[name] = step.title.split(", head")[0]
    return tuple((f"{name}: {what}", name) for name, what in names.items())


def _is_weight(stack: str, name: str) -> bool:
    return len(WEIGHTS[stack].get(name, ())) == 2


def key_of(stack: str, name: str, head: int) -> str:
    """The key of what the menu calls a name: head 1 of "Q" is Q1; what belongs to no head stays as it is."""
    step = _steps(stack).get(name)
    return f"{name}{head}" if name in HEAD_WEIGHTS[stack] or (step and step.head is not None) else name


def opened(settings: Settings, stack: str, name: str, head: int, layer: int) -> Display:
    """Any matrix of a layer as a heat map."""
    values = getattr(settings.run, stack).layer(layer)
    example, key, step = settings.example, key_of(stack, name, head), _steps(stack).get(name)
    title = next(label.split(": ")[1] for label, other in openable(stack) if other == name)
    words = {"n_src": example.src_words, "n_tgt": example.tgt_words}
    symbols = step.shape if step else _READ.get(name, ())
    rows, cols = (*(words.get(symbol) for symbol in symbols), None, None)[:2]
    masks = {"": example.src_blocked, "m": example.tgt_blocked, "c": example.cross_blocked}
    family = step.family if step else ""
    return chosen_matrix(
        values[key],
        key,
        rows,
        cols,
        heat=True,
        weights=family == "A",
        blocked=masks[step.mark] if family in ("A", "B") else None,
        decimals=3 if family == "A" else 2,
        note=f"layer {layer}, {title}",
        max_rows=MOST_ROWS,
    )


def entered(settings: Settings, stack: str) -> Display:
    """What waits below layer 1, before any layer has worked."""
    words = settings.example.src_words if stack == "encoder" else settings.example.tgt_words
    first = READS[stack]
    return chosen_matrix(getattr(settings.run, stack)[first], first, words, heat=True, decimals=2,
                         note=f"the {stack}'s input")  # fmt: skip


# --- the tower ---------------------------------------------------------------------------------


def tower(stack: str, layers: int, at: int) -> Display:
    """The layers, the first at the bottom; below `at` they are done. Z enters every layer of the decoder."""
    side = 60 if stack == "decoder" else 12
    height = 2 * 30 + layers * HEIGHT_PX + (layers - 1) * GAP_PX
    middle = side + LAYER_PX / 2
    parts, base = [], height - 30
    for k in range(1, layers + 1):
        top = base - (k - 1) * (HEIGHT_PX + GAP_PX) - HEIGHT_PX
        look = "done" if k < at else "now" if k == at else "later"
        way = "way" if k <= at else "later"
        parts.append(drawn.arrow(middle, top + HEIGHT_PX + GAP_PX, middle, top + HEIGHT_PX + 2, way))
        if stack == "decoder":
            parts.append(drawn.arrow(16, top + HEIGHT_PX / 2, side - 3, top + HEIGHT_PX / 2, "lit" if k == at else way,
                                     2.5 if k == at else 1.5))  # fmt: skip
        parts.append(drawn.box(side, top, LAYER_PX, HEIGHT_PX, look))
        parts.append(drawn.words(middle, top + 22, f"layer {k}", "middle", "b" if k == at else "q" * (k > at)))
        if k == at:
            parts.append(drawn.line(side + LAYER_PX + 7, top + 17, side + LAYER_PX + 20, top + 17, "lit", 2))
            parts.append(drawn.words(side + LAYER_PX + 26, top + 22, "here", "start", "b"))
    parts.append(drawn.words(middle, height - 4, READS[stack], "middle", "c"))
    parts.append(drawn.arrow(middle, 30, middle, 18, "way" if at == layers else "later"))
    parts.append(drawn.words(middle, 13, HANDS_ON[stack], "middle", "c" + " q" * (at < layers)))
    if stack == "decoder":
        top = 30 + HEIGHT_PX / 2
        parts.append(drawn.line(16, height - 20, 16, top, "way"))
        parts.append(drawn.words(16, height - 4, "Z", "middle", "c"))
    return drawn.drawing(
        _tower_text(stack, layers, at),
        drawn.svg(side + LAYER_PX + 62, height, f"The {stack} stack", _described(stack, layers, at), "".join(parts)),
    )


def _described(stack: str, layers: int, at: int) -> str:
    states = [f"layer {k} is {_state(k, at)}" for k in range(1, layers + 1)]
    enters = " Z enters every layer from the side." if stack == "decoder" else ""
    return (
        f"{READS[stack]} enters layer 1 from below, {HANDS_ON[stack]} leaves layer {layers} at the top: "
        f"{', '.join(states)}.{enters}"
    )


def _state(k: int, at: int) -> str:
    return "done" if k < at else "here" if k == at else "to come"


def _tower_text(stack: str, layers: int, at: int) -> list[str]:
    enters = "Z -> " if stack == "decoder" else ""
    blank = " " * len(enters)
    lines = [f"{blank}  {HANDS_ON[stack]}"]
    for k in range(layers, 0, -1):
        lines.append(f"{enters}[ layer {k} ]  {_state(k, at)}")
    return [*lines, f"{blank}  {READS[stack]}"]


# --- the card ----------------------------------------------------------------------------------


def draw_stack(stack: str, settings: Settings, chosen: Chosen) -> Stage:
    """The tower beside the opened matrix, and where this layer's input and weights come from."""
    at, layers = chosen.layer, settings.sizes.layers
    matrix = opened(settings, stack, chosen.open, chosen.head, at) if at else entered(settings, stack)
    name = chosen.open if at else READS[stack]
    this, paper = shapes(settings, "encoder" if name == "Z" else stack, key_of(stack, name, 0))
    note = f"N {layers} here, {PAPER_BASE.layers} in the paper"
    return Stage(tower(stack, layers, at).beside(matrix) + _findings(stack, settings, at), this, paper, note)


def _findings(stack: str, settings: Settings, at: int) -> Display:
    """Where this layer's input comes from, and whether its weights and its Z are those of other layers: compared."""
    values, reads = getattr(settings.run, stack), READS[stack]
    if not at:
        return sentence(f"No layer has worked yet. {reads} stands below layer 1.")
    here, first_weights = values.layer(at), "Wq" if stack == "encoder" else "Wqm"
    if at == 1:
        told = [f"Layer 1 reads {reads}, the {stack}'s input: {_differing(values[reads], here[reads])}."]
    else:
        before = values.layer(at - 1)
        told = [
            f"Layer {at} reads what layer {at - 1} hands on: {_differing(before[HANDS_ON[stack]], here[reads])}.",
            f"Its weights are its own: between {first_weights} here and in layer {at - 1}, "
            f"{_differing(before[first_weights], here[first_weights])}.",
        ]
    if stack == "decoder":
        z = _differing(settings.run.encoder.output, here["Z"])
        told.append(f"From the side comes Z, the encoder's last output, for keys and values: {z}.")
    return sentence(" ".join(told))


def _differing(a: np.ndarray, b: np.ndarray) -> str:
    """How many entries of two matrices differ, in words."""
    count = int(np.sum(a != b))
    if not count:
        return "no entry differs"
    return f"{count} of {a.size} entries differ"


def _on(settings: Settings, chosen: Chosen) -> dict | None:
    return {"layer": chosen.layer + 1} if chosen.layer < settings.sizes.layers else None


def _back(settings: Settings, chosen: Chosen) -> dict | None:
    return {"layer": chosen.layer - 1} if chosen.layer > 0 else None


def _from_the_start(settings: Settings, chosen: Chosen) -> dict:
    return {"layer": 0}


def _controls(stack: str) -> tuple:
    return (
        Press("play", "Play", change=_on, rewind=_from_the_start, plays=True),
        Press("back", "Back", change=_back),
        Number("layer", "layer", 1, low=0, high=lambda settings: settings.sizes.layers),
        Menu("open", "open", HANDS_ON[stack], options=lambda settings: openable(stack)),
        HEAD,
    )


CARDS = (
    Card(
        "stack", "encoder", 18, "The stack", "What does each layer read, and with whose weights does it work?",
        "3.1", partial(draw_stack, "encoder"), _controls("encoder"),
    ),
    Card(
        "decoder stack", "decoder", 10, "The decoder stack", "What enters a layer from below, and what from the side?",
        "3.1", partial(draw_stack, "decoder"), _controls("decoder"),
    ),
)  # fmt: skip
