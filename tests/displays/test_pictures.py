import re
import sys
import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from helpers import PlainError
from helpers.displays import show_curves, show_encoding_picture, show_wavelengths, show_waves

SVG = "{http://www.w3.org/2000/svg}"


def encoding(n, d_model):
    angles = np.arange(n)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)


def pictures():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return {
            "encoding": show_encoding_picture.build(encoding(50, 512), title="50 positions"),
            "waves": show_waves.build(encoding(50, 8)),
            "wavelengths": show_wavelengths.build([8, 512]),
            "curves": show_curves.build(
                [1, 2, 3], {"redone": [5, 20, 45], "cached": [5, 10, 15]}, "Cost", "words", "sums"
            ),
        }


BUILT = pictures()


def svg(display):
    return ET.fromstring(re.search(r"<svg.*</svg>", display.html, re.DOTALL)[0])


@pytest.mark.parametrize("name", BUILT)
def test_a_picture_follows_the_theme_and_the_font_of_the_page(name):
    html = re.search(r"<svg.*</svg>", BUILT[name].html, re.DOTALL)[0]
    assert "currentColor" in html
    assert "#010203" not in html
    assert "#ffffff" not in html
    assert "#000000" not in html
    assert "<style" not in html
    assert "DejaVu" not in html
    assert "var(--jp-content-font-family" in html


@pytest.mark.parametrize("name", BUILT)
def test_a_picture_has_a_title_a_description_and_fixed_pixels(name):
    root = svg(BUILT[name])
    title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [title.get("id"), described.get("id")]
    assert title.text
    assert described.text in " ".join(line.strip() for line in BUILT[name].text.split("\n"))
    assert root.get("width") == "760"
    assert root.get("viewBox").startswith("0 0 760 ")


@pytest.mark.parametrize("name", BUILT)
def test_text_in_a_picture_is_text(name):
    words = ["".join(element.itertext()) for element in svg(BUILT[name]).iter(f"{SVG}text")]
    assert {"encoding": "position", "waves": "column 6", "wavelengths": "d_model 512", "curves": "redone"}[
        name
    ] in words


def test_a_picture_is_the_same_twice_and_has_no_double_ids():
    for name, again in pictures().items():
        assert again.html == BUILT[name].html
        assert again.text == BUILT[name].text
        ids = [element.get("id") for element in svg(again).iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        assert all(re.fullmatch(r"tbh[0-9a-f]{8}(t|d|-\d+)", name) for name in ids)
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', again.html)) <= set(ids)


def test_the_picture_says_in_words_what_it_shows():
    assert "each column one of the 512 numbers of its code, from -1.00 (orange) to" in BUILT["encoding"].text
    assert "PE  50 × 512 · 50 positions (picture)" in BUILT["encoding"].text
    assert "Column 0 runs from -1.00 to +1.00, sign changes: 15;" in BUILT["waves"].text
    assert "d_model 8: 4 wavelengths from 6.28 to 6283.19 positions" in BUILT["wavelengths"].text
    assert max(len(line) for display in BUILT.values() for line in display.text.split("\n")) <= 100


def test_pictures_stay_small():
    assert all(len(display.html.encode()) < 40 * 1024 for display in BUILT.values())


def test_without_matplotlib_the_words_stay_and_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for name, display in pictures().items():
        *words, last = display.text.split("\n")
        assert last == "To see the picture, install matplotlib with  pip install matplotlib"
        assert "\n".join(words) == BUILT[name].text.replace(" (picture)", "")
        assert last in display.html
        assert "<svg" not in display.html


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: show_waves.build(encoding(4, 8), columns=(0, 8)), r"Entry \(0, 8\) lies outside PE, which is 4 × 8"),
        (lambda: show_waves.build(encoding(4, 8), columns=()), "show_waves draws 1 to 4 columns, not 0"),
        (lambda: show_curves.build([1, 2], {"a": [1]}, "Cost", "words", "sums"), "a has 1 entries"),
        (lambda: show_curves.build([1, 2], {}, "Cost", "words", "sums"), "show_curves draws 1 to 4 curves, not 0"),
        (lambda: show_wavelengths.build([7]), "show_wavelengths takes 1 to 4 even widths"),
        (lambda: show_encoding_picture.build(np.ones(3)), "PE has one dimension"),
    ],
)
def test_wrong_calls_get_one_sentence(call, message):
    with pytest.raises(PlainError, match=message):
        call()


def test_curves_say_where_they_begin_and_end():
    assert "Redone goes from 5 to 45; cached goes from 5 to 15." in BUILT["curves"].text
