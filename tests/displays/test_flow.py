import re

import pytest
from displays.reading import Page
from support import plain_error

from helpers.displays import show_flow

ATTENTION = "Q0, K0 -- compare, scale --> S0 -- share out --> A0, V0 -- mix --> H0"


def boxes(html, kind):
    return re.findall(rf'<(?:b|span) class="{kind}">(.*?)</', html)


def test_what_is_made_is_framed_and_what_is_used_is_tinted():
    display = show_flow.build({"head 0": ATTENTION})
    assert display.text == (
        "head 0  Q0, K0 -- compare, scale --> [S0] -- share out --> [A0], V0 -- mix --> [H0]\n"
        "In brackets: what you write here."
    )
    assert boxes(display.html, "make") == ["S0", "A0", "H0"]
    assert boxes(display.html, "was") == ["Q0", "K0", "V0"]
    assert "Q0 K0 compare, scale → S0 share out → A0 V0 mix → H0" in " ".join(Page(display.html).text.split())


def test_what_another_line_makes_is_made_here_too():
    display = show_flow.build({"values": "X -- multiply --> V0 & V1", "head 0": ATTENTION})
    assert boxes(display.html, "make") == ["V0", "V1", "S0", "A0", "V0", "H0"]
    assert "[A0], [V0]" in display.text
    assert display.text.splitlines()[0] == "values  X -- multiply --> [V0], [V1]"


def test_symbols_and_signs_are_typeset():
    html = show_flow.build({"<i>": "E_rows -- times √d_model & more --> E_scaled"}).html
    assert "E<sub>scaled</sub>" in html
    assert "&lt;i&gt;" in html
    assert "√d_model &amp; more" in html


@pytest.mark.parametrize(
    "chain", ["", "A -- add -->", "-- add --> B", "A, -- add --> B", "A --  --> B", "A & -- add --> B"]
)
def test_a_gap_is_named(chain):
    with plain_error("head 0", "gap"):
        show_flow({"head 0": chain})


def test_a_flow_of_nothing_is_refused():
    with plain_error("at least one line"):
        show_flow({})
