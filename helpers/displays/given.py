"""What a display was given: arrays and labels, or one plain sentence that says what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import PlainError
from .numbers import shape_text

BLANK = "·"
"""Stands for a label without a visible character: an empty header names nothing."""


def matrix(value: object, name: str) -> np.ndarray:
    """Return `value` as a float64 array with rows and columns, or raise PlainError."""
    array = _numbers(value, name)
    if array.ndim != 2:
        raise PlainError(f"{name} has {_dimensions(array)}, but a matrix with rows and columns is expected here.")
    if array.size == 0:
        raise PlainError(f"{name} is {shape_text(array.shape)}: there is nothing in it to show.")
    return array


def vector(value: object, name: str, size: int | None = None, what: str = "entries") -> np.ndarray:
    """Return `value` as a float64 array with one dimension (and `size` entries), or raise PlainError."""
    array = _numbers(value, name)
    if array.ndim != 1:
        raise PlainError(f"{name} has {_dimensions(array)}, but one row of numbers is expected here.")
    if array.size == 0:
        raise PlainError(f"{name} is empty: there is nothing in it to show.")
    if size is not None and array.size != size:
        raise PlainError(f"{name} has {array.size} entries, but {size} {what} are expected.")
    return array


def same_shape(array: np.ndarray, name: str, shape: tuple[int, ...], owner: str) -> np.ndarray:
    """Return `array` if it has `shape`, else raise PlainError naming both shapes."""
    if array.shape != shape:
        raise PlainError(f"{name} is {shape_text(array.shape)}, but {owner} is {shape_text(shape)}.")
    return array


def mask(value: object, name: str, shape: tuple[int, int]) -> np.ndarray:
    """Return a mask (true: blocked) spread out to `shape`; one row of it stands for all rows. None blocks nothing."""
    if value is None:
        return np.zeros(shape, dtype=bool)
    blocked = np.asarray(value)
    if blocked.dtype != bool:
        raise PlainError(f"The mask of {name} holds {blocked.dtype} values; it takes True (blocked) and False.")
    try:
        return np.broadcast_to(blocked, shape)
    except ValueError:
        raise PlainError(f"The mask is {shape_text(blocked.shape)}, but {name} is {shape_text(shape)}.") from None


def labels(words: Sequence[object] | None, size: int, what: str, name: str) -> tuple[str, ...]:
    """Return one label for each of `size` rows or columns (`what`); without words they are numbered from 0."""
    if words is None:
        return tuple(str(number) for number in range(size))
    if isinstance(words, str):
        raise PlainError(f"The {what} labels of {name} are one text, {words!r}; a list of {size} words is expected.")
    words = tuple(" ".join(str(word).split()) or BLANK for word in words)
    if len(words) != size:
        raise PlainError(f"{len(words)} {what} labels were given, but {name} has {size} {what}s.")
    return words


def entry(position: object, shape: tuple[int, int], name: str) -> tuple[int, int]:
    """Return (row, column) as two ints inside `shape`, or raise PlainError."""
    try:
        row, column = (int(index) for index in position)
    except (TypeError, ValueError):
        raise PlainError(f"An entry is a pair (row, column) of two whole numbers, not {position!r}.") from None
    if not (0 <= row < shape[0] and 0 <= column < shape[1]):
        raise PlainError(
            f"Entry ({row}, {column}) lies outside {name}, which is {shape_text(shape)}; rows and columns count from 0."
        )
    return row, column


def names(given: Sequence[str], expected: int) -> tuple[str, ...]:
    """Return the names of the matrices of one display, or raise PlainError when their number is wrong."""
    if isinstance(given, str) or len(given) != expected:
        raise PlainError(f"names takes {expected} names, but {given!r} was given.")
    return tuple(str(name) for name in given)


def pair(value: Sequence[object], what: str) -> tuple[object, object]:
    """Return two things, or raise PlainError."""
    if isinstance(value, str) or len(value) != 2:
        raise PlainError(f"{what} takes two shapes, one for each matrix, not {value!r}.")
    return value[0], value[1]


def _numbers(value: object, name: str) -> np.ndarray:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise PlainError(f"{name} is not an array of numbers with rows of equal length.") from None


def _dimensions(array: np.ndarray) -> str:
    if array.ndim == 0:
        return "no dimension (it is a single number)"
    sizes = shape_text(array.shape)
    return f"one dimension ({sizes} entries)" if array.ndim == 1 else f"{array.ndim} dimensions ({sizes})"
