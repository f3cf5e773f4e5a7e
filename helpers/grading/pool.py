"""Dask's part: submissions out to workers, outcomes back as they come, each fault retried once."""

from __future__ import annotations

import logging
import pickle
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from helpers.errors import PlainError
from helpers.grading.marker import FAILED, Job, Outcome
from helpers.grading.work import close_all, mark_here

# So many submissions for each thread are under way at once: enough to keep it busy, few enough to fit in memory.
AHEAD = 3
CONNECT_SECONDS = 20


@dataclass
class Pool:
    """Workers for one job. retried: how many submissions were tried again."""

    client: object
    job: Job
    retried: int = 0
    _run: str = field(default_factory=lambda: secrets.token_hex(8), repr=False)
    _packed: object = field(default=None, repr=False)

    def __post_init__(self):
        # A task and not scattered data: a worker that dies with it is no loss, it is computed again.
        self._packed = self.client.submit(bytes, pickle.dumps(self.job), key=f"job-{self._run}", pure=False)

    def threads(self) -> int:
        """How many submissions can be marked at once."""
        return max(1, sum(self.client.nthreads().values()))

    def outcomes(self, submissions: Iterable[tuple[str, bytes]]) -> Iterator[Outcome]:
        """The outcome of each (student, notebook), in the order in which they are done.

        What failed is tried once more, alone, after the others.
        """
        failed: list[tuple[str, bytes]] = []
        for outcome, submission in self._stream(submissions):
            if outcome.status == FAILED:
                failed.append(submission)
            else:
                yield outcome
        for submission in failed:
            self.retried += 1
            yield from (outcome for outcome, _ in self._stream([submission]))

    def _stream(self, submissions: Iterable[tuple[str, bytes]]) -> Iterator[tuple[Outcome, tuple[str, bytes]]]:
        from distributed import as_completed

        waiting = iter(submissions)
        ahead = AHEAD * self.threads()
        open_ = {self._submit(one): one for one in islice(waiting, ahead)}
        done = as_completed(list(open_))
        for future in done:
            submission = open_.pop(future)
            outcome = self._result(future, submission[0])
            future.release()
            for one in islice(waiting, 1):
                another = self._submit(one)
                open_[another] = one
                done.add(another)
            yield outcome, submission

    def _submit(self, submission: tuple[str, bytes]):
        return self.client.submit(mark_here, self._packed, self._run, *submission, pure=False)

    def _result(self, future, student: str) -> Outcome:
        if future.status == "finished":
            return future.result()
        error = future.exception() if future.status == "error" else None
        name = type(error).__name__
        reason = "the worker that marked it ended" if name == "KilledWorker" else f"its worker failed: {error}"
        return Outcome(student, FAILED, "its worker was lost" if error is None else reason)

    def close(self) -> None:
        """End what this run started on the workers."""
        self.client.run(close_all, self._run, on_error="ignore")


@contextmanager
def opened(job: Job, workers: int, scheduler: str | None = None) -> Iterator[Pool]:
    """A pool of threads of this process, or that of a Dask scheduler by its address.

    Raises PlainError when there is no scheduler, it has no workers, or one of them has another version of this package.
    """
    with _quiet(), _client(workers, scheduler) as client:
        pool = Pool(client, job)
        try:
            yield pool
        finally:
            pool.close()


@contextmanager
def _client(workers: int, scheduler: str | None):
    import dask
    from distributed import Client, LocalCluster

    if scheduler is None:
        # In this process: nobody else on the machine can hand it work, or see on a page what it does.
        settings = {f"distributed.{who}.http.routes": [] for who in ("scheduler", "worker")}
        # The log of the last thousand events would hold that many notebooks.
        settings["distributed.admin.low-level-log-length"] = 10
        with dask.config.set(settings), LocalCluster(
            n_workers=1, threads_per_worker=workers, processes=False, protocol="inproc://", memory_limit=0,
            dashboard_address=None, scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            worker_dashboard_address="127.0.0.1:0",
        ) as cluster, Client(cluster) as client:  # fmt: skip
            yield client
        return
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise PlainError(f"There is no Dask scheduler at {scheduler}: {_line(error)}.") from None
    with client:
        if not client.nthreads():
            raise PlainError(f"The Dask scheduler at {scheduler} has no workers; start some with `dask worker`.")
        _same_package(client)
        yield client


def _same_package(client) -> None:
    try:
        versions = client.run(package_hash)
    except Exception as error:
        # Whatever a worker says to this question, it cannot mark.
        raise PlainError(f"A Dask worker has no package transformer-by-hand to mark with: {_line(error)}.") from None
    odd = [worker for worker, version in versions.items() if version != package_hash()]
    if odd:
        raise PlainError(f"The Dask worker {odd[0]} has another transformer-by-hand; install the same there.")


def package_hash() -> str:
    """A hash of the code that marks."""
    import hashlib
    from pathlib import Path

    import helpers

    package, whole = Path(helpers.__file__).parent, hashlib.sha256(helpers.__version__.encode())
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] not in PAGES:
            whole.update(path.read_bytes())
    return whole.hexdigest()


# Rooms that no mark depends on.
PAGES = {"cards", "course", "displays", "worksheets", "trained"}


@contextmanager
def _quiet():
    """Dask's notes about workers that come and go are no news to who marks."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.worker", "distributed.scheduler")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
