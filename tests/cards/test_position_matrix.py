"""The PE matrix, its wavelengths, and the paper's as a picture."""

import base64
import math
import re
import struct
import zlib

import numpy as np
import oracle
import pytest
from reading_cards import html, settings, shows, text

from helpers.cards.position_matrix import BLUE, LEVELS, ORANGE, picture


@pytest.mark.parametrize("d", [4, 8, 16])
def test_every_entry_and_the_chosen_one_written_out(d):
    mine = settings(d_model=d, heads=2)
    PE = oracle.positional_encoding(6, d)
    assert shows(html("position matrix", mine), np.ravel(PE))
    for t, c in ((0, 1), (3, 2), (5, d - 1)):
        wave = "cos" if c % 2 else "sin"
        divisor = 10000 ** ((c - c % 2) / d)
        said = text("position matrix", mine, word=t, column=c)
        assert f"PE[{t}, {c}] = {wave}({t} / {divisor:.6g}) = {PE[t][c]:+.6f}" in said


def test_wavelengths_are_two_pi_times_the_divisor():
    said = text("position matrix")
    for divisor in (1, 10, 100, 1000):
        assert f"{2 * math.pi * divisor:,.1f}" in said
    # The paper's text says 10000 · 2π; by its formula the last pair ends at 9,647 · 2π.
    assert "The first pair turns once in 6.28 positions, the last in 60,611." in said
    assert round(2 * math.pi * 10000 ** (510 / 512)) == 60611


def decoded(png):
    """Width, height and rows of palette numbers of a PNG, and its palette, by the format's own rules."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + data),)
        chunks[kind], at = data, at + 12 + length
    width, height, depth, colours, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert (depth, colours) == (8, 3)
    lines = zlib.decompress(chunks[b"IDAT"])
    rows = [lines[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height)]
    return rows, chunks[b"PLTE"], chunks[b"tRNS"]


def test_each_dot_has_the_hue_of_its_sign_and_the_opacity_of_its_size():
    values = np.array([[0.0, 1.0, -1.0], [0.25, -0.25, 0.0009]])
    rows, palette, opacity = decoded(picture(values))

    def dot(y, x):
        number = rows[y][x]
        return tuple(palette[3 * number : 3 * number + 3]), opacity[number]

    assert dot(0, 0)[1] == 0
    assert dot(0, 1) == (BLUE, 217)
    assert dot(0, 2) == (ORANGE, 217)
    assert dot(1, 0)[0] == BLUE
    assert dot(1, 1)[0] == ORANGE
    assert dot(1, 0)[1] == dot(1, 1)[1] == round(217 * round(0.5 * LEVELS) / LEVELS)
    assert dot(1, 2)[1] < 10


def test_the_picture_is_that_of_fifty_positions_of_512_columns():
    source = re.search(r"base64,([^\"]+)", html("position matrix"))[1]
    rows, *_ = decoded(base64.b64decode(source))
    PE = oracle.positional_encoding(50, 512)
    assert (len(rows), len(rows[0])) == (50, 512)
    for t in range(50):
        for c in range(512):
            assert (rows[t][c] > LEVELS) == (PE[t][c] < 0), (t, c)


def test_each_named_wavelength_stands_below_the_first_column_that_reaches_it():
    body = html("position matrix")
    for least in (6, 30, 100, 1000, 10000):
        i = next(i for i in range(256) if 2 * math.pi * 10000 ** (2 * i / 512) >= least)
        wave = f"{2 * math.pi * 10000 ** (2 * i / 512):,.0f}"
        assert f"Column {2 * i} turns once in {wave} positions." in body
        assert re.search(rf'<text x="{40 + 2 * i}" y="\d+" text-anchor="middle">{wave}</text>', body)
    slow = sum(2 * math.pi * 10000 ** (2 * i / 512) > 50 for i in range(256))
    assert f"Of the 256 pairs, {slow} do not get round once in 50 positions." in body


@pytest.mark.parametrize("c", [0, 3, 7])
def test_an_arrow_stands_at_the_pair_of_the_chosen_column(c):
    found = re.findall(r">(→ )?(\d)</th><td class=\"r\">\d, \d<", html("position matrix", column=c))
    assert [int(pair) for arrow, pair in found if arrow] == [c // 2]
