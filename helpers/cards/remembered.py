"""The small file beside the notebooks through which part 2 starts with what part 1 ended with."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from ..errors import PlainError
from .settings import FIELDS, Settings

NAME = "my-sentence.json"
FORMAT = 1
START_PAGE = "index.ipynb"
SOURCES = "solutions"
"""The folder of the authors' notebooks: what they print must not depend on what somebody played with."""


def place() -> Path | None:
    """Where the file lies: in the folder that holds the units, or beside a notebook that stands alone."""
    here = Path.cwd()
    if here.parent.name == SOURCES:
        return None
    return (here.parent if (here.parent / START_PAGE).is_file() else here) / NAME


def recall() -> tuple[Settings, str]:
    """The settings that were kept, and a word about it if they cannot be used; else the settings to begin with."""
    path = place()
    if path is None or not path.is_file():
        return Settings(), ""
    try:
        return _read(json.loads(path.read_text(encoding="utf-8"))), ""
    except (OSError, ValueError) as error:  # PlainError and what json raises are ValueErrors
        why = str(error) if isinstance(error, PlainError) else "it cannot be read."
        return Settings(), f"What you chose before is in {NAME}, but {why} The cards begin afresh."


def _read(kept: object) -> Settings:
    if not isinstance(kept, dict) or kept.get("format") != FORMAT:
        raise PlainError("another version wrote it.")
    if set(kept) != {"format", *FIELDS} or not isinstance(kept["trained"], bool):
        raise PlainError("something in it is missing or unknown.")
    values = {name: tuple(kept[name]) if isinstance(kept[name], list) else kept[name] for name in FIELDS}
    settings = Settings(**values)
    settings.check()
    return settings


def keep(settings: Settings) -> str:
    """Write the settings down, whole or not at all; return a word about it if the folder does not allow it."""
    path = place()
    if path is None:
        return ""
    unfinished = path.with_name(f".{NAME}.{os.getpid()}")
    try:
        text = json.dumps({"format": FORMAT} | asdict(settings), ensure_ascii=False, indent=1)
        unfinished.write_text(text + "\n", encoding="utf-8")
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        return f"{NAME} cannot be written here, so part 2 will begin with its own sentence."
    return ""
