"""An example of one's own: the homework's words with ids, table and weights drawn from a student's id.

The recipe is frozen. A hash feeds NumPy's legacy `RandomState`, whose stream never changes, and the mistakes that a
candidate is screened against are listed here by label, so that a growing catalogue changes nobody's numbers.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from .boxes import Box, decoder_boxes, encoder_boxes, work_out
from .errors import PlainError
from .examples import RESERVED, Example
from .mistakes import mistakes_in
from .sizes import HOMEWORK, WEIGHTS, shape_in
from .trace import givens

# Part of what is hashed: another recipe gets another number, and this one stays as it is.
RECIPE = 1
SOURCE, TARGET = ("the", "cat", "sat"), ("die", "katze", "saß")
# Whole numbers of tenths. With larger ones softmax rows saturate and entries explode.
TABLE_TENTHS, WEIGHT_TENTHS = 8, 7
LONGEST_ID = 200

# What a candidate must satisfy, so that slips can be seen and numbers stay friendly.
LEAST_CHANGE = 0.020
LEAST_VARIANCE = 0.1
SHARE = (0.4, 0.95)
LEAST_EXPONENTIAL = 0.1
LARGEST_VALUE = 10.0
LEAST_PROBABILITY = 0.05

# Every one of these must change some entry by LEAST_CHANGE wherever it can happen. Position codes do not depend on
# the draw, and slips of the pen show by themselves; both are left out.
SCREENED = (
    "embedding.not-scaled", "embedding.times-d_model", "embedding.divided", "embedding.scaled-after-pe",
    "input.no-pe", "input.without-positions", "sum.subtracted",
    "heads.interleaved", "heads.swapped", "weights.transposed", "weights.exchanged", "cross.query-from-y0",
    "scores.not-scaled", "scores.divided-by-d_k", "scores.multiplied", "scores.transposed", "scores.heads-mixed",
    "scores.values-for-keys",
    "mask.flipped", "mask.diagonal", "mask.zero", "mask.none", "mask.after-softmax", "mask.on-cross",
    "softmax.columns", "softmax.everything", "softmax.no-exp", "softmax.not-divided",
    "mix.other-head", "mix.weights-transposed", "mix.keys-for-values", "mix.scores-for-weights", "output.no-wo",
    "residual.forgotten", "residual.input-only", "residual.doubled", "residual.wrong-stream",
    "norm.columns", "norm.sample-variance", "norm.variance", "norm.mean-kept", "norm.not-divided",
    "norm.before-residual", "norm.of-sub-layer", "norm.of-input",
    "ffn.bias-forgotten", "ffn.wrong-stream", "relu.early", "relu.forgotten", "relu.flipped", "relu.absolute",
    "relu.after-second",
    "logits.scaled-table", "logits.input-rows", "logits.wrong-stream",
    "loss.log10", "loss.log2", "loss.no-minus", "loss.not-logged", "loss.wrong-row", "loss.of-largest", "loss.sum",
)  # fmt: skip


def personal_example(student: str, salt: str = "") -> Example:
    """Make the homework of one student: the same id and salt give the same numbers on every machine.

    Upper and lower case and blanks around the id make no difference. Raises PlainError for an id that is no text,
    is empty or is very long.
    """
    if not isinstance(student, str):
        raise PlainError(f'A student\'s id is a text: write it in quotes, as in student="ada". This is {student!r}.')
    if not isinstance(salt, str):
        raise PlainError("The salt of the course is a text.")
    name = unicodedata.normalize("NFC", student).strip().casefold()
    if not name or len(name) > LONGEST_ID:
        raise PlainError(f"A student's id has 1 to {LONGEST_ID} characters; this one has {len(name)}.")
    return _screened(f"student\n{salt}\n{name}")


def homework_example() -> Example:
    """The pinned homework run, for whoever has no id: "the cat sat" and "die katze saß" with fixed numbers."""
    return _screened("pinned")


def course_salt(folder: Path | None = None) -> str:
    """The salt of the course: `salt` under [tool.byhand] in the nearest pyproject.toml above a folder, "" without one.

    Raises PlainError when the table is there and its salt cannot be read.
    """
    folder = Path.cwd() if folder is None else folder
    for parent in (folder, *folder.parents, Path(__file__).resolve().parents[1]):
        file = parent / "pyproject.toml"
        if file.is_file() and (table := _BYHAND.search(file.read_text(encoding="utf-8"))):
            return _salt_in(table[1], file)
    return ""


# Python 3.10 has no reader of TOML, and the core needs NumPy alone: one line of one table is read as text.
_BYHAND = re.compile(r"^\[tool\.byhand\]\s*?$(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
_SALT = re.compile(r"""^salt\s*=\s*(["'])([^"'\\]*)\1\s*(?:#.*)?$""", re.MULTILINE)


def _salt_in(table: str, file: Path) -> str:
    if not re.search(r"^salt\b", table, re.MULTILINE):
        return ""
    found = _SALT.search(table)
    if not found:
        raise PlainError(f'The salt in {file} cannot be read; write it as salt = "some text".')
    return found[2]


@lru_cache(maxsize=256)
def _screened(name: str) -> Example:
    """Draw candidates until one passes the screen; about every fifth does."""
    attempt = 0
    while True:
        example = candidate(name, attempt)
        if passes(example):
            return example
        attempt += 1


def candidate(name: str, attempt: int) -> Example:
    """Draw one candidate; the screen has not seen it yet."""
    digest = hashlib.sha256(f"{RECIPE}\n{name}\n{attempt}".encode()).digest()
    rng = np.random.RandomState(np.frombuffer(digest, dtype=">u4").astype(np.uint32))
    words = (*SOURCE, *TARGET)
    ids = len(RESERVED) + rng.permutation(len(words))
    return Example(
        sizes=HOMEWORK,
        src_words=SOURCE,
        tgt_words=("<sos>", *TARGET),
        label_words=(*TARGET, "<eos>"),
        vocabulary=RESERVED | dict(zip(words, ids.tolist(), strict=True)),
        E=_tenths(rng, TABLE_TENTHS, (HOMEWORK.vocab, HOMEWORK.d_model)),
        encoder_layers=(_layer(rng, "encoder"),),
        decoder_layers=(_layer(rng, "decoder"),),
        candidates=(*TARGET, "<eos>"),
    )


def _tenths(rng: np.random.RandomState, most: int, shape: tuple[int, ...]) -> np.ndarray:
    return rng.randint(-most, most + 1, shape) / 10


def _layer(rng: np.random.RandomState, stack: str) -> dict[str, np.ndarray]:
    """One layer with one decimal in every weight and bias; gamma 1 and beta 0, as before training."""
    weights = {}
    for name, symbolic in WEIGHTS[stack].items():
        shape = shape_in(HOMEWORK.symbols(), symbolic)
        if name.startswith(("gamma", "beta")):
            weights[name] = np.full(shape, float(name.startswith("gamma")))
        else:
            weights[name] = _tenths(rng, WEIGHT_TENTHS, shape)
    return weights


# --- the screen --------------------------------------------------------------------------------


def passes(example: Example) -> bool:
    """Whether a candidate is friendly to the pen and lets every screened mistake be seen."""
    heads = example.sizes.heads
    encoder, decoder = encoder_boxes(heads), decoder_boxes(heads, candidates=True)
    # The cheap questions first: most candidates fall there.
    read = work_out(encoder, givens(example, "encoder", 1))
    if not _friendly(encoder, read):
        return False
    written = work_out(decoder, givens(example, "decoder", 1) | {"Z": read["Z"]})
    if np.exp(-written["losses"]).min() <= LEAST_PROBABILITY or not _friendly(decoder, written):
        return False
    return _slips_show(encoder, read) and _slips_show(decoder, written)


def _friendly(boxes: tuple[Box, ...], values: dict) -> bool:
    return all(_is_friendly(box, values) for box in boxes)


def _is_friendly(box: Box, values: dict) -> bool:
    result = values[box.key]
    if box.family == "ids" or box.step.kind == "ids":
        return True
    if box.family == "A":
        scores = np.asarray(values[box.inputs[0]])
        choices = (scores > -1e8).sum(axis=-1)
        largest = result.max(axis=-1)[choices > 1]
        # A row of tiny exponentials loses its digits when they are rounded.
        exponentials = np.exp(scores).max(axis=-1)
        # No row may saturate, and some row must prefer somebody.
        return bool(SHARE[0] <= largest.max() <= SHARE[1]) and bool(np.all(exponentials >= LEAST_EXPONENTIAL))
    if box.family == "P" and np.exp(values["logits"]).max(axis=-1).min() < LEAST_EXPONENTIAL:
        return False
    if box.family == "res" and result.var(axis=-1).min() < LEAST_VARIANCE:
        return False
    seen = result[result > -1e8] if box.family == "B" else result
    return bool(np.abs(seen).max() < LARGEST_VALUE)


def _slips_show(boxes: tuple[Box, ...], values: dict) -> bool:
    return all(_change(mistake, box, values) >= LEAST_CHANGE for box in boxes for mistake in _screened_in(box))


@cache
def _screened_in(box: Box):
    return tuple(mistake for mistake in mistakes_in(box) if mistake.label in SCREENED)


def _change(mistake, box: Box, values: dict) -> float:
    """The least that any variant of a mistake changes in its most changed entry; other shapes show by themselves."""
    right = values[box.key]
    changes = [np.abs(v - right).max() for v in mistake.variants(box, values, right) if v.shape == np.shape(right)]
    # Where a wrong rule divides by zero nobody gets an answer, so nothing needs to be seen.
    return min((change for change in changes if np.isfinite(change)), default=np.inf)
