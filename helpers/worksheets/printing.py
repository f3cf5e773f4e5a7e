"""Several PDFs as one, to be printed in one go."""

from __future__ import annotations

from io import BytesIO

from ..errors import PlainError

# What ties a page to the tags of its own file.
TAGS = ("/StructParents", "/Tabs")


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
        self._bookmarks: list[tuple[str, int]] = []

    def add(self, title: str, pdf: bytes) -> None:
        """Put a PDF behind what is there."""
        from pikepdf import Pdf

        pages = self._pdf.pages
        if len(pages) % 2:
            pages.append(self._blank(pages[-1]))
        self._bookmarks.append((title, len(pages)))
        with Pdf.open(BytesIO(pdf)) as source:
            for page in source.pages:
                for tag in TAGS:
                    if tag in page:
                        del page[tag]
            pages.extend(source.pages)

    def pdf(self) -> bytes:
        """Write everything as one PDF; the same sheets give the same bytes."""
        from pikepdf import OutlineItem

        with self._pdf.open_outline() as outline:
            outline.root[:] = [OutlineItem(title, page) for title, page in self._bookmarks]
        whole = BytesIO()
        self._pdf.save(whole, deterministic_id=True)
        return whole.getvalue()

    def _blank(self, like):
        """An empty page of the size of another."""
        from pikepdf import Dictionary, Name, Page

        return Page(self._pdf.make_indirect(Dictionary(Type=Name.Page, MediaBox=like.mediabox, Resources=Dictionary())))
