"""Texts that students write: they read as before, and cannot act."""

import pytest
from handing_in import UNITS, unit

from helpers.grading.texts import harmless_text, with_pictures


@pytest.mark.parametrize("name", UNITS)
def test_the_courses_own_texts_stay_as_they_are(name):
    for one in unit(name).source["cells"]:
        if one["cell_type"] == "markdown" and "<" not in one["source"] and "](" not in one["source"]:
            assert harmless_text(one["source"]) == one["source"]


@pytest.mark.parametrize(
    "text",
    [
        "1. a < b and b > c, so *softmax* keeps $x_i < x_j$.\n2. `A @ V`",
        "See [the paper](https://arxiv.org/abs/1706.03762), [above](#norm) and ![mine](attachment:me.png).",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "R&D & more",
    ],
)
def test_harmless_ones_stay(text):
    assert harmless_text(text) == text


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("<img src=x onerror=alert(1)>", "onerror"),
        ("<style>* {display: none}</style>", "display: none"),
        ("<form action=/formgrader/api><input name=score value=2></form>", "<input"),
        ("[x](javascript:alert(1))", "](javascript"),
        ("[x]( JaVaScRiPt:alert(1))", "]( JaVa"),
        ("[x](data:text/html,<b>)", "](data"),
        ("[x]: javascript:alert(1)", "]: javascript"),
        ("![x](https://evil.example/pixel.png)", "!["),
        ("![a [b] c](https://evil.example/pixel.png)", "!["),
        ("![x][there]\n\n[there]: https://evil.example/pixel.png", "!["),
        ("&#33;[x](https://evil.example/pixel.png)", "!["),
        ("$\\href{javascript:alert(1)}{x}$", "\\href"),
        ("$\\require{html}$", "\\require"),
        ("$\\mmlToken{mi}[href='javascript:alert(1)']{x}$", "\\mmlToken"),
        ("$\\bbox[position:fixed;top:0]{x}$", "\\bbox"),
        ("$\\renewcommand{\\vec}[1]{x}$", "\\renew"),
        ("(\\hre&#102;{javascript:alert(1)}{x})", "&#102;"),
        ("(\\hre&#102;{javascript:alert(1)}{x})", "\\href"),
        ("(&bsol;href{javascript:alert(1)}{x})", "\\href"),
        ("(\\hre&#&#120;66;{javascript:alert(1)}{x})", "&#x66;"),
        ("<&#105;mg src=x onerror=alert(1)>", "<img src=x o"),
        ("<javascript:alert(1)>", "<javascript"),
        ("<!-- a comment --><iframe src=//evil.example></iframe>", "iframe"),
    ],
)
def test_what_acts_is_taken_out(text, gone):
    assert gone not in harmless_text(text)


def test_a_long_text_is_read_in_time():
    assert harmless_text("<" * 100_000 + "[" * 100_000 + "](" * 100_000)


def test_a_picture_that_was_not_pasted_is_asked_for_no_longer():
    text, pictures = with_pictures("![a](attachment:a.png) ![b](attachment:b%20c.png)", {"b c.png": 1})
    assert text == "![a](#) ![b](attachment:b%20c.png)"
    assert pictures == {"b c.png": 1, "b%20c.png": 1}
