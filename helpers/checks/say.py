"""Put a mark into words: the feedback a student reads. How many and where first, then a question, then one entry."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10

import numpy as np

from ..boxes import Box
from ..displays.marks import Marked
from ..displays.numbers import fixed
from ..transformer import shape_of
from .feedback import Feedback
from .marks import Mark
from .words import count, place, where
from .worked import worked


def row_words(box: Box, givens: Mapping) -> tuple[str, ...] | None:
    """The words that name the rows of a box."""
    names = {"n_src": "src_words", "n_tgt": "tgt_words"}
    return givens[names[box.step.shape[0]]] if box.step.shape and box.step.shape[0] in names else None


def column_words(box: Box, givens: Mapping) -> tuple[str, ...] | None:
    """The words that name its columns: those that are looked at, or those that compete; None for plain numbers."""
    if len(box.step.shape) != 2:
        return None
    names = {"n_src": "src_words", "n_tgt": "tgt_words", "n_out": "out_words"}
    return givens.get(names.get(box.step.shape[1]))


def say(mark: Mark, values: Mapping, possible: float) -> Feedback:
    """The feedback to one box; values: those of the pass, with one's own where there are any."""
    box = mark.box
    rows, columns = row_words(box, values), column_words(box, values)
    opened = _opened(mark)
    points = round(possible * mark.share, 2)
    return Feedback(
        mark.kind, _verdict(mark), _subject(box, values), points, possible,
        details=_details(mark, values, opened, rows, columns),
        marked=_map(mark, opened, rows, columns),
        labels=mark.labels,
        remark=_remark(mark, rows, columns),
        followed=mark.followed,
        begun=mark.written is not None and not mark.written.empty,
    )  # fmt: skip


def _subject(box: Box, values: Mapping) -> str:
    title = box.key if box.step.title == box.key else f"{box.key}, {box.step.title}"
    size = shape_of(np.empty([values[name] for name in box.step.shape])) if box.step.shape else ""
    return f"{title}, {size}" if len(box.step.shape) == 2 else title


def _verdict(mark: Mark) -> str:
    if mark.problem:
        return mark.problem
    size = mark.written.values.size
    if mark.kind == "right":
        return "Right." if size == 1 else f"Right, all {size} entries."
    if mark.kind == "stale":
        return f"Right for your earlier {mark.earlier}: redo it with the new one."
    if mark.kind == "empty":
        return "Not filled in yet."
    return "The answer is off." if size == 1 else f"{count(int(mark.off.sum()), size, 'entries')} off."


def _details(mark: Mark, values: Mapping, opened, rows, columns) -> list[tuple[str, str]]:
    if mark.kind != "off":
        return []
    details = []
    if not mark.problem and mark.off.ndim:
        details.append(("Where", where(mark.off, rows, columns)))
    if mark.claims:
        details.append(("Question", _questions(mark)))
    if opened is not None:
        details.append(("One entry", _one_entry(mark, values, opened, rows, columns)))
    return details


def _questions(mark: Mark) -> str:
    """What the mistake asks; of two that fit equally, both, and what both begin with is said once."""
    first, *others = dict.fromkeys(claim.mistake.question for claim in mark.claims)
    said = first[: first.find(". ") + 2] if ". " in first else ""
    return " Or: ".join([first, *(question.removeprefix(said) for question in others)])


def _opened(mark: Mark) -> tuple[int, ...] | None:
    """The entry that is written out: the first that is off."""
    if mark.remark is not None:
        return mark.remark if mark.written.values.ndim else None
    if mark.kind != "off" or mark.problem or not mark.off.any():
        return None
    if mark.missing:  # the true numbers of a box that is not written yet are not to be read off another one
        return None
    return tuple(int(k) for k in np.argwhere(mark.off)[0])


def _one_entry(mark: Mark, values: Mapping, opened, rows, columns) -> str:
    box = mark.box
    basis = mark.judgement.basis.values if mark.judgement.on_own else values
    title = f"{place(opened, rows, columns)}, written out" if opened else "Written out"
    wrote = _wrote(mark, opened, values)
    return "\n".join([title, *worked(box, basis, opened, rows, columns), f"you wrote {wrote}"])


def _wrote(mark: Mark, opened, values: Mapping) -> str:
    value = float(mark.written.values[opened])
    if mark.box.key == "next_word":
        return values["out_words"][int(value)]
    if mark.box.step.kind == "ids":
        return f"{value:g}"
    return "-inf" if value <= -1e8 else fixed(value, _decimals(mark))


def _decimals(mark: Mark) -> int:
    return min(max(round(-log10(mark.written.unit)), 3), 6)


def _remark(mark: Mark, rows, columns) -> str:
    if mark.followed:
        return f"Right for your numbers: your {mark.earlier} is still off, so these will change with it."
    if mark.kind == "off" and mark.missing:
        are, them = ("is", "it") if len(mark.missing) == 1 else ("are", "them")
        return (
            f"This is judged on the true {' and '.join(mark.missing)}: yours {are} not complete, or not checked yet. "
            f"Check {them} first, and your own numbers count."
        )
    if mark.remark is not None:
        spot = place(mark.remark, rows, columns) if mark.remark else "the number"
        return f"Look again at {spot}: it is a little further off than rounding explains."
    if mark.kind == "empty" and not mark.written.empty:
        filled, size = int(mark.written.filled.sum()), mark.written.filled.size
        missing = where(~mark.written.filled, rows, columns)
        return f"{filled} of {size} entries {'has' if filled == 1 else 'have'} a number. Fill in {missing}."
    return ""


def _map(mark: Mark, opened, rows, columns) -> Marked | None:
    written = mark.written
    if written is None or written.values.ndim == 0 or mark.problem or written.empty:
        return None
    whole = mark.box.step.kind == "ids" and bool(np.all(~written.filled | (written.values % 1 == 0)))
    return Marked(
        written.values, np.zeros(written.values.shape, dtype=bool) if mark.off is None else mark.off,
        ~written.filled, opened or None, "", rows, columns, 0 if whole else _decimals(mark), not whole,
    )  # fmt: skip
