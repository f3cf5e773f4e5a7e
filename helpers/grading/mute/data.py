"""Reads the numbers that are handed in: dictionaries, tuples and arrays written as JSON (see packing.py)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

_SHIPPED = Path(__file__).with_name("given")


def read(name: str):
    """What is handed in under a name, to this notebook alone or else to all."""
    own = Path(os.environ.get("BYHAND_GIVEN", "/given")) / f"{name}.json"
    file = own if own.is_file() else _SHIPPED / f"{name}.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    return {key: _heard(value) for key, value in found.items()}


def _heard(said):
    if not isinstance(said, dict):
        return said
    if "tuple" in said:
        return tuple(map(_heard, said["tuple"]))
    if "dict" in said:
        return {key: _heard(value) for key, value in said["dict"].items()}
    array = np.array(said["array"], dtype=said["dtype"]).reshape(said["shape"])
    array.flags.writeable = False
    return array
