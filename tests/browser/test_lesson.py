"""The student release in a real JupyterLab: Run All, the numbers on the screen, both themes, a narrow window.

Pictures of what was seen are left in the test's temporary folder (pytest --basetemp chooses it).
"""

import re

import pytest
from course_units import HOMEWORKS, LESSONS, UNITS, WHOLE_PASSES, checks, release, solution, text_outputs
from running_lab import ERRORS, THEMES, open_and_run

from helpers.displays.numbers import MINUS

# Node by node, so that neighbouring cells stay apart, and with what a scroll area or a fold hides.
SHOWN_TEXT = """() => [...document.querySelectorAll('.jp-OutputArea-output')].flatMap(output => {
    const walker = document.createTreeWalker(output, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    return texts;
}).join(' ')"""

PICTURES = 6
SCROLL_TO = """share => {
    const pane = document.querySelector('.jp-WindowedPanel-outer');
    pane.scrollTo(0, share * (pane.scrollHeight - pane.clientHeight));
}"""


def run_release(browser, lab, unit, theme, **size):
    """A page on the unit, every cell executed."""
    code = [cell for cell in release(unit).cells if cell.cell_type == "code" and cell.source.strip()]
    return open_and_run(browser, lab, f"{unit}/{unit}.ipynb", len(code), theme, **size)


# Three decimals in the lessons, six in the hand traces, one in what the homework gives.
NUMBER = r"[+-]\d+\.(?:\d|\d{3}|\d{6})(?!\d)"

# A page takes a minute or two: every lesson once, the themes in turn, and the first lesson in both.
SCREENS = [(unit, THEMES[k % 2]) for k, unit in enumerate(UNITS)] + [(UNITS[0], THEMES[1])]


@pytest.fixture(scope="module", params=SCREENS, ids=str)
def shown(request, browser, lab, tmp_path_factory):
    unit, theme = request.param
    page = run_release(browser, lab, unit, theme)
    folder = tmp_path_factory.mktemp("screens")
    yield unit, theme, page, folder
    page.close()


def test_the_theme_is_the_one_asked_for(shown):
    _, theme, page, _ = shown
    assert page.evaluate("() => document.body.dataset.jpThemeLight") == str("Light" in theme).lower()


def test_no_cell_shows_an_error(shown):
    _, _, page, _ = shown
    assert page.locator(ERRORS).all_inner_texts() == []


def test_every_check_says_that_nothing_is_there_yet(shown):
    unit, _, page, _ = shown
    said = "not written yet" if unit in LESSONS else "not filled in yet"
    outputs = page.locator(".jp-CodeCell .jp-Cell-outputWrapper").filter(has_text=said)
    # The hand traces try a task a second time, on the reader's own word: check(…, word="mat").
    on_a_word = [
        cell for cell in release(unit).cells if cell.cell_type == "code" and re.search(r"\bword=", cell.source)
    ]
    assert outputs.count() == len(checks(release(unit))) + len(on_a_word)


def test_the_numbers_of_the_solution_are_on_the_screen(shown):
    """Every number that the solution's text twins hold at one, three or six decimals, checks apart."""
    unit, _, page, _ = shown
    graded = {cell.id for cell in checks(solution(unit)).values()}
    texts = [text for cell in solution(unit).cells if cell.id not in graded for text in text_outputs(cell)]
    expected = {number for text in texts for number in re.findall(rf"(?<![\d.]){NUMBER}", text)}
    assert len(expected) > (300 if unit in WHOLE_PASSES else 10)
    seen = page.evaluate(SHOWN_TEXT)
    numbers = set(re.findall(NUMBER, seen.replace(MINUS, "-")))
    assert expected - numbers == set()


def relative_luminance(rgb):
    channels = [value / 255 for value in rgb]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_displays_are_readable_in_the_theme(shown):
    """Text against its ground has a contrast of at least 4.5, as accessible pages need."""
    _, _, page, _ = shown
    pairs = page.evaluate(
        """() => [...document.querySelectorAll('.jp-OutputArea-output .tbh')].map(root => {
            const style = getComputedStyle(root);
            return [style.color, style.backgroundColor];
        })"""
    )
    assert pairs
    for foreground, ground in set(map(tuple, pairs)):
        fg, bg = ([float(part) for part in re.findall(r"[\d.]+", color)] for color in (foreground, ground))
        alpha = fg[3] if len(fg) > 3 else 1.0
        mixed = [alpha * a + (1 - alpha) * b for a, b in zip(fg[:3], bg[:3], strict=True)]
        light, dark = sorted((relative_luminance(mixed), relative_luminance(bg[:3])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (foreground, ground)


def test_pictures_are_kept(shown):
    """A few screens, top to bottom, for a person to look at."""
    _, theme, page, folder = shown
    for number in range(PICTURES):
        share = number / (PICTURES - 1)
        page.evaluate(SCROLL_TO, share)
        page.screenshot(path=folder / f"{theme.split()[1].lower()}-{number}.png")
    assert len(list(folder.glob("*.png"))) == PICTURES


@pytest.mark.parametrize("unit", [LESSONS[0], HOMEWORKS[0]])
def test_a_narrow_window_has_no_page_wide_overflow(browser, lab, unit, tmp_path):
    """At 360 pixels wide outputs scroll inside themselves, and the page does not scroll sideways."""
    page = run_release(browser, lab, unit, THEMES[0], width=360, height=780)
    too_wide = page.evaluate(
        """() => ['html', 'body', '.jp-NotebookPanel', '.jp-WindowedPanel-outer']
            .map(name => [name, document.querySelector(name)])
            .filter(([_, e]) => e.scrollWidth > e.clientWidth + 1)
            .map(([name, e]) => `${name}: ${e.scrollWidth} > ${e.clientWidth}`)"""
    )
    page.screenshot(path=tmp_path / "narrow.png")
    page.close()
    assert too_wide == []
