"""Compare what a function returned with what is right, and say where they part.

A result is an array, a number, a tuple of arrays or a dictionary of them; `Finding` tells in words what is off.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real

import numpy as np

from ..displays.marks import Marked
from ..transformer import shape_of
from .words import count, label, listed, place, where

# Different orders of summation differ by about 1e-15; a wrong rule by far more than this.
RTOL, ATOL = 1e-9, 1e-10
# Kinds of NumPy's types that are read as numbers: booleans, whole numbers, floats.
NUMBERS = "biuf"


@dataclass(frozen=True)
class Finding:
    """What one comparison found.

    share: part of the entries that is right, from 0 to 1. verdict: one sentence, "" when all is right.
    where: the entries that are off, in words. entry: one of them, with what was given.
    marked: the array that is off, as the student has it, and which of its entries are.
    """

    share: float
    verdict: str = ""
    where: str = ""
    entry: str = ""
    marked: Marked | None = None


RIGHT = Finding(1.0)
# The verdict where nobody asks for words.
UNTOLD = "Entries are off."


def compare(expected, given, names: Sequence[str], rows=None, columns=None, told: bool = True) -> Finding:
    """Compare a result with the right one; names are those of a tuple's parts, rows and columns label entries.

    told: also say which entries of an array are off; without it the finding has the share and that something is.
    """
    if not isinstance(expected, tuple):
        return _compare_part(expected, given, "It", rows, columns, told)
    if not isinstance(given, (tuple, list)) or len(given) != len(expected):
        wanted = ", ".join(names)
        return Finding(0.0, f"It should return {len(expected)} results, ({wanted}); this is {_what(given)}.")
    parts = zip(expected, given, names, strict=True)
    return _first_off([_compare_part(e, g, name, rows, columns, told) for e, g, name in parts])


def _compare_part(expected, given, part: str, rows, columns, told: bool) -> Finding:
    if isinstance(expected, Mapping):
        return _compare_mapping(expected, given, part, told)
    if isinstance(expected, list):
        return _compare_words(expected, given, part, rows)
    expected = np.asarray(expected)
    # Of several results only those as wide as there are names have these columns: A has, H has not.
    named = columns is not None and expected.shape[-1:] == (len(columns),)
    return _compare_array(expected, given, part, rows, columns if named else None, told)


def _first_off(findings: Sequence[Finding]) -> Finding:
    share = mean([f.share for f in findings])
    for finding in findings:
        if finding.verdict:
            return replace(finding, share=share)
    return RIGHT


def mean(shares: Sequence[float]) -> float:
    """The mean of a few shares, to the last digit as NumPy's own tells it more slowly."""
    return float(np.add.reduce(shares)) / len(shares)


def _compare_mapping(expected: Mapping, given, part: str, told: bool) -> Finding:
    if not isinstance(given, Mapping):
        return Finding(
            0.0, f"{part} should be a dictionary with the keys {', '.join(expected)}; this is {_what(given)}."
        )
    missing = [key for key in expected if key not in given]
    if missing:
        share = 1 - len(missing) / len(expected)
        return Finding(share, f"{count(len(missing), len(expected), 'keys')} missing.", where=", ".join(missing))
    if all(isinstance(value, tuple) for value in expected.values()):
        return _compare_shapes(expected, given)
    return _first_off([_compare_part(value, given[key], key, None, None, told) for key, value in expected.items()])


def _compare_shapes(expected: Mapping, given: Mapping) -> Finding:
    """Compare small tuples of whole numbers, each of them one entry."""
    off = [key for key in expected if not _same_shape(expected[key], given[key])]
    if not off:
        return RIGHT
    verdict = f"{count(len(off), len(expected), 'entries')} off."
    entry = f"for {off[0]} you have {_repr(given[off[0]])}"
    return Finding(1 - len(off) / len(expected), verdict, where=", ".join(off), entry=entry)


def _same_shape(expected: tuple, given) -> bool:
    array = _array(given)
    return array is not None and array.tolist() == list(expected)


def _compare_words(expected: list, given, part: str, rows) -> Finding:
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        return Finding(0.0, f"{part} should be a list of {len(expected)} words; this is {_what(given)}.")
    if len(given) != len(expected):
        return Finding(0.0, f"{part} has {len(given)} words; it should have {len(expected)}.")
    off = [k for k in range(len(expected)) if not _same_word(expected[k], given[k])]
    if not off:
        return RIGHT
    verdict = f"{count(len(off), len(expected), 'entries')} off."
    entry = f"entry {label(off[0], rows)}: you have {_repr(given[off[0]])}"
    return Finding(1 - len(off) / len(expected), verdict, listed("entry", off, rows, len(expected)), entry)


def _same_word(expected, given) -> bool:
    # Numbers stand in lists of ids; anything else that a student may put there has an == of its own.
    return isinstance(given, (str, Real, np.generic)) and bool(given == expected)


def _compare_array(expected: np.ndarray, given, part: str, rows, columns, told: bool) -> Finding:
    array = _array(given)
    if array is None:
        return Finding(0.0, f"{part} should be {_wanted(expected)}; this is {_what(given)}.")
    if array.shape != expected.shape:
        verb = "returns" if part == "It" else "is"
        return Finding(0.0, f"{part} {verb} {_size(array)}; it should be {_size(expected)}.")
    # Counts and ids are right or wrong: of 63 million parameters a relative error would forgive 63.
    rtol = RTOL if expected.dtype.kind == "f" else 0
    off = _off(array, expected, rtol)
    if off is None:
        return RIGHT
    if not told:
        return Finding(_share(off), UNTOLD)
    # Ids and counts carry no plus.
    return _entries_off(array, off, part, rows, columns, sign=expected.dtype.kind == "f")


def _off(given: np.ndarray, expected: np.ndarray, rtol: float) -> np.ndarray | None:
    """Which entries are not close, as NumPy's isclose tells it several times more slowly; None when all are."""
    if given.dtype == expected.dtype and given.tobytes() == expected.tobytes() and np.isfinite(expected).all():
        return None
    given = given.astype(float, copy=False)
    with np.errstate(all="ignore"):
        gaps = np.abs(given - expected)
        widest = gaps.max(initial=0)
        if widest <= ATOL:
            return None
        near = gaps <= ATOL + rtol * np.abs(expected)
    if not isfinite(widest):
        # Beside what is infinite every gap is small; the same infinity is close.
        near = near & np.isfinite(expected) | (given == expected)
    return None if near.all() else ~near


def _share(off: np.ndarray) -> float:
    """The part of the entries that is right."""
    return 1 - np.count_nonzero(off) / off.size


def _entries_off(given: np.ndarray, off: np.ndarray, part: str, rows, columns, *, sign: bool) -> Finding:
    share = _share(off)
    if off.ndim == 0:
        thing = "number" if part == "It" else f"number {part}"
        return Finding(share, f"The {thing} is off.", entry=f"you have {_short(given[()], sign)}")
    owner, name = ("", "") if part == "It" else (f" of {part}", f"your {part}")
    verdict = f"{count(np.count_nonzero(off), off.size, 'entries' + owner)} off."
    first = tuple(int(k) for k in np.unravel_index(off.argmax(), off.shape))
    entry = f"{place(first, rows, columns)}: you have {_short(given[first], sign)}"
    decimals = 3 if given.dtype.kind == "f" else 0
    # A copy: the student may go on to change the array.
    marked = Marked(given.copy(), off, None, first, name, rows, columns, decimals, sign)
    return Finding(share, verdict, where(off, rows, columns), entry, marked)


def _array(value) -> np.ndarray | None:
    """The value as an array of numbers, or None when it is none."""
    try:
        array = np.asarray(value)
    except ValueError:  # nested lists whose rows differ in length
        return None
    return array if array.dtype.kind in NUMBERS else None


# --- words -------------------------------------------------------------------------------------


def _size(array: np.ndarray) -> str:
    return f"{array.size} numbers in a row" if array.ndim == 1 else shape_of(array)


def _what(value) -> str:
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if not isinstance(value, np.ndarray):
        return f"of type {type(value).__name__}"
    kind = "" if value.dtype.kind in NUMBERS else f" of {value.dtype.name} values"
    return f"an array of {shape_of(value)}{kind}"


def _wanted(expected: np.ndarray) -> str:
    return f"an array of numbers, {shape_of(expected)}" if expected.ndim else "a number"


def _repr(value) -> str:
    """What a student returned, on one line and never long."""
    return " ".join(reprlib.repr(value).split())


def _short(number, sign: bool) -> str:
    if isinstance(number, (bool, np.bool_)):
        return str(bool(number))
    number, plus = float(number), "+" if sign else ""
    if number != number:
        return "nan"
    # A count is written in full: its last digit may be the one that is off.
    return f"{number:{plus}.0f}" if number.is_integer() and abs(number) < 1e15 else f"{number:{plus}.6g}"
