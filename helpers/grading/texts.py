"""A student's own text, made fit for the instructor's page: it reads as before and cannot act."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import unquote

from helpers.grading.outputs import harmless, out_of_reach

# What may be HTML; a "<" before a blank or a number is a sign of mathematics.
_HTML = re.compile(r"<[A-Za-z/!?]")
# The target of a link or picture, or of a name for one; what stands behind must be a page, a place or a pasted picture.
_TARGET = re.compile(r"\](?=[(:])(?!\(\s*<?(?:https?://|#|attachment:)|:\s*<?https?://)")
# Pictures, but for pasted ones; their words may hold brackets, their address may stand elsewhere in the text.
_PICTURE = re.compile(r"!\[(?![^\[\]\n]{0,300}\]\(\s{0,9}attachment:)")
_PASTED = re.compile(r"attachment:([^\s()<>\"']{0,200})")
# A letter or a backslash that is written as a number or a name would be read only by the page.
_CODED = re.compile(r"&(?:#\w{1,9}|[A-Za-z]{1,9});?")


def harmless_text(text: str) -> str:
    """Markdown without tags that act, without links that run something, without pictures from elsewhere."""
    text = _plain(text)
    if _HTML.search(text):
        text = harmless(text)
    text = _PICTURE.sub("[", _TARGET.sub("] ", text))
    return out_of_reach(text)


def with_pictures(text: str, pictures: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """A text, and the pictures pasted into it by the names that the text has for them.

    What the text asks for and nobody pasted is asked for no longer: nbconvert gives up a whole notebook over it.
    """
    found = dict(pictures)

    def there(asked: re.Match) -> str:
        name = asked[1]
        if name not in found and unquote(name) in found:
            found[name] = found[unquote(name)]
        return asked[0] if name in found else "#"

    return _PASTED.sub(there, text), found


def _plain(text: str) -> str:
    """A text whose letters stand for themselves; a code that is made of codes is shown as it is."""
    text = _CODED.sub(lambda coded: _letter(coded[0]) or coded[0], text)
    return _CODED.sub(lambda coded: f"&amp;{coded[0][1:]}" if _letter(coded[0]) else coded[0], text)


def _letter(coded: str) -> str:
    letter = unescape(coded)
    return letter if letter == "\\" or (letter.isalpha() and letter.isascii()) else ""
