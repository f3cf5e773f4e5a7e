"""The table of traces: label of a step → what it makes, the rows of the pass it covers, the functions that write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..errors import PlainError
from .attention import mix, projections, scores, shares
from .inputs import lookup, position, received
from .output import logits, loss, vocabulary_shares
from .place import Place
from .sheet import Sheet
from .sublayers import combine, feed_forward, norm, residual

Writer = Callable[[Place, Sheet], None]


@dataclass(frozen=True)
class TraceStep:
    """One step of a trace.

    makes: what it hands on, for the flow line. products: the matrix products it contains, keys of the table of
    steps without their head. writers: the functions that write it, in order. upper: those for layer 2 and up, where
    they differ; none at all when the step exists in layer 1 only. last: the step follows the last layer.
    """

    makes: str
    products: tuple[str, ...]
    writers: tuple[Writer, ...]
    upper: tuple[Writer, ...] | None = None
    last: bool = False

    def of_layer(self, layer: int, layers: int) -> tuple[Writer, ...]:
        """The functions that write this step in one layer of a stack; none where it does not occur."""
        if self.last and layer < layers:
            return ()
        return self.writers if layer == 1 or self.upper is None else self.upper


_QKV, _MASKED = partial(projections, mark=""), partial(projections, mark="m")

ENCODER = {
    "A.1": TraceStep("E_scaled", (), (lookup,), upper=()),
    "A.2": TraceStep("X", (), (partial(position, result="X"),), (partial(received, result="X", source="Z"),)),
    "A.3": TraceStep("Q, K, V", ("Q", "K", "V"), (_QKV,)),
    "A.4": TraceStep("S", ("R",), (partial(scores, mark=""),)),
    "A.5": TraceStep("A", (), (partial(shares, mark=""),)),
    "A.6": TraceStep("H", ("H",), (partial(mix, mark=""),)),
    "A.7": TraceStep("M", ("M",), (partial(combine, result="M"),)),
    "A.8": TraceStep("X + M", (), (partial(residual, result="res1"),)),
    "A.9": TraceStep("N1", (), (partial(norm, result="N1"),)),
    "A.10": TraceStep("F", ("F_pre", "F"), (feed_forward,)),
    "A.11": TraceStep("Z", (), (partial(residual, result="res2"), partial(norm, result="Z"))),
}

DECODER = {
    "B.0": TraceStep("Q, K, V", ("Qm", "Km", "Vm"), (lookup, partial(position, result="Y0"), _MASKED),
                     (partial(received, result="Y0", source="Y3"), _MASKED)),
    "B.1": TraceStep("A", ("Rm",), (partial(scores, mark="m"), partial(shares, mark="m"))),
    "B.2": TraceStep("M", ("Hm", "Mm"), (partial(mix, mark="m"), partial(combine, result="Mm"))),
    "B.3": TraceStep("Y1", (), (partial(residual, result="res1"), partial(norm, result="Y1"))),
    "B.4": TraceStep("cross S", ("Qc", "Kc", "Vc", "Rc"), (partial(projections, mark="c"), partial(scores, mark="c"))),
    "B.5": TraceStep("Y2", ("Hc", "Mc"), (partial(shares, mark="c"), partial(mix, mark="c"),
                     partial(combine, result="Mc"), partial(residual, result="res2"), partial(norm, result="Y2"))),
    "B.6": TraceStep("F", ("F_pre", "F"), (feed_forward,)),
    "B.7": TraceStep("Y3", (), (partial(residual, result="res3"), partial(norm, result="Y3"))),
    "B.8": TraceStep("logits", ("logits",), (logits,), last=True),
    "B.9": TraceStep("P", (), (vocabulary_shares,), last=True),
    "B.10": TraceStep("loss", (), (loss,), last=True),
}  # fmt: skip

TRACES = {"encoder": ENCODER, "decoder": DECODER}


def steps_of(side: str, layer: int, layers: int) -> dict[str, tuple[Writer, ...]]:
    """The steps that the trace has in one layer of a stack, with their writers."""
    every = {label: step.of_layer(layer, layers) for label, step in TRACES[side].items()}
    return {label: writers for label, writers in every.items() if writers}


def chosen(step: object, side: str, layer: int, layers: int) -> dict[str, tuple[Writer, ...]]:
    """All steps of the layer, or the one that was asked for; PlainError says what there is."""
    there = steps_of(side, layer, layers)
    if step is None:
        return there
    if step in there:
        return {step: there[step]}
    labels = list(there)
    other = "decoder" if side == "encoder" else "encoder"
    if step in TRACES[other]:
        raise PlainError(f"{step} is a step of the {other}'s trace: ask for it with side={other!r}.")
    if step in TRACES[side]:
        where = f"layer {layers}, the last one" if TRACES[side][step].last else "layer 1"
        raise PlainError(f"{step} belongs to {where}; in layer {layer} the steps are {labels[0]} to {labels[-1]}.")
    raise PlainError(f"There is no step {step!r}: the {side}'s trace has the steps {labels[0]} to {labels[-1]}.")
