"""What a student's process sees of the machine: a root that holds the listed folders, read-only, and nothing else."""

from __future__ import annotations

import glob
import os
import re

from . import kernel

# Programs and libraries of the system.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")
# No /dev/zero: what is mapped of it is memory that no limit counts.
DEVICES = ("null", "full", "random", "urandom")
COURSE, HOME, GIVEN = "/course", "/home/student", "/given"
OLD, OWN = "/.old", "/.own"
PEOPLE = {
    "/etc/passwd": "root:x:0:0::/:/bin/false\nstudent:x:1000:1000::/home/student:/bin/sh\n",
    "/etc/group": "root:x:0:\nstudent:x:1000:\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_KEPT = {
    "noexec": kernel.NOEXEC,
    "noatime": kernel.NOATIME,
    "nodiratime": kernel.NODIRATIME,
    "relatime": kernel.RELATIME,
}
# Where a Python of the system may have this package installed: there it must not be seen.
_PACKAGES = ("/usr/lib/python3*/*-packages", "/usr/local/lib/python3*/*-packages")


def enter(see: list[tuple[str, str]], hide: list[str], megabytes: int) -> None:
    """Make a new root and move into it; the caller has mount and process namespaces of its own.

    `see` lists folders as (place, where it really is); `hide` what lies inside them and must not be seen.
    Raises kernel.Failed. The root can be written to until `close_root`.
    """
    kernel.mount(None, "/", None, kernel.REC | kernel.PRIVATE)
    kernel.mount("tmpfs", "/tmp", "tmpfs", kernel.NOSUID | kernel.NODEV, f"size={megabytes}m,mode=755")
    os.mkdir("/tmp" + OLD)
    kernel.pivot_root("/tmp", "/tmp" + OLD)
    os.chdir("/")
    for place in SYSTEM + SETTINGS:
        _show(place, place)
    for place, real in sorted(see):
        _show(place, real)
    _devices()
    for place, text in PEOPLE.items():
        _write(place, text.encode())
    for place in (HOME, GIVEN, COURSE, "/tmp", OWN, "/proc"):
        os.makedirs(place, exist_ok=True)
    kernel.mount("proc", "/proc", "proc", kernel.NOSUID | kernel.NODEV | kernel.NOEXEC)
    kernel.unmount(OLD)
    os.rmdir(OLD)
    for place in {*hide, *(found for pattern in _PACKAGES for found in glob.glob(pattern + "/helpers"))}:
        _hide(place)


def _show(place: str, real: str) -> None:
    """Bind one folder or file of the old root; a link is copied as a link."""
    old = OLD + real
    if not os.path.lexists(old) or os.path.lexists(place):
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    if os.path.islink(old):
        os.symlink(os.readlink(old), place)
        return
    if os.path.isdir(old):
        os.mkdir(place)
    else:
        _write(place, b"")
    kernel.mount(old, place, None, kernel.BIND | kernel.REC)


def _hide(place: str) -> None:
    """Put nothing in the place of a folder or a file."""
    if os.path.isdir(place):
        kernel.mount("tmpfs", place, "tmpfs", kernel.NOSUID | kernel.NODEV, "size=4k,mode=555")
    elif os.path.exists(place):
        kernel.mount("/dev/null", place, None, kernel.BIND)


def _devices() -> None:
    os.makedirs("/dev/shm")
    for name in DEVICES:
        _show(f"/dev/{name}", f"/dev/{name}")
    os.symlink("/proc/self/fd", "/dev/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.symlink(f"/proc/self/fd/{number}", f"/dev/{name}")


def _write(place: str, content: bytes) -> None:
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as file:
        file.write(content)
    os.chmod(place, 0o444)


def lay(folder: str, files: dict[str, bytes]) -> None:
    """Write files below a folder; raises ValueError when a name leads out of it."""
    for name, content in files.items():
        parts = name.split("/")
        if name.startswith("/") or "\0" in name or {"", ".", ".."} & set(parts):
            raise ValueError(f"{name!r} is no name of a file below a folder")
        _write(os.path.join(folder, *parts), content)


def close_root() -> None:
    """Make everything read-only that is mounted, the root included."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        mounts = [line.split() for line in file]
    for fields in mounts:
        place = re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), fields[4])
        if place == "/proc":
            continue
        flags = kernel.RDONLY | kernel.NOSUID
        if not place.startswith("/dev/"):
            flags |= kernel.NODEV
        for option in fields[5].split(","):
            flags |= _KEPT.get(option, kernel.NODEV if option == "nodev" else 0)
        kernel.mount(None, place, None, kernel.REMOUNT | kernel.BIND | flags)


def own_places(uid: int, megabytes: int, see: list[str]) -> None:
    """In a session's own mount namespace: its processes, an empty home, room for passing files, what it is given.

    Home, /tmp, /dev/shm and what it will be given share one size.
    """
    quiet = kernel.NOSUID | kernel.NODEV
    # Only processes: nothing of the machine. Kernels before 5.8 know no such choice.
    try:
        kernel.mount("proc", "/proc", "proc", quiet | kernel.NOEXEC, "subset=pid")
    except kernel.Failed:
        kernel.mount("proc", "/proc", "proc", quiet | kernel.NOEXEC)
    options = f"size={megabytes}m,nr_inodes=4096,mode=755,uid={uid},gid={uid}"
    kernel.mount("tmpfs", OWN, "tmpfs", quiet, options)
    for name, place in (("home", HOME), ("tmp", "/tmp"), ("shm", "/dev/shm"), ("given", GIVEN)):
        os.mkdir(f"{OWN}/{name}", 0o700)
        for inside in see:
            if inside.startswith(place + "/"):
                _keep_in_sight(inside, f"{OWN}/{name}{inside[len(place) :]}")
        os.chown(f"{OWN}/{name}", uid, uid)
        kernel.mount(f"{OWN}/{name}", place, None, kernel.BIND | kernel.REC)
    kernel.unmount(OWN)


def _keep_in_sight(place: str, again: str) -> None:
    """A Python that is installed below /tmp, or in a home called like ours, is shown again inside the new folder."""
    if os.path.isdir(place):
        os.makedirs(again, exist_ok=True)
    else:
        _write(again, b"")
    kernel.mount(place, again, None, kernel.BIND | kernel.REC)
