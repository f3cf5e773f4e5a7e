"""The list of step keys that `byhand keys` prints."""

from __future__ import annotations

from helpers.counts import shape_note
from helpers.displays import show_table
from helpers.sizes import COURSE
from helpers.steps import decoder_steps, encoder_steps

HEADER = ["stack", "key", "what it is", "formula", "this run", "paper"]
N_SRC, N_TGT = 9, 7


def key_table(stacks: list[str]) -> str:
    """Every step of the given stacks, with its shape in the course run and at the paper's sizes."""
    steps = {"encoder": encoder_steps, "decoder": decoder_steps}
    rows = [
        [step.stack, step.key, step.title, step.formula, *shape_note(step, COURSE, N_SRC, N_TGT)]
        for stack in stacks
        for step in steps[stack](COURSE.heads)
    ]
    return show_table.build(HEADER, rows).text
