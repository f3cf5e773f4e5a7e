"""Run the table of steps on an example and keep every intermediate by name."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property, lru_cache

import numpy as np

from .errors import PlainError
from .examples import Example, course_example, frozen
from .sizes import HEAD_WEIGHTS
from .steps import Step, decoder_steps, encoder_steps
from .transformer import split_heads


class NoSuchStep(PlainError, AttributeError):
    """A name that is no step, weight or mask of the place that was asked."""


class Values:
    """Results, weights and masks of one place in the run, by name: `values.Q0` or `values["Q0"]`."""

    def __init__(self, place: str, values: dict):
        self._place = place
        self._values = values

    def __getitem__(self, key: str):
        if isinstance(key, str) and key in self._values:
            return self._values[key]
        near = get_close_matches(str(key), self._values, n=3)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise NoSuchStep(f"There is no {key!r} in {self._place}.{hint}")

    def __getattr__(self, key: str):
        if key.startswith("_"):
            raise AttributeError(key)
        return self[key]

    def __contains__(self, key) -> bool:
        return key in self._values

    def __dir__(self):
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return f"<{self._place}: {', '.join(self._values)}>"


class Stack(Values):
    """Encoder or decoder of a run: its input, its layers and what follows them.

    With one layer its results are here too (`run.encoder.Q0`); with more, ask `run.encoder.layer(2).Q0`.
    """

    def __init__(self, name: str, around: dict, layers: list[dict], result: str):
        self._layers = [Values(f"{name} layer {k}", values) for k, values in enumerate(layers, start=1)]
        self._name = name
        self._result = result
        only = layers[0] if len(layers) == 1 else {}
        super().__init__(f"the {name}", only | around)

    def __getitem__(self, key: str):
        if isinstance(key, str) and key not in self._values and key in self._layers[0]:
            raise NoSuchStep(
                f"The {self._name} has {len(self._layers)} layers with a {key} each: ask one of them, "
                f"as in .layer({len(self._layers)}).{key}"
            )
        return super().__getitem__(key)

    def layer(self, k: int) -> Values:
        """Layer k, counted from 1 as in the paper; PlainError if there is no such layer."""
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= len(self._layers):
            raise PlainError(f"The {self._name} has layers 1 to {len(self._layers)}; there is no layer {k!r}.")
        return self._layers[k - 1]

    @property
    def output(self) -> np.ndarray:
        """What the last layer hands on: Z (n_src, d_model) or Y3 (n_tgt, d_model)."""
        return self._layers[-1][self._result]


class Run:
    """One forward pass with every intermediate: `run.encoder`, `run.decoder`, and the example it came from."""

    def __init__(self, example: Example):
        self.example = example
        self.sizes = example.sizes
        self.symbols = example.symbols
        self.src_words = example.src_words
        self.tgt_words = example.tgt_words
        self.label_words = example.label_words
        self.vocabulary = example.vocabulary
        self.E = example.E
        self.encoder = self._encode()

    def _encode(self) -> Stack:
        table = encoder_steps(self.sizes.heads)
        around = _walk(table, "input", givens(self.example, "encoder"))
        layers, X = [], around["X"]
        for k in range(1, self.sizes.layers + 1):
            values = _walk(table, "layer", givens(self.example, "encoder", k) | {"X": X})
            layers.append(values)
            X = values["Z"]
        return Stack("encoder", around, layers, "Z")

    @cached_property
    def decoder(self) -> Stack:
        """The decoder's steps, computed when they are first asked for."""
        table = decoder_steps(self.sizes.heads, candidates=self.example.candidates is not None)
        Z = {"Z": self.encoder.output}
        around = _walk(table, "input", givens(self.example, "decoder") | Z)
        layers, Y = [], around["Y0"]
        for k in range(1, self.sizes.layers + 1):
            values = _walk(table, "layer", givens(self.example, "decoder", k) | Z | {"Y0": Y})
            layers.append(values)
            Y = values["Y3"]
        output = _walk(table, "output", givens(self.example, "decoder") | Z | {"Y3": Y})
        # Y3 belongs to a layer; it was lent to the output rows and does not stand beside them.
        del output["Y3"]
        return Stack("decoder", around | output, layers, "Y3")


def givens(example: Example, stack: str, layer: int | None = None) -> dict:
    """What the rows of a stack ask for beside earlier rows, by name: sizes, words, table, masks, labels.

    layer: also the weights of that layer, counted from 1, and the column block of each head beside them.
    """
    named = example.symbols | {
        "src_words": example.src_words,
        "tgt_words": example.tgt_words,
        "label_words": example.label_words,
        "vocabulary": example.vocabulary,
        "E": example.E,
        "blocked": example.src_blocked if stack == "encoder" else example.tgt_blocked,
    }
    if stack == "decoder":
        named |= {"cross_blocked": example.cross_blocked, "E_out": example.E_out, "labels": example.labels}
    if layer is not None:
        weights = (example.encoder_layers if stack == "encoder" else example.decoder_layers)[layer - 1]
        named |= weights
        for name in HEAD_WEIGHTS[stack]:
            blocks = split_heads(weights[name], example.sizes.heads)
            named |= {f"{name}{i}": frozen(W) for i, W in enumerate(blocks)}
    return named


def _walk(table: tuple[Step, ...], part: str, values: dict) -> dict:
    values = dict(values)
    for step in table:
        if step.part == part:
            values[step.key] = frozen(step.rule(*(values[name] for name in step.inputs)))
    return values


def forward_pass(example: Example) -> Run:
    """Compute every step of an example: a Run, asked as `run.encoder.Q0` or `run.decoder.layer(2).Y1`."""
    if not isinstance(example, Example):
        raise PlainError(f"An example is needed, as from random_example(…); this is of type {type(example).__name__}.")
    return Run(example)


@lru_cache(maxsize=1)
def course_run() -> Run:
    """The pinned run that the lessons print, computed once."""
    return forward_pass(course_example())
