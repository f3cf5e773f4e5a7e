"""Several PDFs as one, to be printed in one go."""

from __future__ import annotations

from io import BytesIO

from ..errors import PlainError


class Print:
    """A print file that grows: each PDF gets a bookmark, and a sheet of its own when both sides are printed.

    The file is made for paper: the tags that a screen reader follows stay in the single PDFs.
    """

    def __init__(self):
        try:
            from pypdf import PdfWriter
        except ImportError as error:
            raise PlainError('A print file of a class needs pypdf: pip install "transformer-by-hand[lab]".') from error
        self._writer = PdfWriter()

    def add(self, title: str, pdf: bytes) -> None:
        """Put a PDF behind what is there."""
        from pypdf import PdfReader

        if len(self._writer.pages) % 2:
            self._writer.add_blank_page()
        # Strict reading trusts the file's own table of contents, which is much faster.
        self._writer.append(PdfReader(BytesIO(pdf), strict=True), outline_item=title, import_outline=False)

    def pdf(self) -> bytes:
        """Write everything as one PDF."""
        whole = BytesIO()
        self._writer.write(whole)
        return whole.getvalue()
