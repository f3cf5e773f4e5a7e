"""Where a trace stands: one token of one run, and which of its numbers are written out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np

from ..displays.numbers import clip
from ..errors import PlainError
from ..steps import Step, decoder_steps, encoder_steps
from ..trace import Run, course_run
from ..values import Values

SIDES = ("encoder", "decoder")
MAX_NAMED = 80
"""Columns that a list of words may take inside an error's one sentence."""


@dataclass(frozen=True)
class Place:
    """One token of a run (side, layer, row), and what to open: head and component, key, unit, candidates.

    key: a word or position of the keys, or None for the largest score. unit: of the FFN, or None for one that lives
    and one that does not. candidates: ids of the vocabulary, or None for the label and the favourite.
    """

    run: Run
    side: str
    layer: int
    row: int
    head: int
    component: int
    key: object = None
    unit: int | None = None
    candidates: tuple[int, ...] | None = None

    @cached_property
    def steps(self) -> dict[str, Step]:
        """The table of steps of this side, by key."""
        table = encoder_steps if self.side == "encoder" else decoder_steps
        return {step.key: step for step in table(self.run.sizes.heads)}

    @cached_property
    def values(self) -> Values:
        """The arrays, weights and masks of this layer."""
        return getattr(self.run, self.side).layer(self.layer)

    def __getitem__(self, name: str):
        return self.values[name] if name in self.values else getattr(self.run, self.side)[name]

    def at(self, name: str) -> np.ndarray:
        """The token's row of an array."""
        return self[name][self.row]

    def words_of(self, length: str) -> list[str]:
        """Labels of the rows that a length counts, "n_src" or "n_tgt"; words that repeat carry their position."""
        return labels(self.run.src_words if length == "n_src" else self.run.tgt_words)

    @property
    def words(self) -> list[str]:
        """Labels of the rows of this side."""
        return self.words_of("n_src" if self.side == "encoder" else "n_tgt")

    @property
    def word(self) -> str:
        """Label of the token."""
        return self.words[self.row]

    @property
    def column(self) -> int:
        """Column of the head's own arrays that holds the component."""
        return self.component - self.head * self.run.sizes.d_k


def labels(words: Sequence[str]) -> list[str]:
    """Words as labels: one that occurs twice carries its position behind it."""
    return [f"{word} {position}" if words.count(word) > 1 else word for position, word in enumerate(words)]


def find(word: object, words: Sequence[str], what: str, ask: str) -> int:
    """Return the position of a word, or of a position itself; PlainError names what there is.

    what: whose words they are. ask: how to ask for a position, with "{}" for it.
    """
    words = list(words)
    if isinstance(word, str):
        places = [position for position, other in enumerate(words) if other == word]
        if len(places) == 1:
            return places[0]
        if places:
            every = clip(" and ".join(str(place) for place in places), MAX_NAMED)
            raise PlainError(
                f"{word!r} stands at positions {every} of {what}: ask for one of them, as in {ask.format(places[0])}."
            )
        raise PlainError(f"{clip(word, 40)!r} is not among {what}: {clip(', '.join(words), MAX_NAMED)}.")
    return index(f"A position of {what}", word, len(words))


def index(name: str, value: object, count: int) -> int:
    """Return `value` as an int from 0 to count − 1, or raise PlainError."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= value < count:
        raise PlainError(f"{name} is {value!r}; it must be a whole number from 0 to {count - 1}.")
    return int(value)


def head_and_component(head: object, component: object, heads: int, d_k: int) -> tuple[int, int]:
    """Settle head and component, columns counted over all heads: either one decides, both must fit together."""
    if component is not None:
        component = index("component", component, heads * d_k)
    if head is None:
        component = component or 0
        return component // d_k, component
    head = index("head", head, heads)
    if component is None:
        return head, head * d_k
    if component // d_k != head:
        raise PlainError(
            f"Component {component} belongs to head {component // d_k}; head {head} has the components "
            f"{head * d_k} to {head * d_k + d_k - 1}."
        )
    return head, component


def candidate_ids(candidates: object, run: Run) -> tuple[int, ...] | None:
    """Return candidate tokens, given as ids or words, as ids; None stays None."""
    if candidates is None:
        return None
    if isinstance(candidates, (str, Integral)):
        candidates = [candidates]
    if not isinstance(candidates, Sequence) and not isinstance(candidates, np.ndarray):
        raise PlainError(f"candidates is {candidates!r}; it takes ids or words of the vocabulary.")
    ids = []
    for token in candidates:
        if isinstance(token, str):
            if token not in run.vocabulary:
                raise PlainError(f"{clip(token, 40)!r} is not in the vocabulary of {len(run.vocabulary)} words.")
            ids.append(run.vocabulary[token])
        else:
            ids.append(index("A candidate", token, len(run.E)))
    return tuple(dict.fromkeys(ids))


def place_of(word, run, side, layer, component, head, key, unit, candidates) -> Place:
    """Read the arguments of a trace; PlainError for whatever does not fit the run."""
    if run is None:
        run = course_run()
    if not isinstance(run, Run):
        raise PlainError(f"run is {clip(repr(run), 60)}; it takes a run, as forward_pass(example) gives it.")
    if side not in SIDES:
        raise PlainError(f"side is {side!r}; it must be 'encoder' or 'decoder'.")
    getattr(run, side).layer(layer)
    words = run.src_words if side == "encoder" else run.tgt_words
    ask = "trace_word({}" + ("" if side == "encoder" else ", side='decoder'") + ")"
    row = find(word, words, f"the {side}'s words", ask)
    head, component = head_and_component(head, component, run.sizes.heads, run.sizes.d_k)
    unit = None if unit is None else index("unit", unit, run.sizes.d_ff)
    return Place(run, side, layer, row, head, component, key, unit, candidate_ids(candidates, run))
