"""What stands on a worksheet, as plain data for the template: first page, given numbers, steps, key."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from ..boxes import Box, decoder_boxes, encoder_boxes
from ..examples import Example
from ..trace import givens
from . import caps
from .given import given_groups, sines
from .grids import BESIDE, HEIGHT, grid, number, numbers, placed
from .key import Solved, solve, written
from .say import BLANK, Told, one_entry, what_to_do
from .symbols import formula, symbol, symbol_of_size

WORDS = {"n_src": "src_words", "n_tgt": "tgt_words", "n_out": "out_words"}
# Sizes that texts name.
SIZES = ("d_model", "d_k", "h")
# Boxes that make one step of the sheet together.
TOGETHER = ({"ids", "E_rows"}, {"Q", "K", "V"}, {"losses", "loss", "next_word"})
# Dashed boxes: checks at the right of each row of a box, and notes at the right of each row of the working.
CHECKS = {"A": ["sum"], "P": ["sum"], "norm": ["mean", "dev."]}
BLANK_LINE = "_" * 7
GAP = "\u2002"
UNSIGNED = ("A", "P", "losses", "loss")


class Stack:
    """One stack of a sheet: its boxes, what is given for it, and its key."""

    def __init__(self, example: Example, stack: str, decimals: int, Z=None):
        self.name = stack
        self.decimals = decimals
        heads = example.sizes.heads
        self.boxes = encoder_boxes(heads) if stack == "encoder" else decoder_boxes(heads, candidates=True)
        self.givens = givens(example, stack, 1) | {"out_words": example.candidates}
        if Z is not None:
            self.givens["Z"] = Z
        self.solved: dict[str, Solved] = solve(self.boxes, self.givens, decimals)
        self.values = self.givens | {key: found.value for key, found in self.solved.items()}

    def rows(self, box: Box) -> list[str]:
        """The words that name the rows of a box."""
        shape = box.step.shape
        return list(self.givens[WORDS[shape[0]]]) if shape else [""]

    def columns(self, box: Box) -> list[str]:
        """What names the columns of a box: words, or numbers from 0."""
        shape = box.step.shape
        if len(shape) < 2:
            return [""]
        if shape[1] in WORDS:
            return list(self.givens[WORDS[shape[1]]])
        return [str(k) for k in range(self.givens[shape[1]])]

    def told(self, box: Box) -> Told:
        """What the texts of a step are written from."""
        return Told(box, self.values, self.rows(box), self.columns(box), self.decimals)


def contents(example: Example, *, decoder: bool, decimals: int, code: str, name: str) -> dict:
    """Everything that is printed."""
    sizes = example.sizes
    n_src, n_tgt = len(example.src_words), len(example.tgt_words) if decoder else None
    stacks = [Stack(example, "encoder", decimals)]
    if decoder:
        stacks.append(Stack(example, "decoder", decimals, Z=stacks[0].solved["Z"].value))
    positions = max(n_src, n_tgt or 0)
    return {
        "decoder": decoder,
        "code": code,
        "calls": _calls(example, decoder, code) if code else [],
        "name": name,
        "decimals": decimals,
        "source": list(example.src_words),
        "target": list(example.tgt_words) if decoder else [],
        "labels": list(example.label_words) if decoder else [],
        "sizes": _sizes(example, n_src, n_tgt),
        "products": f"{caps.multiplications(sizes, n_src, n_tgt):,}",
        "entries": f"{sum(found.value.size for stack in stacks for found in stack.solved.values()):,}",
        "time": _time(caps.minutes(sizes, n_src, n_tgt)),
        "givens": given_groups(example, decoder, decimals),
        "sines": sines(positions, sizes.d_model, decimals),
        "parts": _parts(stacks),
    }


def _calls(example: Example, decoder: bool, code: str) -> list[str]:
    """What opens the sheet's numbers in a notebook."""
    asked = f'code="{code}", sentence="{" ".join(example.src_words)}"'
    if decoder:
        asked += f', decoder_sentence="{" ".join(example.label_words[:-1])}"'
    return [f'homework("{unit}", {asked})' for unit in ["encoder", "translation"][: 1 + decoder]]


def _time(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    parts = ([f"{hours} h"] if hours else []) + ([f"{rest} min"] if rest else [])
    return " ".join(parts)


def _sizes(example: Example, n_src: int, n_tgt: int | None) -> list[list[str]]:
    sizes = example.sizes
    rows = [("n_src", n_src, "words the encoder reads")]
    if n_tgt is not None:
        rows.append(("n_tgt", n_tgt, "words the decoder reads"))
        rows.append(("n_out", len(example.candidates), "words that compete at the output"))
    rows += [
        ("d_model", sizes.d_model, "width of a word's vector"),
        ("h", sizes.heads, "attention heads"),
        ("d_k", sizes.d_k, "width of one head: {d_model} / {h}"),
        ("d_ff", sizes.d_ff, "inner width of the feed-forward network"),
    ]
    return [[symbol_of_size(name), name, str(value), _pieces(what)] for name, value, what in rows]


# --- steps -------------------------------------------------------------------------------------


def _parts(stacks: list[Stack]) -> list[dict]:
    parts, first = [], 1
    for stack in stacks:
        groups = steps_of(stack.boxes)
        steps = [_step(stack, boxes, number) for number, boxes in enumerate(groups, start=first)]
        parts.append(
            {
                "title": f"The {stack.name}",
                "steps": steps,
                "ones": [_pieces(one_entry(stack.told(boxes[0]))) for boxes in groups],
                "answers": [_answer(stack, box) for box in stack.boxes],
            }
        )
        first += len(groups)
    return parts


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


def _step(stack: Stack, boxes: list[Box], place: int) -> dict:
    first = boxes[0]
    asked = [_box(stack, box) for box in boxes]
    return {
        "number": place,
        "title": _title(boxes),
        "do": _pieces(what_to_do(stack.told(first))),
        "hint": first.step.hint,
        "boxes": asked,
        "height": HEIGHT,
        "beside": len(asked) == 1 and not asked[0]["notes"] and asked[0]["grid"]["total"] <= BESIDE,
    }


def _title(boxes: list[Box]) -> str:
    first = boxes[0].step.title
    _, comma, head = first.partition(", head ")
    titles = [box.step.title.removesuffix(comma + head) for box in boxes]
    joined = titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"
    block = {"": "", "m": ", masked self-attention", "c": ", cross-attention"}[boxes[0].mark]
    return joined[0].upper() + joined[1:] + comma + head + block


@lru_cache(maxsize=1024)
def _pieces(text: str) -> list[list[str]]:
    """Cut a text at its symbols and powers to fill in: ["text", …], ["symbol", maths, name], ["power"]."""
    pieces = []
    for part in re.split(rf"(\{{\w+\}}|e\^{BLANK})", text):
        if part.endswith(f"^{BLANK}"):
            pieces.append(["power"])
        elif part.startswith("{"):
            name = part[1:-1]
            pieces.append(["symbol", symbol_of_size(name) if name in SIZES else symbol(name), name])
        elif part:
            # A line to write on, as text: a box for each would take longer.
            pieces.append(["text", part.replace(BLANK, BLANK_LINE)])
    return pieces


def _box(stack: Stack, box: Box) -> dict:
    shape = box.step.shape
    rows, columns = stack.rows(box), stack.columns(box)
    return {
        "key": box.key,
        "symbol": symbol(box.key),
        "formula": formula(box),
        "alt": f"{box.key} = {box.formula}",
        "shape": " × ".join(shape),
        "matrix": len(shape) == 2,
        "grid": grid(rows, columns, CHECKS.get(box.family, [])),
        "notes": _notes(stack, box, rows, columns),
    }


def _notes(stack: Stack, box: Box, rows: list[str], columns: list[str]) -> dict | None:
    """The working that is worth a place of its own: powers of e and their sum; mean, variance and root."""
    if box.family in ("A", "P"):
        S = box.inputs[0]
        return grid(rows, columns, ["sum"], dashed=True) | {"symbol": f"e^({symbol(S)})", "alt": f"e to the {S}"}
    if box.family == "norm":
        return grid(rows, ["μ", "σ²", "root"], dashed=True) | {
            "symbol": f'"of each row of" {symbol(box.inputs[0])}',
            "alt": f"of each row of {box.inputs[0]}",
        }
    return None


# --- the key -----------------------------------------------------------------------------------


def _answer(stack: Stack, box: Box) -> dict:
    found, rows, columns = stack.solved[box.key], stack.rows(box), stack.columns(box)
    labels = grid(rows, columns)
    lines = numbers(_cells(stack, box, found.value))
    notes = "\n".join([_first_note(stack, box), *_slips(stack, box, rows, columns)])
    return {
        "key": box.key,
        "symbol": symbol(box.key),
        "shape": " × ".join(box.step.shape),
        "rows": labels["rows"],
        "columns": labels["columns"],
        "label": labels["label"],
        "notes": notes,
        **lines,
        **placed(labels, lines, notes),
    }


def _cells(stack: Stack, box: Box, value: np.ndarray) -> list[list[str]]:
    """The entries of a box as they are written; the key has rounded them already."""
    rows = value.reshape(len(value), -1) if value.ndim else value.reshape(1, 1)
    return [_entries(stack, box, row) for row in rows.tolist()]


def _entries(stack: Stack, box: Box, values: list[float]) -> list[str]:
    if box.key == "next_word":
        return [stack.givens["out_words"][int(value)] for value in values]
    if box.step.kind == "ids":
        return [str(int(value)) for value in values]
    return [number(value, stack.decimals, box.family not in UNSIGNED) for value in values]


def _numbers(stack: Stack, values) -> str:
    """Print some values as they are written, in one line: a half goes upwards, on every machine."""
    return ", ".join([number(value, stack.decimals, sign=False) for value in written(values, stack.decimals).tolist()])


def _first_note(stack: Stack, box: Box) -> str:
    """The tolerance of a box, and the notes of each row."""
    tolerance, working = stack.solved[box.key].tolerance, _working(stack, box)
    parts = [f"± {number(tolerance, stack.decimals, sign=False)}"] if tolerance else []
    return "; ".join(parts + ([working] if working else []))


def _working(stack: Stack, box: Box) -> str:
    """The notes of each row, in one line."""
    if box.family in ("A", "P"):
        return "row sums " + _numbers(stack, np.exp(stack.values[box.inputs[0]]).sum(axis=-1))
    if box.family == "norm":
        x = stack.values[box.inputs[0]]
        return f"μ {_numbers(stack, x.mean(axis=-1))}; σ² {_numbers(stack, x.var(axis=-1))}"
    return ""


def _slips(stack: Stack, box: Box, rows: list[str], columns: list[str]) -> list[str]:
    """One line for each likely slip: where, what it gives there, and what it shows."""
    found = stack.solved[box.key].slips
    if not found:
        return []
    exact = box.key == "next_word" or box.step.kind == "ids"
    wrong = [slip.wrong for slip in found]
    entries = _entries(stack, box, wrong if exact else written(wrong, stack.decimals).tolist())
    places = [zip(slip.at, (rows, columns), strict=False) for slip in found]
    names = [", ".join(filter(None, [words[k] for k, words in place])) for place in places]
    return [f"{name}: {entry}{GAP}{slip.shows}" for name, entry, slip in zip(names, entries, found, strict=True)]
