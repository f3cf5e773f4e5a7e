"""Find the slip: a filled-in pass with one mistake of the catalogue in it. Which step broke, and how?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from ..boxes import Box
from ..displays.notes import folded, part, show_table
from ..displays.output import Display
from ..displays.table import show_matrix
from ..errors import PlainError
from ..mistakes import Mistake, mistakes_in
from ..personal import personal_example
from ..sizes import whole
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
# What the parts of a pass are called above their matrices, where boxes.py has a name of one word.
PARTS = {"start": "input", "mix": "heads together", "words": "output"}
BLANKS = ("", "…", "...")


def find_the_slip(unit: str = "encoder", seed: int = 0) -> SlippedPass:
    """Make a filled-in pass in which one step broke; the same for the same seed, and there is no end of seeds.

    unit: "encoder" or "translation". Raises PlainError for another unit, or a seed that is no whole number.
    """
    if unit not in STACKS:
        raise PlainError(f"There is no pass {unit!r}; there are {' and '.join(map(repr, STACKS))}.")
    whole("seed", seed, least=0)
    example = personal_example(f"find the slip {seed}")
    boxes, givens = homework_boxes(unit, example), homework_givens(unit, example)
    for box, mistake in _in_order(seed, boxes):
        filled = _fill(boxes, givens, box, mistake, seed)
        if filled is None:
            continue
        marks = mark_pass(boxes, givens, {key: read(values) for key, values in filled.items()})
        # The engine that checks the homework must name the slip, and nothing else, or the next one is taken.
        if first_off(marks) == box.key and marks[box.key].labels == (mistake.label,):
            return SlippedPass(unit, boxes, givens, filled, marks, _choices(boxes, box, mistake, seed))
    raise PlainError(f"No mistake can be told from the others in the pass of seed {seed}; take another seed.")


def _in_order(seed: int, boxes: tuple[Box, ...]) -> Iterator[tuple[Box, Mistake]]:
    """Every box with every mistake that shows something, in an order of the seed's own."""
    for box in _shuffled(seed, boxes, lambda box: box.key):
        if box.family not in LEFT_OUT:
            for mistake in _shuffled(seed, _ways(box, set()), lambda mistake: mistake.label):
                yield box, mistake


def _shuffled(seed: int, things: Iterable, name: Callable) -> list:
    """Things in an order that their names and the seed decide: a new one finds its place and moves no other."""
    return sorted(things, key=lambda thing: sha256(f"{seed} {name(thing)}".encode()).digest())


def _fill(boxes, givens: Mapping, broken: Box, mistake: Mistake, seed: int) -> dict | None:
    """A pass worked out with three decimals, with one box made the wrong way; None where that gives no matrix."""
    values, filled = dict(givens), {}
    for box in boxes:
        with np.errstate(invalid="ignore"):
            result = np.asarray(box.work_out(values))
        if not np.isfinite(result).all():  # the logarithm of a share below 0, for one
            return None
        if box is broken:
            variants = [v for v in mistake.variants(box, values, result) if _presentable(v, result)]
            if not variants:
                return None
            result = variants[seed % len(variants)]
        values[box.key] = result if result.dtype.kind in "iu" else np.round(result, DECIMALS)
        filled[box.key] = values[box.key]
    return filled


def _presentable(variant: np.ndarray, right: np.ndarray) -> bool:
    return variant.shape == right.shape and bool(np.isfinite(variant).all())


def _choices(boxes, broken: Box, mistake: Mistake, seed: int) -> dict[str, Mistake]:
    """Five ways in which it may have broken, by letter, the true one among them.

    The list alone must tell neither the step nor the way: one more way fits the broken step, and two fit another.
    """
    picked = _draw(_ways(broken, {mistake.label}), 1, seed)
    taken = {mistake.label, *(way.label for way in _ways(broken, set()))}
    own = {mistake.label, *(way.label for way in picked)}
    others = [box for box in boxes if len(_ways(box, taken)) > 1 and len(_ways(box, own)) == len(_ways(box, set()))]
    picked += _draw(_ways(_shuffled(seed, others, lambda box: box.key)[0], taken), 2, seed)
    taken |= {way.label for way in picked}
    rest = {way.label: way for box in boxes for way in _ways(box, taken)}
    picked += _draw(list(rest.values()), len(LETTERS) - 1 - len(picked), seed)
    shown = _shuffled(seed, [mistake, *picked], lambda way: f"letter {way.label}")
    return dict(zip(LETTERS, shown, strict=True))


def _ways(box: Box, taken: set[str]) -> list[Mistake]:
    return [way for way in mistakes_in(box) if way.label not in taken and not way.label.startswith(PEN)]


def _draw(ways: list[Mistake], count: int, seed: int) -> list[Mistake]:
    return _shuffled(seed, ways, lambda way: way.label)[:count]


@dataclass(frozen=True, repr=False)
class SlippedPass:
    """A pass with one slip: it shows itself, and `answer(step="S0", how="b")` checks what was found."""

    unit: str
    boxes: tuple[Box, ...]
    givens: Mapping
    filled: Mapping
    marks: Mapping[str, Mark]
    choices: Mapping[str, Mistake]

    @property
    def display(self) -> Display:
        """The pass part by part, what is given to each behind a click, and the ways in which it may have broken."""
        rows = [(letter, mistake.shows) for letter, mistake in self.choices.items()]
        asked = "One step broke; every later one is right for the numbers before it. How did it break?"
        parts = [self._part(name) for name in dict.fromkeys(box.group for box in self.boxes)]
        return sum([*parts[1:], part(asked, show_table.build(("letter", "what was done"), rows))], parts[0])

    def _part(self, group: str) -> Display:
        boxes = [box for box in self.boxes if box.group == group]
        first, *others = [self._box(box) for box in boxes]
        matrices = first.beside(*others)
        given = self._given(boxes)
        if given:
            first, *others = given.values()
            matrices = folded(f"Given: {', '.join(given)}", first.beside(*others)) + matrices
        return part(_title(group), matrices)

    def _given(self, boxes: list[Box]) -> dict[str, Display]:
        """What a part of the pass reads besides its own boxes, by name; gamma is 1 and beta 0, as said above it."""
        read_by_boxes = dict.fromkeys(name for box in boxes for name in box.inputs)
        shown = [name for name in read_by_boxes if self._is_shown(name)]
        return {name: self._one_given(name) for name in sorted(shown, key=lambda name: name != "Z")}

    def _is_shown(self, name: str) -> bool:
        return name not in self.filled and (name[0] == "W" or name in ("E", "Z", "E_out", "labels", "b1", "b2"))

    def _one_given(self, name: str) -> Display:
        if name == "E":
            by_id = sorted((number, word) for word, number in self.givens["vocabulary"].items())
            rows = [f"{number} {word}" for number, word in by_id]
            return show_matrix.build(self.givens["E"], "E", rows, decimals=1)
        if name == "Z":
            return show_matrix.build(self.givens["Z"], "Z", self.givens["src_words"])
        if name == "E_out":
            return show_matrix.build(self.givens["E_out"], "E_out", self.givens["out_words"], decimals=1)
        if name == "labels":
            rows = zip(self.givens["tgt_words"], self.givens["label_words"], strict=True)
            return show_table.build(("row", "label"), list(rows), caption="labels")
        return show_matrix.build(np.atleast_2d(self.givens[name]), name, decimals=1)

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

    def answer(self, step: str = "", how: str = "") -> Feedback:
        """Check which step broke, by key, and how: a letter of the list, or a label of the catalogue.

        Without a step (None, ... or "") nothing is filled in yet. Raises PlainError for a step that is not shown and
        for a way that is not in the list.
        """
        step, how = (_text(given) for given in (step, how))
        if not step:
            return self._said("empty", "Not filled in yet.")
        keys = [box.key for box in self.boxes]
        step = next((key for key in keys if key.casefold() == step.casefold()), step)
        if step not in keys:
            raise PlainError(f"There is no step {step!r} here; the steps are {', '.join(keys)}.")
        labels = {mistake.label: letter for letter, mistake in self.choices.items()}
        letter = labels.get(how, how.lower())
        if letter not in ("", *self.choices):
            raise PlainError(f"how is {how!r}; it must be one of the letters {', '.join(self.choices)}.")
        return self._judge(keys, step, letter)

    def _judge(self, keys: list[str], step: str, letter: str) -> Feedback:
        broken = first_off(self.marks)
        (label,) = self.marks[broken].labels
        if step != broken:
            place = "earlier" if keys.index(step) > keys.index(broken) else "later"
            return self._said("off", f"{step} is right for the numbers before it. Look {place}.")
        if not letter:
            return self._said("off", f"{step} is the step. How did it break?", 1)
        if self.choices[letter].label != label:
            question = self.marks[broken].claims[0].mistake.question
            verdict = f"{step} is the step; it broke in another way."
            return self._said("off", verdict, 1, [("Question", question)], (label,))
        return self._said("right", f"Right: {step}.", 2, [("Slip", self.choices[letter].shows)])

    def _said(self, kind: str, verdict: str, found: int = 0, details=(), labels=()) -> Feedback:
        """Practice: what is counted is what was found, the step and the way; it earns no points."""
        return Feedback(kind, verdict, "find the slip", found, 2, list(details), labels=labels, counted="found")

    def __repr__(self) -> str:
        return self.display.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.display._repr_mimebundle_(include, exclude)


def _title(group: str) -> str:
    """What a part of the pass is called: "masked block, head 0" for the group "masked head 0"."""
    for block in ("masked ", "cross "):
        if group.startswith(block):
            return f"{block}block, {_title(group.removeprefix(block))}"
    return PARTS.get(group, group)


def _text(given: object) -> str:
    """What stands in an answer as text, "" where nothing is filled in."""
    bare = "" if given is None or given is ... else str(given).strip()
    return "" if bare in BLANKS else bare
