"""What a screen reader needs of every notebook: headings in order, pictures in words, tables with headers.

The stored outputs of the solutions are read as HTML; tests/browser looks at the same in JupyterLab.
"""

import re
from html.parser import HTMLParser
from itertools import pairwise

import nbformat
import pytest
from course_units import PROJECT, UNITS

NOTEBOOKS = ["index", *(f"{unit}/{unit}" for unit in UNITS)]
per_notebook = pytest.mark.parametrize("name", NOTEBOOKS)
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[([^\]]*)\]\(")
SCOPES = {"col", "row", "colgroup", "rowgroup"}


class Page(HTMLParser):
    """A piece of HTML: its elements, (tag, attributes, text inside it), in order."""

    VOID = ("area", "br", "col", "hr", "image", "img", "input", "link", "meta", "wbr")

    def __init__(self, html):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append([tag, dict(attributes), "", len(self._open)])
        if tag not in self.VOID:
            self._open.append(self.elements[-1])

    def handle_startendtag(self, tag, attributes):
        self.elements.append([tag, dict(attributes), "", len(self._open)])

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for element in self._open:
            element[2] += data

    def every(self, *tags):
        return [element for element in self.elements if element[0] in tags]

    def inside(self, outer):
        """The elements inside an element."""
        rest = self.elements[self.elements.index(outer) + 1 :]
        for element in rest:
            if element[3] <= outer[3]:
                return
            yield element


def read(name):
    return nbformat.read(PROJECT / "solutions" / f"{name}.ipynb", as_version=nbformat.NO_CONVERT)


def texts(name):
    """Text cells, without what stands between fences."""
    return [FENCED.sub("", cell.source) for cell in read(name).cells if cell.cell_type == "markdown"]


def pages(name):
    """(cell, page) of everything in HTML or SVG: outputs, and text cells, which may hold some."""
    for cell in read(name).cells:
        if cell.cell_type == "markdown":
            yield cell.id, Page(FENCED.sub("", cell.source))
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            assert not {"image/png", "image/jpeg"} & data.keys(), f"{cell.id}: a picture without words"
            for kind in ("text/html", "image/svg+xml"):
                if kind in data:
                    yield cell.id, Page(data[kind])


def headings(cell):
    """Levels of the headings of a cell and of what it shows, in order."""
    if cell.cell_type == "markdown":
        return [len(found[1]) for found in re.finditer(r"^(#{1,6}) ", FENCED.sub("", cell.source), re.MULTILINE)]
    shown = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", ())]
    return [int(tag[1]) for html in shown for tag, *_ in Page(html).every(*(f"h{k}" for k in range(1, 7)))]


@per_notebook
def test_headings_skip_no_level(name):
    levels = [level for cell in read(name).cells for level in headings(cell)]
    assert levels[0] == 1
    assert [(above, level) for above, level in pairwise(levels) if level > above + 1] == []


@per_notebook
def test_pictures_are_told_in_words(name):
    assert all(alternative.strip() for text in texts(name) for alternative in PICTURE.findall(text))
    for cell, page in pages(name):
        for image in page.every("img"):
            assert image[1].get("alt", "").strip(), cell
        for svg in page.every("svg"):
            attributes, inside = svg[1], list(page.inside(svg))
            words = {one[1].get("id"): one[2].strip() for one in inside if one[0] in ("title", "desc")}
            named = [words.get(part) for part in attributes.get("aria-labelledby", "").split()]
            hidden = attributes.get("aria-hidden") == "true"
            spoken = attributes.get("role") == "img" and (attributes.get("aria-label") or (named and all(named)))
            assert hidden or spoken, cell


@per_notebook
def test_tables_have_headers_that_say_what_they_head(name):
    for cell, page in pages(name):
        for table in page.every("table"):
            headers = [one for one in page.inside(table) if one[0] == "th"]
            assert headers, cell
            assert all(one[1].get("scope") in SCOPES for one in headers), cell


@per_notebook
def test_what_scrolls_is_a_region_with_a_name_that_the_keyboard_reaches(name):
    for cell, page in pages(name):
        for box in page.every("div"):
            if "scroll" in box[1].get("class", "").split():
                assert box[1].get("tabindex") == "0", cell
                assert box[1].get("role") in ("region", "group"), cell
                assert box[1].get("aria-label", "").strip(), cell


def test_the_units_have_what_is_looked_for():
    found = [page for name in NOTEBOOKS for _, page in pages(name)]
    assert all(sum(len(page.every(tag)) for page in found) > 20 for tag in ("svg", "table", "th", "h3"))
