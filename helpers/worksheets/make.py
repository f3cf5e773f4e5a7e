"""Make a worksheet: from an example to a PDF."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..errors import PlainError
from ..examples import Example
from .caps import check_caps
from .content import contents

TEMPLATE = Path(__file__).parent / "sheet.typ"
KEYS = ("back", "separate", "none")
PAPERS = {"a4": "a4", "letter": "us-letter"}
STANDARD = ["ua-1"]


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
    import typst

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

    decoder: carry on through a decoder layer. decimals: of every written number. key: at the "back", as a "separate"
    PDF, or "none". paper: "a4" or "letter". code: what opens the same numbers in the notebook. name: printed on the
    name line.
    """
    for what, value, allowed in (("key", key, KEYS), ("paper", paper, tuple(PAPERS))):
        if value not in allowed:
            raise PlainError(f"{what} is {value!r}; it must be one of {', '.join(map(repr, allowed))}.")
    check_caps(example.sizes, len(example.src_words), len(example.tgt_words) if decoder else None)
    data = contents(example, decoder=decoder, decimals=decimals, code=code, name=name) | {"paper": PAPERS[paper]}
    back = _compile(data, ["sheet", "key"] if key == "back" else ["sheet"])
    return Worksheet(back, _compile(data, ["key"]) if key == "separate" else None, data)


def _compile(data: dict, print_: list[str]) -> bytes:
    import typst

    try:
        return _compiler().compile(_program(data | {"print": print_}), format="pdf", pdf_standards=STANDARD)
    except typst.TypstError as error:
        raise PlainError(f"The worksheet cannot be printed: {error}") from error


def _program(data: dict) -> bytes:
    """What is compiled: the template, called with the data.

    Data handed in through sys_inputs would make the compiler forget what it has set before.
    """
    text = json.dumps(json.dumps(data, ensure_ascii=False), ensure_ascii=False)
    return f'#import "/{TEMPLATE.name}": paper\n#paper(json(bytes({text})))'.encode()
