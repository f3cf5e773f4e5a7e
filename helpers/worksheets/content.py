"""What stands on a worksheet, as plain data for the template: first page, given numbers, steps, key."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..boxes import Box, decoder_boxes, encoder_boxes
from ..displays.numbers import typeset
from ..examples import Example
from ..sizes import WEIGHTS
from ..trace import givens
from . import caps
from .blanks import one_entry
from .key import Solved, solve
from .symbols import formula, symbol

ROW_WORDS = {"n_src": "src_words", "n_tgt": "tgt_words", "n_out": "out_words"}
# Boxes that make one step of the sheet together.
TOGETHER = ({"ids", "E_rows"}, {"Q", "K", "V"}, {"losses", "loss", "next_word"})


def number(value: float, decimals: int, sign: bool = True) -> str:
    """A number of a given or of the key, with a true minus sign; a blocked score is −∞."""
    if value <= -1e8:
        return typeset("-inf")
    text = f"{abs(value):.{decimals}f}"
    if value < 0 and text.strip("0."):
        return typeset("-" + text)
    return "+" + text if sign else text


class Stack:
    """One stack of a sheet: its boxes, what is given for it, and its key."""

    def __init__(self, example: Example, stack: str, decimals: int, Z=None):
        self.name = stack
        self.example = example
        heads = example.sizes.heads
        self.boxes = encoder_boxes(heads) if stack == "encoder" else decoder_boxes(heads, candidates=True)
        self.givens = givens(example, stack, 1) | {"out_words": example.candidates}
        if Z is not None:
            self.givens["Z"] = Z
        self.solved: dict[str, Solved] = solve(self.boxes, self.givens, decimals)
        self.values = self.givens | {key: found.value for key, found in self.solved.items()}

    def words(self, dimension: str) -> list[str] | None:
        """The words that name rows or columns of this dimension."""
        name = ROW_WORDS.get(dimension)
        return list(self.givens[name]) if name else None


def contents(example: Example, *, decoder: bool, decimals: int, code: str, name: str) -> dict:
    """Everything that is printed."""
    sizes = example.sizes
    n_src, n_tgt = len(example.src_words), len(example.tgt_words) if decoder else None
    stacks = [Stack(example, "encoder", decimals)]
    if decoder:
        stacks.append(Stack(example, "decoder", decimals, Z=stacks[0].solved["Z"].value))
    return {
        "title": "One forward pass by hand",
        "decoder": decoder,
        "code": code,
        "name": name,
        "decimals": decimals,
        "source": list(example.src_words),
        "target": list(example.tgt_words) if decoder else [],
        "labels": list(example.label_words) if decoder else [],
        "sizes": _sizes(sizes, n_src, n_tgt, example),
        "products": caps.multiplications(sizes, n_src, n_tgt),
        "entries": sum(found.value.size for stack in stacks for found in stack.solved.values()),
        "minutes": caps.minutes(sizes, n_src, n_tgt),
        "givens": _givens(example, decoder),
        "parts": [_part(stack, decimals) for stack in stacks],
    }


def _sizes(sizes, n_src, n_tgt, example) -> list[list[str]]:
    rows = [["n_src", n_src, "words the encoder reads"]]
    if n_tgt is not None:
        rows.append(["n_tgt", n_tgt, "words the decoder reads"])
        rows.append(["n_out", len(example.candidates), "words that compete at the output"])
    rows += [
        ["d_model", sizes.d_model, "width of every word's row"],
        ["h", sizes.heads, "heads"],
        ["d_k", sizes.d_k, "width of one head, d_model / h"],
        ["d_ff", sizes.d_ff, "inner width of the feed-forward network"],
    ]
    return [[symbol_of_size(name), name, str(value), what] for name, value, what in rows]


def symbol_of_size(name: str) -> str:
    """A size as Typst mathematics."""
    stem, _, index = name.partition("_")
    return f'{stem}_"{index}"' if index else stem


# --- given numbers -----------------------------------------------------------------------------


def _table(name: str, array, rows=None, columns=None) -> dict:
    array = np.atleast_2d(np.asarray(array, dtype=float))
    return {
        "key": name,
        "symbol": symbol(name),
        "rows": rows or [str(k) for k in range(array.shape[0])],
        "columns": columns or [str(k) for k in range(array.shape[1])],
        "cells": [[number(v, 1) for v in row] for row in array],
    }


def _givens(example: Example, decoder: bool) -> list[dict]:
    words = {index: word for word, index in example.vocabulary.items()}
    E = _table("E", example.E, rows=[f"{k} {words.get(k, '')}".strip() for k in range(len(example.E))])
    groups = [{"title": "Vocabulary and embedding table", "tables": [E]}]
    for stack in ["encoder", "decoder"][: 1 + decoder]:
        named = givens(example, stack, 1)
        heads = range(example.sizes.heads)
        tables = []
        for weight in WEIGHTS[stack]:
            split = f"{weight}0" in named
            tables += [_table(f"{weight}{i}", named[f"{weight}{i}"]) for i in heads] if split else [
                _table(weight, named[weight], rows=[""] if named[weight].ndim == 1 else None)
            ]  # fmt: skip
        groups.append({"title": f"Weights of the {stack}", "tables": tables})
    return groups


# --- steps -------------------------------------------------------------------------------------


def _part(stack: Stack, decimals: int) -> dict:
    return {"title": stack.name.capitalize(), "steps": [_step(stack, boxes, decimals) for boxes in steps_of(stack.boxes)]}


def steps_of(boxes: tuple[Box, ...]) -> list[list[Box]]:
    """Boxes that are worked out together, in order."""
    steps: list[list[Box]] = []
    for box in boxes:
        last = steps[-1][-1] if steps else None
        joined = last and any({box.family, last.family} <= group for group in TOGETHER) and box.head == last.head
        if joined:
            steps[-1].append(box)
        else:
            steps.append([box])
    return steps


def _step(stack: Stack, boxes: list[Box], decimals: int) -> dict:
    first = boxes[0]
    return {
        "title": ", ".join(box.step.title for box in boxes),
        "hints": list(dict.fromkeys(box.step.hint for box in boxes)),
        "example": one_entry(first, stack),
        "boxes": [_box(stack, box, decimals) for box in boxes],
    }


def _box(stack: Stack, box: Box, decimals: int) -> dict:
    found = stack.solved[box.key]
    shape = box.step.shape
    rows = (stack.words(shape[0]) if shape else None) or [""]
    columns = [""]
    if len(shape) == 2:
        columns = stack.words(shape[1]) or [str(k) for k in range(found.value.shape[1])]
    return {
        "key": box.key,
        "symbol": symbol(box.key),
        "formula": formula(box),
        "alt": f"{box.key} = {box.formula}",
        "shape": [symbol_of_size(s) for s in shape],
        "shape_alt": " × ".join(shape),
        "rows": rows,
        "columns": columns,
        "sums": {"A": ["sum"], "P": ["sum"], "norm": ["mean", "deviation"]}.get(box.family, []),
        "cells": _cells(stack, box, found, decimals),
        "tolerance": number(found.tolerance, decimals, sign=False) if found.tolerance else "",
        "slips": [_slip(stack, box, slip, rows, columns, decimals) for slip in found.slips],
    }


def _cells(stack: Stack, box: Box, found: Solved, decimals: int) -> list[list[str]]:
    if box.key == "next_word":
        return [[stack.givens["out_words"][int(found.value)]]]
    whole = box.step.kind == "ids"
    sign = box.family not in ("A", "P", "losses", "loss")
    array = found.value.reshape(len(found.value), -1) if found.value.ndim else found.value.reshape(1, 1)
    return [[str(int(v)) if whole else number(v, decimals, sign) for v in row] for row in array]


def _slip(stack: Stack, box: Box, slip, rows, columns, decimals: int) -> dict:
    def text(value):
        if box.key == "next_word":
            return stack.givens["out_words"][int(value)]
        return str(int(value)) if box.step.kind == "ids" else number(value, decimals)

    names = [words[k] for k, words in zip(slip.at, (rows, columns), strict=False)]
    where = ", ".join(f"{kind} {name}" for kind, name in zip(("row", "column"), names, strict=False) if name)
    return {"where": where, "wrong": text(slip.wrong), "right": text(slip.right), "shows": slip.shows}
