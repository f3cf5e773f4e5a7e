"""The card that makes worksheets: what it offers, what it refuses, and what it is where no kernel runs."""

import base64
import re
import sys
from io import BytesIO

import ipywidgets
import pytest
from pypdf import PdfReader

from helpers import worksheet_card
from helpers.displays.style import FRAME, minified
from helpers.worksheets import make
from helpers.worksheets.card import NO_WIDGETS, Card, introduction

# What assistive technology can name, and both versions of ipywidgets have.
ALLOWED = {"Text", "BoundedIntText", "Dropdown", "Button", "HTML", "HBox", "VBox"}


def parts(widget):
    yield widget
    for child in getattr(widget, "children", ()):
        yield from parts(child)


def offered(card):
    """Name → PDF of every link in the card."""
    links = re.findall(r'download="([^"]+)" href="data:application/pdf;base64,([^"]+)"', card.said.value)
    return {name: base64.b64decode(data) for name, data in links}


def made(**values):
    card = Card()
    for name, value in values.items():
        getattr(card.controls, name).value = value
    card.button.click()
    assert not card.button.disabled
    return card


def test_only_controls_that_can_be_named_are_used():
    widgets = list(parts(Card().box))
    assert {type(widget).__name__ for widget in widgets} <= ALLOWED
    named = [w for w in widgets if isinstance(w, (ipywidgets.Text, ipywidgets.BoundedIntText, ipywidgets.Dropdown))]
    labels = [widget.description for widget in named]
    assert all(labels)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("card", [Card, made, lambda: made(sentence="")], ids=["untouched", "made", "refused"])
def test_it_always_carries_its_frame(card):
    """VS Code lets no output see the style of another."""
    assert minified(FRAME) in card().said.value


def test_the_first_click_offers_the_homework():
    ((name, pdf),) = offered(made()).items()
    assert re.fullmatch(r"worksheet-E4-2-8-3-seed0-[A-Z]{3}\.pdf", name)
    assert PdfReader(BytesIO(pdf)).pages


def test_key_decoder_and_id_are_passed_on():
    card = made(
        sentence="a dog", stack="encoder and decoder", decoder="ein Hund", student=" Ada ", key="separate", seed=3
    )
    names = list(offered(card))
    assert re.fullmatch(r"worksheet-D4-2-8-3-@ada-[A-Z]{3}\.pdf", names[0])
    assert names[1] == names[0].replace(".pdf", "-key.pdf")
    assert "homework(&quot;translation&quot;" in card.said.value


def test_a_sentence_for_the_decoder_can_be_typed_only_when_there_is_one():
    card = Card()
    assert card.controls.decoder.disabled
    card.controls.stack.value = "encoder and decoder"
    assert not card.controls.decoder.disabled
    assert not Card(decoder=True).controls.decoder.disabled


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"sentence": ""}, "at least one word"),
        ({"sentence": "a <sos>"}, "&lt;sos&gt; is a reserved word"),
        ({"d_model": 7}, "must be even"),
        ({"d_model": 0}, "at least 1"),
        ({"heads": 3}, "divisible"),
        ({"d_ff": 999}, "too large"),
        ({"student": "x" * 60}, "at most 40"),
    ],
)
def test_what_cannot_be_made_is_one_sentence_in_the_card(values, said):
    card = made(**values)
    assert said in card.said.value
    assert 'role="alert"' in card.said.value
    assert not offered(card)
    card.controls.sentence.value, card.controls.d_model.value, card.controls.heads.value = "a dog", 4, 2
    card.controls.d_ff.value, card.controls.student.value = 8, ""
    card.button.click()
    assert offered(card)


def test_outside_a_notebook_it_says_what_to_call(capsys):
    worksheet_card()
    printed = capsys.readouterr().out
    assert "make_worksheets()" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_without_ipywidgets_it_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr("IPython.get_ipython", lambda: object())
    monkeypatch.setattr("IPython.display.display", print)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    worksheet_card()
    assert capsys.readouterr().out.splitlines()[-1] == "To choose here, install ipywidgets with  pip install ipywidgets"
    assert "pip install ipywidgets" in introduction(False, NO_WIDGETS).html


def test_without_typst_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "typst", None)
    make._compiler.cache_clear()
    assert "Worksheets need typst: install it with  pip install typst" in made().said.value
