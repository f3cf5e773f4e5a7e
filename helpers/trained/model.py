"""The trained weights as they are shipped, and examples of the engine made with them."""

from __future__ import annotations

import reprlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..errors import PlainError
from ..examples import Example, frozen
from ..sizes import WEIGHTS, Sizes, shape_in
from .sentences import known_words, word_ids

FILE = Path(__file__).with_name("model.npz")
# The weights are kept as whole thousandths, so that the three decimals a display prints are all there are.
UNIT = 1000


def weight_shapes(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """Shape of every array of a model, by its name in the file: E, encoder1.Wq, …"""
    symbols = sizes.symbols()
    shapes = {"E": shape_in(symbols, ("V", "d_model"))}
    for stack, weights in WEIGHTS.items():
        for k in range(1, sizes.layers + 1):
            shapes |= {f"{stack}{k}.{name}": shape_in(symbols, shape) for name, shape in weights.items()}
    return shapes


def layers_of(arrays: dict, stack: str, sizes: Sizes) -> tuple[dict, ...]:
    """The weights of one stack as the engine takes them: a dictionary a layer."""
    return tuple({name: arrays[f"{stack}{k}.{name}"] for name in WEIGHTS[stack]} for k in range(1, sizes.layers + 1))


def save(path: Path, arrays: dict, sizes: Sizes) -> None:
    """Write a model, rounded to thousandths, with its sizes and its words in order of id."""
    whole = {name: np.round(W * UNIT).astype(np.int16) for name, W in arrays.items()}
    shape = np.array([sizes.d_model, sizes.heads, sizes.d_ff, sizes.vocab, sizes.layers])
    np.savez_compressed(path, sizes=shape, words=np.array(list(word_ids())), **whole)


@lru_cache(maxsize=4)
def load(path: Path = FILE) -> tuple[Sizes, dict[str, np.ndarray]]:
    """Read a model: its sizes, and its arrays by name, read-only.

    Raises PlainError when there is no file, or when it was trained on other words than the grammar has now.
    """
    if not path.is_file():
        raise PlainError(f"There is no trained model at {path}: byhand train makes it.")
    with np.load(path) as file:
        if file["words"].tolist() != list(word_ids()):
            raise PlainError(f"{path.name} was trained on other words than the grammar has now: run byhand train.")
        sizes = Sizes(*file["sizes"].tolist())
        return sizes, {name: frozen(file[name] / UNIT) for name in weight_shapes(sizes)}


def trained_sizes() -> Sizes:
    """The sizes of the trained model."""
    return load()[0]


def _check_known(words, language: str) -> tuple[str, ...]:
    """The words as a tuple, if there are some and the model knows all of this language; else PlainError."""
    if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
        raise PlainError(f"A list of {language.capitalize()} words is needed, not {reprlib.repr(words)}.")
    unknown = [repr(word) for word in dict.fromkeys(words) if word not in known_words(language)]
    if unknown:
        named = unknown[0] if len(unknown) == 1 else f"{', '.join(unknown[:-1])} and {unknown[-1]}"
        raise PlainError(
            f"The trained model does not know the {language.capitalize()} word{'s' * (len(unknown) > 1)} {named}."
        )
    return tuple(words)


def trained_example(src_words, tgt_words) -> Example:
    """A run of the trained model: it reads English words, and the decoder reads <sos> and the German words so far.

    tgt_words: the German words, without reserved ones; none at all leaves the decoder with <sos> alone.
    Raises PlainError, naming them, for words that the model does not know, and when there is no English word.
    """
    src_words, tgt_words = _check_known(src_words, "english"), _check_known(tgt_words, "german")
    sizes, arrays = load()
    return Example(
        sizes=sizes,
        src_words=src_words,
        tgt_words=("<sos>", *tgt_words),
        label_words=(*tgt_words, "<eos>"),
        vocabulary=dict(word_ids()),
        E=arrays["E"],
        encoder_layers=layers_of(arrays, "encoder", sizes),
        decoder_layers=layers_of(arrays, "decoder", sizes),
    )
