"""The warm process from which every session is forked: started by exec with a clean environment, never forked
from the marker, so that its memory holds nothing but Python, NumPy, IPython and the mute `helpers`.

It has one thread, sits in the root of root.py and forks when told. It never runs what a student wrote.
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import socket

from . import child, kernel, root, shell, wire

# User numbers nobody has: one for each session that root opens.
_FIRST_UID, _SPARE_UIDS = 0x40000000, range(61184, 65500)


def main() -> None:
    """Take the orders of the marker on standard input's socket until it closes."""
    control = socket.socket(fileno=os.dup(0))
    channel = wire.Channel(control)
    header, blobs = channel.receive()
    orders = header["orders"]
    files = dict(zip(orders["files"], blobs, strict=True))
    try:
        _enter_box(orders, files)
        _silence()
        ready = _warm(orders)
    except (OSError, ImportError, ValueError) as error:
        channel.send({"failed": str(error), "number": getattr(error, "errno", None) or 0})
        return
    root.close_root()
    # The kernel buries the dead; what is here now is left out of every later search for garbage.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    channel.send({"ready": True})
    _serve(channel, control, orders, ready)


def _enter_box(orders: dict, files: dict[str, bytes]) -> None:
    """Own namespaces and the new root; this process goes on as the first of its namespace."""
    uid, gid = os.getuid(), os.getgid()
    if not orders["as_root"]:
        kernel.unshare(kernel.NEWUSER, "user namespace")
        kernel.map_ids(0, uid, gid)
    kernel.unshare(kernel.NEWNS | kernel.NEWPID | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS, "namespaces")
    # Opened before the fork: the inner process moves the root away under the outer one.
    null = os.open("/dev/null", os.O_RDWR)
    first = os.fork()
    if first:
        _wait_for(first, null)
    os.close(null)
    kernel.die_with_parent()
    kernel.set_dumpable(False)
    size = 8 + 2 * sum(map(len, files.values())) // wire.MB
    root.enter([tuple(pair) for pair in orders["see"]], orders["hide"], size + 16)
    root.lay(root.COURSE, files)
    # Python remembers that the course's folder was not there.
    importlib.invalidate_caches()


def _wait_for(first: int, null: int) -> None:
    """The outer process only waits: when it is killed, the kernel ends the inner one and all it forked."""
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.closerange(3, 256)
    os.waitpid(first, 0)
    os._exit(0)


def _silence() -> None:
    """Standard input and both outputs lead nowhere; errors of the start are told on the wire."""
    null = os.open("/dev/null", os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)


def _warm(orders: dict):
    """Import what every session needs and try the shell once; raises ImportError."""
    os.environ.update(HOME="/tmp", IPYTHONDIR="/tmp/.ipython", MPLCONFIGDIR="/tmp/.matplotlib")
    os.chdir("/tmp")
    ready = shell.make(orders["output_kb"] * 1024)
    for name in orders["warm"]:
        try:
            importlib.import_module(name)
        except ImportError:
            if name not in orders["optional"]:
                raise
    importlib.import_module("numpy.random")
    shell.warm(ready)
    return ready


def _serve(channel: wire.Channel, control: socket.socket, orders: dict, ready) -> None:
    """Hand over a session for each order. The next one is made before it is asked for: it waits, warm and locked in."""
    # A process namespace can be left for a new one only once, and again after coming home.
    home = os.open("/proc/self/ns/pid", os.O_RDONLY)
    number = 0
    while True:
        number += 1
        spare = _open(dict(orders, uid=_uid(orders, number)), ready, home)
        try:
            channel.receive()
            control.setblocking(True)
            socket.send_fds(control, [b"+"], [end.fileno() for end in spare])
        except (wire.Closed, OSError):
            return
        control.setblocking(False)
        for end in spare:
            end.close()


def _open(session: dict, ready, home: int) -> list[socket.socket]:
    """Fork a session; the marker's ends of its wire and of its keeper's report."""
    (mine, wire_end), (mine_too, report) = socket.socketpair(), socket.socketpair()
    kernel.unshare(kernel.NEWPID, "process namespace")
    if os.fork() == 0:
        # No other session's marker must be heard here.
        mine.close()
        mine_too.close()
        child.live(session, ready, wire_end.detach(), report.detach())
        os._exit(0)
    kernel.enter(home, kernel.NEWPID)
    wire_end.close()
    report.close()
    return [mine, mine_too]


def _uid(orders: dict, number: int) -> int:
    """The session's own user, outside; without root it can only be the user who marks."""
    if not orders["as_root"]:
        return 0
    # Two zygotes of one machine differ in their process number; each has 256 users and takes them in turn.
    if orders["many_uids"]:
        return _FIRST_UID + orders["process"] % 2**22 * 256 + number % 256
    return _SPARE_UIDS[(orders["process"] * 37 + number) % len(_SPARE_UIDS)]
