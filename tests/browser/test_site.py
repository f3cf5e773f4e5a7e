"""The built site in a real browser: offline, light and dark, narrow, printed, searched, and read by axe-core.

Each page is opened once; the tests of a page follow each other, and the last one takes it apart. Pictures of what was
seen are left in the test's temporary folder (pytest --basetemp chooses it).
"""

import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from helpers.cards import all_cards
from helpers.course.notebooks import units
from helpers.site import build as room

PROJECT = Path(__file__).resolve().parents[2]
LESSON = "encoder/encoder"
UNITS = [f"{unit}/{unit}" for unit in units(PROJECT)]
DOCS = [path.stem for path in PROJECT.glob("docs/*.md")]
PAGES = [*UNITS, *sorted(DOCS), "worksheets/index", "pages/symbols", "search"]
THEMES = ["light", "dark"]
GRAVE = ["serious", "critical"]
# A window of 1280 px, and the same at 400 %.
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 320, "height": 800}
MILLISECONDS = 180_000
TYPESET = "() => window.MathJax?.startup?.promise?.then(() => true)"
COLOURS = """() => [...document.querySelectorAll('article .tbh')].map(box => {
    const ours = getComputedStyle(box), page = getComputedStyle(document.body);
    return [ours.backgroundColor, ours.color, page.backgroundColor, page.color].join(' / ');
})"""
TOO_WIDE = """() => ['html', '.content'].map(name => [name, document.querySelector(name)])
    .filter(([, box]) => box.scrollWidth > box.clientWidth + 1).map(([name]) => name)"""
# Boxes that scroll sideways and that the keyboard cannot reach.
UNREACHED = """() => [...document.querySelectorAll('article *')].filter(box =>
    box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0 && box.tabIndex < 0
    && ['auto', 'scroll'].includes(getComputedStyle(box).overflowX)
    && !box.querySelector('a, [tabindex="0"]')).map(box => box.outerHTML.slice(0, 120))"""
# axe-core needs minutes for the 30,000 elements of a lesson. Of what is alike, made of the same classes, one stays; of
# a matrix two rows and four columns, of a picture the first strokes, of the formulas fifteen.
THINNED = """() => {
    const seen = new Set();
    for (const box of document.querySelectorAll('article :is(.output, .cell_input, p, li, div.math, .table-wrapper)')) {
        const kinds = [box, ...box.querySelectorAll('*')].flatMap(one => [one.tagName, ...one.classList]);
        const telling = kinds.filter(kind => !/^([a-z][a-z0-9]{0,2}|mjx-.*|tex-.*)$/i.test(kind));
        const key = [...new Set(telling)].sort().join(' ');
        if (seen.has(key)) box.remove();
        seen.add(key);
    }
    const rest = 'tbody tr:nth-child(n+3), .m:not(.t) tr > :nth-child(n+5), svg > :nth-child(n+12)';
    for (const one of document.querySelectorAll(`article .tbh :is(${rest})`)) one.remove();
    for (const one of [...document.querySelectorAll('article mjx-container')].slice(15)) one.remove();
}"""


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
    room.build(PROJECT, folder)
    server = serve(folder)
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Seen:
    """A page that was opened, what it asked for, and what went wrong."""

    def __init__(self, browser, address, name):
        self.page = browser.new_page(viewport=WIDE, color_scheme="light")
        self.page.set_default_timeout(MILLISECONDS)
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


@pytest.fixture(scope="module", params=PAGES)
def screen(request, browser, address):
    seen = Seen(browser, address, request.param)
    yield request.param, seen
    seen.page.close()


@pytest.fixture(scope="module")
def lesson(browser, address):
    seen = Seen(browser, address, LESSON)
    yield seen
    seen.page.close()


def test_a_page_asks_only_its_own_site_and_nothing_fails(screen, address):
    _, seen = screen
    assert [url for url in seen.asked if not url.startswith((address, "data:"))] == []
    assert seen.faults == []


def test_formulas_are_typeset(screen):
    name, seen = screen
    formulas = seen.page.locator("article .math").count()
    assert formulas > 0 or name not in (*UNITS, "index", "pages/symbols")
    assert seen.page.locator("article mjx-container").count() == formulas
    assert seen.page.locator("article :is(mjx-merror, [data-mjx-error])").count() == 0


def test_matrices_stand_on_the_page_s_own_ground(screen, tmp_path):
    name, seen = screen
    for theme in THEMES:
        seen.page.emulate_media(color_scheme=theme)
        pairs = {tuple(line.split(" / ")) for line in seen.page.evaluate(COLOURS)}
        assert len(pairs) == (1 if name in UNITS else 0)
        for ground, text, page_ground, page_text in pairs:
            assert (ground, text) == (page_ground, page_text)
            brightness = sum(int(part) for part in ground[4:-1].split(","))
            assert brightness > 700 if theme == "light" else brightness < 100
        seen.page.screenshot(path=tmp_path / f"{name.replace('/', '-')}-{theme}.png")


def test_at_400_percent_text_fits_and_what_is_wide_scrolls_by_itself(screen, tmp_path):
    _, seen = screen
    seen.page.set_viewport_size(NARROW)
    seen.page.wait_for_timeout(300)
    seen.page.screenshot(path=tmp_path / "narrow.png")
    assert seen.page.evaluate(TOO_WIDE) == []
    assert seen.page.evaluate(UNREACHED) == []
    seen.page.set_viewport_size(WIDE)


def test_axe_finds_nothing_grave(screen):
    _, seen = screen
    seen.page.evaluate(THINNED)
    for theme in THEMES:
        seen.page.emulate_media(color_scheme=theme)
        found = Axe().run(seen.page, options={"resultTypes": ["violations"]}).response["violations"]
        grave = [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in GRAVE]
        assert grave == [], theme


# What one page shows for all


def test_the_first_screen_of_every_card_stands_still_on_its_page(lesson):
    cards = lesson.page.locator("article .tbh-still")
    assert cards.count() == sum(card.unit == "encoder" for card in all_cards().values())
    assert cards.locator("button, input, select").count() == 0
    assert all(text.strip() for text in cards.all_inner_texts())


def test_a_chosen_entry_lights_up_its_row_and_column(lesson):
    entry = lesson.page.locator("article .prod .c tbody td").first
    lit = lesson.page.locator("article .prod .a .i0").first
    before = lit.evaluate("one => getComputedStyle(one).backgroundImage")
    entry.evaluate("one => one.focus({preventScroll: true})")  # a tap or a click does the same as the pointer
    assert lit.evaluate("one => getComputedStyle(one).backgroundImage") != before


def test_on_paper_there_is_no_furniture(lesson, tmp_path):
    lesson.page.emulate_media(media="print")
    for name in (".sidebar-drawer", ".toc-drawer", ".mobile-header", ".related-pages"):
        assert not lesson.page.locator(name).is_visible(), name
    assert lesson.page.locator("article .tbh").first.is_visible()
    lesson.page.pdf(path=tmp_path / "lesson.pdf", format="A4")
    lesson.page.emulate_media(media="screen")


def test_a_narrow_page_s_contents_open_by_keyboard(lesson):
    lesson.page.set_viewport_size(NARROW)
    link = lesson.page.locator(".sidebar-drawer a", has_text="The decoder").first
    assert not link.is_visible()
    lesson.page.locator("#__navigation").focus()
    lesson.page.keyboard.press("Space")
    link.wait_for(state="visible")


@pytest.mark.parametrize(("word", "where"), [("softmax", "encoder"), ("perplexity", "decoder"), ("sandbox", "grading")])
def test_search_finds_a_word(browser, address, word, where):
    seen = Seen(browser, address, "pages/symbols")
    seen.page.locator(".sidebar-search").fill(word)
    seen.page.keyboard.press("Enter")
    seen.page.locator(f"#search-results li a[href*='{where}']").first.wait_for()
    assert seen.faults == []
    seen.page.close()


# The course stores no live widget; a notebook that does gets the vendored manager

CONTROLS, BASE = "@jupyter-widgets/controls", "@jupyter-widgets/base"


def model(module, name, **state):
    return {"model_module": module, "model_module_version": "2.0.0", "model_name": name, "state": state}


def notebook_with_a_widget():
    view = {"model_id": "field", "version_major": 2, "version_minor": 0}
    models = {
        "field": model(CONTROLS, "IntTextModel", value=7, layout="IPY_MODEL_box", style="IPY_MODEL_look"),
        "box": model(BASE, "LayoutModel"),
        "look": model(CONTROLS, "DescriptionStyleModel"),
    }
    output = {
        "output_type": "display_data",
        "metadata": {},
        "data": {"application/vnd.jupyter.widget-view+json": view, "text/plain": "IntText(value=7)"},
    }
    cell = {"cell_type": "code", "id": "a", "execution_count": 1, "metadata": {}, "source": "7", "outputs": [output]}
    title = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": "# A widget"}
    state = {"version_major": 2, "version_minor": 0, "state": models}
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "widgets": {"application/vnd.jupyter.widget-state+json": state},
    }
    return {"cells": [title, cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def test_a_live_widget_would_be_drawn_without_asking_elsewhere(browser, tmp_path):
    source = tmp_path / "source"
    (source / "_static").mkdir(parents=True)
    for name in ("conf.py", "_static/favicon.svg", "_static/byhand.css", "_static/byhand.js"):
        (source / name).write_bytes((PROJECT / "docs" / name).read_bytes())
    (source / "_static" / "displays.css").write_text("")
    (source / "index.ipynb").write_text(json.dumps(notebook_with_a_widget()))
    room.vendor(source / "_static" / "vendor")
    room.run_sphinx(source, tmp_path / "pages")
    server = serve(tmp_path / "pages")
    address = f"http://127.0.0.1:{server.server_port}"
    seen = Seen(browser, address, "index")
    field = seen.page.locator("article input[type=number]")
    field.wait_for()
    assert field.input_value() == "7"
    assert [url for url in seen.asked if not url.startswith((address, "data:", "blob:"))] == []
    seen.page.close()
    server.shutdown()
    server.server_close()
