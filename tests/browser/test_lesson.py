"""Lessons half done in a real JupyterLab: typical slips are asked about, what is not written yet is said to be so."""

import pytest
from course_units import HOMEWORKS, LESSONS, checks, release
from lesson_pages import CHECKS, change_theme, contrasts, open_lesson
from running_lab import ERRORS, THEMES
from slips import questions, typical_slips

from helpers.displays.numbers import typeset_within

# In one of them functions are written, in the other numbers.
SCREENS = [("encoder", THEMES[0]), ("homework_encoder", THEMES[1])]
SEEN = """selector => [...document.querySelectorAll(selector)].map(box => {
    box.scrollIntoView({block: 'center'});
    const {left, top, right, bottom} = box.getBoundingClientRect();
    return box.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
})"""


@pytest.fixture(scope="module", params=SCREENS, ids=str)
def begun(request, browser, lab):
    unit, theme = request.param
    sources, labels = typical_slips(unit)
    page = open_lesson(browser, lab, unit, theme, sources)
    yield unit, page, sources, labels
    page.close()
    lab.end_kernels()


def test_no_cell_shows_an_error(begun):
    _, page, _, _ = begun
    assert page.locator(ERRORS).all_inner_texts() == []


def test_every_slip_is_asked_about_in_the_catalogue_s_words(begun):
    _, page, _, labels = begun
    said = page.evaluate(CHECKS)
    for name, label in labels.items():
        one = said[f"check-{name}"]
        assert one["kind"] == "off", name
        asked = [question for question in questions(label) if typeset_within(question) in one["question"]]
        assert len(asked) == 1, (name, one)


def test_what_was_made_from_a_slip_in_the_right_way_is_right(begun):
    unit, page, sources, labels = begun
    said = page.evaluate(CHECKS)
    right = {name for name in sources if name not in labels}
    assert bool(right) == (unit in HOMEWORKS)
    assert {name: said[f"check-{name}"]["kind"] for name in right} == dict.fromkeys(right, "right")


def test_every_other_check_says_that_nothing_is_there_yet(begun):
    unit, page, sources, _ = begun
    words = "not written yet" if unit in LESSONS else "not filled in yet"
    said = page.evaluate(CHECKS)
    rest = [name for name in checks(release(unit)) if name.removeprefix("check-") not in sources]
    assert rest
    assert {name: words in said[name]["text"].lower() for name in rest} == dict.fromkeys(rest, True)


def test_questions_are_seen_light_and_dark(begun, tmp_path):
    _, page, _, labels = begun
    for theme in reversed(THEMES):
        change_theme(page, theme)
        seen = page.evaluate(SEEN, ".jp-OutputArea-output .tbh .fb .q")
        page.screenshot(path=tmp_path / f"{theme.split()[1].lower()}.png")
        assert len(seen) >= len(labels)
        assert all(seen), theme
        found = contrasts(page, ".jp-OutputArea-output .tbh :is(.fb .q, .fb .v b, .fb dt)")
        assert {pair: contrast for pair, contrast in found.items() if contrast < 4.5} == {}, theme
