"""What a released notebook says of earlier releases: which it is, and the texts of cells that were others before.

It stands in the notebook's own metadata, so it goes wherever the notebook goes. Nothing in it was not released before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

KEY = "byhand"
_RELEASE = re.compile(r"[1-9]\d{0,5}")

Texts = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class History:
    """number: which release it is, from 1. earlier: id of a cell → its texts in earlier releases, the oldest first."""

    number: int
    earlier: Texts

    def as_metadata(self) -> dict:
        """What is written into the notebook."""
        return {"release": self.number, "earlier": {name: list(texts) for name, texts in self.earlier.items()}}


def read_history(notebook: Mapping) -> History:
    """What a notebook says; the first release, with nothing before it, where it says nothing of use."""
    metadata = notebook.get("metadata")
    found = metadata.get(KEY) if isinstance(metadata, Mapping) else None
    found = found if isinstance(found, Mapping) else {}
    number, earlier = found.get("release"), found.get("earlier")
    earlier = earlier if isinstance(earlier, Mapping) else {}
    return History(
        number if type(number) is int and _RELEASE.fullmatch(str(number)) else 1,
        {
            name: [text for text in texts if isinstance(text, str)]
            for name, texts in earlier.items()
            if isinstance(name, str) and isinstance(texts, Sequence) and not isinstance(texts, str)
        },
    )


def next_history(old: Mapping, new: Sequence[Mapping]) -> History:
    """The history of a release of the cells `new` that comes after the notebook `old`."""
    before = read_history(old)
    earlier = {name: list(texts) for name, texts in before.earlier.items()}
    now = {cell["id"]: cell["source"] for cell in new}
    for cell in old["cells"]:
        texts = earlier.setdefault(cell["id"], [])
        if cell["source"] != now.get(cell["id"]) and cell["source"] not in texts:
            texts.append(cell["source"])
    kept = {name: [text for text in texts if text != now.get(name)] for name, texts in sorted(earlier.items())}
    return History(before.number + 1, {name: texts for name, texts in kept.items() if texts})
