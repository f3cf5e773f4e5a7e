"""Runs to compute: words, sizes and weights together. The course run is one of them.

A run that is pinned draws from NumPy's legacy `RandomState`, whose stream is frozen, never from `default_rng`.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from .errors import PlainError
from .sizes import COURSE, WEIGHTS, Sizes, shape_in, whole
from .transformer import EOS, PAD, SOS, causal_mask, project, token_ids

RESERVED = {"<pad>": PAD, "<sos>": SOS, "<eos>": EOS}

PREFIX = ("the", "cat", "sat", "on", "the", "mat", "and", "was", "looking")
CONTINUATION = ("at", "a", "tiny", "mouse", "running", "by")
# Drawn once with default_rng(0).choice(np.arange(50, 500), 14, replace=False), in order of first
# appearance, and kept as data because that generator's stream may change.
COURSE_IDS = (83, 168, 458, 328, 421, 185, 276, 274, 127, 340, 68, 57, 412, 322)
COURSE_SEED = 42


@dataclass(frozen=True, eq=False)
class Example:
    """Everything one forward pass needs.

    src_words: the n_src words that the encoder reads.
    tgt_words, label_words: the n_tgt words that the decoder reads (start token first) and must predict.
    E: embedding table (V, d_model), also the output projection (§3.4).
    encoder_layers, decoder_layers: N dictionaries of weights each, shapes as in sizes.WEIGHTS.
    src_blocked (n_src, n_src), tgt_blocked (n_tgt, n_tgt), cross_blocked (n_tgt, n_src): masks of the three
    attentions, True = blocked, None = nothing blocked; tgt_blocked "causal" blocks the future (§3.2.3).
    candidates: the words that compete at the output, None for the whole vocabulary.

    Raises PlainError for unknown words and for shapes that do not fit the sizes.
    """

    sizes: Sizes
    src_words: tuple[str, ...]
    tgt_words: tuple[str, ...]
    label_words: tuple[str, ...]
    vocabulary: dict[str, int]
    E: np.ndarray
    encoder_layers: tuple[dict[str, np.ndarray], ...]
    decoder_layers: tuple[dict[str, np.ndarray], ...]
    src_blocked: np.ndarray | None = None
    tgt_blocked: np.ndarray | str | None = "causal"
    cross_blocked: np.ndarray | None = None
    candidates: tuple[str, ...] | None = None
    symbols: dict[str, int] = field(init=False)

    def __post_init__(self):
        _instance("sizes", self.sizes, Sizes, "Sizes(…)")
        _instance("vocabulary", self.vocabulary, Mapping, "a dictionary from words to ids")
        for words in (self.src_words, self.tgt_words, self.label_words):
            token_ids(_words(words), self.vocabulary)
        if len(self.tgt_words) != len(self.label_words):
            raise PlainError(
                f"{len(self.tgt_words)} decoder inputs have {len(self.label_words)} labels; each input needs one."
            )
        n_src, n_tgt = len(self.src_words), len(self.tgt_words)
        object.__setattr__(self, "symbols", self.sizes.symbols(n_src, n_tgt) | self._check_candidates())
        if isinstance(self.tgt_blocked, str):
            if self.tgt_blocked != "causal":
                raise PlainError(f"tgt_blocked is {self.tgt_blocked!r}; it must be a mask, None or 'causal'.")
            object.__setattr__(self, "tgt_blocked", causal_mask(n_tgt))
        self._check_shapes(n_src, n_tgt)
        self._freeze()

    def _check_candidates(self) -> dict[str, int]:
        if self.candidates is None:
            return {}
        token_ids(_words(self.candidates), self.vocabulary)
        missing = [word for word in self.label_words if word not in self.candidates]
        if missing:
            raise PlainError(f"{missing[0]!r} must be predicted and is none of the candidates {self.candidates}.")
        return {"n_out": len(self.candidates)}

    @property
    def E_out(self) -> np.ndarray:
        """The rows of E that compete at the output: (n_out, d_model), or all of E. §3.4."""
        return self.E if self.candidates is None else frozen(self.E[token_ids(self.candidates, self.vocabulary)])

    @property
    def labels(self) -> np.ndarray:
        """Column of the logits that each row must predict: (n_tgt,) whole numbers."""
        columns = self.vocabulary if self.candidates is None else {w: k for k, w in enumerate(self.candidates)}
        return frozen(token_ids(self.label_words, columns))

    def _freeze(self) -> None:
        """Keep read-only views, in dictionaries of our own: a reader's slip must not change the next section."""
        object.__setattr__(self, "E", frozen(self.E))
        for stack in ("encoder_layers", "decoder_layers"):
            layers = tuple({name: frozen(W) for name, W in weights.items()} for weights in getattr(self, stack))
            object.__setattr__(self, stack, layers)
        for mask in ("src_blocked", "tgt_blocked", "cross_blocked"):
            object.__setattr__(self, mask, frozen(getattr(self, mask)))

    def _check_shapes(self, n_src: int, n_tgt: int) -> None:
        _fits("E", self.E, shape_in(self.symbols, ("V", "d_model")))
        for stack, layers in (("encoder", self.encoder_layers), ("decoder", self.decoder_layers)):
            _instance(f"{stack}_layers", layers, (list, tuple), "a list of dictionaries, one a layer")
            for weights in layers:
                _instance(f"a layer of the {stack}", weights, Mapping, "a dictionary of weights")
            if len(layers) != self.sizes.layers:
                raise PlainError(f"The {stack} has weights of {len(layers)} layers; the sizes say {self.sizes.layers}.")
            for k, weights in enumerate(layers, start=1):
                for name, shape in WEIGHTS[stack].items():
                    _fits(f"{name} of {stack} layer {k}", weights.get(name), shape_in(self.symbols, shape))
        masks = {"src_blocked": (n_src, n_src), "tgt_blocked": (n_tgt, n_tgt), "cross_blocked": (n_tgt, n_src)}
        for name, shape in masks.items():
            if getattr(self, name) is not None:
                _fits(name, getattr(self, name), shape)


def frozen(array):
    """Return a view of an array that nobody can write into; anything else as it is."""
    if not isinstance(array, np.ndarray):
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def _fits(name: str, array, shape: tuple[int, ...]) -> None:
    if array is None:
        raise PlainError(f"{name} is missing; it needs the shape {shape}.")
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
        raise PlainError(f"{name} is of type {type(array).__name__}; it must be an array of numbers.")
    if array.shape != shape:
        raise PlainError(f"{name} has the shape {array.shape}; it needs {shape}.")


def _instance(name: str, value, kind, wanted: str) -> None:
    if not isinstance(value, kind):
        raise PlainError(f"{name} is of type {type(value).__name__}; it must be {wanted}.")


def _words(words):
    """Return the words as they are; PlainError unless they are a list of at least one text."""
    if not isinstance(words, (list, tuple)) or not words or not all(isinstance(word, str) for word in words):
        raise PlainError(f"A list of at least one word is needed, not {reprlib.repr(words)}.")
    return words


def stream(seed) -> np.random.RandomState:
    """Return the stream of random numbers that belongs to a seed; PlainError unless a whole number below 2³²."""
    if whole("seed", seed, least=0) >= 2**32:
        raise PlainError(f"seed is {reprlib.repr(seed)}; it must be below 2**32.")
    return seeded(seed)


class _NoState(np.random.bit_generator.ISeedSequence):
    """Stands in for the state of a stream that is seeded at once."""

    def generate_state(self, n_words, dtype=np.uint32):
        # It is read word by word: of a list that takes a tenth of what it takes of an array.
        return [0] * n_words


_NO_STATE = _NoState()


def seeded(seed) -> np.random.RandomState:
    """Return `np.random.RandomState(seed)`, made far more quickly: without asking the system for chance first."""
    rng = np.random.RandomState(np.random.MT19937(_NO_STATE))
    rng.seed(seed)
    return rng


# --- drawing weights ---------------------------------------------------------------------------


def xavier_limit(m: int, n: int) -> float:
    """Half-width a of the uniform distribution that keeps the variance of m inputs over n outputs.

    The paper fixes no initialisation; this is the rule of Glorot and Bengio (2010).
    """
    return np.sqrt(6 / (m + n))


def draw_layer(rng: np.random.RandomState, sizes: Sizes, stack: str, general: bool = False) -> dict[str, np.ndarray]:
    """Draw one layer's weights: matrices by Xavier, biases 0, gamma 1, beta 0.

    general: draw biases, gamma and beta too, as training would leave them, so that nothing hides behind a 0 or a 1.
    """
    weights = {}
    for name, shape, a in _plan(sizes, stack):
        if len(shape) == 2:
            weights[name] = rng.uniform(-a, a, shape)
            continue
        centre = 1.0 if name.startswith("gamma") else 0.0
        weights[name] = centre + rng.uniform(-0.5, 0.5, shape) if general else np.full(shape, centre)
    return weights


@lru_cache(maxsize=64)
def _plan(sizes: Sizes, stack: str) -> tuple[tuple[str, tuple[int, ...], float | None], ...]:
    """(name, shape, of a matrix half the width of its draw) of each weight of a layer: marking draws many alike."""
    symbols = sizes.symbols()
    shapes = {name: shape_in(symbols, symbolic) for name, symbolic in WEIGHTS[stack].items()}
    return tuple((name, shape, xavier_limit(*shape) if len(shape) == 2 else None) for name, shape in shapes.items())


def draw_table(rng: np.random.RandomState, sizes: Sizes) -> np.ndarray:
    """Draw the embedding table (V, d_model) with variance 1 / d_model."""
    return rng.normal(0, 1 / np.sqrt(sizes.d_model), (sizes.vocab, sizes.d_model))


def _assemble(rng, sizes, vocabulary, src_words, continuation, general=False) -> Example:
    E = draw_table(rng, sizes)
    encoder_layers = tuple(draw_layer(rng, sizes, "encoder", general) for _ in range(sizes.layers))
    decoder_layers = tuple(draw_layer(rng, sizes, "decoder", general) for _ in range(sizes.layers))
    return Example(
        sizes=sizes,
        src_words=tuple(src_words),
        tgt_words=("<sos>", *continuation),
        label_words=(*continuation, "<eos>"),
        vocabulary=vocabulary,
        E=E,
        encoder_layers=encoder_layers,
        decoder_layers=decoder_layers,
    )


def random_example(src_words, continuation, sizes: Sizes, seed: int = 0, general: bool = False) -> Example:
    """Make a run of any words and sizes with random weights, the same for the same seed.

    Raises PlainError when the vocabulary has too few entries for the words and the three reserved ids.
    """
    _instance("sizes", sizes, Sizes, "Sizes(…)")
    distinct = [w for w in dict.fromkeys([*_words(src_words), *_words(continuation)]) if w not in RESERVED]
    free = sizes.vocab - len(RESERVED)
    if len(distinct) > free:
        raise PlainError(
            f"A vocabulary of {sizes.vocab} has room for {max(free, 0)} words beside {len(RESERVED)} reserved ids; "
            f"these are {len(distinct)} different words."
        )
    rng = stream(seed)
    ids = len(RESERVED) + rng.permutation(free)[: len(distinct)]
    vocabulary = RESERVED | dict(zip(distinct, ids.tolist(), strict=True))
    return _assemble(rng, sizes, vocabulary, src_words, continuation, general)


# --- the course run ----------------------------------------------------------------------------


@dataclass(frozen=True)
class InitialisationDemo:
    """One input (15, 8) sent through eight products twice; each chain holds the input and the eight results."""

    uniform: tuple[np.ndarray, ...]
    xavier: tuple[np.ndarray, ...]


def _draw_demo(rng: np.random.RandomState, products: int = 8) -> InitialisationDemo:
    d = COURSE.d_model
    a = xavier_limit(d, d)
    uniform = xavier = [rng.rand(15, d)]
    for _ in range(products):
        uniform = [*uniform, project(uniform[-1], rng.rand(d, d))]
        xavier = [*xavier, project(xavier[-1], rng.uniform(-a, a, (d, d)))]
    return InitialisationDemo(tuple(map(frozen, uniform)), tuple(map(frozen, xavier)))


@lru_cache(maxsize=1)
def _course() -> tuple[InitialisationDemo, Example]:
    # One stream feeds both: the demo is drawn first, the weights follow it.
    rng = np.random.RandomState(COURSE_SEED)
    demo = _draw_demo(rng)
    vocabulary = RESERVED | dict(zip(dict.fromkeys(PREFIX + CONTINUATION), COURSE_IDS, strict=True))
    return demo, _assemble(rng, COURSE, vocabulary, PREFIX, CONTINUATION)


def course_example() -> Example:
    """The pinned run of the lessons: nine words read, six continued, d_model 8, 2 heads, one layer a stack."""
    return _course()[1]


def initialisation_demo() -> InitialisationDemo:
    """What eight products do to an input, with weights from U(0, 1) and with Xavier weights."""
    return _course()[0]
