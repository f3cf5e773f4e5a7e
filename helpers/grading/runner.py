"""Runs one notebook's cells in the sandbox, in as many sessions as it takes: what ends one is left out of the next."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from helpers.grading.session import LimitReached, Ran
from helpers.grading.wire import Missing, Said

# A notebook may end its process this often; then the rest of it is not run.
MOST_SESSIONS = 25


class Runner:
    """The cells of one notebook, run one by one; answers are read and functions called in between."""

    def __init__(self, sandbox, given: Mapping[str, bytes] | None = None):
        self.sandbox = sandbox
        self.given = given
        self.limits: list[str] = []
        self.over = ""
        self.sessions = 1
        self.talk = 0.0
        self._kept: list[tuple[str, str]] = []
        self._session = sandbox.session(given)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._session.close()

    @property
    def seconds(self) -> float:
        """Time that cells and calls have taken together."""
        return self._session.seconds

    @property
    def after(self):
        """What the last call left of its arguments, None when it changed none."""
        return self._session.after

    def run(self, source: str, name: str) -> Ran:
        """Run one cell. When it ends the process, the cells before it are run again in a new one."""
        if self.over:
            return Ran(limit=f"{name} was not run: {self.over}")
        ran = self._ask("run", source, name)
        if ran.limit:
            self.note(ran.limit)
        if not self._session.alive:
            self._again()
        elif ran.seconds < self.sandbox.limits.cell_seconds:
            self._kept.append((source, name))
        return ran

    def value(self, name: str):
        """The answer under a name, as the session gives it."""
        if self.over:
            return Missing()
        value = self._ask("value", name)
        if not self._session.alive:
            self.note(value.reason)
            self._again()
        return value

    def tried(self, name: str, calls: Sequence[Said]):
        """The answer under a name and, when it is a function, what the calls gave, as the session tells both."""
        if self.over:
            return Missing(), []
        value, found = self._ask("tried", name, calls)
        if not self._session.alive:
            # Answers may be lost with the process: those that are missing are asked for one by one, and the second end
            # is the one that counts. The time is gone: a function that ends late each time would have it again.
            self.sessions -= 1
            self._again()
            return value, found[:-1]
        if found and isinstance(found[-1].error, LimitReached):
            self.note(str(found[-1].error))
        return value, found

    def call(self, name: str, args: Sequence):
        """What the student's function gives; raises StudentError, LimitReached."""
        if self.over:
            raise LimitReached(self.over)
        try:
            return self._ask("call", name, args)
        except LimitReached as limit:
            self.note(str(limit))
            if not self._session.alive:
                self._again()
            raise

    def _ask(self, question: str, *args):
        """Ask the session.

        A session that a cell before had spoiled is made anew without that cell, and asked again.
        """
        while True:
            session = self._session
            with self.talking():
                try:
                    answer, limit = getattr(session, question)(*args), None
                except LimitReached as reached:
                    answer, limit = None, reached
            if session.spoiler and self._kept and self._kept[-1][1] == session.spoiler:
                self._kept.pop()
                self.note(session.why)
                self._again()
            elif limit is not None:
                raise limit
            else:
                return answer

    @contextmanager
    def talking(self) -> Iterator[None]:
        """Count the processor time of this side, from here on, as asking: of putting a question and reading answers."""
        started = time.process_time()
        try:
            yield
        finally:
            self.talk += time.process_time() - started

    def note(self, limit: str) -> None:
        """Keep a limit that was reached, once."""
        if limit not in self.limits:
            self.limits.append(limit)

    def _again(self) -> None:
        """Open a new session and run again what ran to its end; a cell that does not this time is left out too."""
        while not self._session.alive and not self.over:
            taken = self.seconds
            if taken >= self.sandbox.limits.notebook_seconds:
                self.over = self.sandbox.limits.notebook_time()
            elif self.sessions >= MOST_SESSIONS:
                self.over = f"the notebook ended Python {MOST_SESSIONS} times"
            if self.over:
                self.note(self.over)
                return
            self.sessions += 1
            self._session.close()
            self._session = self.sandbox.session(self.given)
            # All sessions of a notebook share its time.
            self._session.seconds = taken
            self._replay()

    def _replay(self) -> None:
        for cell in list(self._kept):
            ran = self._session.run(*cell)
            if not self._session.alive or ran.seconds >= self.sandbox.limits.cell_seconds:
                self._kept.remove(cell)
            if not self._session.alive:
                return
