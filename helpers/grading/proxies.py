"""A student's function as the marker sees it: each call goes to the sandbox, with copies and bounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import FunctionType

import numpy as np

from helpers.checks.functions import Elsewhere
from helpers.grading import wire
from helpers.grading.session import Called, LimitReached, StudentError
from helpers.tasks import TASKS, Case

# What a function that is handed in may be asked: our own inputs are far smaller, and its work grows with the square.
LONGEST, LARGEST = 512, 16_384


# What is asked in one question at most: pieces of bytes, their sum, entries.
MOST_PIECES, MOST_BYTES, MOST_ITEMS = 1_000, 16 << 20, 20_000


class Limit(Exception):
    """A limit that the function went over."""


def said(case: Case) -> wire.Said | None:
    """A case's arguments as a call is sent, None when a function is among them."""
    trees = wire.Trees(64, 64)
    tree = trees.say((list(case.args), {}))
    return None if trees.functions else wire.Said(tree, trees.blobs, wire.ITEMS - trees.items)


def said_together(cases: Sequence[Case]) -> list[wire.Said]:
    """The first of the cases, as many as can be asked in one question."""
    together, pieces, size, items = [], 0, 0, 0
    for case in cases:
        one = case.once("said", lambda case=case: said(case))
        if one is None:
            break
        pieces, size, items = pieces + len(one.blobs), size + sum(map(len, one.blobs)), items + one.items
        if pieces > MOST_PIECES or size > MOST_BYTES or items > MOST_ITEMS:
            break
        together.append(one)
    return together


class Proxy(Elsewhere):
    """Calls a function of the student; it is asked no more once it has gone over a limit.

    known: cases with what they gave already, as when all are asked in one question.
    """

    def __init__(self, runner, name: str, known: Sequence[tuple[Case, Called]] = ()):
        self._runner = runner
        self._failed: str | None = None
        self._known = {id(case.args): (case, called) for case, called in known}
        self.__name__ = name

    def __call__(self, *args):
        """What the function gives; raises Limit, or what reads as the error of the student."""
        result, after = self.apart(args)
        if after is not args:
            for mine, theirs in zip(args, after, strict=False):
                _mirror(mine, theirs)
        return result

    def apart(self, args: tuple) -> tuple:
        """(result, the arguments as the call left them: `args` themselves when it changed none)."""
        if self._failed is not None:
            raise Limit(self._failed)
        try:
            result, after = self._result(args)
        except LimitReached as limit:
            self._failed = str(limit)
            raise Limit(self._failed) from None
        except StudentError as error:
            raise_as_raised(error)
        return result, args if after is None else after

    def _result(self, args: tuple) -> tuple:
        _, known = self._known.pop(id(args), (None, None))
        if known is None:
            result = self._runner.call(self.__name__, [_bounded(one) if callable(one) else one for one in args])
            return result, self._runner.after and tuple(self._runner.after[0])
        if known.error is not None:
            raise known.error
        return known.result, known.after and tuple(known.after[0])


def raise_as_raised(error: StudentError):
    """Raise an error that reads as the student's own does, from a function that is called as theirs is."""
    kind, _, message = str(error).partition(": ")
    if kind == "NotImplementedError":
        raised = NotImplementedError(message)
    else:
        name = kind if kind.isidentifier() else "Error"
        raised = type(name, (Exception,), {})(message if kind.isidentifier() else str(error))
    function = error.function if error.function in TASKS else "call"
    FunctionType(_code_of(function), {})(raised)


@cache
def _code_of(name: str):
    """What raises an error, as code of this name; names are those of tasks, so they are few."""
    return _raise.__code__.replace(co_name=name)


def _raise(error):
    raise error


def _bounded(function):
    """A function that is handed in, which refuses what none of our own inputs is like."""

    def asked(*args):
        for one in args:
            array = np.asarray(one)
            if array.size > LARGEST or max(array.shape, default=0) > LONGEST or array.dtype.kind not in "biuf":
                raise ValueError("its arguments are no numbers of the task's size")
        return function(*args)

    return asked


def _mirror(mine, theirs) -> None:
    """Change an argument as the call did, so that the change is seen where a call without a wire shows it."""
    if isinstance(mine, np.ndarray):
        if isinstance(theirs, np.ndarray) and mine.shape == theirs.shape:
            mine[...] = theirs
        elif mine.size:
            mine[...] = mine + 1 if mine.dtype.kind != "b" else ~mine
    elif isinstance(mine, list):
        mine[:] = theirs if isinstance(theirs, list) else []
    elif isinstance(mine, dict):
        mine.clear()
        mine.update(theirs if isinstance(theirs, dict) else {})
