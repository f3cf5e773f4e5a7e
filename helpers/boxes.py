"""What a reader writes down: the steps of the table as boxes, one for each matrix of a homework or a sheet.

A step that nobody writes down on its own (Step.written) is folded into what reads it: the raw scores R into S.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from .steps import Step, decoder_steps, encoder_steps


@dataclass(frozen=True, eq=False)
class Box:
    """One thing to write down: result = rule(*inputs), as in the table of steps, with folded steps worked in.

    formula, hint: plain text. group: the part of the pass it stands in, "head 0" or "FFN".
    """

    step: Step
    inputs: tuple[str, ...]
    rule: Callable
    formula: str
    hint: str
    group: str

    @property
    def key(self) -> str:
        """Name of the result."""
        return self.step.key

    @property
    def family(self) -> str:
        """The name that steps doing the same thing share."""
        return self.step.family

    @property
    def mark(self) -> str:
        """The attention block: "" none or the encoder's, "m" masked, "c" cross."""
        return self.step.mark

    @property
    def head(self) -> int | None:
        """The attention head, or None."""
        return self.step.head

    def work_out(self, values: Mapping) -> np.ndarray:
        """Compute the box from values by name."""
        return self.rule(*[values[name] for name in self.inputs])


def _after(rule, inner, place, count, *args):
    """Compute rule with its input at `place` worked out by `inner` from the next `count` arguments."""
    worked = inner(*args[place : place + count])
    return rule(*args[:place], worked, *args[place + count :])


def _group(step: Step) -> str:
    block = {"": "", "m": "masked ", "c": "cross "}[step.mark]
    if step.part != "layer":
        return "start" if step.part == "input" else "words"
    if step.head is not None:
        return f"{block}head {step.head}"
    return f"{block}mix" if step.family in ("C", "M") else ""


def boxes_of(table: tuple[Step, ...]) -> tuple[Box, ...]:
    """Make a box of every step that is written down, in the order of the table."""
    boxes, folded, group = [], {}, ""
    for step in table:
        inputs, rule, formula, hint = step.inputs, step.rule, step.formula, step.hint
        for name in [n for n in inputs if n in folded]:
            inner, place = folded[name], inputs.index(name)
            inputs = (*inputs[:place], *inner.inputs, *inputs[place + 1 :])
            rule = partial(_after, rule, inner.rule, place, len(inner.inputs))
            formula, hint = formula.replace(name, inner.formula), f"{inner.hint} {hint}"
        # Sum and norm belong to the part before them.
        group = "FFN" if step.family == "F_pre" else _group(step) or group
        box = Box(step, inputs, rule, formula, hint, group)
        if step.written:
            boxes.append(box)
        else:
            folded[step.key] = box
    return tuple(boxes)


@lru_cache
def encoder_boxes(heads: int) -> tuple[Box, ...]:
    """Every box of the encoder, from ids to Z."""
    return boxes_of(encoder_steps(heads))


@lru_cache
def decoder_boxes(heads: int, candidates: bool = False) -> tuple[Box, ...]:
    """Every box of the decoder, from ids to the next word; candidates as in steps.decoder_steps."""
    return boxes_of(decoder_steps(heads, candidates))


def work_out(boxes: tuple[Box, ...], givens: Mapping) -> dict:
    """Walk the boxes in order: givens and results by name."""
    values = dict(givens)
    for box in boxes:
        values[box.key] = box.work_out(values)
    return values
