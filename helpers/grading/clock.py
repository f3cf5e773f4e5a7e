"""The time that an answer of a session may take."""

from __future__ import annotations

import time

from helpers.grading.limits import Limits


class Clock:
    """The time that is left for an answer: until when, and in words what it means when it is over."""

    def __init__(self, limits: Limits, spent: float):
        self.started = time.monotonic()
        self._limits = limits
        self._end = self.started + limits.notebook_seconds - spent
        self.until, self.slow = self._end, limits.notebook_time()

    @property
    def over(self) -> bool:
        """Whether the notebook had no time left to begin with."""
        return self.started >= self._end

    def set(self, seconds: float, told: str) -> None:
        """Allow so many seconds from now, as far as the notebook has them."""
        until = time.monotonic() + seconds
        self.until = min(until, self._end)
        self.slow = self._limits.notebook_time() if until >= self._end else told
