"""Reads a page as a browser would: its tags, attributes and texts."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """tags: (name, attributes) of every tag. text: all that is shown, blanks folded. rows: table rows as lists."""

    EMPTY = frozenset({"br", "hr", "img", "col", "meta"})

    def __init__(self, html):
        super().__init__()
        self.tags, self.rows, self.open, self.odd = [], [], [], []
        self._texts, self._cell, self._row = [], None, None
        self.feed(html)
        self.text = " ".join("".join(self._texts).split())

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "tr":
            self._row = []
        if tag in ("td", "th"):
            self._cell = []
        if tag == "br" and self._cell is not None:
            self._cell.append(" ")
        if tag in ("p", "td", "th", "li", "br", "h1", "h2", "h3", "h4", "dd", "dt", "pre"):
            self._texts.append(" ")

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.odd.append(tag)
        if tag in ("td", "th") and self._row is not None:
            self._row.append(" ".join("".join(self._cell or []).split()))
            self._cell = None
        if tag == "tr":
            self.rows.append(self._row)

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            return
        self._texts.append(data)
        if self._cell is not None:
            self._cell.append(data)

    def row(self, first):
        """The row that begins with a text, or with a step of this name."""
        return next(row for row in self.rows if row and first in (row[0], row[0].split(" ")[0]))


def unharmed(page):
    """Whether a page holds nothing that acts or fetches, and every tag is closed where it should be."""
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "iframe", "object", "embed", "form", "input", "link", "base", "button", "textarea"}
    assert not page.odd
    assert not page.open
    assert [tag for tag, _ in page.tags].count("main") == 1
    assert [tag for tag, _ in page.tags].count("style") == 1
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "action", "srcset", "xlink:href"):
            assert attributes.get(name, "#").startswith(("#", "data:image/png;base64,", "data:image/jpeg;base64,")), tag
    policy = [one["content"] for tag, one in page.tags if tag == "meta" and "http-equiv" in one]
    assert policy == [
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    ]
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
