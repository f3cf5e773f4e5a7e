"""The squares of show_progress and what is said of them, and the hint behind one click."""

import pytest
from displays.reading import Page, columns
from support import plain_error

from helpers.displays import show_hint, show_progress

GROUPS = {
    "start": dict.fromkeys(["ids", "E_rows", "E_scaled", "PE", "X"], "right"),
    "head 0": {"Q0": "right", "K0": "right", "V0": "right", "S0": "off", "A0": "right", "H0": "begun"},
    "head 1": dict.fromkeys(["Q1", "K1", "V1", "S1", "A1", "H1"], "todo"),
    "mix": dict.fromkeys(["C", "M", "res1", "N1"], "todo"),
    "FFN": dict.fromkeys(["F_pre", "F_relu", "F", "res2", "Z"], "todo"),
}


def test_the_text():
    display = show_progress.build(GROUPS, 18, 52, current="H0", mend="S0")
    assert display.text.splitlines() == [
        "9 of 26 steps right. 1 to look at again (S0), 1 begun (H0), 15 not filled in. 18 of 52 points.",
        "  start   #  #  #  #  #",
        "  head 0  #  #  #  /  # [~]",
        "  head 1  .  .  .  .  .  .",
        "  mix     .  .  .  .",
        "  FFN     .  .  .  .  .",
        "  # right   / to look at again   ~ begun   . not filled in   [ ] checked last",
        "The first step to mend is S0.",
    ]


def test_the_squares():
    page = Page(show_progress.build(GROUPS, 18, 52, current="H0", mend="S0").html)
    squares = [attrs for tag, attrs in page.attributes if tag == "li" and "class" in attrs]
    states = [state for group in GROUPS.values() for state in group.values()]
    assert [attrs["class"] for attrs in squares] == states
    assert [attrs["title"] for attrs in squares[8:12]] == [
        "S0: to look at again",
        "A0: right",
        "H0: begun",
        "Q1: not filled in",
    ]
    assert [attrs["title"] for attrs in squares if attrs.get("aria-current") == "step"] == ["H0: begun"]
    tags = [tag for tag, _ in page.attributes]
    assert (tags.count("ul"), tags.count("ol"), tags.count("li")) == (1, 5, 5 + 26)
    for hidden in ("ids: right", "S0: to look at again", "H0: begun", "Z: not filled in"):
        assert hidden in page.text
    assert "9 of 26 steps right. 1 to look at again (S0), 1 begun (H0), 15 not filled in. 18 of 52 points." in page.text
    assert "The first step to mend is S0." in page.text


def test_all_right():
    display = show_progress.build({"tasks": {"a": "right", "b": "right"}}, 4, 4, things="tasks")
    assert display.text == "2 of 2 tasks right. 4 of 4 points.\n  tasks  #  #\n  # right"
    assert "mend" not in display.html


def test_names_that_are_many_are_counted():
    display = show_progress.build({"all": dict.fromkeys("abcdef", "off")}, 1.5, 12)
    assert display.text.splitlines()[0] == (
        "0 of 6 steps right. 6 to look at again (a, b, c, d and 2 more). 1.5 of 12 points."
    )


def test_a_long_group_goes_on_in_the_next_line():
    lines = show_progress.build({"tasks": dict.fromkeys(map(str, range(40)), "todo")}, 0, 80).text.splitlines()
    assert lines[1] == "  tasks" + "  ." * 30
    assert lines[2] == "       " + "  ." * 10
    assert max(map(columns, lines)) <= 100


def test_nothing_to_do():
    assert show_progress.build({}, 0, 0).text == "0 of 0 steps right. 0 of 0 points."


def test_names_are_escaped():
    html = show_progress.build({"<b>": {'<i>"': "off"}}, 0, 2, mend="<u>", note="<s>").html
    tags = [tag for tag, _ in Page(html).attributes]
    assert (tags.count("b"), tags.count("i"), tags.count("u"), tags.count("s")) == (1, 0, 0, 0)


def test_wrong_calls():
    with plain_error("S0", "'wrong'"):
        show_progress.build({"all": {"S0": "wrong"}}, 0, 2)
    with plain_error("'X'"):
        show_progress.build({"all": {"S0": "off"}}, 0, 2, current="X")


# The hint


def test_a_hint_is_closed_in_html_and_plain_in_text():
    display = show_hint.build("Hint for Q0", "Row the of X, times two columns.\nThe first entry begins with -0.5.")
    assert display.text == "Hint for Q0: Row the of X, times two columns.\nThe first entry begins with -0.5."
    assert (
        '<details class="hint"><summary>Hint for Q0</summary>'
        "<p>Row the of X, times two columns.\nThe first entry begins with \u22120.5.</p></details>"
    ) in display.html


@pytest.mark.parametrize("text", ["", "word " * 90, "<b>"])
def test_any_hint(text):
    display = show_hint.build("<Hint>", text)
    assert max(map(len, display.text.splitlines())) <= 100
    assert {tag for tag, _ in Page(display.html).attributes} == {"div", "style", "details", "summary", "p"}
