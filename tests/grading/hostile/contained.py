"""Runs a command that may do any harm, where it can do none: only one folder can be written to.

    python contained.py FOLDER SECONDS -- COMMAND…

Everything else is read-only, there is no network but its own loopback, no sight of other processes, and the command
has no rights, 3 GB of memory, 64 MB for a file and 400 processes. When the time is over, all of it is ended. For root
on Linux alone.
"""

import fcntl
import os
import resource
import signal
import socket
import struct
import sys
import time

from as_nobody import open_way

from helpers.grading import kernel

# A user that has no other processes, since these are counted.
SOMEBODY = 64_777
SIZES = {"RLIMIT_AS": 3 << 30, "RLIMIT_FSIZE": 64 << 20, "RLIMIT_NPROC": 400, "RLIMIT_CPU": 90, "RLIMIT_CORE": 0}


def main(folder, seconds, command):
    """Run the command; the exit code is its own, 124 when the time was over."""
    kernel.unshare(kernel.NEWNS | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS | kernel.NEWPID)
    kernel.mount(None, "/", None, kernel.REC | kernel.PRIVATE)
    for place in (sys.base_prefix, sys.prefix, folder):
        open_way(os.path.realpath(place))
    first = os.fork()
    if first == 0:
        kernel.die_with_parent()
        _shut(folder)
        os._exit(_watch(seconds, command))
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]))


def _shut(folder):
    """Everything read-only but the folder; processes and shared memory of its own."""
    kernel.mount(folder, folder, None, kernel.BIND)
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        mounts = file.read().splitlines()
    for line in mounts:
        place = line.split()[4]
        if place != folder:
            flags = kernel.REMOUNT | kernel.BIND | kernel.RDONLY | kernel.NOSUID
            try:
                kernel.mount(None, place, None, flags)
            except kernel.Failed as error:
                if error.errno != 22:
                    raise
                # It lies below another mount and cannot be reached.
                continue
    kernel.mount("proc", "/proc", "proc", kernel.NOSUID | kernel.NODEV | kernel.NOEXEC)
    kernel.mount("tmpfs", "/dev/shm", "tmpfs", kernel.NOSUID | kernel.NODEV, "size=64m,mode=1777")
    with socket.socket() as any_:
        fcntl.ioctl(any_, 0x8914, struct.pack("16sh14x", b"lo", 1))


def _watch(seconds, command):
    """As the first process of the namespace: when it ends, all do."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        kernel.drop_bounding()
        os.setresgid(SOMEBODY, SOMEBODY, SOMEBODY)
        os.setresuid(SOMEBODY, SOMEBODY, SOMEBODY)
        kernel.forbid_new_rights()
        for name, value in SIZES.items():
            resource.setrlimit(getattr(resource, name), (value, value))
        os.execvp(command[0], command)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        number, status = os.waitpid(-1, os.WNOHANG)
        if number == child:
            # What the notebook left behind may go on for a moment, as it would.
            time.sleep(1.5)
            return max(0, os.waitstatus_to_exitcode(status))
        if number == 0:
            time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    return 124


if __name__ == "__main__":
    main(os.path.realpath(sys.argv[1]), float(sys.argv[2]), sys.argv[4:])
