"""Several PDFs as one, to be printed in one go."""

from __future__ import annotations

import re
from itertools import pairwise

# What a page keeps of itself: not its place in another file, and not the tags, which stay in the single PDFs.
_LEFT_OUT = re.compile(rb"/StructParents \d+|/Tabs/\w+|/Parent \d+ 0 R")
_REFERENCE = re.compile(rb"(\d+) 0 R\b")
_PLACE = re.compile(rb"(\d{10}) \d{5} [fn]")


class Print:
    """A print file that grows: each PDF gets a bookmark, and a sheet of its own when both sides are printed.

    The file is made for paper: the tags that a screen reader follows stay in the single PDFs. What several PDFs share,
    such as a font, is in it once. Only PDFs as Typst writes them can be added, with a plain table of objects.
    """

    def __init__(self):
        # The bodies of objects: 1 is the catalog, 2 the list of pages, 3 the list of bookmarks.
        self._objects: list[bytes] = [b"", b"", b""]
        self._known: dict[bytes, int] = {}
        self._pages: list[int] = []
        self._bookmarks: list[tuple[str, int]] = []
        self._size = b""

    def add(self, title: str, pdf: bytes) -> None:
        """Put a PDF behind what is there."""
        if len(self._pages) % 2:
            self._page(b"<</Type/Page" + self._size + b">>")
        source, copied = _Source(pdf), {}
        first = len(self._pages)
        for number in source.pages():
            page = _LEFT_OUT.sub(b"", source[number])
            self._size = re.search(rb"/MediaBox\[.*?\]", page)[0]
            self._page(self._renumbered(page, source, copied))
        self._bookmarks.append((title, self._pages[first]))

    def pdf(self) -> bytes:
        """Write everything as one PDF."""
        kids = b" ".join(b"%d 0 R" % page for page in self._pages)
        catalog = b"<</Type/Catalog/Pages 2 0 R/Outlines 3 0 R/Lang(en-GB)>>"
        pages = b"<</Type/Pages/Count %d/Kids[%b]>>" % (len(self._pages), kids)
        outlines, bookmarks = self._outlines()
        parts, places, at = [b"%PDF-1.7\n%\x80\x80\x80\x80\n"], [], 15
        for number, body in enumerate([catalog, pages, outlines, *self._objects[3:], *bookmarks], start=1):
            places.append(at)
            parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, body))
            at += len(parts[-1])
        parts.append(b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(places) + 1))
        parts += [b"%010d 00000 n\r\n" % place for place in places]
        parts.append(b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, at))
        return b"".join(parts)

    def _page(self, body: bytes) -> None:
        self._objects.append(body.replace(b"/Type/Page", b"/Type/Page/Parent 2 0 R", 1))
        self._pages.append(len(self._objects))

    def _renumbered(self, body: bytes, source: _Source, copied: dict[int, int]) -> bytes:
        """An object's body with what it refers to copied here first; its stream stays as it is."""
        head, stream, rest = body.partition(b"stream\n")

        def here(found: re.Match) -> bytes:
            number = int(found[1])
            if number not in copied:
                copied[number] = self._copy(self._renumbered(source[number], source, copied))
            return b"%d 0 R" % copied[number]

        return _REFERENCE.sub(here, head) + stream + rest

    def _copy(self, body: bytes) -> int:
        if body not in self._known:
            self._objects.append(body)
            self._known[body] = len(self._objects)
        return self._known[body]

    def _outlines(self) -> tuple[bytes, list[bytes]]:
        """The list of bookmarks, and the bookmarks, which are the last objects."""
        first, count = len(self._objects) + 1, len(self._bookmarks)
        items = []
        for k, (title, page) in enumerate(self._bookmarks):
            text = title.encode("utf-16-be").hex().upper().encode()
            before = b"/Prev %d 0 R" % (first + k - 1) if k else b""
            after = b"/Next %d 0 R" % (first + k + 1) if k < count - 1 else b""
            items.append(b"<</Title<FEFF%b>/Parent 3 0 R%b%b/Dest[%d 0 R/Fit]>>" % (text, before, after, page))
        if not items:
            return b"<</Type/Outlines/Count 0>>", items
        return b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>" % (first, first + count - 1, count), items


class _Source:
    """A PDF as the bodies of its objects by number, cut out at the places that its table names."""

    def __init__(self, pdf: bytes):
        table = int(pdf[pdf.rindex(b"startxref") :].split()[1])
        if pdf[table : table + 4] != b"xref":
            raise ValueError("This PDF has no plain table of objects.")
        self._pdf = pdf
        self._places = [int(place) for place in _PLACE.findall(pdf, table)]
        stops = sorted({*self._places, table})
        self._end = dict(pairwise(stops))
        self._root = int(re.search(rb"/Root (\d+) 0 R", pdf[table:])[1])

    def __getitem__(self, number: int) -> bytes:
        place = self._places[number]
        start = self._pdf.index(b"obj", place) + 3
        return self._pdf[start : self._pdf.rindex(b"endobj", start, self._end[place])].strip(b"\r\n")

    def pages(self) -> list[int]:
        """The numbers of the pages, in order; Typst lists them in one object or in a tree of a few."""
        waiting, found = [int(re.search(rb"/Pages (\d+) 0 R", self[self._root])[1])], []
        while waiting:
            number = waiting.pop()
            kids = re.search(rb"/Kids\s*\[(.*?)\]", self[number])
            if kids:
                waiting += [int(kid) for kid in reversed(_REFERENCE.findall(kids[1]))]
            else:
                found.append(number)
        return found
