"""What holds for every card in every state: it draws, it is well-formed, it says both shapes, and it is quick."""

import re
import sys
from html.parser import HTMLParser

import pytest
from card_settings import any_settings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import helpers
from helpers import cards
from helpers.cards import all_cards, find
from helpers.cards.controls import Decimal, Line, Menu, Number, Press, Tick
from helpers.cards.settings import FIELDS, Settings
from helpers.cards.shared import Shared
from helpers.cards.shell import Live
from helpers.errors import PlainError

CARDS = all_cards()
NUMBERS = {"encoder": list(range(1, 20)), "decoder": list(range(1, 16))}
VOID = {"br", "img", "input", "hr", "image", "path", "line", "circle", "rect", "polyline", "use"}


class Reader(HTMLParser):
    """Collects what the tests ask about, and complains about tags that do not close."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.references, self.svgs, self.tables, self.text = [], [], [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        for name in ("aria-labelledby", "aria-describedby", "for"):
            self.references += attributes.get(name, "").split()
        if tag == "svg":
            self.svgs.append(attributes)
        if tag == "script" or any(name.startswith("on") for name in attributes):
            pytest.fail("a card carries no JavaScript")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def any_value(draw, control, mine):
    """A value that a reader could give a control of a card's own."""
    if isinstance(control, Menu):
        return draw(st.sampled_from([value for _, value in control.options(mine)]))
    if isinstance(control, Number):
        return draw(st.integers(*control.bounds(mine)))
    if isinstance(control, Decimal):
        return draw(st.floats(control.low, control.high))
    if isinstance(control, Tick):
        return draw(st.booleans())
    return draw(st.text(max_size=20))


def state(draw, card, mine):
    chosen = card.start(mine)
    for control in card.controls:
        if not control.shared and not isinstance(control, Press):
            setattr(chosen, control.name, any_value(draw, control, mine))
    return card.fitted(mine, chosen)


def check_stage(card, stage):
    display = stage.display
    reader = Reader(display.body)
    text = "".join(reader.text)
    assert not re.search(r"\bnan\b|Traceback|<function|object at 0x|-0\.000(?!\d)|\u22120\.000(?!\d)", text)
    assert len(set(reader.ids)) == len(reader.ids), "an id stands for one thing"
    assert set(reader.references) <= set(reader.ids), "what is referred to is there"
    for svg in reader.svgs:
        assert svg.get("role") == "img"
        assert svg.get("aria-labelledby")
    assert display.body.count("<svg") == display.body.count("<title") == display.body.count("<desc")
    assert len(display.body) < 60_000
    assert display.text.strip()
    assert max(map(len, display.text.splitlines())) <= 100
    assert stage.this
    assert stage.paper
    assert "<style" not in display.body


@pytest.mark.parametrize("key", CARDS)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_state_can_be_drawn(key, data):
    card, mine = CARDS[key], data.draw(any_settings())
    chosen = state(data.draw, card, mine)
    typed = any(isinstance(control, Line) and not control.shared for control in card.controls)
    try:
        stage = card.draw(mine, chosen)
    except PlainError:
        if not typed:  # only what is typed can be refused
            raise
        return
    check_stage(card, stage)
    again = card.draw(mine, chosen)
    assert (again.display.text, again.display.body) == (stage.display.text, stage.display.body)


@pytest.mark.parametrize("key", CARDS)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_every_button_leads_to_a_state_that_can_be_drawn(key, data):
    card, mine = CARDS[key], data.draw(any_settings())
    for control in card.controls:
        if isinstance(control, Press):
            changes = control.change(mine, state(data.draw, card, mine))
            assert changes is None or set(changes) <= {*FIELDS, *vars(card.start(mine))}


@pytest.mark.parametrize("key", CARDS)
def test_the_first_state_stands_on_a_page_without_a_kernel(key):
    mine = Settings()
    still = CARDS[key].still(mine)
    reader = Reader(still.html)
    text = " ".join(reader.text)
    card = CARDS[key]
    for said in (card.title, card.question, f"{card.unit} {card.number}", "this run", "paper"):
        assert said in text
        assert said in " ".join(still.text.split())
    stage = card.draw(mine, card.start(mine))
    assert stage.display.body in still.html
    assert (mine.weights in text) == stage.weights
    assert max(map(len, still.text.splitlines())) <= 100


@pytest.mark.parametrize("key", CARDS)
def test_the_live_card_begins_with_the_same_picture_and_every_control_has_a_label(key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    card, mine = CARDS[key], Settings()
    live = Live(card, Shared(mine))
    assert card.draw(mine, card.start(mine)).display.body in live.stage.value
    for control in card.controls:
        assert live.widgets[control.name].description == control.label != ""
    labels = [control.label for control in card.controls]
    assert len(set(labels)) == len(labels)
    kinds = {type(widget).__name__ for widget in live.widgets.values()}
    assert kinds <= {"Dropdown", "ToggleButtons", "BoundedIntText", "BoundedFloatText", "Checkbox", "Text", "Button"}


def test_the_lessons_have_all_their_cards():
    assert {unit: sorted(c.number for c in CARDS.values() if c.unit == unit) for unit in NUMBERS} == NUMBERS


def test_questions_are_questions_and_titles_are_told_apart():
    assert all(card.question.endswith("?") for card in CARDS.values())
    places = [(card.unit, card.title) for card in CARDS.values()]
    assert len(set(places)) == len(places)


def test_a_card_is_found_by_its_key_and_by_its_place():
    assert find("scores") is find("Scores") is find("encoder 11")
    assert find("clock_hands") is find(" clock  hands ") is find("encoder 7")


@pytest.mark.parametrize(("key", "said"), [("score", "Did you mean 'scores'"), ("qqqq", "There are sizes, sentence")])
def test_a_key_that_is_none_names_what_is_near(key, said):
    with pytest.raises(PlainError, match=said):
        find(key)


def test_on_a_terminal_a_card_prints_its_first_state(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    helpers.card("scores")
    assert capsys.readouterr().out.strip() == CARDS["scores"].still(Settings()).text.strip()


def test_without_ipywidgets_a_card_stands_still_and_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    card = CARDS["scores"]
    bundle = cards._bundle(card, Shared(Settings()), card.still(Settings()))
    assert set(bundle) == {"text/plain", "text/html"}
    assert "pip install ipywidgets" in bundle["text/plain"]
    assert "pip install ipywidgets" in bundle["text/html"]


def test_a_notebook_gets_the_live_card_and_its_first_state_and_colab_the_live_card_alone(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    card = CARDS["scores"]
    still = card.still(Settings())
    assert set(cards._bundle(card, Shared(Settings()), still)) == {"text/plain", "text/html", cards.VIEW}
    monkeypatch.setitem(sys.modules, "google.colab", object())
    assert set(cards._bundle(card, Shared(Settings()), still)) == {cards.VIEW}
