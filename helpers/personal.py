"""An example of one's own: ids, table and weights drawn from a student's id or a seed, for any words and sizes.

The recipe is frozen. A hash feeds NumPy's legacy `RandomState`, whose stream never changes, and the mistakes that a
candidate is screened against are listed here by label, so that a growing catalogue changes nobody's numbers.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, islice
from math import prod

import numpy as np

from .boxes import Box, decoder_boxes, encoder_boxes
from .errors import PlainError
from .examples import RESERVED, Example, seeded, stream
from .mistakes import mistakes_in
from .sizes import HOMEWORK, WEIGHTS, Sizes, shape_in
from .trace import givens

# Part of what is hashed: another recipe gets another number, and this one stays as it is.
RECIPE = 1
SOURCE, TARGET = ("the", "cat", "sat"), ("die", "katze", "saß")
# Whole numbers of tenths. With larger ones softmax rows saturate and entries explode.
TABLE_TENTHS, WEIGHT_TENTHS = 8, 7
LONGEST_ID = 200
# Of a sheet's candidates so many are drawn; when all have a fault, the one with the fewest is taken. What each of the
# first few fails at cannot be had at these sizes (one head has none to be swapped with) and is held against none.
TRIES, FIRST = 24, 6
UNFRIENDLY = "unfriendly"

# What a candidate must satisfy, so that slips can be seen and numbers stay friendly.
LEAST_CHANGE = 0.020
LEAST_VARIANCE = 0.1
SHARE = (0.4, 0.95)
LEAST_EXPONENTIAL = 0.1
LARGEST_VALUE = 10.0
LEAST_PROBABILITY = 0.05
# With more words to choose from, every share is smaller: that many times an even one is asked for.
SHARE_OF_EVEN, PROBABILITY_OF_EVEN = 1.2, 0.2

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
    return _screened(_owner(None, student, salt))


def homework_example() -> Example:
    """The pinned homework run, for whoever has no id: "the cat sat" and "die katze saß" with fixed numbers."""
    return _screened("pinned")


def folded(student: str) -> str:
    """Write a student's id as the recipe reads it: without blanks around it, in lower case.

    Raises PlainError for an id that is no text, is empty or is very long.
    """
    if not isinstance(student, str):
        raise PlainError(f'A student\'s id is a text: write it in quotes, as in student="ada". This is {student!r}.')
    name = unicodedata.normalize("NFC", student).strip().casefold()
    if not name or len(name) > LONGEST_ID:
        raise PlainError(f"A student's id has 1 to {LONGEST_ID} characters; this one has {len(name)}.")
    return name


def _owner(seed: int | None, student: str | None, salt: str) -> str:
    """Name whose numbers they are, for the hash."""
    if student is None:
        stream(seed)
        return "pinned" if seed == 0 else f"seed\n{int(seed)}"
    if not isinstance(salt, str):
        raise PlainError("The salt of the course is a text.")
    return f"student\n{salt}\n{folded(student)}"


def sheet_example(
    src_words, tgt_words=None, sizes: Sizes = HOMEWORK, seed: int = 0, student: str | None = None, salt: str = ""
) -> Example:
    """Make a run for pen and paper: any words, one-decimal weights, numbers that are friendly where they can be.

    src_words: what the encoder reads. tgt_words: what the decoder is to write; None for a run that stops at Z, whose
    decoder has its start token alone. sizes: one layer; the vocabulary follows from the words. seed: or a student's id,
    with the salt of the course. The homework's words and sizes give the homework's numbers: seed 0 the pinned run, a
    student that of `personal_example`. Words may repeat. Raises PlainError for what is none of this.
    """
    source, target = _plain_words(src_words), () if tgt_words is None else _plain_words(tgt_words)
    owner = _owner(seed, student, salt)
    if sizes.layers != 1:
        raise PlainError(f"A run for pen and paper has one layer; these sizes have {sizes.layers}.")
    distinct = len(dict.fromkeys((*source, *target)))
    sizes = replace(sizes, vocab=len(RESERVED) + distinct)
    if source == SOURCE and target in ((), TARGET) and replace(sizes, vocab=HOMEWORK.vocab) == HOMEWORK:
        return _screened(owner)
    return _best(owner, source, target, sizes)


def _plain_words(words) -> tuple[str, ...]:
    """Read words as a tuple; none may be reserved or have a blank in it."""
    if isinstance(words, str) or not words or not all(isinstance(word, str) for word in words):
        raise PlainError(f"A list of at least one word is needed, not {words!r}.")
    words = tuple(unicodedata.normalize("NFC", word) for word in words)
    for word in words:
        if word in RESERVED or word.split() != [word]:
            raise PlainError(f"{word!r} cannot be a word of a sentence: it is reserved, empty or has a blank in it.")
    return words


@lru_cache(maxsize=256)
def _screened(name: str) -> Example:
    """Draw candidates until one passes the screen; about every fifth does."""
    attempt = 0
    while True:
        example = candidate(name, attempt)
        if passes(example):
            return example
        attempt += 1


@lru_cache(maxsize=256)
def _best(owner: str, source: tuple[str, ...], target: tuple[str, ...], sizes: Sizes) -> Example:
    """Draw candidates until one has no fault, at most TRIES; the one with the fewest faults."""
    asked = f"{sizes.d_model} {sizes.heads} {sizes.d_ff}\n{' '.join(source)}\n{' '.join(target)}"

    def draw(attempt):
        return candidate(f"sheet\n{owner}\n{asked}", attempt, source, target, sizes)

    first = []
    for attempt in range(FIRST):
        first.append(draw(attempt))
        if passes(first[-1]):
            return first[-1]
    never = frozenset.intersection(*[frozenset(faults(example)) for example in first])
    never = {fault for fault in never if fault[1] != UNFRIENDLY}
    best, fewest = None, None
    for example in chain(first, map(draw, range(FIRST, TRIES))):
        count = len(list(islice((fault for fault in faults(example) if fault not in never), fewest)))
        if fewest is None or count < fewest:
            best, fewest = example, count
        if not count:
            break
    return best


def candidate(name: str, attempt: int, source=SOURCE, target=TARGET, sizes: Sizes = HOMEWORK) -> Example:
    """Draw one candidate; the screen has not seen it yet."""
    digest = hashlib.sha256(f"{RECIPE}\n{name}\n{attempt}".encode()).digest()
    rng = seeded(np.frombuffer(digest, dtype=">u4").astype(np.uint32))
    words = tuple(dict.fromkeys((*source, *target)))
    ids = len(RESERVED) + rng.permutation(len(words))
    labels = (*target, "<eos>")
    E, layers = _tenths(rng, TABLE_TENTHS, (sizes.vocab, sizes.d_model)), _layers(rng, sizes)
    return Example(
        sizes=sizes,
        src_words=source,
        tgt_words=("<sos>", *target),
        label_words=labels,
        vocabulary=RESERVED | dict(zip(words, ids.tolist(), strict=True)),
        E=E,
        encoder_layers=layers["encoder"],
        decoder_layers=layers["decoder"],
        candidates=tuple(dict.fromkeys(labels)),
    )


def _layers(rng: np.random.RandomState, sizes: Sizes) -> dict[str, tuple[dict[str, np.ndarray]]]:
    """One layer of each stack, one decimal in every weight and bias; gamma 1 and beta 0, as before training.

    The numbers are drawn as one array and dealt out in the order of the table.
    """
    count = sum(end - start for stack in WEIGHTS for start, end, _ in _places(stack, sizes).values())
    drawn, first, layers = _tenths(rng, WEIGHT_TENTHS, (count,)), 0, {}
    for stack in WEIGHTS:
        layer = {}
        for name, (start, end, shape) in _places(stack, sizes).items():
            constant = name.startswith(("gamma", "beta"))
            layer[name] = (
                np.full(shape, float(name.startswith("gamma")))
                if constant
                else drawn[first + start : first + end].reshape(shape)
            )
        first += end
        layers[stack] = (layer,)
    return layers


@cache
def _places(stack: str, sizes: Sizes) -> dict[str, tuple[int, int, tuple[int, ...]]]:
    """Where the numbers of each weight stand among those drawn for a stack, and its shape; gamma and beta take none."""
    places, at = {}, 0
    for name, symbolic in WEIGHTS[stack].items():
        shape = shape_in(sizes.symbols(), symbolic)
        start = at
        if not name.startswith(("gamma", "beta")):
            at += prod(shape)
        places[name] = (start, at, shape)
    return places


def _tenths(rng: np.random.RandomState, most: int, shape: tuple[int, ...]) -> np.ndarray:
    return rng.randint(-most, most + 1, shape) / 10


# --- the screen --------------------------------------------------------------------------------


def passes(example: Example) -> bool:
    """Whether a candidate is friendly to the pen and lets every screened mistake be seen."""
    return next(faults(example), None) is None


def faults(example: Example) -> Iterator[tuple[str, str]]:
    """Name what a candidate fails at, one by one: boxes that are unfriendly, and mistakes that hide in a box.

    The cheap questions come first: most candidates fall there. A run whose decoder has its start token alone is one of
    the encoder.
    """
    heads = example.sizes.heads
    encoder, decoder = encoder_boxes(heads), decoder_boxes(heads, candidates=True)
    read = givens(example, "encoder", 1)
    yield from _unfriendly(encoder, read)
    translates = len(example.tgt_words) > 1
    if translates:
        written = givens(example, "decoder", 1) | {"Z": read["Z"]}
        yield from _unfriendly(decoder, written)
        least = min(LEAST_PROBABILITY, PROBABILITY_OF_EVEN / len(example.candidates))
        if np.exp(-written["losses"]).min() <= least:
            yield "losses", UNFRIENDLY
    yield from _hidden(encoder, read)
    if translates:
        yield from _hidden(decoder, written)


def _unfriendly(boxes: tuple[Box, ...], values: dict) -> Iterator[tuple[str, str]]:
    """Work the boxes out, into the values, and name those that are unfriendly as they come."""
    for box in boxes:
        values[box.key] = box.work_out(values)
        if not _is_friendly(box, values):
            yield box.key, UNFRIENDLY


def _is_friendly(box: Box, values: dict) -> bool:
    result = values[box.key]
    if box.family == "ids" or box.step.kind == "ids":
        return True
    if box.family == "A":
        return _is_friendly_attention(np.asarray(values[box.inputs[0]]), result)
    if box.family == "P" and np.exp(values["logits"]).max(axis=-1).min() < LEAST_EXPONENTIAL:
        return False
    if box.family == "res" and result.var(axis=-1).min() < LEAST_VARIANCE:
        return False
    seen = result[result > -1e8] if box.family == "B" else result
    return bool(np.abs(seen).max() < LARGEST_VALUE)


def _is_friendly_attention(scores: np.ndarray, weights: np.ndarray) -> bool:
    # A row of tiny exponentials loses its digits when they are rounded.
    if np.exp(scores).max(axis=-1).min() < LEAST_EXPONENTIAL:
        return False
    choices = (scores > -1e8).sum(axis=-1)
    largest = weights.max(axis=-1)[choices > 1]
    # No row may saturate, and some row must prefer somebody. Where nobody can choose, there is nothing to ask.
    least = min(SHARE[0], SHARE_OF_EVEN / scores.shape[-1])
    return not largest.size or bool(least <= largest.max() <= SHARE[1])


def _hidden(boxes: tuple[Box, ...], values: dict) -> Iterator[tuple[str, str]]:
    return ((box.key, label) for box in boxes for label in _hidden_in(box, values))


@cache
def _screened_in(box: Box):
    return tuple(mistake for mistake in mistakes_in(box) if mistake.label in SCREENED)


def _hidden_in(box: Box, values: dict) -> list[str]:
    """The mistakes with a variant that changes no entry of a box by as much as can be seen.

    Other shapes show by themselves. Where a wrong rule divides by zero nobody gets an answer, so nothing needs to be
    seen. All variants of all mistakes are compared at once.
    """
    right = np.asarray(values[box.key])
    with np.errstate(all="ignore"):
        made = [(mistake.label, mistake.stack_in_silence(box, values, right)) for mistake in _screened_in(box)]
        made = [(label, stack) for label, stack in made if len(stack) and stack.shape[1:] == right.shape]
        if not made:
            return []
        together = np.concatenate([stack for _, stack in made])
        changes = np.abs(together - right).reshape(len(together), -1).max(axis=1)
    changes[~np.isfinite(changes)] = np.inf
    ends = np.cumsum([len(stack) for _, stack in made])
    least = np.minimum.reduceat(changes, [0, *ends[:-1]])
    return [label for (label, _), change in zip(made, least.tolist(), strict=True) if change < LEAST_CHANGE]
