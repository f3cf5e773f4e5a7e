"""Reading a trace back from its text, and runs with a number changed."""

import re

import numpy as np

from helpers.displays.output import Display
from helpers.trace import Run, forward_pass

NUMBER = r"[+-]?\d+\.\d+"
DISAGREES = "NOT agree"


def numbers(text: str, decimals: int) -> list[str]:
    """All numbers with that many decimals, as printed."""
    return re.findall(rf"(?<![\w.])[+-]?\d+\.\d{{{decimals}}}(?!\d)", text)


def sums(text: str):
    """(addends, total) of everything that is added up: the lines of plain numbers above a line with their sum."""
    addends = []
    for line in text.splitlines():
        if re.fullmatch(rf" +(= )?{NUMBER}((?: \+)? {NUMBER})*(   .*| \+)?", line):
            found = [float(number) for number in re.findall(NUMBER, line)]
            if line.startswith("  = ") and len(found) == 1 and addends:
                yield addends, found[0]
                addends = []
            else:
                addends += found
        else:
            addends = []


def from_html(shown: Display) -> str:
    """The HTML of a display without its tags and style, minus signs as hyphens."""
    text = re.sub(r"<style>.*?</style>", "", shown.html, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", text).replace("\u2212", "-")


def tampered(example, side: str, key: str, row: int, column: int = 0, layer: int = 1, by: float = 1e-3) -> Run:
    """A run with one number moved after the pass, so that nothing else follows it."""
    run = forward_pass(example)
    stack = getattr(run, side)
    inside = stack.layer(layer)._values
    home = inside if key in inside else stack._values
    array = np.array(home[key], dtype=float)
    array[row if array.ndim == 1 else (row, column)] += by
    home[key] = array
    return run
