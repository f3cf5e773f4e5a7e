"""Find the slip: a filled-in pass with one mistake of the catalogue in it. Which step broke, and how?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..boxes import Box
from ..displays.notes import show_table
from ..displays.output import Display
from ..displays.table import show_matrix
from ..errors import PlainError
from ..examples import stream
from ..mistakes import Mistake, mistakes_in
from ..personal import personal_example
from .feedback import Feedback
from .homework import STACKS, homework_boxes, homework_givens
from .marks import Mark, first_off, mark_pass
from .read import read
from .say import column_words, row_words

DECIMALS = 3
LETTERS = "abcde"
# Slips of the pen are found by working everything out again; the others show something of the model.
PEN = ("entry.", "rows.exchanged", "columns.exchanged", "row.copied", "rounding.", "matrix.")
# What the reader cannot see as such: whole numbers beside a vocabulary, and a single number.
LEFT_OUT = ("ids", "loss", "next_word")


def find_the_slip(unit: str = "encoder", seed: int = 0) -> Slip:
    """Make a filled-in pass in which one step broke; the same for the same seed, and there is no end of seeds.

    unit: "encoder" or "translation". Raises PlainError for another unit, or a seed that is no whole number.
    """
    if unit not in STACKS:
        raise PlainError(f"There is no pass {unit!r}; there are {' and '.join(map(repr, STACKS))}.")
    rng = stream(seed)
    example = personal_example(f"find the slip {seed}")
    boxes, givens = homework_boxes(unit, example), homework_givens(unit, example)
    while True:
        # The engine that checks the homework must name the slip, and nothing else, or another one is drawn.
        box = boxes[rng.randint(len(boxes))]
        mistakes = [m for m in mistakes_in(box) if not m.label.startswith(PEN) and box.family not in LEFT_OUT]
        if not mistakes:
            continue
        mistake = mistakes[rng.randint(len(mistakes))]
        filled = _fill(boxes, givens, box, mistake, rng)
        if filled is None:
            continue
        marks = mark_pass(boxes, givens, {key: read(values) for key, values in filled.items()})
        if first_off(marks) == box.key and marks[box.key].labels == (mistake.label,):
            return Slip(unit, boxes, givens, filled, marks, _choices(boxes, mistake, rng))


def _fill(boxes, givens: Mapping, broken: Box, mistake: Mistake, rng) -> dict | None:
    """A pass worked out with three decimals, with one box made the wrong way; None where that gives no matrix."""
    values, filled = dict(givens), {}
    for box in boxes:
        result = np.asarray(box.work_out(values))
        if box is broken:
            variants = [v for v in mistake.variants(box, values, result) if _presentable(v, result)]
            if not variants:
                return None
            result = variants[rng.randint(len(variants))]
        values[box.key] = result if result.dtype.kind in "iu" else np.round(result, DECIMALS)
        filled[box.key] = values[box.key]
    return filled


def _presentable(variant: np.ndarray, right: np.ndarray) -> bool:
    return variant.shape == right.shape and bool(np.isfinite(variant).all())


def _choices(boxes, mistake: Mistake, rng) -> dict[str, Mistake]:
    """Five ways in which it may have broken, by letter, the true one among them."""
    possible = {m.label: m for box in boxes for m in mistakes_in(box)}
    others = [m for label, m in possible.items() if label != mistake.label and not label.startswith(PEN)]
    picked = [others[k] for k in rng.permutation(len(others))[: len(LETTERS) - 1]]
    place = rng.randint(len(LETTERS))
    return dict(zip(LETTERS, [*picked[:place], mistake, *picked[place:]], strict=True))


@dataclass(frozen=True, repr=False)
class Slip:
    """A pass with one slip: it shows itself, and `answer(step="S0", how="b")` checks what was found."""

    unit: str
    boxes: tuple[Box, ...]
    givens: Mapping
    filled: Mapping
    marks: Mapping[str, Mark]
    choices: Mapping[str, Mistake]

    @property
    def display(self) -> Display:
        """The pass, with what is given, and the ways in which it may have broken."""
        parts = [self._given(), *(self._group(name) for name in dict.fromkeys(box.group for box in self.boxes))]
        rows = [(letter, mistake.shows) for letter, mistake in self.choices.items()]
        caption = "One step broke; every later one is right for the numbers before it. How did it break?"
        return sum([*parts[1:], show_table.build(("letter", "what was done"), rows, caption=caption)], parts[0])

    def _given(self) -> Display:
        table = show_matrix.build(self.givens["E"], "E", list(self.givens["vocabulary"]), decimals=1, note="given")
        weights = [show_matrix.build(np.atleast_2d(self.givens[name]), name, decimals=1) for name in self._weights()]
        if self.unit == "translation":
            weights.insert(0, show_matrix.build(self.givens["Z"], "Z", self.givens["src_words"]))
        return table.beside(*weights)

    def _weights(self) -> list[str]:
        """The weights that the pass reads, each once; gamma is 1 and beta 0, as said above the pass."""
        read_by_boxes = dict.fromkeys(name for box in self.boxes for name in box.inputs)
        return [name for name in read_by_boxes if name[0] == "W" or name in ("b1", "b2")]

    def _group(self, group: str) -> Display:
        first, *others = [self._box(box) for box in self.boxes if box.group == group]
        return first.beside(*others)

    def _box(self, box: Box) -> Display:
        values = np.asarray(self.filled[box.key])
        note = f"= {box.formula}"
        if values.ndim == 0:
            return show_table.build((f"{box.key} {note}",), [(self._number(box, values),)])
        rows, columns = row_words(box, self.givens), column_words(box, self.givens)
        if values.ndim == 1:
            line = [[self._number(box, v) for v in values]]
            return show_table.build(rows, line, caption=f"{box.key} {note}")
        return show_matrix.build(values, box.key, rows=rows, cols=columns, note=note)

    def _number(self, box: Box, value) -> object:
        if box.key == "next_word":
            return self.givens["out_words"][int(value)]
        return int(value) if box.step.kind == "ids" else float(value)

    def answer(self, step: str, how: str = "") -> Feedback:
        """Check which step broke, by key, and how: a letter of the list, or a label of the catalogue.

        Raises PlainError for a step that is not shown and for a way that is not in the list.
        """
        keys = [box.key for box in self.boxes]
        if step not in keys:
            raise PlainError(f"There is no step {step!r} here; the steps are {', '.join(keys)}.")
        labels = {mistake.label: letter for letter, mistake in self.choices.items()}
        letter = labels.get(how, how.strip().lower())
        if letter not in ("", *self.choices):
            raise PlainError(f"how is {how!r}; it must be one of the letters {', '.join(self.choices)}.")
        return self._judge(keys, step, letter)

    def _judge(self, keys: list[str], step: str, letter: str) -> Feedback:
        broken = first_off(self.marks)
        (label,) = self.marks[broken].labels
        if step != broken:
            later = keys.index(step) > keys.index(broken)
            verdict = f"{step} is right for the numbers before it. Look {'earlier' if later else 'later'}."
            return Feedback("off", verdict, "find the slip", 0, 2)
        if not letter:
            return Feedback("off", f"{step} is the step. How did it break?", "find the slip", 1, 2)
        if self.choices[letter].label != label:
            question = self.marks[broken].claims[0].mistake.question
            verdict = f"{step} is the step; it broke in another way."
            return Feedback("off", verdict, "find the slip", 1, 2, [("Question", question)], labels=(label,))
        return Feedback("right", f"Right: {step}.", "find the slip", 2, 2, [("Slip", self.choices[letter].shows)])

    def __repr__(self) -> str:
        return self.display.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.display._repr_mimebundle_(include, exclude)
