"""Parameters, multiply-adds and shapes, derived from the table of steps and the sizes.

A multiply-add is one product added to a sum. Only matrix products are counted, as is usual: a step that names the
dimension that cancels (`Step.inner`) costs that many for each entry of its result.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from .sizes import PAPER_BASE, WEIGHT_BLOCKS, Sizes, shape_in
from .steps import Step, decoder_steps, encoder_steps


class Parameters(NamedTuple):
    """One block of weights: formula in symbols for one layer, count over all layers."""

    stack: str
    block: str
    formula: str
    count: int


class MultiplyAdds(NamedTuple):
    """One kind of matrix product: formula in symbols for one of them, how many there are, count over all."""

    stack: str
    step: str
    formula: str
    times: int
    count: int


class Shape(NamedTuple):
    """One step with its shape in symbols, in a run and at the size of the paper's base model."""

    key: str
    title: str
    formula: str
    symbols: str
    this: str
    paper: str


def _written(shape) -> str:
    return " × ".join(str(n) for n in shape) or "one number"


def _stem(step: Step) -> str:
    """Key of a step without its head: Q0 and Q1 are both Q."""
    return step.key if step.head is None else step.key.removesuffix(str(step.head))


# --- parameters --------------------------------------------------------------------------------


def _block_formula(shapes: dict[str, tuple[str, ...]]) -> str:
    kinds = {}
    for shape in shapes.values():
        kinds[shape] = kinds.get(shape, 0) + 1
    terms = ((f"{count} · " if count > 1 else "") + " · ".join(shape) for shape, count in kinds.items())
    return " + ".join(terms)


def parameter_table(sizes: Sizes, stack: str | None = None) -> list[Parameters]:
    """Count the weights of every block; stack "encoder" or "decoder" for one of them, else the whole model.

    The embedding table counts once: the output projection is the same table (§3.4). Projections have no bias.
    """
    symbols = sizes.symbols()
    rows = [] if stack else [Parameters("model", "embedding table E", "V · d_model", sizes.vocab * sizes.d_model)]
    for name in [stack] if stack else WEIGHT_BLOCKS:
        for block, shapes in WEIGHT_BLOCKS[name].items():
            one = sum(prod(shape_in(symbols, shape)) for shape in shapes.values())
            rows.append(Parameters(name, block, _block_formula(shapes), sizes.layers * one))
    return rows


def encoder_parameters(sizes: Sizes) -> int:
    """Count the weights of the encoder's layers: 840 in the course, 6 · 3,150,336 in the paper."""
    return sum(row.count for row in parameter_table(sizes, "encoder"))


def model_parameters(sizes: Sizes) -> int:
    """Count the weights of both stacks and of the one embedding table: 5,952 in the course."""
    return sum(row.count for row in parameter_table(sizes))


# --- multiply-adds -----------------------------------------------------------------------------


def _products(steps: tuple[Step, ...], symbols: dict[str, int], layers: int) -> list[MultiplyAdds]:
    alike: dict[str, list[Step]] = {}
    for step in steps:
        if step.inner:
            alike.setdefault(_stem(step), []).append(step)
    rows = []
    for stem, (first, *others) in alike.items():
        dims = (*first.shape, first.inner)
        times = (1 + len(others)) * (layers if first.part == "layer" else 1)
        count = times * prod(shape_in(symbols, dims))
        rows.append(MultiplyAdds(first.stack, stem, " · ".join(dims), times, count))
    return rows


def multiply_add_table(
    sizes: Sizes, n_src: int, n_tgt: int | None = None, n_out: int | None = None
) -> list[MultiplyAdds]:
    """Count the multiply-adds of every matrix product: the encoder's, and the decoder's too when n_tgt is given.

    n_out: how many words compete at the output, None for the whole vocabulary.
    """
    rows = _products(encoder_steps(sizes.heads), sizes.symbols(n_src), sizes.layers)
    if n_tgt is not None:
        steps = decoder_steps(sizes.heads, candidates=n_out is not None)
        rows += _products(steps, sizes.symbols(n_src, n_tgt) | {"n_out": n_out}, sizes.layers)
    return rows


def encoder_multiply_adds(sizes: Sizes, n_src: int) -> int:
    """Count the multiply-adds of one encoder pass over n_src words: 8,208 in the course."""
    return sum(row.count for row in multiply_add_table(sizes, n_src))


def model_multiply_adds(sizes: Sizes, n_src: int, n_tgt: int) -> int:
    """Count the multiply-adds of one pass through both stacks and the output projection: 45,424 in the course."""
    return sum(row.count for row in multiply_add_table(sizes, n_src, n_tgt))


# --- shapes ------------------------------------------------------------------------------------


def shape_note(
    step: Step, sizes: Sizes, n_src: int, n_tgt: int | None = None, n_out: int | None = None
) -> tuple[str, str]:
    """Write a step's shape in a run and at the paper's size, the words being as many: ("9 × 8", "9 × 512").

    n_out: how many words compete at the output of the run; in the paper the whole vocabulary does.
    """
    this, paper = (
        s.symbols(n_src, n_tgt) | {"n_out": words} for s, words in ((sizes, n_out), (PAPER_BASE, PAPER_BASE.vocab))
    )
    return _written(shape_in(this, step.shape)), _written(shape_in(paper, step.shape))


def summary_table(
    sizes: Sizes, n_src: int, n_tgt: int | None = None, stack: str = "encoder", n_out: int | None = None
) -> list[Shape]:
    """List every step of a stack with its shapes; of the heads, which are alike, head 0 stands for all.

    n_out: how many words compete at the output, None for the whole vocabulary.
    """
    both = {"encoder": encoder_steps(sizes.heads), "decoder": decoder_steps(sizes.heads, n_out is not None)}
    rows = []
    for step in both[stack]:
        if step.head in (None, 0):
            this, paper = shape_note(step, sizes, n_src, n_tgt, n_out)
            rows.append(Shape(step.key, step.title, step.formula, _written(step.shape), this, paper))
    return rows
