"""What a simulated student has on the desk: a pen that rounds, the given numbers, the list of boxes.

Plain loops over nested lists; nothing here comes from the course's own rules. NumPy is met only where the givens
are read out of an Example. A matrix is a list of rows, a vector a list of numbers.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

KINDS = ("rounds", "full", "mixes", "internals", "products", "truncates")
# A decimal that a float misses by a hair (2.2409999…) is written as a person sees it (2.241).
HAIR = 1e-9


def round_half_up(x, decimals):
    """Round as people do: a half goes away from zero; −∞ stays."""
    if math.isinf(x):
        return x
    size = math.floor(abs(x) * 10**decimals + 0.5 + HAIR) / 10**decimals
    return round(math.copysign(size, x), decimals) + 0.0


def cut(x, decimals):
    """Drop every digit after `decimals` places; −∞ stays."""
    if math.isinf(x):
        return x
    size = math.floor(abs(x) * 10**decimals + HAIR) / 10**decimals
    return round(math.copysign(size, x), decimals) + 0.0


def entrywise(f, value):
    """Apply f to every number of a matrix, a vector or a single number; words and whole numbers stay."""
    if isinstance(value, list):
        if isinstance(value[0], list):
            return [entrywise(f, row) for row in value]
        return [f(x) if isinstance(x, float) else x for x in value]
    return f(value) if isinstance(value, float) else value


class Pen:
    """How a student of one kind rounds: what is written down, what is noted on the way, every single product."""

    def __init__(self, kind, decimals):
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is no kind of student")
        self.kind = kind
        self.decimals = decimals
        self.unit = 10.0**-decimals
        self._notes = kind in ("internals", "products")
        self._products = kind == "products"

    def write(self, value):
        """Round (or cut) a whole box to the written digits."""
        one = cut if self.kind == "truncates" else round_half_up
        return entrywise(lambda x: one(x, self.decimals), value)

    def note(self, x):
        """Keep a number on the way: rounded by the two kinds that write everything down."""
        return round_half_up(x, self.decimals) if self._notes else x

    def dot(self, a, b):
        """Σ a_k · b_k; one kind rounds every product before adding."""
        if self._products:
            return sum(round_half_up(x * y, self.decimals) for x, y in zip(a, b, strict=True))
        return sum(x * y for x, y in zip(a, b, strict=True))

    def matmul(self, A, B):
        """A (n, k) · B (k, m) → (n, m), or None when the inner sizes differ."""
        if len(A[0]) != len(B):
            return None
        columns = transpose(B)
        return [[self.dot(row, column) for column in columns] for row in A]


def transpose(M):
    return [list(column) for column in zip(*M, strict=True)]


def plus(A, B):
    return [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(A, B, strict=True)]


def minus(A, B):
    return [[x - y for x, y in zip(a, b, strict=True)] for a, b in zip(A, B, strict=True)]


def times(A, factor):
    return [[x * factor for x in row] for row in A]


def shape(value):
    """Shape of nested lists: (n, m), (n,) or ()."""
    if not isinstance(value, list):
        return ()
    return (len(value), len(value[0])) if isinstance(value[0], list) else (len(value),)


def entries(value):
    """All numbers of a box in one list, row by row."""
    if not isinstance(value, list):
        return [value]
    if isinstance(value[0], list):
        return [x for row in value for x in row]
    return value


def places(written):
    """Pairs of a place and its number: (i, j) in a matrix, (i,) in a vector, () of a single number."""
    if not isinstance(written, list):
        return [((), written)]
    return [((i, *place), x) for i, part in enumerate(written) for place, x in places(part)]


def replaced(written, place, x):
    """A copy with another number at one place."""
    if not place:
        return x
    first, *rest = place
    return [replaced(part, tuple(rest), x) if i == first else part for i, part in enumerate(written)]


class Box(NamedTuple):
    """One thing to write down.

    family: the name that boxes share which do one thing. mark: "" encoder, "m" masked, "c" cross block, "d" the rest
    of the decoder. head: 0, 1 or None. inputs: the earlier boxes that it is made from.
    """

    key: str
    family: str
    mark: str
    head: int | None
    inputs: tuple


def _input_boxes(mark, result):
    return [
        Box("ids", "ids", mark, None, ()),
        Box("E_rows", "E_rows", mark, None, ("ids",)),
        Box("E_scaled", "E_scaled", mark, None, ("E_rows",)),
        Box("PE", "PE", mark, None, ()),
        Box(result, "input", mark, None, ("E_scaled", "PE")),
    ]


def _attention_boxes(mark, asks, answers):
    """Both heads' projections first, then both heads' scores, weights and outputs, as on the sheet."""
    found = []
    for i in (0, 1):
        for letter, source in (("Q", asks), ("K", answers), ("V", answers)):
            found.append(Box(f"{letter}{mark}{i}", letter, mark, i, (source,)))
    for i in (0, 1):
        Q, K, V, S, B, A, H = (f"{letter}{mark}{i}" for letter in "QKVSBAH")
        found.append(Box(S, "S", mark, i, (Q, K)))
        if mark == "m":
            found.append(Box(B, "B", mark, i, (S,)))
        found.append(Box(A, "A", mark, i, (B if mark == "m" else S,)))
        found.append(Box(H, "H", mark, i, (A, V)))
    found.append(Box(f"C{mark}", "C", mark, None, (f"H{mark}0", f"H{mark}1")))
    found.append(Box(f"M{mark}", "M", mark, None, (f"C{mark}",)))
    return found


def _norm_boxes(mark, k, x, sub, result):
    return [Box(f"res{k}", "res", mark, None, (x, sub)), Box(result, "norm", mark, None, (f"res{k}",))]


def _ffn_boxes(mark, x):
    return [
        Box("F_pre", "F_pre", mark, None, (x,)),
        Box("F_relu", "F_relu", mark, None, ("F_pre",)),
        Box("F", "F", mark, None, ("F_relu",)),
    ]


def _output_boxes():
    steps = {"logits": "Y3", "P": "logits", "losses": "P", "loss": "losses", "next_word": "P"}
    return [Box(key, key, "d", None, (source,)) for key, source in steps.items()]


BOXES = {
    "encoder": (
        *_input_boxes("", "X"),
        *_attention_boxes("", "X", "X"),
        *_norm_boxes("", 1, "X", "M", "N1"),
        *_ffn_boxes("", "N1"),
        *_norm_boxes("", 2, "N1", "F", "Z"),
    ),
    "translation": (
        *_input_boxes("d", "Y0"),
        *_attention_boxes("m", "Y0", "Y0"),
        *_norm_boxes("d", 1, "Y0", "Mm", "Y1"),
        *_attention_boxes("c", "Y1", "Z"),
        *_norm_boxes("d", 2, "Y1", "Mc", "Y2"),
        *_ffn_boxes("d", "Y2"),
        *_norm_boxes("d", 3, "Y2", "F", "Y3"),
        *_output_boxes(),
    ),
}
# The words among which the homework predicts.
CANDIDATES = ("die", "katze", "saß", "<eos>")
# Boxes without rounding: whole numbers and words.
NO_DECIMALS = ("ids", "next_word")


def box(unit, key):
    """The box of that name in a unit."""
    return next(b for b in BOXES[unit] if b.key == key)


class Givens:
    """The printed numbers of one unit as nested lists: table, words, weights; for the translation Z as well."""

    def __init__(self, example, unit, Z=None):
        self.unit = unit
        encoder = unit == "encoder"
        layer = (example.encoder_layers if encoder else example.decoder_layers)[0]
        self.weights = {name: _listed(W) for name, W in layer.items()}
        self.E = _listed(example.E)
        self.vocabulary = dict(example.vocabulary)
        self.words = list(example.src_words if encoder else example.tgt_words)
        self.labels = list(example.label_words)
        self.candidates = list(getattr(example, "candidates", None) or CANDIDATES)
        self.d_model = len(self.E[0])
        self.heads = 2
        self.d_k = self.d_model // self.heads
        self.Z = None if Z is None else _listed(Z)

    def ids(self, words):
        return [self.vocabulary[word] for word in words]

    def rows(self, words):
        """Rows of the table for some words, (n, d_model)."""
        return [list(self.E[i]) for i in self.ids(words)]

    def columns(self, W, head):
        """The block of d_k columns that belongs to a head."""
        return [row[head * self.d_k : (head + 1) * self.d_k] for row in W]


def _listed(array):
    """An array, or nested lists, as nested lists of floats; the one place where NumPy is read."""
    if hasattr(array, "tolist"):
        array = array.tolist()
    return [_listed(part) for part in array] if isinstance(array, list) else float(array)


@dataclass
class Desk:
    """All that is needed to make one box: the box, a look at earlier boxes, the givens, the pen."""

    box: Box
    see: object
    given: Givens
    pen: Pen

    def inputs(self):
        return [self.see(name) for name in self.box.inputs]

    def own(self, letter):
        """The box of this block and head, as in own("K") → Km0."""
        return self.see(f"{letter}{self.box.mark}{self.box.head}")

    def other(self, letter):
        """The same of the other head."""
        return self.see(f"{letter}{self.box.mark}{1 - self.box.head}")

    def weight(self, name):
        return self.given.weights[name]
