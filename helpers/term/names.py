"""Plain names for what a unit asks: titles of steps, and what a mistake shows about the student."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from helpers.boxes import Box, decoder_boxes, encoder_boxes
from helpers.mistakes import CATALOGUE
from helpers.sizes import HOMEWORK
from helpers.tasks import TASKS
from helpers.tasks.coding import CODING


@cache
def boxes_of(unit: str) -> Mapping[str, Box]:
    """Key → box of a homework, none for a lesson."""
    if unit == "homework_encoder":
        return {box.key: box for box in encoder_boxes(HOMEWORK.heads)}
    if unit == "homework_translation":
        return {box.key: box for box in decoder_boxes(HOMEWORK.heads, candidates=True)}
    return {}


def title(unit: str, key: str) -> str:
    """What a step is, "" where its key says it."""
    if shapes := re.fullmatch(r"paper-shapes-(\d+)", key):
        return f"the paper's shapes, group {shapes[1]}"
    if prose := re.fullmatch(r"prose-(\d+)", key):
        return f"question {prose[1]} in words"
    if key in boxes_of(unit):
        named = boxes_of(unit)[key].step.title
        return "" if named == key else named
    task = TASKS.get(key)
    return task.signature if task is not None and task.unit == unit else ""


@cache
def instructors_lines() -> Mapping[str, Sequence[str]]:
    """Label of a mistake → what it shows, one line for each way in which the catalogue says it."""
    found: dict[str, dict[str, None]] = {}
    for mistake in (*CATALOGUE, *CODING):
        found.setdefault(mistake.label, {})[mistake.shows] = None
    for task in TASKS.values():
        for slip in task.slips:
            found.setdefault(slip.label, {})[slip.shows] = None
    return {label: tuple(lines) for label, lines in found.items()}


@cache
def instructors_line(label: str, keys: Sequence[str] = (), unit: str = "") -> str:
    """What a mistake shows, in the words for the steps where it was made; the label itself for one unknown."""
    lines: dict[str, None] = {}
    for key in keys:
        task = TASKS.get(key)
        if task is not None and task.unit == unit:
            lines |= {slip.shows: None for slip in task.slips if slip.label == label}
        box = boxes_of(unit).get(key)
        if box is not None:
            lines |= {one.shows: None for one in (*CATALOGUE, *CODING) if one.label == label and one.happens_in(box)}
    # Everywhere else it can happen, such as a mistake of one step inside a function of many.
    return " / ".join(lines or instructors_lines().get(label, (label,)))
