"""Pages of feedback and the class report in a real browser: both themes, a phone, a screen reader, paper, harm."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from pen_class import UNIT, make_class

from helpers.term.feedback import write_feedback
from helpers.term.report import class_report, write_report

PAGES = ("feedback of bob", "feedback of mal", "report")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Name of a page → its file."""
    root = make_class(tmp_path_factory.mktemp("term") / "course")
    write_feedback(root, UNIT)
    report = write_report(class_report(root, UNIT, before=root / "gradebook.db"), root / "reports")[0]
    found = {f"feedback of {name}": root / "feedback" / name / UNIT / f"{UNIT}.html" for name in ("bob", "mal")}
    return found | {"report": report}


@pytest.fixture(params=PAGES)
def opened(request, browser, files):
    """A function that opens one of the pages in a theme and a width."""
    contexts = []

    def open_page(theme, width=1000):
        contexts.append(browser.new_context(color_scheme=theme, viewport={"width": width, "height": 800}))
        page = contexts[-1].new_page()
        page.goto(files[request.param].as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", [1000, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_fault_for_axe_and_no_page_that_is_too_wide(opened, theme, width):
    page = opened(theme, width)
    found = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_ground_follows_the_theme(opened):
    grounds = [opened(theme).evaluate("getComputedStyle(document.body).backgroundColor") for theme in ("light", "dark")]
    assert grounds == ["rgb(255, 255, 255)", "rgb(17, 17, 17)"]


def test_on_paper_it_is_black_on_white_and_opened(opened):
    page = opened("dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert len(page.pdf()) > 10_000


def test_nothing_of_a_student_acts_or_fetches(browser, files):
    page = browser.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(files["feedback of mal"].as_uri())
    page.wait_for_timeout(300)
    assert "harmed" not in page.title()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    page.close()


def test_the_policy_alone_keeps_a_script_from_running(browser, files, tmp_path):
    html = files["report"].read_text(encoding="utf-8")
    file = tmp_path / "harmed.html"
    file.write_text(html.replace("<main>", "<main><script>document.title = 'harmed'</script>", 1), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert page.title() != "harmed"
    page.close()
