"""What `byhand train` does: make the trained model anew, or measure the one that is there."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from helpers.course.environment import say


def print_report() -> None:
    """Measure the shipped model and print its three numbers."""
    from helpers.trained.report import report

    print(report())


def train_and_save(path: Path | None = None, recipe=None) -> None:
    """Train from scratch and write the model; the shipped one, which is the default, is measured, too."""
    from helpers.trained import model, report
    from helpers.trained.train import SIZES, Recipe, train, unpack

    path, recipe = path or model.FILE, recipe or Recipe()
    vector = train(recipe, report=progress_line(recipe.steps))
    model.save(path, unpack(vector, SIZES), SIZES)
    say(f"wrote {path}, {path.stat().st_size:,} bytes")
    model.load.cache_clear()
    if path == model.FILE:
        print(report.report())


def progress_line(steps: int):
    """A function of step and loss that keeps one line of a terminal up to date; a file gets a line each tenth."""
    start = time.monotonic()
    in_place = sys.stdout.isatty()
    every = max(steps // (200 if in_place else 10), 1)

    def report(step: int, loss: float) -> None:
        if step % every and step != steps:
            return
        last = step == steps or not in_place
        line = f"step {step} of {steps}, loss {loss:.3f}, {time.monotonic() - start:.0f} s"
        print(f"\rbyhand: {line}" if in_place else f"byhand: {line}", end="\n" if last else "", flush=True)

    return report
