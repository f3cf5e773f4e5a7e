"""The system calls of Linux that Python does not offer: namespaces, mounts, capabilities, a filter of calls."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from functools import cache

NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND = 1, 2, 4, 8, 32, 4096
REC, PRIVATE, NOATIME, NODIRATIME, RELATIME = 16384, 1 << 18, 1024, 2048, 1 << 21
DETACH = 2
_PDEATHSIG, _DUMPABLE, _SECCOMP, _CAPBSET_DROP, _NO_NEW_PRIVS, _CAP_AMBIENT = 1, 4, 22, 24, 38, 47

_EPERM, _EACCES, _EINVAL, _ENOSYS = 1, 13, 22, 38
# Calls nobody needs for a notebook: other processes' memory, mounts, namespaces, keys, kernel programs, memory
# that no limit counts, messages between processes, a session of one's own: the kernel shares time between sessions.
_REFUSED = [
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "keyctl",
    "add_key",
    "request_key",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "memfd_create",
    "shmget",
    "shmat",
    "shmctl",
    "semget",
    "semop",
    "semctl",
    "semtimedop",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "mq_open",
    "mq_unlink",
    "open_by_handle_at",
    "name_to_handle_at",
    "swapon",
    "swapoff",
    "reboot",
    "sethostname",
    "setdomainname",
    "acct",
    "quotactl",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "syslog",
    "personality",
    "kcmp",
    "lookup_dcookie",
    "vhangup",
    "fanotify_init",
    "vmsplice",
    "nfsservctl",
    "set_mempolicy",
    "mbind",
    "migrate_pages",
    "move_pages",
    "setsid",
]
_SAME = (425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 447, 448, 457, 458, 459, 460, 461)
_X86 = (
    165, 166, 155, 161, 272, 308, 101, 310, 311, 250, 248, 249, 321, 298, 323, 246, 320, 175, 313, 176, 319, 29, 30, 31,
    64, 65, 66, 220, 68, 69, 70, 71, 240, 241, 304, 303, 167, 168, 169, 170, 171, 163, 179, 164, 227, 305, 159, 103,
    135, 312, 212, 153, 300, 278, 180, 238, 237, 256, 279, 112,
)  # fmt: skip
_ARM = (
    40, 39, 41, 51, 97, 268, 117, 270, 271, 219, 217, 218, 280, 241, 282, 104, 294, 105, 273, 106, 279, 194, 196, 195,
    190, 193, 191, 192, 186, 189, 188, 187, 180, 181, 265, 264, 224, 225, 142, 161, 162, 89, 60, 170, 112, 266, 171,
    116, 92, 272, 18, 58, 262, 75, 42, 237, 235, 238, 239, 157,
)  # fmt: skip
# Audit number, refused calls, clone, socket, mmap; clone3 is 435 on both.
_MACHINES = {"x86_64": (0xC000003E, _X86, 56, 41, 9), "aarch64": (0xC00000B7, _ARM, 220, 198, 222)}
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20


class Failed(OSError):
    """A system call was refused; `step` says in which."""

    def __init__(self, number: int, step: str):
        super().__init__(number, f"{step}: {os.strerror(number)}")
        self.step = step


@cache
def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _call(step: str, name: str, *arguments) -> int:
    result = getattr(_libc(), name)(*arguments)
    if result == -1:
        raise Failed(ctypes.get_errno(), step)
    return result


def _prctl(step: str, option: int, *values) -> None:
    padded = [ctypes.c_ulong(value) for value in values] + [ctypes.c_ulong(0)] * (4 - len(values))
    _call(step, "prctl", option, *padded)


def unshare(flags: int, step: str = "unshare") -> None:
    """Leave the namespaces named by the flags for new ones."""
    _call(step, "unshare", flags)


def enter(descriptor: int, flags: int) -> None:
    """Enter the namespace behind a file descriptor."""
    _call("setns", "setns", descriptor, flags)


def mount(source: str | None, target: str, kind: str | None, flags: int = 0, options: str | None = None) -> None:
    """Mount, bind or remount."""
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _call(f"mount {target}", "mount", *texts[:3], ctypes.c_ulong(flags), texts[3])


def unmount(target: str) -> None:
    """Take a mount away, with all below it."""
    _call(f"umount {target}", "umount2", os.fsencode(target), DETACH)


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root and put the present one at `old`, below it."""
    _libc().pivot_root.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    _call("pivot_root", "pivot_root", os.fsencode(new), os.fsencode(old))


def map_ids(inside: int, uid: int, gid: int) -> None:
    """Give a new user namespace its one user and one group: `inside` there, `uid` and `gid` outside."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{inside} {uid} 1"), ("gid_map", f"{inside} {gid} 1")):
        try:
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
        except OSError as error:
            raise Failed(error.errno or 0, f"write {name}") from None


def die_with_parent() -> None:
    """Be killed when the process that forked this one ends."""
    _prctl("prctl", _PDEATHSIG, 9)


def set_dumpable(value: bool) -> None:
    """Whether processes of the same user may look into this one."""
    _prctl("prctl", _DUMPABLE, int(value))


def drop_bounding() -> None:
    """Give up every capability for all programs started from here; needs the right to do so."""
    for number in range(64):
        try:
            _prctl("capability", _CAPBSET_DROP, number)
        except Failed as error:
            # The kernel knows no more of them.
            if error.errno == _EINVAL:
                return
            raise


def drop_capabilities() -> None:
    """Give up every capability of this process."""
    _prctl("capability", _CAP_AMBIENT, 4)
    header = struct.pack("=Ii", 0x20080522, 0)
    _call("capset", "capset", ctypes.c_char_p(header), ctypes.c_char_p(bytes(24)))


def forbid_new_rights() -> None:
    """No program started from here may gain rights."""
    _prctl("no_new_privs", _NO_NEW_PRIVS, 1)


def filter_calls() -> bool:
    """Refuse the system calls that a notebook never needs; False on a machine whose numbers are not known here."""
    known = _MACHINES.get(platform.machine())
    if known is None or struct.calcsize("P") != 8:
        return False
    code = b"".join(_program(*known))
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    program = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    _prctl("seccomp", _SECCOMP, 2, ctypes.addressof(program))
    return True


def _program(machine: int, refused: tuple[int, ...], clone: int, socket: int, mmap: int) -> list[bytes]:
    """The filter, in the kernel's small language: (code, jump if true, jump if false, value)."""
    load, equal, at_least, any_bit, give = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000

    def step(code, value, yes=0, no=0):
        return struct.pack("=HBBI", code, yes, no, value)

    lines = [step(load, 4), step(equal, machine, 1, 0), step(give, 0x80000000), step(load, 0)]
    # The other numbering of the same machine.
    lines += [step(at_least, 0x40000000, 0, 1), step(give, refuse | _ENOSYS)]
    for number in (*refused, *_SAME):
        lines += [step(equal, number, 0, 1), step(give, refuse | _EPERM)]
    # The flags of clone3 lie in memory, where no filter can look: without it, the C library takes clone.
    lines += [step(equal, 435, 0, 1), step(give, refuse | _ENOSYS)]
    fresh = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
    lines += [step(equal, clone, 0, 4), step(load, 16), step(any_bit, fresh, 0, 1), step(give, refuse | _EPERM)]
    lines += [step(give, allow)]
    # Memory that is shared and belongs to no file can be hidden from every count of what a process holds.
    lines += [step(equal, mmap, 0, 5), step(load, 40), step(any_bit, _MAP_ANONYMOUS, 0, 2)]
    lines += [step(any_bit, _MAP_SHARED, 0, 1), step(give, refuse | _EPERM), step(give, allow)]
    # Sockets of this machine's own files only: others (vsock!) reach past the network namespace.
    lines += [step(equal, socket, 0, 4), step(load, 16), step(equal, 1, 1, 0), step(give, refuse | _EACCES)]
    return [*lines, step(give, allow), step(give, allow)]
