"""One entry of a matrix product, written out term by term."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from . import given
from .agreement import agreement
from .numbers import WIDTH, columns_of, fixed, symbol_html, typeset, typeset_within, wrap
from .table import scroll

MAX_TERMS = 64
"""A longer sum is written out up to here, and the rest of it is one number."""

TERMS_A_LINE = 4
TERM_DECIMALS = 4


def written_out(
    A: np.ndarray,
    B: np.ndarray,
    position: tuple[int, int],
    names: Sequence[str],
    rows: Sequence[object] | None,
    cols: Sequence[object] | None,
    array: np.ndarray | None,
    bias: np.ndarray | None,
    bias_name: str = "bias",
    decimals: int = 6,
) -> tuple[str, list[str], str]:
    """Return what one entry of A · B is, its lines of terms and sum, and whether it agrees with `array`."""
    i, j = given.entry(position, (A.shape[0], B.shape[1]), names[2])
    row = given.labels(rows, A.shape[0], "row", names[0])[i]
    col = given.labels(cols, B.shape[1], "column", names[1])[j]
    title = f"{names[2]}[{row}, {col}] = row {row} of {names[0]} · column {col} of {names[1]}"
    products = A[i] * B[:, j]
    terms = [f"({_factor(a)})*({_factor(b)})" for a, b in zip(A[i, :MAX_TERMS], B[:MAX_TERMS, j], strict=True)]
    if len(products) > MAX_TERMS:
        rest = math.fsum(products[MAX_TERMS:])
        terms.append(f"({_factor(rest)}: the other {len(products) - MAX_TERMS} terms)")
    total = math.fsum(products)
    if bias is not None:
        terms.append(f"({_factor(bias[j])}: {bias_name})")
        title += f" + {bias_name}"
        total += bias[j]
    verdict = "" if array is None else agreement(total, array[i, j], decimals)
    return title, [*_term_lines(terms), f"= {fixed(total, decimals)}"], verdict


def entry_lines(title: str, lines: list[str], verdict: str) -> list[str]:
    """Return the text of a worked entry."""
    *terms, total = [f"  {line}" for line in lines]
    return [*wrap(title, indent="  "), *terms, f"{total}   {verdict}".rstrip()]


def entry_html(title: str, lines: list[str], verdict: str) -> str:
    """Return the HTML of a worked entry."""
    numbers = "\n".join(escape(typeset(line)) for line in lines)
    verdict = f"   {typeset_within(verdict)}" if verdict else ""
    return f'<p class="note">{symbol_html(title)}</p>{scroll(f"<pre>{numbers}{verdict}</pre>", title)}'


def _factor(value: float) -> str:
    return fixed(value, TERM_DECIMALS)


def _term_lines(terms: list[str]) -> list[str]:
    """Join the terms with plus signs, four to a line, fewer where the line would be too long."""
    lines: list[list[str]] = [[]]
    for term in terms:
        longer = "  " + " + ".join([*lines[-1], term]) + " +"
        if lines[-1] and (len(lines[-1]) == TERMS_A_LINE or columns_of(longer) > WIDTH):
            lines.append([])
        lines[-1].append(term)
    return [" + ".join(line) + (" +" if line is not lines[-1] else "") for line in lines]
