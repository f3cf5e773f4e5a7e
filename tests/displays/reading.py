"""Reads a display back: the numbers of its text, the tables and numbers of its HTML."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "meta", "link", "path", "use"}


def decimals(text):
    """Return every number with a point, and every infinity, in reading order and with ASCII signs."""
    text = text.replace("\u2212", "-").replace("\u221e", "inf")
    return re.findall(r"-inf|[+-]?\d+\.\d+", text)


@dataclass
class Table:
    classes: str
    caption: str = ""
    head: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    labels: list = field(default_factory=list)
    cell_attributes: list = field(default_factory=list)


class Page(HTMLParser):
    """Text, tables and header scopes of an HTML string; raises AssertionError when a tag is not closed."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.text, self.tables, self.open, self.scopes, self.style = "", [], [], [], ""
        self.attributes = []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.attributes.append((tag, attrs))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append(Table(attrs.get("class", "")))
        if tag == "th":
            self.scopes.append(attrs.get("scope"))
        if tag == "tr" and "tbody" in self.open:
            self.tables[-1].rows.append([])
            self.tables[-1].cell_attributes.append([])
        if tag == "td" and "tbody" in self.open:
            self.tables[-1].rows[-1].append("")
            self.tables[-1].cell_attributes[-1].append(attrs)
        if tag == "th" and "tbody" in self.open:
            self.tables[-1].labels.append("")
        if tag == "th" and "thead" in self.open:
            self.tables[-1].head.append("")
        if tag in ("td", "th", "p", "tr"):
            self.text += " "

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_startendtag(self, tag, attrs):
        self.attributes.append((tag, dict(attrs)))

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
            return
        self.text += data
        if not self.tables or "table" not in self.open:
            return
        table = self.tables[-1]
        if "caption" in self.open:
            table.caption += data
        elif "td" in self.open and "tbody" in self.open:
            table.rows[-1][-1] += data
        elif "th" in self.open and "tbody" in self.open:
            table.labels[-1] += data
        elif "th" in self.open and "thead" in self.open:
            table.head[-1] += data


def columns(line):
    """Return the width of a line of fixed-width text, independently of the package: accents 0, wide characters 2."""
    import unicodedata

    return sum(
        0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in line
    )
