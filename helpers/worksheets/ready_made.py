"""The sheets that the course brings along in worksheets/, each with its key as a file of its own."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

from .orders import Order, order, write

# Name → what is asked for; the first two are the homework's, the others rise in size.
SHEETS: dict[str, dict] = {
    "homework-encoder": {},
    "homework-encoder-decoder": {"decoder": True},
    "1-two-words": {"sentence": "hello world", "d_model": 2, "heads": 1, "d_ff": 2},
    "2-one-head": {"sentence": "dog bites man", "d_model": 4, "heads": 1, "d_ff": 4},
    "3-there-and-back": {"sentence": "good morning", "decoder": "guten Morgen", "d_model": 2, "heads": 1, "d_ff": 4},
    "4-a-word-twice": {"sentence": "the cat saw the dog", "d_model": 4, "heads": 2, "d_ff": 8},
    "5-three-heads": {"sentence": "time flies like an arrow", "d_model": 6, "heads": 3, "d_ff": 8},
}


def sheet_order(name: str) -> Order:
    """What one of the ready-made sheets is made from."""
    return order(**SHEETS[name], key="separate")


def made() -> dict[str, bytes]:
    """Every file of the folder that is made, by name."""
    files = {}
    for name in SHEETS:
        sheet = sheet_order(name).make()
        files |= {f"{name}.pdf": sheet.pdf, f"{name}-key.pdf": sheet.key_pdf}
    return files


def rebuild(folder: Path) -> int:
    """Write every ready-made sheet and key; 0."""
    for name, content in made().items():
        write(folder / name, content)
        print(folder / name)
    return 0


def stale(folder: Path) -> list[str]:
    """Names of the files in a folder that are missing, out of date, or not made by this room."""
    fresh = made()
    there = {file.name: file.read_bytes() for file in folder.glob("*.pdf")}
    changed = [name for name in fresh if name not in there or not _same(there[name], fresh[name])]
    return changed + sorted(there.keys() - fresh.keys())


def check(folder: Path) -> int:
    """Say which files are stale: 1 if any is, else 0."""
    names = stale(folder)
    for name in names:
        print(f"{folder / name} is stale: run byhand worksheet --ready-made")
    return 1 if names else 0


def _same(stored: bytes, fresh: bytes) -> bool:
    """The same bytes, or, where another version of Typst made them, the same text."""
    return stored == fresh or (_made_by(stored) != _made_by(fresh) and _text(stored) == _text(fresh))


def _made_by(pdf: bytes) -> bytes:
    found = re.search(rb"Typst \d+\.\d+\.\d+", pdf)
    return found[0] if found else b""


def _text(pdf: bytes) -> list[str]:
    from pypdf import PdfReader

    return [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]
