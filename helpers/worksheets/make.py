"""Make a worksheet: from an example to a PDF."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import PlainError
from ..examples import Example
from ..sizes import whole
from .caps import check_caps
from .content import contents

TEMPLATE = Path(__file__).parent / "sheet.typ"
KEYS = ("back", "separate", "none")
PAPERS = {"a4": "a4", "letter": "us-letter"}
STANDARD = ["ua-1"]
DECIMALS, LONGEST_TEXT = (2, 6), 60


@dataclass(frozen=True)
class Worksheet:
    """A worksheet as PDF; key_pdf is the key where it is a file of its own. data: what is printed, as plain data."""

    pdf: bytes
    key_pdf: bytes | None
    data: dict

    @property
    def pages(self) -> int:
        """How many pages the sheet has."""
        return _pages(self.pdf)


def _pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type/Page\b(?!s)", pdf))


@cache
def _compiler():
    try:
        import typst
    except ModuleNotFoundError:
        raise PlainError("Worksheets need typst: install it with  pip install typst") from None
    return typst.Compiler(root=str(TEMPLATE.parent), ignore_system_fonts=True)


def worksheet(
    example: Example,
    *,
    decoder: bool = False,
    decimals: int = 3,
    key: str = "back",
    paper: str = "a4",
    code: str = "",
    name: str = "",
) -> Worksheet:
    """Make the worksheet of an example: one forward pass to be worked out on paper.

    decoder: carry on through a decoder layer. decimals: of every number that is written down, 2 to 6. key: at the
    "back", as a "separate" PDF, or "none". paper: "a4" or "letter". code: what opens the same numbers in the notebook.
    name: printed on the name line. Raises PlainError for sizes over the caps and for what cannot be printed.
    """
    _check(example, decoder, decimals, {"code": code, "name": name})
    for what, value, allowed in (("key", key, KEYS), ("paper", paper, tuple(PAPERS))):
        if value not in allowed:
            raise PlainError(f"{what} is {value!r}; it must be one of {', '.join(map(repr, allowed))}.")
    check_caps(example.sizes, len(example.src_words), len(example.tgt_words) if decoder else None)
    data = contents(example, decoder=decoder, decimals=decimals, code=code, name=name) | {"paper": PAPERS[paper]}
    pdf = _compile(data, ["sheet", "key"] if key == "back" else ["sheet"])
    return Worksheet(pdf, _compile(data, ["key"]) if key == "separate" else None, data)


def _check(example: Example, decoder: bool, decimals: int, texts: dict[str, str]) -> None:
    if not isinstance(example, Example):
        raise PlainError(f"A worksheet is made of an example; this is of type {type(example).__name__}.")
    if not DECIMALS[0] <= whole("decimals", decimals) <= DECIMALS[1]:
        raise PlainError(f"decimals is {decimals}; a worksheet is written with {DECIMALS[0]} to {DECIMALS[1]}.")
    if decoder and example.candidates is None:
        raise PlainError("A decoder's sheet needs an example with candidates: the words that compete at the output.")
    for what, text in texts.items():
        if not isinstance(text, str) or len(text) > LONGEST_TEXT:
            raise PlainError(f"The {what} on a worksheet is a text of at most {LONGEST_TEXT} characters.")
        _check_printable(what, text)
    words = [*example.src_words, *(example.tgt_words if decoder else ())]
    for word in words:
        _check_printable("word", word)


def _check_printable(what: str, text: str) -> None:
    """No line breaks and nothing invisible: it would not be seen on paper."""
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp"):
            raise PlainError(f"The {what} {text!r} holds U+{ord(character):04X}, which cannot be printed.")


def _compile(data: dict, print_: list[str]) -> bytes:
    compiler = _compiler()
    import typst

    try:
        return compiler.compile(_program(_needed(data, print_)), format="pdf", pdf_standards=STANDARD)
    except typst.TypstError as error:
        missing = re.search(r'the text `"(.*?)"` could not be displayed', str(error))
        if not missing:
            raise
        raise PlainError(
            f"{missing[1]!r} cannot be printed: the worksheet's letters are Latin, Greek, Cyrillic and a few more, "
            "without emoji."
        ) from error


# What is printed → what it takes of the data: reading what is not needed takes time.
NEEDED = {
    "sheet": ("steps", "ones"),
    "key": ("answers",),
}


def _needed(data: dict, print_: list[str]) -> dict:
    names = {"title", *(name for what in print_ for name in NEEDED[what])}
    parts = [{name: value for name, value in part.items() if name in names} for part in data["parts"]]
    needed = data | {"parts": parts, "print": print_}
    return needed if "sheet" in print_ else needed | {"givens": [], "sines": []}


def _program(data: dict) -> bytes:
    """What is compiled: the template, called with the data.

    Data handed in through sys_inputs would make the compiler forget what it has set before.
    """
    text = json.dumps(json.dumps(data, ensure_ascii=False), ensure_ascii=False)
    return f'#import "/{TEMPLATE.name}": paper\n#paper(json(bytes({text})))'.encode()
