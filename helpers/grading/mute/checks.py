"""Checks that take every answer and say nothing: an answer is judged outside, after the notebook has run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from helpers.data import read
from helpers.displays.output import Display
from helpers.errors import PlainError
from helpers.examples import Example
from helpers.quiet import left_out, room
from helpers.values import Values

LATER = "Marked later, not in this run."
STACKS = {"encoder": "encoder", "translation": "decoder"}


@dataclass
class Feedback:
    """The answer to every check: it shows one line and has no points."""

    subject: str = ""
    kind: str = "later"
    verdict: str = LATER
    points: float = 0.0
    possible: float = 0.0
    details: tuple = ()
    marked: None = None
    labels: tuple[str, ...] = ()
    remark: str = ""
    followed: bool = False
    begun: bool = False
    counted: str = ""

    def __and__(self, other: Feedback) -> Feedback:
        return self

    @property
    def text(self) -> str:
        """One line."""
        return f"{self.subject}: {self.verdict}" if self.subject else self.verdict

    @property
    def display(self) -> Display:
        """One line."""
        return Display(self.text, '<p class="note">Marked later, not in this run.</p>')

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.display._repr_mimebundle_(include, exclude)


def check(*, word: str | int | None = None, **answer) -> Feedback:
    """Takes an answer by name, and says nothing of it."""
    return Feedback(", ".join(answer))


def check_fresh(seed: int, **answer) -> Feedback:
    """Takes an answer by name, and says nothing of it."""
    return Feedback(", ".join(answer))


def progress(unit: str | None = None) -> Display:
    """One plain line."""
    return left_out("How far one is")


def find_the_slip(unit: str = "encoder", seed: int = 0) -> SlippedPass:
    """A pass that is not shown."""
    if unit not in STACKS:
        raise PlainError(f"There is no pass {unit!r}; there are {' and '.join(map(repr, STACKS))}.")
    return SlippedPass()


class SlippedPass:
    """A pass with a slip, left out while a notebook is marked."""

    display = left_out("The pass with a slip")

    def answer(self, step: str = "", how: str = "") -> Feedback:
        """Takes what was found, and says nothing of it."""
        return Feedback("find the slip", verdict="This is practice and is not marked.")

    def __repr__(self) -> str:
        return self.display.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.display._repr_mimebundle_(include, exclude)


def homework(
    unit: str, student: str | None = None, *, code: str = "", sentence=None, decoder_sentence=None
) -> Homework:
    """The homework with the given numbers that count for this submission, whatever id or code was typed."""
    if unit not in STACKS:
        raise PlainError(f"There is no homework {unit!r}; there are {' and '.join(map(repr, STACKS))}.")
    handed = read(f"homework_{unit}")
    return Homework(unit, Example(handed["example"]), handed["givens"])


class Homework:
    """A pass with empty boxes: `given` holds what is printed; what is written is judged later."""

    boxes = ()

    def __init__(self, unit: str, example: Example, givens: dict):
        self.unit = f"homework_{unit}"
        self.example = example
        self._place = f"the {STACKS[unit]}'s homework"
        self.given = Values(self._place, givens)

    def start(self, Z) -> Homework:
        """Begin from one's own Z, when it is a full matrix of the right shape."""
        if ... in np.array(Z, dtype=object).ravel().tolist():
            return self
        own = np.array(Z, dtype=float)
        if "Z" in self.given and own.shape == self.given.Z.shape and np.isfinite(own).all():
            self.given = Values(self._place, self.given.as_dict() | {"Z": own})
        return self

    def check(self, *unnamed, **answers) -> Feedback:
        """Takes boxes by name, and says nothing of them."""
        return Feedback(", ".join(answers))

    def check_shapes(self, **shapes) -> Feedback:
        """Takes shapes by name, and says nothing of them."""
        return Feedback("the paper's shapes")

    def hint(self, key: str) -> Display:
        """One plain line."""
        return left_out("A hint")

    def template(self, key: str) -> None:
        """One plain line."""
        left_out("An empty box").show()

    def progress(self) -> Display:
        """One plain line."""
        return left_out("How far one is")

    def report(self) -> dict[str, Feedback]:
        """Nothing is marked yet."""
        return {}

    def read(self, box, answer):
        """Not while a notebook is marked."""
        raise PlainError("read is not here while a notebook is marked.")

    def paper_shape(self, key: str):
        """Not while a notebook is marked."""
        raise PlainError("paper_shape is not here while a notebook is marked.")

    def first_slip(self) -> str:
        """Nothing is marked yet."""
        return ""

    def columns(self, key: str):
        """Not while a notebook is marked."""
        raise PlainError("columns is not here while a notebook is marked.")

    def __repr__(self) -> str:
        return f"<{self.unit}>"


__getattr__, __dir__, __all__ = room("checks", globals())
