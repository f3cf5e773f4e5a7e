"""All live cards in a real JupyterLab: drawn, driven and read, light and dark.

Part 1's cards run first, then part 2's beside them, which begin with what part 1 was left with.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from card_changes import CHANGES
from card_mirror import numbers
from card_pages import Cards, keys_of
from running_lab import ERRORS, THEMES

from helpers.cards import all_cards
from helpers.cards.controls import Line

UNITS = ["encoder", "decoder"]
SCREENS = [(unit, theme) for theme in THEMES for unit in UNITS]
EVERY_CARD = [((unit, theme), key) for unit, theme in SCREENS for key in keys_of(unit)]
# What axe-core calls a violation that keeps people out.
GRAVE = ["serious", "critical"]
CARD_OF = """selector => {
    const heading = document.querySelector(selector)?.closest('.tbh-card')?.querySelector('h4');
    return heading ? heading.textContent : '';
}"""
PLAY_TO_THE_END = 60_000


@pytest.fixture(scope="module")
def left():
    """Settings that a notebook was left with, by theme."""
    return {}


@pytest.fixture(scope="module")
def screen(request, browser, lab, left):
    """The cards of a unit in a theme."""
    unit, theme = request.param
    notebook = f"cards-{THEMES.index(theme)}/units/{unit}.ipynb"
    cards = Cards(browser, lab, notebook, keys_of(unit), theme, left.get(theme))
    yield cards
    left[theme] = cards.mirror.settings
    cards.page.close()
    lab.end_kernels()


def on(screens):
    return pytest.mark.parametrize("screen", screens, indirect=True, ids=str)


def test_every_card_has_a_change_to_be_driven_by():
    assert set(CHANGES) == set(all_cards())


@on(SCREENS)
def test_every_card_is_drawn_and_no_cell_shows_an_error(screen):
    for key in screen.keys:
        screen.settle(key)
    assert screen.page.locator(ERRORS).all_inner_texts() == []
    assert screen.page.locator(".tbh-card").count() == len(screen.keys)


@pytest.mark.parametrize(("screen", "key"), EVERY_CARD, indirect=["screen"], ids=str)
def test_a_change_is_seen_in_the_numbers(screen, key):
    change, shown = CHANGES[key], screen.settle(key)
    for name, value in change.steps:
        before, shown = numbers(shown), screen.change(key, name, value)
        assert numbers(shown) != before, name
    if change.engine:
        expected = change.engine(screen.mirror.settings, screen.mirror.chosen[key])
        assert expected
        assert set(expected) - set(numbers(shown)) == set()


@pytest.mark.parametrize(
    ("screen", "key", "other", "sentence"),
    [
        (("encoder", THEMES[0]), "sentence", "scores", "a bird sat on the old tree"),
        (("decoder", THEMES[1]), "german sentence", "masked scores", "ein vogel saß auf dem baum"),
    ],
    indirect=["screen"],
    ids=str,
)
def test_a_new_sentence_moves_the_other_cards(screen, key, other, sentence):
    line = next(control for control in all_cards()[key].controls if isinstance(control, Line))
    before = screen.settle(other)
    screen.change(key, line.name, sentence)
    after = screen.settle(other)
    assert all(word in after for word in sentence.split())
    assert numbers(after) != numbers(before)
    assert [screen.settle(key) for key in screen.keys]


@on([("encoder", THEMES[0])])
def test_what_cannot_be_had_is_one_sentence_and_the_picture_stays(screen):
    line, before = screen.named("sentence", screen.mirror.control("sentence", "source")), screen.settle("sentence")
    line.fill("one two three four five six seven eight nine")
    line.press("Enter")
    said = screen.card("sentence").get_by_role("alert")
    said.wait_for()
    assert said.inner_text() == "The English sentence has 9 words; the cards take up to 8."
    assert screen.settle("sentence") == before
    assert line.input_value().endswith("nine"), "what was typed can be mended"
    screen.change("sentence", "source", "dog bites man")
    assert said.count() == 0


@pytest.mark.parametrize(
    ("screen", "key", "first"),
    [(("encoder", THEMES[0]), "stack", ("layer", 0)), (("decoder", THEMES[0]), "generation", ("again", None))],
    indirect=["screen"],
    ids=str,
)
def test_a_card_plays_to_its_end_and_a_press_makes_it_pause(screen, key, first):
    screen.change(key, *first)
    control = screen.mirror.control(key, "play")
    button = screen.named(key, control)
    button.click()
    screen.card(key).get_by_role("button", name="Pause", exact=True).click(timeout=PLAY_TO_THE_END)
    button.wait_for()
    # How far it came depends on the machine; the mirror goes on step by step until it is there.
    shown = screen.shown(key)
    while screen.mirror.stage(key) != shown:
        assert control.change(screen.mirror.settings, screen.mirror.chosen[key]), "no step shows this"
        screen.mirror.change(key, "play")
    button.click()
    while control.change(screen.mirror.settings, screen.mirror.chosen[key]):
        screen.mirror.change(key, "play")
    screen.settle(key)
    button.wait_for()


@on([("decoder", THEMES[0]), ("encoder", THEMES[1])])
def test_the_trained_model_can_be_chosen_and_left_again(screen):
    """It knows a few words only, so the example sentences come first."""
    key = "german sentence" if "german sentence" in screen.keys else "sizes"
    if key == "sizes":
        screen.change("sentence", "source_0")
    else:
        screen.mirror.settings  # noqa: B018
    screen.change(key, "trained", True)
    assert "trained weights" in screen.card("scores" if key == "sizes" else "logits").inner_text()
    for other in screen.keys:
        screen.settle(other)
    screen.change(key, "trained", False)


@on(SCREENS)
def test_axe_finds_nothing_that_keeps_people_out(screen):
    found = Axe().run(screen.page, context=".tbh-card", options={"resultTypes": ["violations"]})
    grave = [rule for rule in found.response["violations"] if rule["impact"] in GRAVE]
    told = [
        (screen.page.evaluate(CARD_OF, node["target"][-1]), rule["id"], node["target"][-1], node["failureSummary"])
        for rule in grave
        for node in rule["nodes"]
    ]
    assert told == []
