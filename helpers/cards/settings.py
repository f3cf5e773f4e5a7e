"""What all cards share: sizes, two sentences, and whose weights; and the run that follows from them."""

from __future__ import annotations

import hashlib
import reprlib
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

import numpy as np

from ..errors import PlainError
from ..examples import RESERVED, Example, draw_layer, frozen
from ..sizes import Sizes, whole
from ..trace import Run, forward_pass
from .sentences import read_sentence

VOCAB = 500
WIDTHS = (4, 6, 8, 10, 12, 16)
"""The d_model that can be chosen: even, and narrow enough to read."""
MOST_LAYERS = 6
LARGEST_SEED = 9999
LANGUAGES = {"source": "English", "target": "German"}
SOURCE_EXAMPLES = (
    "the cat sat on the mat",
    "the dog saw the cat",
    "dog bites man",
    "man bites dog",
    "the cat sat",
)
TARGET_EXAMPLES = (
    "die katze saß auf der matte",
    "der hund sah die katze",
    "hund beißt mann",
    "mann beißt hund",
    "die katze saß",
)


def allowed_heads(d_model: int) -> list[int]:
    """How many heads can share a width: each gets a block of at least two columns."""
    return [h for h in range(1, d_model // 2 + 1) if d_model % h == 0]


@dataclass(frozen=True)
class Settings:
    """Sizes, sentences and weights of the run that the cards show. d_k and d_ff follow from the other sizes.

    source, target: the English words and the German ones, the start token left out. seed: of the random weights.
    trained: the trained model instead: its sizes, its vocabulary.
    """

    d_model: int = 8
    heads: int = 2
    layers: int = 2
    source: tuple[str, ...] = tuple(SOURCE_EXAMPLES[0].split())
    target: tuple[str, ...] = tuple(TARGET_EXAMPLES[0].split())
    seed: int = 42
    trained: bool = False

    @property
    def sizes(self) -> Sizes:
        """The sizes of this run; with trained weights they are the model's."""
        if self.trained:
            from ..trained import trained_sizes

            return trained_sizes()
        return Sizes(self.d_model, self.heads, 4 * self.d_model, VOCAB, self.layers)

    @cached_property
    def example(self) -> Example:
        """Words, sizes and weights together."""
        return _example(self)

    @cached_property
    def run(self) -> Run:
        """Every step of this run by name. Settings that are equal share one run."""
        return _run(self)

    @property
    def weights(self) -> str:
        """Whose weights these are, as every card says below its numbers."""
        return "trained weights" if self.trained else f"random weights, seed {self.seed}"

    def changed(self, **changes) -> tuple[Settings, tuple[str, ...]]:
        """Settings with some of them changed, and what has to be said about it.

        Sentences may be texts as typed. Heads follow a new width. Raises PlainError for what cannot be had.
        """
        remarks: list[str] = []
        for name in LANGUAGES:
            if isinstance(changes.get(name), str):
                sentence = read_sentence(changes[name], LANGUAGES[name])
                changes[name], remarks = sentence.words, [*remarks, *sentence.remarks]
        new = replace(self, **changes)
        if new.heads not in allowed_heads(new.d_model) and "heads" not in changes:
            new = replace(new, heads=max(h for h in allowed_heads(new.d_model) if h <= new.heads))
        new.check()
        return new, tuple(remarks)

    def check(self) -> None:
        """Raise PlainError unless the cards can be drawn with these settings."""
        if self.d_model not in WIDTHS:
            raise PlainError(f"d_model is {reprlib.repr(self.d_model)}; it must be one of {_listed(WIDTHS)}.")
        if self.heads not in allowed_heads(self.d_model):
            allowed = _listed(allowed_heads(self.d_model))
            raise PlainError(f"{reprlib.repr(self.heads)} heads do not share {self.d_model} columns; {allowed} do.")
        for name, most, least in (("layers", MOST_LAYERS, 1), ("seed", LARGEST_SEED, 0)):
            if whole(name, getattr(self, name), least) > most:
                raise PlainError(f"{name} is {getattr(self, name)}; the cards take {least} to {most}.")
        for name, language in LANGUAGES.items():
            words = getattr(self, name)
            if not isinstance(words, tuple) or read_sentence(" ".join(map(str, words)), language).words != words:
                raise PlainError(f"{reprlib.repr(words)} are no words of a sentence as the cards keep them.")
        if self.trained:
            self.example  # noqa: B018 - names the words that the model does not know


FIELDS = tuple(field.name for field in fields(Settings))
RECOMMENDED = {"d_model": 8, "heads": 2, "layers": 2}


def _listed(values) -> str:
    *most, last = map(str, values)
    return f"{', '.join(most)} or {last}" if most else last


@lru_cache(maxsize=16)
def _run(settings: Settings) -> Run:
    return forward_pass(_example(settings))


@lru_cache(maxsize=16)
def _example(settings: Settings) -> Example:
    if settings.trained:
        from ..trained import trained_example

        return trained_example(settings.source, settings.target)
    encoder, decoder = (random_layers(settings.sizes, settings.seed, stack) for stack in ("encoder", "decoder"))
    return Example(
        sizes=settings.sizes,
        src_words=settings.source,
        tgt_words=("<sos>", *settings.target),
        label_words=(*settings.target, "<eos>"),
        vocabulary=RESERVED | ids_of((*settings.source, *settings.target)),
        E=random_table(settings.d_model, settings.seed),
        encoder_layers=encoder,
        decoder_layers=decoder,
        candidates=(*dict.fromkeys(settings.target), "<eos>"),
    )


# --- random weights, of which nothing moves when a word or the number of layers changes ---------


def ids_of(words) -> dict[str, int]:
    """An id for every distinct word that does not depend on its place: a word keeps its row of E in every sentence."""
    ids: dict[str, int] = {}
    for word in sorted(set(words)):
        id_ = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
        # Two words of a sentence seldom meet in one row; then the later in the alphabet takes the next free one.
        while (place := len(RESERVED) + id_ % (VOCAB - len(RESERVED))) in ids.values():
            id_ += 1
        ids[word] = place
    return {word: ids[word] for word in dict.fromkeys(words)}


@lru_cache(maxsize=8)
def random_table(d_model: int, seed: int) -> np.ndarray:
    """Embedding table (V, d_model) with entries of deviation 1/√d_model. §3.4."""
    return frozen(np.random.RandomState([seed, 0]).normal(0, 1 / np.sqrt(d_model), (VOCAB, d_model)))


@lru_cache(maxsize=8)
def random_layers(sizes: Sizes, seed: int, stack: str) -> tuple[dict[str, np.ndarray], ...]:
    """Weights of a stack, every layer from a stream of its own."""
    number = {"encoder": 1, "decoder": 2}[stack]
    return tuple(
        draw_layer(np.random.RandomState([seed, number, layer]), sizes, stack) for layer in range(sizes.layers)
    )
