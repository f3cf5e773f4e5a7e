"""A student's function as the marker sees it: each call goes to the sandbox, with copies and bounds."""

from __future__ import annotations

from types import FunctionType

import numpy as np

from helpers.grading.session import LimitReached, StudentError
from helpers.tasks import TASKS

# What a function that is handed in may be asked: our own inputs are far smaller, and its work grows with the square.
LONGEST, LARGEST = 512, 16_384


class Limit(Exception):
    """A limit that the function went over."""


class Proxy:
    """Calls a function of the student; it is asked no more once it has gone over a limit."""

    def __init__(self, runner, name: str):
        self._runner = runner
        self._failed: str | None = None
        self.__name__ = name

    def __call__(self, *args):
        """What the function gives; raises Limit, or what reads as the error of the student."""
        if self._failed is not None:
            raise Limit(self._failed)
        try:
            result = self._runner.call(self.__name__, [_bounded(one) if callable(one) else one for one in args])
        except LimitReached as limit:
            self._failed = str(limit)
            raise Limit(self._failed) from None
        except StudentError as error:
            raise_as_raised(error)
        if self._runner.after is not None:
            for mine, theirs in zip(args, self._runner.after[0], strict=False):
                _mirror(mine, theirs)
        return result


def raise_as_raised(error: StudentError):
    """Raise an error that reads as the student's own does, from a function that is called as theirs is."""
    kind, _, message = str(error).partition(": ")
    if kind == "NotImplementedError":
        raised = NotImplementedError(message)
    else:
        name = kind if kind.isidentifier() else "Error"
        raised = type(name, (Exception,), {})(message if kind.isidentifier() else str(error))
    function = error.function if error.function in TASKS else "call"
    FunctionType(_raise.__code__.replace(co_name=function), {})(raised)


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
