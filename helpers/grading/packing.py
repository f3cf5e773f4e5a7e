"""The package `helpers` that lies in the sandbox: an allow-list of files, the mute rooms, numbers as data.

The names of its rooms are taken from the real ones here, outside, so that both always have the same.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from inspect import isclass, isfunction, signature
from pathlib import Path

import numpy as np

import helpers
from helpers.checks.homework import STACKS, homework_givens
from helpers.examples import Example, course_example, initialisation_demo
from helpers.grading.ready import MASKS, READY, ready_made
from helpers.personal import homework_example
from helpers.sizes import Sizes
from helpers.trace import course_run

_HERE = Path(__file__).parent
_PACKAGE = _HERE.parent
# Of the real package these files go along: they know arrays, names and sizes, and no rule of the model.
SHIPPED = (
    "__init__.py", "errors.py", "sizes.py", "values.py",
    *(f"displays/{name}.py" for name in (
        "__init__", "agreement", "chosen", "chosen_product", "elementwise", "entry", "flow", "given", "groups",
        "heads", "heat", "marks", "masks", "notes", "numbers", "output", "pictures", "product", "progress", "style",
        "table",
    )),
)  # fmt: skip
# Mute file → its place in the package there.
MUTE = {
    **{name: f"{name}.py" for name in (
        "checks", "codes", "counts", "data", "decoding", "examples", "personal", "quiet", "steps", "trace",
        "transformer",
    )},
    **{name: f"{name}/__init__.py" for name in ("cards", "hand_traces", "tasks", "worksheets")},
    "rows": "displays/rows.py",
}  # fmt: skip
ROOMS = (
    "cards", "checks", "codes", "counts", "decoding", "displays", "examples", "hand_traces", "personal", "steps",
    "tasks", "trace", "transformer", "worksheets",
)  # fmt: skip
# What the zygote imports before the first session.
WARM = (
    "helpers", "helpers.checks", "helpers.examples", "helpers.trace", "helpers.cards", "helpers.hand_traces",
    "helpers.worksheets", "helpers.transformer", "helpers.counts", "helpers.decoding", "helpers.personal",
    "helpers.steps", "helpers.tasks", "helpers.codes", *(f"helpers.{name[:-3].replace('/', '.')}" for name in SHIPPED
    if name.startswith("displays/") and not name.endswith("__init__.py")), "helpers.displays.rows",
)  # fmt: skip


@cache
def mute_files(unit: str = "") -> Mapping[str, bytes]:
    """Every file of the package in the sandbox of one unit, by its place there."""
    files = {f"helpers/{name}": (_PACKAGE / name).read_bytes() for name in SHIPPED}
    files |= {f"helpers/{place}": (_HERE / "mute" / f"{name}.py").read_bytes() for name, place in MUTE.items()}
    files["helpers/names.json"] = _json(
        {room: _names(room) for room in ROOMS} | {"ready": READY.get(unit, ()), "masks": MASKS}
    )
    files["helpers/ready_made.py"] = ready_made(unit).encode()
    files["helpers/given/course.json"] = _course()
    for unit in STACKS:
        files[f"helpers/given/homework_{unit}.json"] = homework_data(unit, homework_example())
    return files


def homework_data(unit: str, example: Example) -> bytes:
    """What is printed for one homework, "encoder" or "translation", as the file that a session is given."""
    given = homework_givens(unit, example)
    return _json(_said({"example": _fields(example), "givens": given})["dict"])


def _names(room: str) -> dict:
    """The public names of a room: constants with their values, everything else with its arguments."""
    module = import_module(f"helpers.{room}")
    listed = [*helpers.PUBLIC.get(room, ()), *getattr(module, "__all__", ())]
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    constants = {name: value for name, value in vars(module).items() if isinstance(value, (int, float, str))}
    constants = {name: value for name, value in constants.items() if name.isupper()}
    if room == "tasks":
        constants["TASKS"] = list(module.TASKS)
    names = [name for name in dict.fromkeys([*listed, *own]) if not name.startswith("_") and name not in constants]
    rules = {name: _parameters(getattr(module, name)) for name in names}
    return {"constants": constants, "rules": rules, "all": sorted({*names, *constants})}


def _parameters(value) -> list:
    """The arguments of a function: name, kind, and the default where it is plain data."""
    if not isfunction(value) and not isclass(value):
        return []
    found = []
    for one in signature(value).parameters.values():
        has_default = one.default is not one.empty
        plain = one.default if isinstance(one.default, (int, float, str, bool)) else None
        found.append([one.name, one.kind.name, *([plain] if has_default else [])])
    return found


def _course() -> bytes:
    run, demo = course_run(), initialisation_demo()
    stacks = {
        name: {
            "around": stack.as_dict(),
            "layers": [stack.layer(k).as_dict() for k in range(1, run.sizes.layers + 1)],
        }
        for name, stack in (("encoder", run.encoder), ("decoder", run.decoder))
    }
    data = {"example": _fields(course_example()), "demo": {"uniform": demo.uniform, "xavier": demo.xavier}, **stacks}
    return _json(_said(data)["dict"])


def _fields(example: Example) -> dict:
    fields = {field.name: getattr(example, field.name) for field in dataclasses.fields(Example)}
    return fields | {
        "sizes": dataclasses.asdict(example.sizes),
        "E_out": example.E_out,
        "labels": example.labels,
    }


def _said(value):
    """Data as JSON can hold it; the mute room `data` reads it."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        return {"array": array.ravel().tolist(), "dtype": array.dtype.str, "shape": list(array.shape)}
    if isinstance(value, Mapping):
        return {"dict": {key: _said(entry) for key, entry in value.items()}}
    if isinstance(value, (list, tuple)):
        return {"tuple": [_said(entry) for entry in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Sizes):
        return _said(dataclasses.asdict(value))
    raise TypeError(f"{type(value).__name__} is not handed in")


def _json(value) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
