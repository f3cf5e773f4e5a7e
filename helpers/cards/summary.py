"""Decoder 15: every step with its shape, and the one place where the two sides meet."""

from __future__ import annotations

from ..counts import summary_table
from ..displays.notes import show_table
from ..steps import Step, decoder_steps, encoder_steps
from .bars import sentence
from .card import Card, Stage
from .controls import Chosen, Menu
from .settings import Settings

STACKS = ("decoder", "encoder")
LENGTHS = ("n_src", "n_tgt")


def side(step: Step) -> str:
    """Which lengths a step's result, and what it is made from, can have: "n", "m", "n and m" or "" for neither."""
    found = {name for name in LENGTHS if name in (*step.shape, step.inner)}
    return {frozenset(): "", frozenset(["n_src"]): "n", frozenset(["n_tgt"]): "m"}.get(frozenset(found), "n and m")


def draw_summary(settings: Settings, chosen: Chosen) -> Stage:
    """The steps of a stack with their shapes here and in the paper."""
    sizes, n, m = settings.sizes, len(settings.source), len(settings.target) + 1
    stack = chosen.stack
    steps = {step.key: step for step in (encoder_steps if stack == "encoder" else decoder_steps)(sizes.heads)}
    rows = summary_table(sizes, n, m, stack)
    lines = [(row.key, row.title, side(steps[row.key]), row.this, row.paper) for row in rows]
    table = show_table.build(
        ("key", "step", "rows", "this run", "paper"), lines, align="lllll",
        caption=f"{stack.capitalize()}: n is {n}, m is {m}; head 0 stands for all heads, layer 1 for all layers",
    )  # fmt: skip
    meet = [row.key for row in rows if side(steps[row.key]) == "n and m"]
    both = [step.key for step in (*encoder_steps(1), *decoder_steps(1)) if side(step) == "n and m"]
    said = (
        f"n and m meet in {len(both)} steps, {', '.join(both)}, and all belong to cross-attention."
        if all(key.rstrip("0")[1:] == "c" for key in both)
        else f"n and m meet in {', '.join(both)}."
    )
    said += " None of them is in the encoder." if not meet else " Everywhere else a step has one side's rows."
    return Stage(table + sentence(said), f"n {n}, m {m}", "any n, any m", weights=False)


CARDS = (
    Card(
        "summary", "decoder", 15, "The whole way", "Where do the two sentences meet?", "3", draw_summary,
        (Menu("stack", "side", "decoder", options=lambda s: [(name, name) for name in STACKS], beside=True),),
    ),
)  # fmt: skip
