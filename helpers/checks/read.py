"""Read what a student typed into a box: numbers in any of the ways that people write them, or nothing yet.

Nothing of the student's own is run: an entry is read by its exact type, and every other type is refused.
"""

from __future__ import annotations

import re
import reprlib
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from ..displays.numbers import BLOCKED
from ..errors import PlainError
from .words import label, place

COARSEST, FINEST = 2, 9
"""Decimals that a unit has at least and at most."""

BY_HAND = 6
"""More decimals than this are taken for full precision, when most entries are written with fewer."""

NONE, EXACT = -1, -2
"""Instead of a count of decimals: the entry says nothing of the unit; the entry is a fraction."""

DEEPEST, LARGEST = 4, 100_000
"""More levels of lists, or more entries, than any box has."""

INFINITE = float("inf")

BLANKS = ("", "…", "...")
"""Texts that stand for an entry not filled in; so do None and the dots of Python."""

_UNITS = [float(f"1e-{k}") for k in range(FINEST + 1)]
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?", re.IGNORECASE)
_INFINITY = re.compile(r"-\s*(?:∞|inf(?:inity)?)", re.IGNORECASE)


class Unreadable(PlainError):
    """An answer that cannot be read, told in one sentence: what was given, and where."""


@dataclass(frozen=True)
class Written:
    """What a box holds.

    values: the numbers, in the shape they were typed in, NaN where nothing is filled in. filled: which are there.
    unit: one unit of the last written place, 0.001 for three decimals, taken from the entry with the most.
    """

    values: np.ndarray
    filled: np.ndarray
    unit: float

    @property
    def complete(self) -> bool:
        """Whether every entry is filled in."""
        return self.filled.size > 0 and bool(self.filled.all())

    @property
    def empty(self) -> bool:
        """Whether nothing is filled in."""
        return not self.filled.any()


class _NoNumber(Exception):
    """Why an entry is no number; `read` says where it stands."""


def read(answer: object, rows: Sequence[object] | None = None, columns: Sequence[object] | None = None) -> Written:
    """Read a number, a list, a nested list or an array; `rows` and `columns` are words that name them in a sentence.

    An entry is an int, a float, a Fraction, a Decimal, a number of NumPy, or text such as "1/3", "0,67", "−0.5" or
    "-inf"; None, ... and "" are entries not filled in, and so is a whole row, or the whole answer, that is one of them.

    The unit comes from the digits that were written: those of the text, or the fewest that tell a float from its
    neighbours. A float counts to 14 digits, so that 0.1 + 0.2 is 0.3; a float32 to 6 decimals and a float16 to 3, for
    it holds no more. Whole numbers and blocked scores (-1e8 or less) say nothing of the unit. A fraction is exact: it
    leaves the unit to its neighbours, and alone, or among whole numbers, it counts as full precision.

    Raises:
        Unreadable: an entry is no number, or the rows differ in length.
    """
    entries, shape = _flatten(answer, rows)
    values, filled, digits = [], [], []
    for number, entry in enumerate(entries):
        reader = _READERS.get(type(entry))
        try:
            if reader is None:
                raise _NoNumber(f"something of type {type(entry).__name__}, which is no number")
            value, decimals = reader(entry)
        except _NoNumber as reason:
            raise Unreadable(_sentence(reason, number, shape, rows, columns)) from None
        values.append(value)
        filled.append(value == value)
        digits.append(decimals)
    array = np.array(values, dtype=float).reshape(shape)
    return Written(array, np.array(filled, dtype=bool).reshape(shape), _unit(digits))


def read_word(answer: object, words: Sequence[str]) -> int | None:
    """Read one word of several, or its index, and return the index; None when nothing is filled in.

    Capitals and the kind of angle brackets do not matter.

    Raises:
        Unreadable: it is none of the words.
    """
    if type(answer) is np.ndarray:
        answer = answer.tolist()
    if type(answer) in (list, tuple) and len(answer) == 1:
        answer = answer[0]
    if answer is None or answer is ...:
        return None
    kind = type(answer)
    if kind in (str, np.str_):
        return _index_of_word(str(answer), words)
    if (kind in _WHOLE or kind in _FLOATS) and 0 <= answer < len(words) and answer == answer // 1:
        return int(answer)
    raise Unreadable(f"The answer should be one of the words {', '.join(words)}; this is {_quoted(answer)}.")


def _index_of_word(text: str, words: Sequence[str]) -> int | None:
    bare = text.strip()
    if bare in BLANKS:
        return None
    for alike in (str, _folded):
        known = [alike(word) for word in words]
        if alike(bare) in known:
            return known.index(alike(bare))
    if bare in map(str, range(len(words))):
        return int(bare)
    raise Unreadable(f"The answer should be one of the words {', '.join(words)}; this is {_quoted(text)}.")


def _folded(word: str) -> str:
    return unicodedata.normalize("NFC", word).strip("<>⟨⟩‹›").casefold()


# --- one entry: its value and how many decimals it was written with ----------------------------


def _blank(entry: object) -> tuple[float, int]:
    return float("nan"), NONE


def _whole(entry: int) -> tuple[float, int]:
    try:
        return float(entry), NONE
    except OverflowError:
        raise _NoNumber("a number too large to be one of these") from None


def _float(entry: float) -> tuple[float, int]:
    if BLOCKED < entry < INFINITE:
        return entry, _decimals(f"{entry:.14g}") or NONE
    if entry <= BLOCKED:
        return entry, NONE
    if entry == INFINITE:
        raise _NoNumber("inf, and of the infinite only -inf is ever asked for")
    raise _NoNumber("NaN, which is no number")


def _small_float(most: int) -> Callable[[np.floating], tuple[float, int]]:
    def read_it(entry: np.floating) -> tuple[float, int]:
        number = float(entry)
        if number <= BLOCKED or number - number != 0:
            return _float(number)
        text = str(entry)  # its own digits: float32 0.1 is 0.1, and not 0.10000000149
        return float(text), min(most, _decimals(text)) or NONE

    return read_it


def _fraction(entry: Fraction) -> tuple[float, int]:
    return _whole(entry)[0], EXACT


def _decimal(entry: Decimal) -> tuple[float, int]:
    value, _ = _float(float("nan") if entry.is_nan() else float(entry))
    return value, NONE if value <= BLOCKED else max(0, -entry.as_tuple().exponent) or NONE


def _text(entry: str) -> tuple[float, int]:
    bare = re.sub(r"^([+-])\s+", r"\1", entry.strip().replace("−", "-").replace("–", "-"))
    if _NUMBER.fullmatch(bare):
        return _written_out(bare)
    if bare in BLANKS:
        return _blank(entry)
    if _INFINITY.fullmatch(bare):
        return float("-inf"), NONE
    if "/" not in bare:
        return _written_out(_with_point(bare, entry))
    above, _, below = (part.strip() for part in bare.partition("/"))
    top, bottom = (_written_out(_with_point(part, entry))[0] for part in (above, below))
    if bottom == 0:
        raise _NoNumber(f"{_quoted(entry)}, which divides by 0")
    return _float(top / bottom)[0], EXACT


def _written_out(number: str) -> tuple[float, int]:
    value = float(number)
    if value == INFINITE:
        raise _NoNumber("a number too large to be one of these")
    return value, NONE if value <= BLOCKED else _decimals(number.lower()) or NONE


def _with_point(bare: str, entry: str) -> str:
    """Return a number with a decimal point; it may have come with a comma."""
    if "," in bare and "." in bare:
        raise _NoNumber(f"{_quoted(entry)}, with a comma and a point: leave out the one between thousands")
    number = bare.replace(",", ".")
    if not _NUMBER.fullmatch(number):
        raise _NoNumber(f"{_quoted(entry)}, which is no number")
    return number


def _decimals(number: str) -> int:
    """Count the decimals of a number as written: 3 for 0.500, 5 for 1e-05; trailing zeros count."""
    mantissa, _, exponent = number.partition("e") if "e" in number else (number, "", "")
    point = mantissa.find(".")
    decimals = len(mantissa) - point - 1 if point >= 0 else 0
    return max(0, decimals - int(exponent)) if exponent else decimals


def _no_number(entry: object) -> tuple[float, int]:
    raise _NoNumber(f"{_quoted(entry)}, which is no number")


_WHOLE = {int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp, np.longlong}
_FLOATS = {float, np.float64, np.longdouble}
_READERS = (
    dict.fromkeys(_WHOLE, _whole)
    | {float: _float, np.float64: _float, np.longdouble: lambda entry: _float(float(entry))}
    | {np.float32: _small_float(6), np.float16: _small_float(3)}
    | {Fraction: _fraction, Decimal: _decimal, str: _text, np.str_: _text}
    | dict.fromkeys((type(None), type(...)), _blank)
    | dict.fromkeys((bool, np.bool_, complex, np.complex64, np.complex128), _no_number)
)


# --- the whole answer --------------------------------------------------------------------------


_ARRAYS = {np.ndarray, np.matrix}
_LISTS = {list, tuple, range}


def _flatten(answer: object, rows, index: tuple[int, ...] = ()) -> tuple[list, tuple[int, ...]]:
    """Return the entries of an answer one after the other, and its shape."""
    kind = type(answer)
    if kind in _ARRAYS:
        return _of_array(answer)
    if kind not in _LISTS:
        return [answer], ()
    if len(index) == DEEPEST or len(answer) > LARGEST:
        raise Unreadable("The answer is nested deeper, or is longer, than any box: write a list with one list a row.")
    if _ARRAYS.isdisjoint(kinds := set(map(type, answer))) and _LISTS.isdisjoint(kinds):
        return list(answer), (len(answer),)
    parts = [_flatten(part, rows, (*index, number)) for number, part in enumerate(answer)]
    return _joined(parts, rows, index)


def _of_array(array: np.ndarray) -> tuple[list, tuple[int, ...]]:
    if array.size > LARGEST:
        raise Unreadable(f"The answer has {array.size} entries, more than any box.")
    flat = np.asarray(array).ravel()
    # Small floats stay what they are: as Python's floats they would show digits that nobody wrote.
    return (list(flat) if flat.dtype.kind == "f" and flat.dtype.itemsize < 8 else flat.tolist()), array.shape


def _joined(parts: list[tuple[list, tuple]], rows, index: tuple[int, ...]) -> tuple[list, tuple[int, ...]]:
    """Put the rows of one level together; a row that is one blank is a row of blanks."""
    deepest = max(len(shape) for _, shape in parts)
    first = next(number for number, (_, shape) in enumerate(parts) if len(shape) == deepest)
    wanted, flat = parts[first][1], []
    for number, (entries, shape) in enumerate(parts):
        if shape != wanted and not shape and _is_blank(entries[0]):
            entries = entries * int(np.prod(wanted))
        elif shape != wanted:
            own, other = (_row((*index, which), rows) for which in (number, first))
            raise Unreadable(f"{own[0].upper()}{own[1:]} has {_counted(shape)}, but {other} has {_counted(wanted)}.")
        flat += entries
    return flat, (len(parts), *wanted)


def _is_blank(entry: object) -> bool:
    return entry is None or entry is ... or (type(entry) in (str, np.str_) and entry.strip() in BLANKS)


def _row(index: tuple[int, ...], rows) -> str:
    heads = "".join(f"head {number}, " for number in index[:-1])
    return f"{heads}row {label(index[-1], rows)}"


def _counted(shape: tuple[int, ...]) -> str:
    if len(shape) > 1:
        return " × ".join(map(str, shape)) + " entries"
    count = shape[0] if shape else 1
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _unit(digits: list[int]) -> float:
    # A few entries that Python worked out to many digits must not make the others, written by hand, look careless.
    by_hand = [d for d in digits if 0 < d <= BY_HAND]
    long = sum(d > BY_HAND for d in digits)
    most = max(by_hand if len(by_hand) > long else digits, default=NONE)
    if most < 0 and EXACT in digits:
        return _UNITS[FINEST]
    return _UNITS[min(FINEST, max(COARSEST, most))]


def _sentence(reason: _NoNumber, number: int, shape: tuple[int, ...], rows, columns) -> str:
    where = place(np.unravel_index(number, shape), rows, columns) if shape else "the box"
    return f"{where[0].upper()}{where[1:]} holds {reason}."


def _quoted(entry: object) -> str:
    """What was given, on one line and never long; only of types whose text is Python's or NumPy's own."""
    if type(entry) in (np.bool_, np.complex64, np.complex128, np.float64, np.str_, *_WHOLE - {int}):
        entry = entry.item()  # old and new NumPy write their own numbers in different ways
    own = (str, bool, complex, int, float)
    return " ".join(reprlib.repr(entry).split()) if type(entry) in own else f"of type {type(entry).__name__}"
