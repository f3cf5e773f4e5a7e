"""The course run, as data: every matrix by name, and no way to compute another."""

from __future__ import annotations

from functools import lru_cache

from helpers.examples import course, course_example
from helpers.quiet import room
from helpers.values import Stack

# What the last layer of a stack hands on.
_RESULTS = {"encoder": "Z", "decoder": "Y3"}


class Run:
    """One forward pass with every intermediate: `run.encoder`, `run.decoder`, and the example it came from."""

    def __init__(self, example, stacks: dict):
        self.example = example
        for name in ("sizes", "symbols", "src_words", "tgt_words", "label_words", "vocabulary", "E"):
            setattr(self, name, getattr(example, name))
        for name, result in _RESULTS.items():
            setattr(self, name, Stack(name, stacks[name]["around"], stacks[name]["layers"], result))


@lru_cache(maxsize=1)
def course_run() -> Run:
    """The pinned run that the lessons print."""
    return Run(course_example(), course())


__getattr__, __dir__, __all__ = room("trace", globals())
# Read before the first notebook runs, so that none of them waits for it.
course_run()
