"""Several PDFs as one, to be printed in one go."""

from __future__ import annotations

from io import BytesIO

from ..errors import PlainError

# What ties a page to the tags of its own file, and to its tree of pages.
TIES = ("/StructParents", "/Tabs", "/Parent")


class Print:
    """A print file that grows: each PDF gets a bookmark, and a sheet of its own when both sides are printed.

    The file is made for paper: the tags that a screen reader follows stay in the single PDFs.
    """

    def __init__(self):
        try:
            import pikepdf
        except ImportError as error:
            raise PlainError(
                'A print file of a class needs pikepdf: pip install "transformer-by-hand[lab]".'
            ) from error
        self._pdf = pikepdf.new()
        self._pdf.Root.Lang = "en-GB"
        # Put into the tree of pages at the end: with each page that is put in singly, the next takes longer.
        self._pages: list = []
        self._bookmarks: list[tuple[str, int]] = []

    def add(self, title: str, pdf: bytes) -> None:
        """Put a PDF behind what is there."""
        from pikepdf import Pdf

        if len(self._pages) % 2:
            self._pages.append(self._blank(self._pages[-1]))
        self._bookmarks.append((title, len(self._pages)))
        with Pdf.open(BytesIO(pdf)) as source:
            pages = [page.obj for page in source.pages]
            for page in pages:
                for tie in TIES:
                    if tie in page:
                        del page[tie]
            self._pages += [self._pdf.copy_foreign(page) for page in pages]

    def pdf(self) -> bytes:
        """Write everything as one PDF; the same sheets give the same bytes."""
        from pikepdf import Array, OutlineItem

        tree = self._pdf.Root.Pages
        for page in self._pages:
            page.Parent = tree
        tree.Kids, tree.Count = Array(self._pages), len(self._pages)
        with self._pdf.open_outline() as outline:
            outline.root[:] = [OutlineItem(title, page) for title, page in self._bookmarks]
        whole = BytesIO()
        self._pdf.save(whole, deterministic_id=True)
        return whole.getvalue()

    def _blank(self, like):
        """An empty page of the size of another."""
        from pikepdf import Dictionary, Name

        page = Dictionary(Type=Name.Page, MediaBox=like.MediaBox, Resources=Dictionary())
        return self._pdf.make_indirect(page)
