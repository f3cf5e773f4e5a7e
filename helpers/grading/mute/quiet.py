"""What is said, while a notebook is marked, in the place of what is not here."""

from __future__ import annotations

import json
from inspect import Parameter, Signature
from pathlib import Path

from helpers.displays.output import Display
from helpers.errors import PlainError

_NAMES = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))


def left_out(what: str) -> Display:
    """A display of one plain line."""
    line = f"{what} is left out while a notebook is marked."
    return Display(line, f'<p class="note">{line}</p>')


def room(name: str, own: dict):
    """`__getattr__`, `__dir__` and `__all__` of a room whose names are there and raise one PlainError when used.

    own: the names of the room that do work here.
    """
    listed = _NAMES[name]

    def absent(wanted):
        if wanted in listed["constants"]:
            return listed["constants"][wanted]
        if wanted not in listed["rules"]:
            raise AttributeError(f"module 'helpers.{name}' has no attribute {wanted!r}")
        own[wanted] = rule(wanted, listed["rules"][wanted])
        return own[wanted]

    return absent, lambda: sorted({*own, *listed["constants"], *listed["rules"]}), listed["all"]


def rule(name: str, parameters: list):
    """A function that can be asked for its arguments, and for nothing else."""

    def not_here(*args, **kwargs):
        raise PlainError(f"{name} is not here while a notebook is marked.")

    return _like(not_here, name, parameters)


def shows(room_name: str, name: str, what: str):
    """A function that is called as the real one is, and shows one plain line."""

    def show(*args, **kwargs):
        left_out(what).show()

    show.build = lambda *args, **kwargs: left_out(what)
    return _like(show, name, _NAMES[room_name]["rules"][name])


def ready(room_name: str, functions: dict) -> dict:
    """The ready-made functions of a room, by name; masks are no part of them."""
    return {name: _without_mask(functions[name], _NAMES[room_name]["rules"][name]) for name in _NAMES["ready"]}


def _without_mask(function, parameters: list):
    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        masks = [name for name in given if name in _NAMES["masks"]]
        if any(given.pop(name) is not None for name in masks):
            raise PlainError(f"{function.__name__} with a mask is not here while a notebook is marked.")
        return function(**given)

    signature = _like(call, function.__name__, parameters).__signature__
    return call


def _like(function, name: str, parameters: list):
    """The function with the name and the arguments of the real one."""
    function.__name__ = function.__qualname__ = name
    function.__signature__ = Signature(
        [
            Parameter(argument, getattr(Parameter, kind), default=default[0] if default else Parameter.empty)
            for argument, kind, *default in parameters
        ]
    )
    return function


def constant(room_name: str, name: str):
    """A constant of a room."""
    return _NAMES[room_name]["constants"][name]
