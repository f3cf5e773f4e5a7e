"""The whole course as a student in a real JupyterLab: every release opened, answered in its cells, run and handed in.

The same pages are looked at: the numbers on the screen, both themes, 400 %, axe-core. Each is opened once, and the
last test of a page takes it apart. Pictures of what was seen are left in the test's temporary folder (pytest
--basetemp chooses it).
"""

import re

import pytest
from course_units import (
    HOMEWORKS,
    PROJECT,
    UNITS,
    WHOLE_PASSES,
    answers,
    checks,
    practice,
    prose,
    solution,
    text_outputs,
)
from lesson_pages import (
    CHECKS,
    THINNED,
    change_theme,
    contrasts,
    grave,
    open_lesson,
    saved,
    unreadable_at_400_percent,
)
from running_lab import ERRORS, THEMES
from test_homework import numbers_of, typed

from helpers.displays.numbers import MINUS
from helpers.grading.classroom import open_course
from helpers.grading.marking import mark, sandbox_for

# Node by node, so that neighbouring cells stay apart, and with what a scroll area or a fold hides.
SHOWN_TEXT = """() => [...document.querySelectorAll('.jp-OutputArea-output')].flatMap(output => {
    const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    return texts;
}).join(' ')"""
KINDS = "() => [...document.querySelectorAll('.jp-OutputArea-output .tbh .fb')].map(said => said.classList[1])"
PICTURES = 6
SCROLL_TO = """share => {
    const pane = document.querySelector('.jp-WindowedPanel-outer');
    pane.scrollTo(0, share * (pane.scrollHeight - pane.clientHeight));
}"""
# Three decimals in the lessons, six in the hand traces, one in what the homework gives.
NUMBER = r"[+-]\d+\.(?:\d|\d{3}|\d{6})(?!\d)"
# The themes in turn; a student who changes it later is one of the tests.
SCREENS = [(unit, THEMES[k % 2]) for k, unit in enumerate(UNITS)]


def right_answers(unit):
    """grade_id → what a student types: functions and words of the solution, a homework's numbers from the engine."""
    right = solution(unit)
    sources = {name: cell.source for name, cell in {**answers(right), **practice(right), **prose(right)}.items()}
    numbers = numbers_of(unit) if unit in HOMEWORKS else {}
    return sources | {key: typed(key, value).replace("-inf", "float('-inf')") for key, value in numbers.items()}


@pytest.fixture(scope="module", params=SCREENS, ids=str)
def done(request, browser, lab, tmp_path_factory):
    unit, theme = request.param
    page = open_lesson(browser, lab, unit, theme, right_answers(unit))
    yield unit, theme, page, tmp_path_factory.mktemp("screens")
    page.close()
    lab.end_kernels()


def test_no_cell_shows_an_error(done):
    _, _, page, _ = done
    assert page.locator(ERRORS).all_inner_texts() == []


def test_every_check_turns_right(done):
    unit, _, page, _ = done
    said = page.evaluate(CHECKS)
    assert {name: one["kind"] for name, one in said.items()} == dict.fromkeys(checks(solution(unit)), "right")
    kinds = page.evaluate(KINDS)
    assert len(kinds) >= len(said)
    assert {*kinds} == {"right"}, "practice is right too"


def test_the_saved_file_earns_every_automatic_mark(done, lab):
    name, _, page, _ = done
    content = saved(page, lab, name)
    unit = open_course(PROJECT, name).marking_unit(keep=False)
    with sandbox_for(unit) as sandbox:
        marked = mark(content, unit, "ada", sandbox)
    automatic = {check: unit.points[check] for check in checks(solution(name))}
    assert marked.points == automatic
    assert marked.by_hand == list(prose(solution(name)))
    assert (marked.repairs, marked.limits, marked.remarks, marked.labels) == ([], [], [], {})


def test_the_numbers_of_the_solution_are_on_the_screen(done):
    """Every number that the solution's text twins hold at one, three or six decimals, checks apart."""
    unit, _, page, _ = done
    graded = {cell.id for cell in checks(solution(unit)).values()}
    texts = [text for cell in solution(unit).cells if cell.id not in graded for text in text_outputs(cell)]
    expected = {number for text in texts for number in re.findall(rf"(?<![\d.]){NUMBER}", text)}
    assert len(expected) > (300 if unit in WHOLE_PASSES else 10)
    seen = page.evaluate(SHOWN_TEXT)
    numbers = set(re.findall(NUMBER, seen.replace(MINUS, "-")))
    assert expected - numbers == set()


def test_pictures_are_kept(done):
    """A few screens, top to bottom, for a person to look at."""
    _, theme, page, folder = done
    for number in range(PICTURES):
        page.evaluate(SCROLL_TO, number / (PICTURES - 1))
        page.screenshot(path=folder / f"{theme.split()[1].lower()}-{number}.png")
    assert len(list(folder.glob("*.png"))) == PICTURES


def test_at_400_percent_text_fits_and_what_is_wide_scrolls_by_itself(done):
    _, _, page, _ = done
    assert unreadable_at_400_percent(page) == {}


def test_displays_are_readable_in_both_themes_and_axe_finds_nothing_grave(done):
    """Text against its ground has a contrast of at least 4.5; axe-core reads a page that is thinned for it."""
    _, first, page, _ = done
    page.evaluate(THINNED)
    for theme in sorted(THEMES, key=first.__ne__):
        change_theme(page, theme)
        found = contrasts(page, ".jp-OutputArea-output .tbh")
        assert found
        assert {pair: contrast for pair, contrast in found.items() if contrast < 4.5} == {}
        assert grave(page) == [], theme
