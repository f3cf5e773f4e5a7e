"""The built site, read from its files: whole, linked, loading nothing from elsewhere, giving no answer away."""

import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from course_units import PROJECT, UNITS, grading, prose, release, solution, solution_lines

from helpers.course.execute import execute, read
from helpers.site.build import build
from helpers.site.pages import public

pytestmark = pytest.mark.slow

OWN_PAGES = ["index", "worksheets/index", "pages/symbols", "search", *(path.stem for path in PROJECT.glob("docs/*.md"))]
PAGES = sorted({*OWN_PAGES, *(f"{unit}/{unit}" for unit in UNITS)})
TEXTS = {".html", ".js", ".css", ".json", ".txt", ".svg", ".ipynb", ".md", ".map"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    build(PROJECT, folder)
    return folder


class Page(HTMLParser):
    """The elements of a page, in order, and its text."""

    def __init__(self, path):
        super().__init__()
        self.elements, self.texts, self.styles, self._open = [], [], [], ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._open = tag if tag in ("style", "script") else ""

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open == "style":
            self.styles.append(data)
        elif not self._open:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).split())

    def all(self, *tags):
        return [attributes for tag, attributes in self.elements if tag in tags]


@pytest.fixture(scope="module")
def pages(site):
    return {str(path.relative_to(site).with_suffix("")): Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_page_is_there_and_in_the_contents(pages):
    assert set(PAGES) <= set(pages)
    linked = {attributes["href"].partition("#")[0] for attributes in pages["index"].all("a")}
    for page in set(PAGES) - {"index", "search"}:
        assert f"{page}.html" in linked, page


# Nothing is given away


def every_text(site):
    """All that a reader or a crawler can read: the text of the pages, the raw files, the search index."""
    for path in site.rglob("*"):
        if path.suffix in TEXTS and "vendor" not in path.parts:
            raw = path.read_text(encoding="utf-8")
            yield path, " ".join(raw.split())
            if path.suffix == ".html":
                yield path, Page(path).text


def secrets(unit):
    """Lines of a unit's answers and hidden tests that its release does not hold."""
    open_text = " ".join(" ".join(cell.source.split()) for cell in release(unit).cells)
    hidden = []
    for cell in solution(unit).cells:
        if grading(cell).get("solution"):
            hidden += solution_lines(cell)
        hidden += re.findall(r"BEGIN HIDDEN TESTS\n(.*?)###", cell.source, re.DOTALL)
    hidden += [line for cell in prose(solution(unit)).values() for line in re.split(r"[\n.]", cell.source)]
    lines = {" ".join(line.split()) for text in hidden for line in text.splitlines()}
    return {line for line in lines if len(line) > 12 and line not in open_text}


def test_no_answer_and_no_hidden_test_is_on_the_site(site):
    lines = {line: unit for unit in UNITS for line in secrets(unit)}
    assert len(lines) > 300
    # One search for all: a line is looked for only where its longest word occurs.
    found = []
    for path, text in every_text(site):
        found += [(unit, line, path.name) for line, unit in lines.items() if line in text]
    assert found == []


def test_no_mark_of_the_instructors_notebooks_is_on_the_site(site):
    for path, text in every_text(site):
        for mark in ("BEGIN SOLUTION", "HIDDEN TESTS", "MARK SCHEME", "check_fresh", "grade_id"):
            assert mark not in text, (path.name, mark)


def test_the_search_for_answers_would_find_one(site, tmp_path):
    unit = UNITS[0]
    line = max(secrets(unit), key=len)
    (tmp_path / "page.html").write_text(f"<pre>{line}</pre>")
    assert any(line in text for _, text in every_text(tmp_path))


@pytest.mark.parametrize("unit", UNITS)
def test_a_page_shows_what_running_the_release_shows(unit):
    """So nothing that an answer made: no output but those of a student who has not written anything yet."""
    run = {cell.id: cell for cell in execute(PROJECT / "notebooks" / unit / f"{unit}.ipynb").cells}
    shown = [cell for cell in public(PROJECT, unit).cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) >= 9
    for cell in shown:
        assert cell.source == run[cell.id].source
        if "nbval-ignore-output" not in run[cell.id].metadata.get("tags", []):
            assert _levels_apart(cell) == _levels_apart(run[cell.id]), cell.source


def _levels_apart(cell):
    """A cell's outputs but for what the page adds, the level of a card's heading."""
    outputs = [{key: value for key, value in one.items() if key != "execution_count"} for one in cell.outputs]
    return re.sub(r' aria-level=\\"\d\\"', "", json.dumps(outputs, sort_keys=True))


def test_the_given_outputs_are_all_there():
    """Of the lessons' outputs only those of answers, of checks and of what reads an answer are left out."""
    for unit in UNITS:
        shown = {cell.id for cell in public(PROJECT, unit).cells if cell.get("outputs")}
        solved = read(PROJECT / "solutions" / unit / f"{unit}.ipynb").cells
        left_out = [c for c in solved if c.get("outputs") and not grading(c) and c.id not in shown]
        assert all(re.search(r"progress\(\)|slip\.answer|check\(\w+=", cell.source) for cell in left_out)


def test_sheets_are_there_to_download_and_keys_but_those_of_the_homework(site, pages):
    served = {hashlib.sha256(path.read_bytes()).digest(): path.name for path in site.rglob("*.pdf")}
    for path in sorted(PROJECT.glob("worksheets/*.pdf")):
        secret = path.name.startswith("homework") and "key" in path.name
        assert (hashlib.sha256(path.read_bytes()).digest() in served) is not secret, path.name
    linked = [Path(attributes["href"]).name for attributes in pages["worksheets/index"].all("a")]
    assert set(served.values()) <= set(linked)


# Links, and what is loaded


def test_every_link_inside_the_site_leads_somewhere(site, pages):
    ids = {name: {a["id"] for _, a in page.elements if a.get("id")} for name, page in pages.items()}
    broken = []
    for name, page in pages.items():
        for attributes in page.all("a"):
            url = urlsplit(attributes.get("href") or "")
            if url.scheme or url.netloc:
                continue
            target = (site / f"{name}.html").parent / unquote(url.path) if url.path else site / f"{name}.html"
            target = target.resolve()
            if not target.is_file():
                broken.append((name, attributes["href"]))
            elif url.fragment and target.suffix == ".html":
                there = str(target.relative_to(site.resolve()).with_suffix(""))
                if unquote(url.fragment) not in ids[there]:
                    broken.append((name, attributes["href"]))
    assert broken == []


ELSEWHERE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "srcset", "object": "data",
          "image": "href", "use": "href", "form": "action", "video": "src", "audio": "src", "embed": "src"}  # fmt: skip
CSS_LOADS = re.compile(r"@import\s*[\"']?([^\"';]+)|url\(\s*[\"']?([^\"')]+)")


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for name, page in pages.items():
        for tag, attributes in page.elements:
            address = attributes.get(LOADED.get(tag, ""), "") or ""
            assert not ELSEWHERE.match(address), (name, tag, address)
            assert not _css_elsewhere(attributes.get("style") or ""), (name, tag)
        assert not _css_elsewhere("".join(page.styles)), name
    for path in site.rglob("*.css"):
        assert not _css_elsewhere(path.read_text(encoding="utf-8")), path


def _css_elsewhere(css):
    addresses = ["".join(found) for found in CSS_LOADS.findall(re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))]
    return [address for address in addresses if ELSEWHERE.match(address.strip())]


# Hosts that the scripts name, and why none of them is asked. The browser tests watch every request.
NEVER_ASKED = {
    "www.w3.org": "names of languages",
    "json-schema.org": "names of schemas",
    "cdn.jsdelivr.net": "speech for MathJax's menu, which is off; other packages' widgets, sought beside it",
    "raw.githubusercontent.com": "the name of a schema",
    "www.sphinx-doc.org": "a word to the programmer",
    "github.com": "a word to the programmer",
    "www.mathjax.org": "a link in MathJax's menu, which is off",
    "fontawesome.com": "a licence",
    "fonts.googleapis.com": "a rule that is commented out",
}
SAID = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)


def test_every_address_in_a_script_is_known_and_not_loaded(site):
    named = set()
    for path in site.rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        text = text if "vendor" in path.parts else SAID.sub("", text)
        named |= {(host, path.name) for host in re.findall(r"https?://([\w.-]+)", text)}
    ours = {(host, name) for host, name in named if name not in ("tex-chtml.js", "embed-amd.js", "require.js")}
    assert {host for host, _ in ours} <= set(NEVER_ASKED)


def test_vendored_code_brings_its_licence(site):
    folder = site / "_static" / "vendor"
    assert "Apache License" in (folder / "mathjax" / "LICENSE").read_text()
    assert (folder / "widgets" / "embed-amd.js").stat().st_size > 1_000_000


# For those who do not see the page


def test_headings_are_in_order_and_one_is_the_title(pages):
    for name, page in pages.items():
        levels = [
            int(attributes.get("aria-level") or tag[1])
            for tag, attributes in page.elements
            if re.fullmatch(r"h[1-6]", tag)
        ]
        assert levels.count(1) == 1, name
        assert levels[0] == 1, name
        for before, after in pairwise(levels):
            assert after <= before + 1, (name, before, after)


def test_pictures_have_alternative_texts(pages):
    for name, page in pages.items():
        assert all(attributes.get("alt") for attributes in page.all("img")), name
        for attributes in page.all("svg"):
            if attributes.get("role") == "img":
                assert attributes.get("aria-labelledby") or attributes.get("aria-label"), name


def test_tables_have_headers(site):
    for path in site.rglob("*.html"):
        for table in re.findall(r"<table\b.*?</table>", path.read_text(encoding="utf-8"), re.DOTALL):
            assert "<th" in table, (path.name, table[:200])


def test_two_builds_are_alike(site, tmp_path):
    build(PROJECT, tmp_path / "site")
    first, second = _bytes(site), _bytes(tmp_path / "site")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def _bytes(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
