"""The lists that `byhand keys` and `byhand mistakes` print: every step, and every mistake a check can name."""

from __future__ import annotations

from helpers.counts import shape_note
from helpers.displays import show_table
from helpers.mistakes import CATALOGUE
from helpers.sizes import COURSE
from helpers.steps import decoder_steps, encoder_steps
from helpers.tasks import TASKS
from helpers.tasks.coding import CODING

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


def mistake_table() -> str:
    """Every mistake: its label, what it shows the instructor, and where it happens: in a box or in a task()."""
    boxes: dict[tuple[str, str], list[str]] = {}
    for mistake in (*CATALOGUE, *CODING):
        where = [*mistake.families, *(f"({key})" for key in mistake.keys or ())]
        kept = boxes.setdefault((mistake.label, mistake.shows), [])
        kept += [name for name in where if name not in kept]
    for task in TASKS.values():
        for slip in task.slips:
            boxes.setdefault((slip.label, slip.shows), []).append(f"{task.name}()")
    rows = [(label, f"{shows} [{', '.join(where)}]") for (label, shows), where in boxes.items()]
    return show_table.build(("label", "what it shows [boxes and tasks()]"), rows).text
