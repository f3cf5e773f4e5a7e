"""All live cards in a real JupyterLab: drawn, driven and read, light and dark.

Part 1's cards run first, then part 2's beside them, which begin with what part 1 was left with.
"""

import pytest
from card_changes import CHANGES
from card_keyboard import FOCUS, KEPT, REMEMBER, change_by_keys, come_in, places
from card_mirror import numbers
from card_pages import Cards, keys_of, told_by_axe, vs_code_dark
from playwright.sync_api import expect
from running_lab import ERRORS, THEMES

from helpers.cards import all_cards
from helpers.cards.controls import Line, Press

UNITS = ["encoder", "decoder"]
SCREENS = [(unit, theme) for theme in THEMES for unit in UNITS]
LIGHT = [(unit, THEMES[0]) for unit in UNITS]
BY_KEYS = [(screen, key) for screen in LIGHT for key in keys_of(screen[0])]
EVERY_CARD = [((unit, theme), key) for unit, theme in SCREENS for key in keys_of(unit)]
DRAWINGS = """card => [...card.querySelectorAll('.tbh-stage svg')].map(svg => [
    svg.getAttribute('role'), svg.querySelector('title')?.textContent, svg.querySelector('desc')?.textContent,
    svg.getAttribute('aria-labelledby'), svg.querySelector('title')?.id,
])"""
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
        (("encoder", THEMES[0]), "sentence", "scores", "a bird sat on the old bed"),
        (("decoder", THEMES[1]), "german sentence", "masked scores", "ein vogel saß auf dem bett"),
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


@pytest.mark.parametrize(
    ("screen", "key", "example", "other"),
    [
        (("encoder", THEMES[1]), "sizes", ("sentence", "source_0"), "scores"),
        (("decoder", THEMES[0]), "german sentence", ("german sentence", "target_1"), "cross-attention"),
    ],
    indirect=["screen"],
    ids=str,
)
def test_the_trained_model_takes_all_cards_along_and_is_left_again(screen, key, example, other):
    screen.change(*example)
    screen.change(key, "trained", True)
    shown = numbers(screen.settle(other))
    expected = CHANGES[other].engine(screen.mirror.settings, screen.mirror.chosen[other])
    assert expected
    assert set(expected) - set(shown) == set()
    assert "trained weights" in screen.card(other).inner_text()
    assert [screen.settle(card) for card in screen.keys]
    screen.change(key, "trained", False)
    assert "random weights, seed" in screen.card(other).inner_text()


@pytest.mark.parametrize(("screen", "key"), BY_KEYS, indirect=["screen"], ids=str)
def test_keys_alone_reach_every_control_by_its_name_and_change_the_card(screen, key):
    """One control of each kind is changed; a button that plays has a test of its own."""
    card, tried = screen.card(key), set()
    elements = card.locator(".tbh-ctl :is(input, select, button)")
    come_in(screen, key)
    for place, (control, value) in enumerate(places(screen, key)):
        assert card.evaluate(FOCUS) == [place, True], f"{control.label}: reached in order, and seen to be"
        name = control.label if value is None else screen.label(control, value)
        expect(elements.nth(place)).to_have_accessible_name(name)
        kind = (type(control), getattr(control, "beside", False))
        if kind not in tried and not (isinstance(control, Press) and control.plays):
            tried.add(kind)
            screen.page.evaluate(REMEMBER)
            change_by_keys(screen, key, control, value)
            screen.settle(key)
            assert screen.page.evaluate(KEPT), f"{control.label}: the focus stays"
        screen.page.keyboard.press("Tab")
    assert card.evaluate(FOCUS)[0] == -1, "Tab leads out again"


@on(SCREENS)
def test_every_drawing_has_a_title_and_a_description(screen):
    drawings = [(key, *drawing) for key in screen.keys for drawing in screen.card(key).evaluate(DRAWINGS)]
    assert drawings
    for key, role, title, described, names, title_id in drawings:
        assert role == "img", key
        assert title, key
        assert described, key
        assert title_id in names.split(), key
    assert len({title_id for *_, title_id in drawings}) == len(drawings), "an id stands for one thing on the page"


@on(SCREENS)
def test_axe_finds_nothing_that_keeps_people_out(screen):
    assert told_by_axe(screen.page) == []


@on(LIGHT)
def test_in_vs_code_too_every_word_can_be_read(screen):
    with vs_code_dark(screen.page):
        assert told_by_axe(screen.page) == []
