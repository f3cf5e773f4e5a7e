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
from ..displays.heat import key_html
from ..displays.notes import show_table
from ..displays.numbers import fixed, typeset_within, wrap
from ..displays.output import Display
from ..displays.pictures import STRONGEST
from ..sizes import PAPER_BASE
from .attention import WORD
from .bars import framed, svg
from .card import Card, Stage, shapes
from .controls import Chosen, Menu
from .settings import Settings

POSITIONS = 50
BLUE, ORANGE = (47, 116, 208), (191, 100, 0)
LEVELS = 31
LEFT, TOP, LINE = 40, 22, 4
"""Pixels at the left of the picture, above it, and for each of its lines; a column has one."""
MARKED = (6, 30, 100, 1000, 10000)
"""Wavelengths in positions: the picture names the first pair that reaches each."""


def draw_matrix(settings: Settings, chosen: Chosen) -> Stage:
    """Every entry of PE, the chosen one written out, and the real one behind it."""
    up, words, d = settings.run.encoder, settings.example.src_words, settings.sizes.d_model
    t, c = chosen.word, chosen.column
    table = chosen_matrix(up.PE, "PE", words, row=t, col=c, cut=2, note="one block for each pair")
    divisor = float(tf.pair_divisor(c // 2, d))
    wave = "cos" if c % 2 else "sin"
    line = f"PE[{t}, {c}] = {wave}({t} / {divisor:.6g}) = {fixed(up.PE[t, c], 6)}"
    entry = Display(line, f'<p class="f">{typeset_within(line)}</p>')
    pairs = wavelengths(d, c // 2)
    return Stage(table + entry + pairs + real_one(), *shapes(settings, "encoder", "PE"), weights=False)


def wavelengths(d: int, chosen: int) -> Display:
    """After how many positions each pair is back where it was; an arrow stands at the chosen pair."""
    pairs = [(i, f"{2 * i}, {2 * i + 1}", float(tf.pair_divisor(i, d))) for i in range(d // 2)]
    rows = [
        (f"→ {i}" if i == chosen else f"{i}", columns, f"{div:.6g}", f"{2 * math.pi * div:,.1f}")
        for i, columns, div in pairs
    ]
    return show_table.build(("pair", "columns", "divisor", "positions for one turn"), rows, align="rrrr")


@lru_cache(maxsize=1)
def real_one() -> Display:
    """The 512-wide code of fifty positions as a picture that is the same for everybody, with its wavelengths."""
    d = PAPER_BASE.d_model
    waves = [2 * math.pi * float(tf.pair_divisor(i, d)) for i in range(d // 2)]
    title = f"PE in the paper, {POSITIONS} positions of {d} columns"
    marks = [next(i for i, wave in enumerate(waves) if wave >= least) for least in MARKED]
    described = f"Each line is a position, each column one of {d} numbers: blue above 0, orange below. " + " ".join(
        f"Column {2 * i} turns once in {waves[i]:,.0f} positions." for i in marks
    )
    said = (
        f"The first pair turns once in {waves[0]:,.2f} positions, the last in {waves[-1]:,.0f}. The paper says up to "
        f"10000 · 2π, which is {2 * math.pi * 10000:,.0f}: there a pair {d // 2} would stand. Of the {d // 2} pairs, "
        f"{sum(wave > POSITIONS for wave in waves)} do not get round once in {POSITIONS} positions."
    )
    image = svg(LEFT + d + 16, TOP + LINE * POSITIONS + 44, title, described, _drawn(d, marks, waves))
    key = key_html(1.0).replace('class="s"', f'class="s" style="--k:{STRONGEST}"')
    text = [f"{title} (picture)", *wrap(described), *wrap(said)]
    return Display(
        "\n".join(text), framed(title, image) + key + f'<p class="note">{said}</p>', ("table", "heat", "picture")
    )


def _drawn(d: int, marks: list[int], waves: list[float]) -> str:
    """The picture between its axes: columns above, positions at the left, wavelengths below."""
    source = base64.b64encode(picture(tf.positional_encoding(POSITIONS, d))).decode("ascii")
    bottom = TOP + LINE * POSITIONS
    parts = [
        f'<image href="data:image/png;base64,{source}" x="{LEFT}" y="{TOP}" width="{d}" height="{bottom - TOP}" '
        'preserveAspectRatio="none" style="image-rendering:pixelated"/>'
    ]
    for column in (0, 100, 200, 300, 400, d - 1):
        parts.append(f'<text x="{LEFT + column}" y="14" text-anchor="middle">{column}</text>')
    for position in (*range(0, POSITIONS, 10), POSITIONS - 1):
        y = TOP + LINE * position + 7
        parts.append(f'<text x="{LEFT - 6}" y="{y}" text-anchor="end">{position}</text>')
    for i in marks:
        x = LEFT + 2 * i
        parts.append(
            f'<path d="M{x} {bottom}v8" stroke="#808080"/>'
            f'<text x="{x}" y="{bottom + 22}" text-anchor="middle">{waves[i]:,.0f}</text>'
        )
    parts.append(f'<text x="{LEFT}" y="{bottom + 40}">positions for one turn</text>')
    return "".join(parts)


def picture(values: np.ndarray) -> bytes:
    """A PNG with one dot for each number between −1 and 1: the hue is the sign, the opacity the size."""
    levels = np.round(np.sqrt(np.abs(values)) * LEVELS).astype(np.uint8)
    dots = np.where(values < 0, levels + LEVELS + 1, levels).astype(np.uint8)
    palette = bytes(BLUE) * (LEVELS + 1) + bytes(ORANGE) * (LEVELS + 1)
    opacity = bytes(round(255 * STRONGEST * level / LEVELS) for level in range(LEVELS + 1)) * 2
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
