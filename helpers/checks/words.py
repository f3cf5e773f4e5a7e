"""Places and counts in words: "rows cat and sat, column 2", "2 of 12 entries are off"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def count(some: int, total: int, things: str) -> str:
    """Say "1 of 12 entries is", "2 of 12 entries are"."""
    return f"{some} of {total} {things} {'is' if some == 1 else 'are'}"


def label(k: int, labels: Sequence[object] | None) -> str:
    """Name a row or column: by its word when it has one, with its place when the word comes twice."""
    if labels is None or k >= len(labels):
        return str(k)
    word = labels[k]
    return f"{word} (position {k})" if list(labels).count(word) > 1 else str(word)


def shape_words(shape: Sequence[int]) -> str:
    """Say a shape so that a row of numbers is not taken for one number: "9 × 8", "3 numbers in a row"."""
    if len(shape) == 1:
        return "1 number in a row" if shape[0] == 1 else f"{shape[0]} numbers in a row"
    return " × ".join(map(str, shape)) or "a single number"


def place(index: Sequence[int], rows: Sequence[object] | None, columns: Sequence[object] | None) -> str:
    """Name one entry: "entry cat" of a vector, "row cat, column 2" of a matrix, "head 1, row …" of several."""
    if len(index) == 1:
        return f"entry {label(index[0], rows)}"
    *outer, r, c = index
    head = "".join(f"head {number}, " for number in outer)
    return f"{head}row {label(r, rows)}, column {label(c, columns)}"


def listed(kind: str, indices: Sequence[int], labels: Sequence[object] | None, total: int) -> str:
    """Name some rows, columns or entries: "row cat", "rows cat and sat", "every row"."""
    if len(indices) == total and total > 1:
        return f"every {kind}"
    kinds = {"entry": "entries"}.get(kind, f"{kind}s")
    shown = [label(int(k), labels) for k in indices[:4]]
    if len(indices) > len(shown):
        return f"{kinds} {', '.join(shown)} and {len(indices) - len(shown)} more"
    if len(shown) == 1:
        return f"{kind} {shown[0]}"
    return f"{kinds} {', '.join(shown[:-1])} and {shown[-1]}"


def where(off: np.ndarray, rows: Sequence[object] | None, columns: Sequence[object] | None) -> str:
    """Say in words where the true entries of `off` are: "rows cat and sat, column 2"."""
    kinds = {1: ("entry",), 2: ("row", "column"), 3: ("head", "row", "column")}[off.ndim]
    labels = {"entry": rows, "row": rows, "column": columns, "head": None}
    said = []
    for axis, kind in enumerate(kinds):
        others = tuple(a for a in range(off.ndim) if a != axis)
        indices = np.flatnonzero(off.any(axis=others))
        said.append(listed(kind, indices, labels[kind], off.shape[axis]))
    return ", ".join(said)
