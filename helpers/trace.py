"""Run the table of steps on an example and keep every intermediate by name."""

from __future__ import annotations

from functools import cached_property, lru_cache

from .errors import PlainError
from .examples import Example, course_example, frozen
from .sizes import HEAD_WEIGHTS
from .steps import Step, decoder_steps, encoder_steps
from .transformer import split_heads
from .values import Stack


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
