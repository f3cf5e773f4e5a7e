"""A session: a keeper (the first process of its namespace) and, forked from it, the process of the student.

The keeper watches memory, reaps, passes an interrupt on, and ends everything when the marker closes its end.
The student's process answers questions on its wire; whatever is done to it there is heard by a marker that
trusts nothing.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import socket
import sys

import numpy as np

from . import answers, kernel, root, shell, wire

try:
    import resource
except ImportError:  # Windows, where only the unsafe sandbox exists.
    resource = None

STUDENT = 1000
WIRE = 3
TICK_MS = 50
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def live(session: dict, ready, wire_end: int, report: int) -> None:
    """Be the keeper of a new session; returns when it is over."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        _leave_others(session)
        student = os.fork()
    except OSError as error:
        _tell(report, {"how": "failed", "why": str(error)})
        return
    if student == 0:
        try:
            _settle(session, wire_end, report)
            answer(dict(session, place=root.GIVEN), ready, wire.Channel(socket.socket(fileno=WIRE)))
        finally:
            os._exit(1)
    os.dup2(report, WIRE)
    os.closerange(WIRE + 1, 256)
    _keep(student, WIRE, session)


def _leave_others(session: dict) -> None:
    """Own namespaces, own places, own user, no rights; in this order, since each needs what the next gives up."""
    kernel.unshare(kernel.NEWNS | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS | kernel.NEWCGROUP, "session")
    uid = session["uid"]
    root.own_places(uid, session["file_mb"], [place for place, _ in session["see"]])
    if session["as_root"]:
        os.setgroups([])
        kernel.drop_bounding()
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    else:
        # A user namespace of its own has its own count of processes.
        kernel.unshare(kernel.NEWUSER, "user namespace")
        # What cannot be looked into cannot write its own map either.
        kernel.set_dumpable(True)
        kernel.map_ids(STUDENT, 0, 0)
        kernel.drop_bounding()
    # However many processes a student starts, they have the time of one session.
    os.setsid()
    kernel.drop_capabilities()
    kernel.forbid_new_rights()
    kernel.filter_calls()
    kernel.set_dumpable(False)
    kernel.die_with_parent()


def _keep(student: int, report: int, session: dict) -> None:
    """Watch until the student's process ends, the marker closes the report, or memory runs out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    slowed = {1, student}
    poller = select.poll()
    poller.register(report, select.POLLIN)
    if hasattr(os, "pidfd_open"):
        poller.register(os.pidfd_open(student), select.POLLIN)
    while True:
        poller.poll(TICK_MS)
        try:
            order = os.read(report, 1) if _readable(report) else None
        except OSError:
            order = b""
        if order == b"":
            return
        if order == b"i":
            os.kill(student, signal.SIGINT)
        ended = _bury(student)
        if ended is not None:
            _tell(report, ended)
            return
        _slow_down(slowed)
        if _too_much(session["memory_mb"] * wire.MB):
            _tell(report, {"how": "memory"})
            return


def _slow_down(known: set[int]) -> None:
    """Let all that a notebook starts wait for others, so that twenty processes of one take no time from the next."""
    for number in {int(name) for name in os.listdir("/proc") if name.isdigit()} - known:
        known.add(number)
        try:
            os.setpriority(os.PRIO_PROCESS, number, 19)
        except OSError:
            # It has ended.
            continue


def _readable(descriptor: int) -> bool:
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(0))


def _bury(student: int) -> dict | None:
    """Reap all that ended; how the student's process did, if it is among them."""
    ended = None
    while True:
        try:
            number, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended or {"how": "exit", "number": 0}
        if number == 0:
            return ended
        if number == student:
            code = os.waitstatus_to_exitcode(status)
            ended = {"how": "signal" if code < 0 else "exit", "number": abs(code)}


def _too_much(limit: int) -> bool:
    """Whether all processes of this namespace together hold more than `limit` bytes beyond the keeper's own."""
    numbers = [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]
    limit += _resident("1")
    if sum(map(_resident, numbers)) <= limit:
        return False
    # Pages that several share are counted once here; it takes longer, so only in doubt.
    return sum(map(_proportional, numbers)) > limit


def _resident(number: str) -> int:
    try:
        with open(f"/proc/{number}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def _proportional(number: str) -> int:
    try:
        with open(f"/proc/{number}/smaps_rollup", encoding="ascii") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:")), 0)
    except OSError:
        return _resident(number)


def _tell(report: int, what: dict) -> None:
    try:
        os.write(report, json.dumps(what).encode())
    except OSError:
        # The marker is gone: there is nobody left to tell.
        os._exit(1)


def _settle(session: dict, wire_end: int, report: int) -> None:
    """Limits, four descriptors, the empty home."""
    try:
        os.setpgid(0, 0)
        kernel.set_dumpable(True)
        limit(session)
        # When the machine runs out of memory, this is what it should end.
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
        os.environ.update(HOME=root.HOME, IPYTHONDIR=root.HOME + "/.ipython", MPLCONFIGDIR=root.HOME + "/.matplotlib")
        os.chdir(root.HOME)
        out = [os.open(f"/tmp/.{name}", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600) for name in ("out", "err")]
        for name in ("out", "err"):
            os.unlink(f"/tmp/.{name}")
        # Out of the way of the numbers they go to.
        kept = [os.dup2(number, 100 + index) for index, number in enumerate((wire_end, *out))]
    except (OSError, ValueError) as error:
        _tell(report, {"how": "failed", "why": str(error)})
        raise
    os.dup2(kept[0], WIRE, inheritable=False)
    os.dup2(kept[1], 1)
    os.dup2(kept[2], 2)
    os.closerange(WIRE + 1, 256)


def limit(session: dict, many: bool = True) -> None:
    """Set the limits of this process and of all it starts; of their number only where they have their own count."""
    if resource is None:
        return
    taken = 0
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * PAGE
    seconds = int(session["notebook_seconds"]) + 5
    for name, value in (
        ("RLIMIT_AS", taken + session["memory_mb"] * wire.MB),
        ("RLIMIT_CPU", seconds),
        ("RLIMIT_FSIZE", session["file_mb"] * wire.MB),
        ("RLIMIT_NPROC", session["processes"]),
        ("RLIMIT_NOFILE", 128),
        # At 0 a system that pipes its dumps to a program would still start it; at 1 it does not.
        ("RLIMIT_CORE", 1),
        ("RLIMIT_MEMLOCK", 0),
    ):
        number = getattr(resource, name, None)
        if number is None or (name == "RLIMIT_NPROC" and not many):
            continue
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(number, (value, value))
        except (ValueError, OSError):
            # macOS refuses to limit memory.
            continue


def answer(session: dict, ready, channel: wire.Channel) -> None:
    """Answer the marker's questions until it closes the wire."""
    shell.touch(ready)
    # The same notebook draws the same numbers each time it is marked.
    random.seed(0)
    np.random.seed(0)
    sys.argv[:] = [""]
    answers.Answers(session, ready, channel).serve()
