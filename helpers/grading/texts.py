"""A student's own text, made fit for the instructor's page: it reads as before and cannot act."""

from __future__ import annotations

import re

from helpers.grading.outputs import harmless

# What may be HTML; a "<" before a blank or a number is a sign of mathematics.
_HTML = re.compile(r"<[A-Za-z/!?]")
# The target of a link or picture, or of a name for one; what stands behind must be a page, a place or a pasted picture.
_TARGET = re.compile(r"\](?=[(:])(?!\(\s*<?(?:https?://|#|attachment:)|:\s*<?https?://)")
# Pictures, but for pasted ones; their words may hold brackets, their address may stand elsewhere in the text.
_PICTURE = re.compile(r"!\[(?![^\[\]\n]{0,300}\]\(\s{0,9}attachment:)")
# Commands of the formula writer that reach into the page.
_REACHING = re.compile(r"\\(?=(?:href|require|style|class|cssId|html\w*|data|url|def|newcommand|let|unicode)\b)")


def harmless_text(text: str) -> str:
    """Markdown without tags that act, without links that run something, without pictures from elsewhere."""
    if _HTML.search(text):
        text = harmless(text)
    text = _PICTURE.sub("[", _TARGET.sub("] ", text))
    return _REACHING.sub(r"\\ ", text)
