"""Simulated students: six honest kinds fill in a unit, on request with a named slip or a typo in one box.

rounds      rounds each written matrix and goes on from what is written
full        carries full precision along and rounds only for writing
mixes       goes on, box by box at random, from written or from unrounded numbers
internals   rounds also what is noted on the way: exponentials, sums, means, squares, roots, raw scores
products    rounds every single product before adding, and everything on the way
truncates   cuts digits off instead of rounding
"""

import numpy as np
from pupils import slips as wrong
from pupils.noise import mistype
from pupils.paper import BOXES, KINDS, NO_DECIMALS, Desk, Givens, Pen, box, shape
from pupils.rules import Stuck, right

__all__ = ["KINDS", "Pass", "fill", "givens"]


def givens(example, unit, Z=None):
    """The printed numbers of a unit; the translation starts from the true Z with 3 decimals unless one is handed in."""
    if unit == "translation" and Z is None:
        encoder = Pass(Givens(example, "encoder"), "full", 3, np.random.default_rng(0))
        Z = encoder.fill().written["Z"]
    return Givens(example, unit, Z)


class Pass:
    """One student's way through one unit, box by box.

    written: what stands in the boxes. precise: the same before rounding. honest: what would stand there without the
    slips and typos of this pass, made from the same earlier boxes. With the same rng seed, a pass with a slip equals
    the pass without it up to the box where it happens. of_wrong_shape: slips whose shape is not that of the box; they
    are mended at once, so that written holds the right matrix there.
    """

    def __init__(self, given, kind, decimals, rng):
        self.given = given
        self.pen = Pen(kind, decimals)
        self.rng = rng
        self.boxes = BOXES[given.unit]
        self.written, self.precise, self.honest, self.of_wrong_shape = {}, {}, {}, {}
        self.from_written = {b.key: self._goes_on_from_written() for b in self.boxes}

    def _goes_on_from_written(self):
        if self.pen.kind == "mixes":
            return bool(self.rng.random() < 0.5)
        return self.pen.kind != "full"

    def desk(self, key) -> Desk:
        """The desk on which a box of this pass is made."""
        source = self.written if self.from_written[key] else self.precise

        def see(name):
            if name == "Z" and self.given.unit == "translation":
                return self.given.Z
            if source[name] is None:
                raise Stuck(f"{name} is empty")
            return source[name]

        return Desk(box(self.given.unit, key), see, self.given, self.pen)

    def fill(self, slip=(), typo=()):
        """Fill in every box; slip holds (label, key) pairs, typo keys. A box that cannot be made stays None."""
        made_wrong = {key: label for label, key in slip}
        for b in self.boxes:
            self._make(b.key, made_wrong.get(b.key), b.key in typo)
        return self

    def _make(self, key, label, mistyped):
        desk = self.desk(key)
        try:
            precise = right(desk)
        except Stuck:
            self.written[key] = self.precise[key] = self.honest[key] = None
            return
        self.precise[key] = precise
        self.written[key] = self.honest[key] = self.pen.write(precise)
        if label:
            self._slip(desk, label)
        if mistyped:
            self.written[key] = mistype(self.written[key], self.pen.decimals, self.rng)

    def _slip(self, desk, label):
        key = desk.box.key
        made = wrong.slipped(label, desk, self.written[key], self.rng)
        if made is None:
            raise ValueError(f"{label} cannot happen at {key}")
        precise, written = made
        if shape(written) == shape(self.honest[key]):
            self.precise[key], self.written[key] = precise, written
        else:
            # The next box cannot be made from it: it is handed in, seen to be of the wrong shape, and mended.
            self.of_wrong_shape[key] = written


def fill(example, unit, kind, decimals, rng, slip=(), typo=(), Z=None):
    """Fill in all boxes of "encoder" or "translation": a dictionary from keys to nested lists, numbers or a word.

    slip: one (label, key) or several. typo: one key or several. Z: the printed Z, if it is another than the true one.
    """
    slip = [slip] if slip and isinstance(slip[0], str) else list(slip)
    typo = [typo] if isinstance(typo, str) else list(typo)
    done = Pass(givens(example, unit, Z), kind, decimals, rng).fill(slip, typo)
    return done.written | done.of_wrong_shape


def numeric_boxes(unit):
    """The boxes that hold decimals: all but ids and next_word."""
    return [b for b in BOXES[unit] if b.key not in NO_DECIMALS]
