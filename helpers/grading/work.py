"""What a Dask worker does: it hands submissions to a marking process, one for each of its threads.

The process is a fresh one, so that threads share neither what the checks remember nor Python's lock, and one that
dies costs one submission and not the worker. Workers need the package and Dask; nbgrader stays out of them.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helpers.grading.marker import FAILED, Job, Outcome, receive, send

_CODE = (
    "import sys; sys.path[:] = sys.argv[1:]; del sys.argv[1:]; "
    "from helpers.grading.marker import main; main()"
)  # fmt: skip
# A submission is allowed its notebook's time again and again while cells that end it are left out.
_PATIENCE, _EXTRA_SECONDS, _START_SECONDS = 10, 60, 120

_lock = threading.Lock()
# Thread → its marking process, and the token of the job that process holds.
_markers: dict[int, tuple[str, Marker]] = {}
_spare: list[subprocess.Popen] = []
# Runs that are over: what of them still waits here is not begun.
_over: set[str] = set()


class Marker:
    """The parent's side of one marking process."""

    def __init__(self, job: Job):
        self._patience = _EXTRA_SECONDS + _PATIENCE * job.limits.notebook_seconds
        with _lock:
            ready = _spare.pop() if _spare else None
        self._process = ready or _start()
        self._late = 0.0
        self._ask(job, _START_SECONDS)

    def mark(self, student: str, content: bytes) -> Outcome:
        """Mark one submission; raises WorkerDied when the process ends, or takes far longer than limits allow."""
        return self._ask((student, content), self._patience)

    def _ask(self, thing, seconds: float):
        clock = threading.Timer(seconds, self._too_long, [seconds])
        clock.start()
        try:
            send(self._process.stdin, thing)
            return receive(self._process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            self.close()
            raise WorkerDied(self._how()) from None
        finally:
            clock.cancel()

    def close(self) -> None:
        """End the process; its sandbox ends with it."""
        _end(self._process)

    def _too_long(self, seconds: float) -> None:
        self._late = seconds
        self._process.kill()

    def _how(self) -> str:
        if self._late:
            return f"marking took longer than {self._late:g} s"
        return f"the process that marked it ended ({self._process.returncode})"


def _start() -> subprocess.Popen:
    """A marking process that waits for its job."""
    path = [str(Path(__file__).resolve().parents[2]), *filter(None, sys.path)]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", _CODE, *path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, env=environment, start_new_session=os.name == "posix",
    )  # fmt: skip


@contextmanager
def prepared(count: int) -> Iterator[None]:
    """Start so many marking processes ahead: they load what they need while this process does the same."""
    with _lock:
        _spare.extend(_start() for _ in range(count))
    try:
        yield
    finally:
        with _lock:
            left = list(_spare)
            _spare.clear()
        for process in left:
            _end(process)


def _end(process: subprocess.Popen) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        try:
            pipe.close()
        except BrokenPipeError:
            # What was still to be written has no reader any more.
            continue
    process.wait()


class WorkerDied(Exception):
    """A marking process that ended under a submission."""


def mark_here(packed: bytes, token: str, student: str, content: bytes) -> Outcome:
    """The task of a worker: mark one submission of the job that `packed` holds, in this thread's process.

    token: the run's, which no other run has.
    """
    try:
        return _marker(packed, token).mark(student, content)
    except WorkerDied as error:
        _close([threading.get_ident()])
        return Outcome(student, FAILED, str(error))


def _marker(packed: bytes, token: str) -> Marker:
    """This thread's process for a job; one that holds another job makes room."""
    thread = threading.get_ident()
    with _lock:
        held, marker = _markers.get(thread, ("", None))
    if held == token:
        return marker
    _close([thread])
    if token not in _over:
        marker = Marker(pickle.loads(packed))
        with _lock:
            _markers[thread] = token, marker
        if token not in _over:
            return marker
        _close([thread])
    raise WorkerDied("the run is over")


def close_all(token: str) -> None:
    """End the marking processes of one run in this worker."""
    with _lock:
        _over.add(token)
        mine = [thread for thread, (held, _) in _markers.items() if held == token]
    _close(mine)


def _close(threads: list[int]) -> None:
    with _lock:
        closing = [_markers.pop(thread)[1] for thread in threads if thread in _markers]
    for marker in closing:
        marker.close()
