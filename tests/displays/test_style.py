"""The rules an output carries: the ones it needs, safe beside those of every other output on the page."""

import re

import numpy as np
import pytest

from helpers.checks import Feedback
from helpers.displays import (
    show_elementwise,
    show_heat,
    show_hint,
    show_masked,
    show_matmul,
    show_matrix,
    show_progress,
    show_shapes,
    show_table,
)
from helpers.displays.marks import Marked
from helpers.displays.style import _PIECES, style

WORDS = ["the", "cat", "sat", "on", "the", "mat", "and", "was", "looking"]
NUMBERS = np.random.RandomState(0).normal(0, 1, (9, 9))
HTML = {
    "product": show_matmul.build(NUMBERS[:, :8], NUMBERS[:8, :8], ("X", "W_Q", "Q"), rows=WORDS).html,
    "heat": show_heat.build(NUMBERS, "S0", WORDS, WORDS).html,
    "masked": show_masked.build(NUMBERS, np.triu(np.ones((9, 9), dtype=bool), 1), "S", WORDS).html,
    "matrix": show_matrix.build(NUMBERS, "X", WORDS).html,
    "addition": show_elementwise.build(NUMBERS, NUMBERS, ("X", "M", "res1"), WORDS).html,
    "shapes": show_shapes.build("X", (9, 8), (9, 512)).html,
    "table": show_table.build(["a"], [["b"]]).html,
    "progress": show_progress.build({"start": {"ids": "right"}}, 2, 2).html,
    "hint": show_hint.build("Hint", "Look.").html,
    "right": Feedback("right", "Right.", "X", 2, 2).display.html,
    "off": Feedback("off", "Off.", "X", 0, 2, marked=Marked(NUMBERS, NUMBERS > 0)).display.html,
}


@pytest.mark.parametrize(
    ("name", "kilobytes"),
    [
        ("product", 16),
        ("heat", 8),
        ("masked", 7),
        ("matrix", 7),
        ("addition", 10),
        ("shapes", 3),
        ("progress", 4),
        ("hint", 2),
        ("right", 4),
        ("off", 14),
    ],
)
def test_sizes_stay_modest(name, kilobytes):
    assert len(HTML[name].encode()) <= kilobytes * 1024


@pytest.mark.parametrize(
    ("part", "needed_by"),
    [
        (".prod{", {"product"}),
        (":has(", {"product"}),
        ("@container", {"product", "right", "off"}),
        (".heat", {"heat"}),
        ("repeating-linear-gradient", {"masked"}),
        (".brk", {"product", "masked", "matrix"}),
        (".pill", {"shapes"}),
        (".t :is(th,td)", {"table"}),
        (".m.g", {"addition"}),
        (".scroll{", set(HTML) - {"shapes", "progress", "hint", "right"}),
        (".fb{", {"right", "off"}),
        (".m.map", {"off"}),
        (".prog ", {"progress"}),
        (".hint{", {"hint"}),
        ("@media print", set(HTML)),
    ],
)
def test_an_output_carries_the_rules_it_needs_and_no_others(part, needed_by):
    assert {name for name, html in HTML.items() if part in html.partition("</style>")[0]} == needed_by


def selectors(css):
    """Return every selector outside @-rules' own conditions, one of a list at a time."""
    css = re.sub(r"@[^{]*\{", "{", css)
    for block in re.findall(r"([^{}]+)\{", css):
        depth, start = 0, 0
        for place, character in enumerate(block):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if character == "," and depth == 0:
                yield block[start:place].strip()
                start = place + 1
        yield block[start:].strip()


@pytest.mark.parametrize("name", sorted(_PIECES))
def test_every_rule_stays_inside_the_class_prefix(name):
    if name != "highlight":
        assert all(selector.startswith(".tbh") for selector in selectors(_PIECES[name]) if selector)


def test_pieces_that_change_table_cells_outweigh_its_rules_whatever_the_order():
    """A page holds the rules of all outputs, so the cells of a heat map must not fall back to those of a table."""
    for name in ("bracket", "cut", "heat", "blocked", "groups", "plain", "map"):
        for selector in selectors(_PIECES[name]):
            if re.search(r"\b(td|th)\b", selector):
                assert len(re.findall(r"[.:](?!:)[\w-]+", selector)) >= 3, selector


def test_style_is_minified_and_in_one_order():
    assert style(["heat", "table"]) == style(["table", "heat"])
    text = style(["table", "bracket", "product", "heat", "blocked", "groups", "plain", "worked", "pills", "side"])
    assert "\n" not in text
    assert "  " not in text
    assert "FACE" not in text
    assert "CODE" not in text
    assert text.count("{") == text.count("}")


def test_colours_come_from_the_page_and_text_never_without_its_ground():
    text = style([])
    assert "--bg:var(--vscode-editor-background,var(--jp-layout-color0,#fff))" in text
    assert "--fg:var(--vscode-editor-foreground,var(--jp-content-font-color1,#1f1f1f))" in text
    assert "background:var(--bg);color:var(--fg)" in text
    assert "--mute:#333;--pos:90 90 90;--neg:90 90 90" in text
