"""The marker's side of the sandbox: opens sessions, asks, waits until a deadline, and believes nothing.

with Sandbox(limits, files) as sandbox:
    with sandbox.session() as session:
        ran = session.run("a = 1", "cell 1")
        session.value("a")
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading import places, wire
from helpers.grading.limits import Limits
from helpers.grading.session import LimitReached, Ran, Session, StudentError
from helpers.grading.unsafe import PlainProcess

__all__ = ["LimitReached", "Ran", "Sandbox", "Session", "StudentError", "UnsafeSandbox", "probe"]

START_SECONDS = 60


class NoSandbox(PlainError):
    """This system offers no sandbox; the sentence says what to change."""


class _Common:
    """What both kinds of sandbox share: limits, files, and use in a `with`."""

    def __init__(
        self, limits: Limits | None = None, files: Mapping[str, bytes] | None = None, warm: Sequence[str] = ()
    ):
        self.limits = limits or Limits()
        self.files = dict(files or {})
        self.warm = list(warm) or (["helpers"] if "helpers/__init__.py" in self.files else [])

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.close()

    def _orders(self) -> dict:
        limits = self.limits
        return {
            "files": list(self.files),
            "warm": [*self.warm, *places.PICTURES],
            "optional": places.PICTURES,
            "output_kb": limits.output_kb,
            "file_mb": limits.file_mb,
            "memory_mb": limits.memory_mb,
            "processes": limits.processes,
            "notebook_seconds": limits.notebook_seconds,
            "value_mb": limits.value_mb,
            "depth": limits.depth,
        }


class Sandbox(_Common):
    """A warm process in a root of its own, from which sessions are forked; for one thread or several.

    `files` are laid, read-only, into the folder that Python imports from there (`helpers/__init__.py`, …); `warm`
    names modules to import before the first session, by default `helpers` when it is among the files; `hide` lists
    more places of this machine that must not be seen should they lie inside the folders of Python.
    """

    def __init__(self, limits=None, files=None, warm=(), hide: Sequence[Path | str] = ()):
        super().__init__(limits, files, warm)
        self._hide = [str(place) for place in hide]
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._control: wire.Channel | None = None
        self._end: socket.socket | None = None

    def start(self) -> Sandbox:
        """Start the warm process; raises NoSandbox, in one sentence, where the system does not allow it."""
        if sys.platform != "linux":
            raise NoSandbox(places.why_not(0, ""))
        if self._process is not None:
            return self
        self._end, theirs = socket.socketpair()
        with theirs:
            null = subprocess.DEVNULL
            self._process = subprocess.Popen(
                places.command("zygote"), stdin=theirs, stdout=null, stderr=null, env=places.ENVIRONMENT, cwd="/"
            )
        self._control = wire.Channel(self._end)
        until = time.monotonic() + START_SECONDS
        try:
            self._control.send({"orders": self._orders()}, list(self.files.values()), until)
            answer, _ = self._control.receive(until)
        except (wire.Closed, wire.Late):
            answer = {"failed": "the process that runs notebooks ended while it was starting", "number": 0}
        if "ready" not in answer:
            self.close()
            raise NoSandbox(places.why_not(answer["number"], answer["failed"]))
        return self

    def close(self) -> None:
        """End the warm process and with it every session."""
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = self._control = None

    def session(self, given: Mapping[str, bytes] | None = None) -> Session:
        """A fresh session; `given` are files for it alone, in /given. Raises PlainError when none can be had."""
        with self._lock:
            try:
                self._control.send({"open": True}, until=time.monotonic() + START_SECONDS)
                self._end.settimeout(START_SECONDS)
                _, ends, _, _ = socket.recv_fds(self._end, 1, 2, socket.MSG_CMSG_CLOEXEC)
                self._end.setblocking(False)
                wire_end, report = (socket.socket(fileno=end) for end in ends)
            except (wire.Closed, wire.Late, OSError, ValueError, AttributeError):
                raise PlainError("The process that runs notebooks has ended.") from None
        return Session(self.limits, wire_end, Report(report), given)

    def _orders(self) -> dict:
        return super()._orders() | places.orders(self._hide) | {"process": os.getpid()}


class Report:
    """The line to a session's keeper: interrupts, ends, and hears how the session ended."""

    def __init__(self, end: socket.socket):
        self._end = end
        self._told = {"how": "killed"}

    def interrupt(self) -> None:
        """Interrupt what runs."""
        try:
            self._end.send(b"i")
        except OSError:
            # The keeper is gone: then so is what ran.
            return

    def end(self) -> None:
        """End the session: the keeper sees this end close, and when it goes the kernel ends all of its namespace."""
        self._end.close()

    def ended(self, wait: float) -> dict:
        """How a session that is ending by itself ended; how it was ended, when it does not in `wait` seconds."""
        if self._end.fileno() == -1:
            return self._told
        self._end.settimeout(wait)
        try:
            said = self._end.recv(4096)
            self._told = json.loads(said) if said else self._told
        except OSError:
            # Whatever still runs ends when the keeper sees this end closed.
            self._told = {"how": "killed"}
        self._end.close()
        return self._told


class UnsafeSandbox(_Common):
    """The same questions to a plain process with limits, for systems without a sandbox: it can read and change all
    that the person who marks can. A fresh Python for each session.
    """

    def start(self) -> UnsafeSandbox:
        """Nothing is kept between sessions."""
        return self

    def close(self) -> None:
        """Nothing is kept between sessions."""

    def session(self, given: Mapping[str, bytes] | None = None) -> Session:
        """A fresh session; `given` are files for it alone, in the folder BYHAND_GIVEN."""
        keeper = PlainProcess(self.files, self._orders())
        return Session(self.limits, keeper.wire, keeper, given)


def probe() -> str:
    """Nothing where the sandbox works, else one sentence on why it does not and what to change."""
    try:
        with Sandbox(Limits(memory_mb=256), {}) as sandbox:
            return trial(sandbox)
    except PlainError as error:
        return str(error)


def trial(sandbox) -> str:
    """Nothing when a sandbox that was started runs a cell, else one sentence; raises PlainError without a session."""
    with sandbox.session() as session:
        ran = session.run("1 + 1", "the probe")
    return (
        "" if ran.error is None and ran.limit is None else f"The sandbox does not run a cell: {ran.limit or ran.error}."
    )
