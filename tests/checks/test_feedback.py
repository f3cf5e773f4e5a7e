"""A feedback tells the same in text and HTML: the verdict, the map, the remark, what is said of one entry."""

import numpy as np
import pytest
from displays.reading import Page, columns
from hypothesis import given
from hypothesis import strategies as st

from helpers.checks import Feedback
from helpers.displays.marks import Marked

OFF = Feedback(
    "off",
    "2 of 12 entries are off.",
    "PE, 3 × 4",
    0.83,
    2,
    [
        ("Where", "rows cat and sat, column 2"),
        ("Question", "Columns 2 and 3 share one i. Which?"),
        ("One entry", "row cat, column 2, written out\nPE    = sin(1 / 100)\nyou wrote -0.010"),
    ],
    Marked(
        np.array([[0, 1, 0, 1], [0.841, 0.540, -0.01, 1], [0.909, -0.416, 0, np.nan]]),
        np.arange(12).reshape(3, 4) % 4 * [[0], [1], [1]] == 2,
        np.arange(12).reshape(3, 4) == 11,
        (1, 2),
        rows=["the", "cat", "sat"],
    ),
    labels=("pe.column-as-i",),
)


def test_the_text_of_one_that_is_off():
    assert OFF.text.splitlines() == [
        "PE, 3 × 4: 2 of 12 entries are off.  (0.83 of 2 points)",
        "              0        1        2        3",
        "  the |  +0.000   +1.000   +0.000   +1.000",
        "  cat |  +0.841   +0.540   -0.010*  +1.000",
        "  sat |  +0.909   -0.416   +0.000*       ·",
        "  9 right · 2 off (*) · 1 not filled in (·)",
        "  Where      rows cat and sat, column 2",
        "  Question   Columns 2 and 3 share one i. Which?",
        "  One entry  row cat, column 2, written out",
        "             PE    = sin(1 / 100)",
        "             you wrote -0.010",
    ]
    assert repr(OFF) == OFF.text == OFF.display.text == OFF._repr_mimebundle_()["text/plain"]


def test_its_html_says_the_same():
    html = OFF.display.html
    assert '<div class="fb off"><p class="v"><b>2 of 12 entries are off</b> <i>PE, 3 × 4</i>' in html
    assert "<span>0.83 of 2 points</span>" in html
    assert '<p class="note">9 right · 2 <b>off</b> (solid box) · 1 not filled in (dashed box)</p>' in html
    assert '<dt>Question</dt><dd class="q">Columns 2 and 3 share one i. Which?</dd>' in html
    assert (
        "<dt>One entry</dt><dd><details open><summary>row cat, column 2, written out</summary>"
        "<pre>PE    = sin(1 / 100)\nyou wrote \u22120.010</pre></details></dd>"
    ) in html
    Page(html)


def test_a_label_is_for_the_instructor_alone():
    assert "pe.column-as-i" not in OFF.text + OFF.display.html


def test_a_remark_stands_below_the_verdict():
    feedback = Feedback("right", "Right, all 9 entries.", "A0, 3 × 3", 2, 2, remark="Your S0 is off.", followed=True)
    assert feedback.text == "A0, 3 × 3: Right, all 9 entries.  (2 of 2 points)\n  Your S0 is off."
    assert '<div class="fb right">' in feedback.display.html
    assert '<p class="said">Your S0 is off.</p>' in feedback.display.html


@pytest.mark.parametrize("kind", ["right", "off", "empty", "stale"])
def test_the_kind_colours_the_bar(kind):
    assert f'<div class="fb {kind}">' in Feedback(kind, "So.", "S0", 0, 2).display.html


@pytest.mark.parametrize(
    ("possible", "said"), [(1, "0.5 of 1 point"), (2, "0.5 of 2 points"), (1.5, "0.5 of 1.5 points")]
)
def test_points(possible, said):
    feedback = Feedback("off", "So.", "S0", 0.5, possible)
    assert f"({said})" in feedback.text
    assert f"<span>{said}</span>" in feedback.display.html


@pytest.mark.parametrize(
    ("verdict", "heading"),
    [
        ("2 of 3 entries are off.", "2 of 3 entries are off"),
        ("It stopped with KeyError: 1", "It stopped with KeyError: 1"),
        ("One sentence. And another.", "One sentence. And another."),
    ],
)
def test_a_verdict_of_one_sentence_is_a_heading(verdict, heading):
    assert f"<b>{heading}</b>" in Feedback("off", verdict, "S0", 0, 2).display.html


def test_the_fewer_points_count():
    right, stale = Feedback("right", "So.", "S0", 2, 2), Feedback("stale", "So.", "S0", 1, 2)
    assert (right & stale) is stale
    assert (stale & right) is stale


def test_a_map_that_fills_the_page_is_not_set_in():
    off = np.ones((2, 12), dtype=bool)
    text = Feedback("off", "So.", "X", 0, 2, marked=Marked(-off.astype(float), off, rows=["wordsoffourteen"] * 2)).text
    assert max(map(columns, text.splitlines())) <= 100
    assert "wordsoffourte… |" in text


LINES = st.text(alphabet="ab <&'\"\n-1日", max_size=300)


@given(LINES, LINES, st.lists(st.tuples(st.text(alphabet="ab<", max_size=10), LINES), max_size=4))
def test_whatever_is_said_is_escaped_and_keeps_to_the_page(verdict, remark, details):
    feedback = Feedback("off", verdict, "<i>", 0, 2, details, remark=remark)
    assert all(columns(line) <= 100 for line in feedback.text.splitlines())
    page = Page(feedback.display.html)
    known = {"div", "style", "p", "b", "i", "span", "dl", "dt", "dd", "details", "summary", "pre"}
    assert {tag for tag, _ in page.attributes} <= known
