"""Several PDFs as one, to be printed in one go."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

from ..errors import PlainError


def together(parts: Sequence[tuple[str, bytes]]) -> bytes:
    """Put PDFs one after the other, each with a bookmark and on a sheet of its own when both sides are printed."""
    try:
        from pypdf import PdfReader, PdfWriter
    except ImportError as error:
        raise PlainError('A print file of a class needs pypdf: pip install "transformer-by-hand[lab]".') from error
    writer = PdfWriter()
    for title, pdf in parts:
        if len(writer.pages) % 2:
            writer.add_blank_page()
        writer.append(PdfReader(BytesIO(pdf)), outline_item=title)
    whole = BytesIO()
    writer.write(whole)
    return whole.getvalue()
