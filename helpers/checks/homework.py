"""The homework: a pass to be written down box by box, checked as one goes."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

import numpy as np

from ..boxes import Box, decoder_boxes, encoder_boxes, work_out
from ..codes import example_of
from ..displays.notes import show_hint
from ..displays.output import Display
from ..errors import PlainError
from ..examples import Example
from ..personal import homework_example, personal_example
from ..points import POINTS, TASK
from ..settings import course_salt
from ..sizes import HOMEWORK, PAPER_BASE, shape_in
from ..trace import givens
from ..values import Values
from . import paper_shapes
from .feedback import Feedback, Several
from .marks import Marker, degenerate, first_off, mark_pass
from .progress import GROUPS, ITEMS, begin, note, progress_of
from .read import Unreadable, Written, read, read_word
from .say import column_words, row_words, say
from .words import shape_words

STACKS = {"encoder": "encoder", "translation": "decoder"}
# Z is printed with as many decimals as the boxes are written with.
PRINTED = 3


def homework(
    unit: str, student: str | None = None, *, code: str = "", sentence=None, decoder_sentence=None
) -> Homework:
    """Open a homework: "encoder" (ids to Z) or "translation" (from Z to the next word).

    student: an id, for numbers of one's own; without it the numbers are those of the pinned homework run.
    code: that of a printed sheet, for its numbers; with its sentences, unless they are the homework's.
    Raises PlainError for another unit, for an id that is no text, and for a code that does not belong to the sentence.
    """
    if unit not in STACKS:
        raise PlainError(f"There is no homework {unit!r}; there are {' and '.join(map(repr, STACKS))}.")
    if code:
        return _of_a_sheet(unit, student, code, sentence, decoder_sentence)
    if sentence is not None or decoder_sentence is not None:
        raise PlainError('A sentence of one\'s own goes with the code of a sheet, as in code="…", sentence="…".')
    mine = student is not None and student != ""
    return Homework(unit, personal_example(student, course_salt()) if mine else homework_example())


def _of_a_sheet(unit: str, student: str | None, code: str, sentence, decoder_sentence) -> Homework:
    """Open what a printed sheet asks for; its code says whose numbers they are."""
    if student:
        raise PlainError("The code of a sheet says whose numbers they are: leave student out, or the code.")
    example = example_of(code, sentence, decoder_sentence)
    if unit == "translation" and len(example.tgt_words) == 1:
        raise PlainError(f"The sheet {code} ends at Z: it has no translation.")
    return Homework(unit, example)


class Homework:
    """One pass with empty boxes: `given` holds what is printed, `check(Q0=Q0)` looks at what is written.

    Nothing that was checked is kept anywhere but in this object. Keys of boxes are those of the table of steps.
    """

    def __init__(self, unit: str, example: Example):
        self.example = example
        self.boxes = homework_boxes(unit, example)
        self.unit = _unit_of(unit, example)
        self._stack = STACKS[unit]
        self._values = homework_givens(unit, example)
        self._begin()

    def _begin(self) -> None:
        # A box that is checked again may have others built on it; they are marked again when progress is asked for.
        self._changed = False
        begin(self.unit, self.progress)
        self._marker = Marker(self.boxes, self._values)
        self._written: dict[str, Written] = {}
        self._feedback: dict[str, Feedback] = {}
        self._last: str | None = None
        self.given = Values(f"the {self._stack}'s homework", self._values)

    def start(self, Z) -> Homework:
        """Begin the translation from one's own Z (n_src, d_model); an empty one leaves the printed Z in its place."""
        if self._stack != "decoder":
            raise PlainError("Only the translation starts from Z; the encoder's homework ends with it.")
        try:
            written = read(Z, self.example.src_words)
        except Unreadable as problem:
            raise PlainError(f"Your Z cannot be read. {problem}") from None
        if written.empty:
            return self
        wanted, given = self._values["Z"].shape, written.values.shape
        if given != wanted:
            raise PlainError(f"Your Z should be {shape_words(wanted)}; this is {shape_words(given)}.")
        if not written.complete:
            raise PlainError("Every entry of your Z must be filled in. Leave all of it empty to use the printed Z.")
        if not np.isfinite(written.values).all() or degenerate(written.values, self._values["Z"], written.unit):
            raise PlainError("Your Z holds the same row throughout, or -inf: no rows of a norm look like that.")
        self._values["Z"] = written.values
        self._begin()
        return self

    def check(self, *unnamed, **answers) -> Feedback | Several:
        """Look at one box or several, as in `check(Q0=Q0)`: what is right, what is off, and why.

        Raises PlainError for a name that is no box of this homework.
        """
        if unnamed or not answers:
            what = "has no name" if unnamed else "is nothing"
            raise PlainError(f"check takes a box by name, as in check(Q0=Q0); this {what}.")
        unknown = [key for key in answers if key not in self._marker.boxes]
        if unknown:
            raise PlainError(self._no_such_box(unknown[0]))
        feedback = [self._check(key, answer) for key, answer in answers.items()]
        return feedback[0] if len(feedback) == 1 else Several(feedback)

    def _check(self, key: str, answer) -> Feedback:
        box = self._marker.boxes[key]
        try:
            written = self.read(box, answer)
        except Unreadable as problem:
            return self._keep(
                key, Feedback("off", str(problem), f"{key}, {box.step.title}", 0.0, ITEMS[self.unit][key])
            )
        self._changed |= key in self._written
        self._written[key] = written
        return self._keep(key, self._mark(key))

    def _mark(self, key: str) -> Feedback:
        return say(self._marker.mark(key, self._written[key]), self._marker.seen, ITEMS[self.unit][key])

    def _keep(self, item: str, feedback: Feedback) -> Feedback:
        self._feedback[item] = feedback
        self._last = item
        note(self.unit, item, feedback)
        return feedback

    def read(self, box: Box, answer) -> Written:
        """Read what stands in a box; Unreadable when it is no answer to it."""
        if box.key == "next_word":
            index = read_word(answer, self.example.candidates)
            filled = index is not None
            return Written(np.array(float(index) if filled else np.nan), np.array(filled), 1.0)
        return read(answer, row_words(box, self._values), column_words(box, self._values))

    def check_shapes(self, **shapes) -> Feedback:
        """Look at the paper's shape of each box of a group: text such as "3 × 64", or (3, 64).

        Boxes of the group that are not named count as not filled in; a single number has no shape to be asked for.
        """
        unknown = [key for key in shapes if key not in self._marker.boxes]
        if unknown or not shapes:
            raise PlainError(self._no_such_box(unknown[0]) if unknown else "check_shapes takes shapes by name.")
        if self.unit not in POINTS:
            raise PlainError("The questions about the paper's shapes belong to a homework of two heads.")
        item = paper_shapes.group_of(self.unit, next(iter(shapes)))
        group = [box for box in self._marker.boxes if paper_shapes.group_of(self.unit, box) == item]
        right = {key: self.paper_shape(key) for key in group if self.paper_shape(key)}
        if other := [key for key in shapes if key not in right]:
            raise PlainError(f"{other[0]} is no shape that is asked for beside {next(iter(right))}.")
        return self._keep(item, paper_shapes.check(right, shapes, POINTS[self.unit][item]))

    def paper_shape(self, key: str) -> tuple[int, ...]:
        """The shape of a box at the paper's sizes, with the words of this homework."""
        symbols = PAPER_BASE.symbols(len(self.example.src_words), len(self.example.tgt_words))
        return shape_in(symbols | {"n_out": PAPER_BASE.vocab}, self._marker.boxes[key].step.shape)

    def _no_such_box(self, key: str) -> str:
        alike = {box.casefold(): box for box in self._marker.boxes}
        near = get_close_matches(str(key).casefold(), alike, n=1)
        hint = f" Did you mean {alike[near[0]]}?" if near else ""
        return f"There is no box {key!r} in this homework.{hint}"

    def hint(self, key: str) -> Display:
        """The hint to one box, behind a click."""
        if key not in self._marker.boxes:
            raise PlainError(self._no_such_box(key))
        box = self._marker.boxes[key]
        return show_hint.build(f"Hint to {key}", f"{key} = {box.formula}. {box.hint}")

    def template(self, key: str) -> None:
        """Print an empty box, to be copied into a cell."""
        if key not in self._marker.boxes:
            raise PlainError(self._no_such_box(key))
        box = self._marker.boxes[key]
        shape = np.shape(self._marker.exact[key])
        if len(shape) < 2:
            print(f"{key} = {'[ ' + ' , '.join(['...'] * shape[0]) + ' ]' if shape else '...'}")
            return
        words = row_words(box, self._values) or ("",) * shape[0]
        rows = [f"    [ {' , '.join(['...'] * shape[1])} ],  # {word}" for word in words]
        print("\n".join([f"{key} = [", *rows, "]"]))

    def progress(self) -> Display:
        """How far one is, box by box, and the first one to mend."""
        if self._changed:
            self._feedback |= {box.key: self._mark(box.key) for box in self.boxes if box.key in self._written}
            self._changed = False
        return progress_of(self.unit, self._feedback, self._last)

    def report(self) -> dict[str, Feedback]:
        """Mark everything that is written so far as one pass, as grading does: feedback by key, in order."""
        marks = mark_pass(self.boxes, self._values, self._written)
        return {key: say(mark, self._marker.seen, ITEMS[self.unit][key]) for key, mark in marks.items()}

    def first_slip(self) -> str:
        """Key of the first box that is off, "" when none is."""
        return first_off(mark_pass(self.boxes, self._values, self._written))

    def columns(self, key: str):
        """Words that name the columns of a box, or None."""
        return column_words(self._marker.boxes[key], self._values)

    def __repr__(self) -> str:
        return f"<{self.unit}: {len(self.boxes)} boxes>"


def homework_boxes(unit: str, example: Example) -> tuple[Box, ...]:
    """The boxes of a homework, in the order in which they can be worked out."""
    heads = example.sizes.heads
    return (
        encoder_boxes(heads) if unit == "encoder" else decoder_boxes(heads, candidates=example.candidates is not None)
    )


def homework_givens(unit: str, example: Example) -> dict:
    """Everything that is printed for a homework, by name. Z is printed with three decimals, and used as printed."""
    named = givens(example, STACKS[unit], 1) | {"out_words": example.candidates}
    if unit == "translation":
        read_before = work_out(encoder_boxes(example.sizes.heads), givens(example, "encoder", 1))
        named["Z"] = np.round(read_before["Z"], PRINTED)
    return named


def _unit_of(unit: str, example: Example) -> str:
    """The unit that a pass earns points in: the homework's, or one of its own for a sheet with other heads."""
    if example.sizes.heads == HOMEWORK.heads:
        return f"homework_{unit}"
    boxes = homework_boxes(unit, example)
    name = f"sheet_{unit}_{example.sizes.heads}"
    ITEMS[name] = {box.key: TASK for box in boxes}
    GROUPS[name] = _groups(boxes)
    return name


def _groups(boxes: tuple[Box, ...]) -> dict[str, list[str]]:
    """The squares of a progress: boxes by part of the pass."""
    groups: dict[str, list[str]] = {}
    for box in boxes:
        groups.setdefault(box.group, []).append(box.key)
    return groups


def _with_shapes(unit: str) -> Mapping[str, list[str]]:
    """The squares of a homework: its boxes, then the questions about shapes."""
    boxes = encoder_boxes(HOMEWORK.heads) if unit == "encoder" else decoder_boxes(HOMEWORK.heads, candidates=True)
    shapes = [item for item in POINTS[f"homework_{unit}"] if item.startswith(paper_shapes.ITEM)]
    return _groups(boxes) | {"paper's shapes": shapes}


GROUPS |= {f"homework_{unit}": _with_shapes(unit) for unit in STACKS}
