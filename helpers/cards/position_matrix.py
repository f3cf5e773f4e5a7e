"""Encoder 8: the PE matrix of this run, and the paper's 512 columns as a picture."""

from __future__ import annotations

import base64
import math
import struct
import zlib
from functools import lru_cache

import numpy as np

from .. import transformer as tf
from ..displays.chosen import chosen_matrix
from ..displays.notes import show_table
from ..displays.numbers import fixed, wrap
from ..displays.output import Display
from ..sizes import PAPER_BASE
from .attention import WORD
from .bars import framed
from .card import Card, Stage, shapes
from .controls import Chosen, Menu
from .settings import Settings

POSITIONS = 50
BLUE, ORANGE = (47, 116, 208), (191, 100, 0)
LEVELS = 31


def draw_matrix(settings: Settings, chosen: Chosen) -> Stage:
    """Every entry of PE, the chosen one written out, and the real one behind it."""
    up, words, d = settings.run.encoder, settings.example.src_words, settings.sizes.d_model
    t, c = chosen.word, chosen.column
    table = chosen_matrix(up.PE, "PE", words, row=t, col=c, cut=2, note="one block for each pair")
    divisor = float(tf.pair_divisor(c // 2, d))
    wave = "cos" if c % 2 else "sin"
    line = f"PE[{t}, {c}] = {wave}({t} / {divisor:.6g}) = {fixed(up.PE[t, c], 6)}"
    entry = Display(line, f'<p class="f">{line.replace("-", chr(0x2212))}</p>')
    return Stage(table + entry + wavelengths(d) + real_one(), *shapes(settings, "encoder", "PE"), weights=False)


def wavelengths(d: int) -> Display:
    """After how many positions each pair is back where it was."""
    pairs = [(i, f"{2 * i}, {2 * i + 1}", float(tf.pair_divisor(i, d))) for i in range(d // 2)]
    rows = [(i, columns, f"{div:.6g}", f"{2 * math.pi * div:,.1f}") for i, columns, div in pairs]
    return show_table.build(("pair", "columns", "divisor", "positions for one turn"), rows, align="rrrr")


@lru_cache(maxsize=1)
def real_one() -> Display:
    """The 512-wide code of fifty positions as a picture that is the same for everybody."""
    d = PAPER_BASE.d_model
    PE = tf.positional_encoding(POSITIONS, d)
    first, last = (2 * math.pi * float(tf.pair_divisor(i, d)) for i in (0, d // 2 - 1))
    said = (
        f"Each line is a position, each column one of {d} numbers: blue above 0, orange below. The first pair turns in "
        f"{first:,.2f} positions, the last in {last:,.0f}."
    )
    source = base64.b64encode(picture(PE)).decode("ascii")
    title = f"PE in the paper, {POSITIONS} positions of {d} columns"
    image = (
        f'<img src="data:image/png;base64,{source}" width="{d + d // 2}" height="{4 * POSITIONS}" '
        f'style="max-width:none;image-rendering:pixelated" alt="{title}. {said}">'
    )
    text = [f"{title} (picture)", *wrap(said)]
    return Display("\n".join(text), framed(title, image, said), ("table",))


def picture(values: np.ndarray) -> bytes:
    """A PNG with one dot for each number between −1 and 1: the hue is the sign, the opacity the size."""
    levels = np.round(np.sqrt(np.abs(values)) * LEVELS).astype(np.uint8)
    dots = np.where(values < 0, levels + LEVELS + 1, levels).astype(np.uint8)
    palette = bytes(BLUE) * (LEVELS + 1) + bytes(ORANGE) * (LEVELS + 1)
    opacity = bytes(round(217 * level / LEVELS) for level in range(LEVELS + 1)) * 2
    height, width = dots.shape
    lines = b"".join(b"\0" + line.tobytes() for line in dots)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", palette),
        (b"tRNS", opacity),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


CARDS = (
    Card(
        "position matrix", "encoder", 8, "The position matrix", "Which columns change fast, and which hardly at all?",
        "3.5", draw_matrix,
        (WORD, Menu("column", "column", 0, options=lambda s: [(str(c), c) for c in range(s.sizes.d_model)])),
    ),
)  # fmt: skip
