"""Writes a notebook's file: as `json.dumps` with `indent=1` and sorted keys does, in a fraction of its time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.encoder import encode_basestring


class Writer:
    """Writes notebooks that are made of one release; cells that are as they were released are written once."""

    def __init__(self, release: Mapping):
        self._released = {}
        for cell in release["cells"]:
            bare = {key: cell[key] for key in ("cell_type", "id", "metadata", "source") if key in cell}
            if cell["cell_type"] == "code":
                bare |= {"outputs": [], "execution_count": None}
            self._released[cell.get("id")] = bare, _text(bare, 2)

    def write(self, notebook: Mapping) -> bytes:
        """The content of the file, in UTF-8 and with a line's end at the end."""
        rest = _text({**notebook, "cells": []}, 0)
        cells = ",\n  ".join(map(self._cell, notebook["cells"]))
        return (rest.replace('"cells": []', f'"cells": [\n  {cells}\n ]', 1) if cells else rest).encode() + b"\n"

    def _cell(self, cell: Mapping) -> str:
        released, text = self._released.get(cell.get("id"), (None, ""))
        return text if cell == released else _text(cell, 2)


def _text(value, depth: int) -> str:
    """JSON whose inner lines are set in by one more than `depth` blanks."""
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if value is None:
        return "null"
    if kind is dict and value:
        line = "\n" + " " * (depth + 1)
        entries = [f"{encode_basestring(key)}: {_text(value[key], depth + 1)}" for key in sorted(value)]
        return "{" + line + f",{line}".join(entries) + line[:-1] + "}"
    if kind is list and value:
        line = "\n" + " " * (depth + 1)
        return "[" + line + f",{line}".join([_text(entry, depth + 1) for entry in value]) + line[:-1] + "]"
    return json.dumps(value)
