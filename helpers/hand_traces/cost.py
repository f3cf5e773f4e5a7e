"""What a trace costs: the multiply-adds of one token, step by step."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from ..errors import PlainError
from ..sizes import Sizes, shape_in
from ..steps import decoder_steps, encoder_steps
from .place import SIDES
from .plan import TRACES


class Cost(NamedTuple):
    """One kind of matrix product in the trace of a token.

    step: label in the trace. product: key without its head. formula: in symbols, for one head and one row.
    times: how many there are, heads and layers together. count: multiply-adds over all of them.
    rows: the rows it is done for, one for the token itself; keys and values of cross-attention are made for all
    n_src rows at once and serve every token.
    """

    step: str
    product: str
    formula: str
    times: int
    rows: int
    count: int


def trace_costs(sizes: Sizes, n_src: int, n_tgt: int | None = None, side: str = "encoder") -> list[Cost]:
    """Count the multiply-adds in the trace of one token through all layers; n_tgt is needed for the decoder.

    Raises PlainError for another side, or when the decoder's length is missing.
    """
    if side not in SIDES:
        raise PlainError(f"side is {side!r}; it must be 'encoder' or 'decoder'.")
    if side == "decoder" and n_tgt is None:
        raise PlainError("The decoder's trace needs n_tgt, the number of rows the decoder reads.")
    own = "n_src" if side == "encoder" else "n_tgt"
    symbols = sizes.symbols(n_src, n_tgt)
    table = {step.key: step for step in (encoder_steps if side == "encoder" else decoder_steps)(sizes.heads)}
    costs = []
    for label, traced in TRACES[side].items():
        for product in traced.products:
            step = table.get(product) or table[f"{product}0"]
            one_row = (*step.shape[1:], step.inner)
            times = (1 if step.head is None else sizes.heads) * (sizes.layers if step.part == "layer" else 1)
            rows = 1 if step.shape[0] == own else symbols[step.shape[0]]
            count = times * rows * prod(shape_in(symbols, one_row))
            costs.append(Cost(label, product, " · ".join(one_row), times, rows, count))
    return costs
