"""How far a run is: a bar with the rest time on a terminal, a line now and then anywhere else."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

EVERY_SECONDS = 30


class Bar:
    """A `run.Watch` on standard error."""

    def __init__(self):
        columns = (TextColumn("marking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._on_terminal = sys.stderr.isatty()
        self._progress = Progress(*columns, console=Console(stderr=True), disable=not self._on_terminal)
        self._task = self._progress.add_task("marking", total=None)
        self._done = self._total = 0
        self._said = time.monotonic()

    def __enter__(self):
        self._progress.start()
        return self

    def __exit__(self, *_):
        self._progress.stop()

    def begin(self, total: int) -> None:
        """So many are to be marked."""
        self._total = total
        self._progress.update(self._task, total=total)

    def step(self, student: str) -> None:
        """One more is done."""
        self._done += 1
        self._progress.advance(self._task)
        if not self._on_terminal and time.monotonic() - self._said > EVERY_SECONDS:
            self._said = time.monotonic()
            print(f"{self._done} of {self._total} marked", file=sys.stderr, flush=True)
