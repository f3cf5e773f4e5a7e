"""The built site in a real browser: offline, light and dark, narrow, printed, searched, and read by axe-core.

Pictures of what was seen are left in the test's temporary folder (pytest --basetemp chooses it).
"""

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from helpers.course.notebooks import units
from helpers.site.build import build

PROJECT = Path(__file__).resolve().parents[2]
LESSON = "encoder/encoder"
UNITS = [f"{unit}/{unit}" for unit in units(PROJECT)]
PAGES = ["index", *UNITS, "worksheets/index", "pages/symbols", *(path.stem for path in PROJECT.glob("docs/[!i]*.md")),
         "search"]  # fmt: skip
THEMES = ["light", "dark"]
GRAVE = ["serious", "critical"]
# A window of 1280 px at 400 %.
NARROW = 320
SECONDS = 120_000
TYPESET = "() => window.MathJax?.startup?.promise?.then(() => true)"
COLOURS = """() => [...document.querySelectorAll('article .tbh')].map(box => {
    const ours = getComputedStyle(box), page = getComputedStyle(document.body);
    return [ours.backgroundColor, ours.color, page.backgroundColor, page.color].join(' / ');
})"""
WIDTHS = "() => ['html', '.content', 'article'].map(name => {" + """
    const box = document.querySelector(name);
    return [name, box.scrollWidth - box.clientWidth];
}).filter(([, over]) => over > 1)"""
# Boxes that scroll sideways and that the keyboard cannot reach.
UNREACHED = """() => [...document.querySelectorAll('article *')].filter(box =>
    ['auto', 'scroll'].includes(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1
    && box.tabIndex < 0 && !box.querySelector('a, [tabindex="0"]')).map(box => box.outerHTML.slice(0, 120))"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(folder):
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    build(PROJECT, folder)
    server = serve(folder)
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Seen:
    """A page that was opened, what it asked for, and what went wrong."""

    def __init__(self, browser, address, name, theme="light", width=1280):
        self.page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
        self.page.set_default_timeout(SECONDS)
        self.asked, self.faults = [], []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("response", lambda answer: self._note(answer.status < 400, f"{answer.status} {answer.url}"))
        self.page.on("console", lambda line: self._note(line.type not in ("error", "warning"), line.text))
        self.page.on("pageerror", lambda error: self._note(False, str(error)))
        self.page.goto(f"{address}/{name}.html")
        self.page.evaluate(TYPESET)

    def _note(self, fine, said):
        if not fine:
            self.faults.append(said)

    def grave(self):
        """What axe-core finds that keeps people out."""
        found = Axe().run(self.page, options={"resultTypes": ["violations"]}).response["violations"]
        return [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in GRAVE]


@pytest.fixture(scope="module", params=[(name, theme) for name in PAGES for theme in THEMES], ids=str)
def screen(request, browser, address):
    name, theme = request.param
    seen = Seen(browser, address, name, theme)
    yield name, theme, seen
    seen.page.close()


def test_a_page_asks_only_its_own_site_and_nothing_fails(screen, address):
    _, _, seen = screen
    assert [url for url in seen.asked if not url.startswith((address, "data:"))] == []
    assert seen.faults == []


def test_formulas_are_typeset(screen):
    name, _, seen = screen
    formulas = seen.page.locator("article .math").count()
    assert formulas > 0 or name not in (*UNITS, "index", "pages/symbols")
    assert seen.page.locator("article mjx-container").count() == formulas
    assert seen.page.locator("mjx-merror, [data-mjx-error]").count() == 0


def test_matrices_stand_on_the_page_s_own_ground(screen):
    name, theme, seen = screen
    pairs = {tuple(line.split(" / ")) for line in seen.page.evaluate(COLOURS)}
    assert len(pairs) == (1 if name in UNITS else 0)
    for ground, text, page_ground, page_text in pairs:
        assert (ground, text) == (page_ground, page_text)
        brightness = sum(int(part) for part in ground[4:-1].split(","))
        assert brightness > 700 if theme == "light" else brightness < 100


def test_axe_finds_nothing_grave(screen, tmp_path):
    name, theme, seen = screen
    seen.page.screenshot(path=tmp_path / f"{name.replace('/', '-')}-{theme}.png")
    assert seen.grave() == []


@pytest.mark.parametrize("name", PAGES)
def test_at_400_percent_text_fits_and_what_is_wide_scrolls_by_itself(browser, address, tmp_path, name):
    seen = Seen(browser, address, name, width=NARROW)
    seen.page.wait_for_timeout(200)
    seen.page.screenshot(path=tmp_path / "narrow.png")
    assert seen.page.evaluate(WIDTHS) == []
    assert seen.page.evaluate(UNREACHED) == []
    seen.page.close()


def test_a_narrow_page_s_contents_open_by_keyboard(browser, address):
    seen = Seen(browser, address, LESSON, width=NARROW)
    link = seen.page.locator(".sidebar-drawer a", has_text="The decoder").first
    assert not link.is_visible()
    seen.page.locator("#__navigation").focus()
    seen.page.keyboard.press("Space")
    link.wait_for(state="visible")
    seen.page.close()


def test_on_paper_there_is_no_furniture(browser, address, tmp_path):
    seen = Seen(browser, address, LESSON)
    seen.page.emulate_media(media="print")
    for name in (".sidebar-drawer", ".toc-drawer", ".mobile-header", ".related-pages"):
        assert not seen.page.locator(name).is_visible(), name
    assert seen.page.locator("article .tbh").first.is_visible()
    seen.page.pdf(path=tmp_path / "lesson.pdf", format="A4")
    seen.page.close()


@pytest.mark.parametrize(("word", "where"), [("softmax", "encoder"), ("perplexity", "decoder"), ("sandbox", "grading")])
def test_search_finds_a_word(browser, address, word, where):
    seen = Seen(browser, address, "index")
    seen.page.locator(".sidebar-search").fill(word)
    seen.page.keyboard.press("Enter")
    found = seen.page.locator(f"#search-results li a[href*='{where}']").first
    found.wait_for()
    found.click()
    seen.page.wait_for_load_state()
    assert word in seen.page.locator("article").inner_text().lower()
    assert seen.faults == []
    seen.page.close()


def test_the_first_screen_of_a_card_stands_still_on_the_page(browser, address):
    seen = Seen(browser, address, LESSON)
    cards = seen.page.locator("article .tbh-still")
    assert cards.count() == 19
    assert seen.page.locator("article .tbh-still :is(button, input, select)").count() == 0
    assert cards.nth(5).inner_text().strip()
    seen.page.close()


WIDGET = {
    "cells": [{"cell_type": "code", "id": "a", "execution_count": 1, "metadata": {}, "source": "slider", "outputs": [
        {"output_type": "display_data", "metadata": {}, "data": {
            "text/plain": "IntText(value=7)",
            "application/vnd.jupyter.widget-view+json":
                {"model_id": "aa", "version_major": 2, "version_minor": 0}}}]}],
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "widgets": {
        "application/vnd.jupyter.widget-state+json": {"version_major": 2, "version_minor": 0, "state": {
            "aa": {"model_module": "@jupyter-widgets/controls", "model_module_version": "2.0.0",
                   "model_name": "IntTextModel", "state": {"value": 7, "description": "d_model", "layout": "bb",
                                                           "style": "cc"}},
            "bb": {"model_module": "@jupyter-widgets/base", "model_module_version": "2.0.0",
                   "model_name": "LayoutModel", "state": {}},
            "cc": {"model_module": "@jupyter-widgets/controls", "model_module_version": "2.0.0",
                   "model_name": "DescriptionStyleModel", "state": {}}}}}},
    "nbformat": 4, "nbformat_minor": 5,
}  # fmt: skip
