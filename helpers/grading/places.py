"""Which folders of this machine a sandbox needs, with whose rights it can be made, and why it sometimes cannot."""

from __future__ import annotations

import errno
import os
import site
import sys
import sysconfig
from pathlib import Path

# The warm process and its sessions start with these variables and no others.
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/home/student",
    "USER": "student",
    "LOGNAME": "student",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # One thread: a process with more cannot be forked safely, nor enter a namespace.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
# What draws a lesson's pictures, warmed where it is installed.
PICTURES = ["matplotlib", "matplotlib.pyplot", "matplotlib_inline.backend_inline", "matplotlib.backends.backend_svg"]
# This room under another name, so that nothing of the package `helpers` is loaded in the student's process.
_BOOT = (
    "import sys, types, importlib; sys.path[:] = sys.argv[2:]; "
    "room = types.ModuleType('marking_room'); room.__path__ = [sys.argv[1]]; del sys.argv[1:]; "
    "sys.modules['marking_room'] = room; importlib.import_module('marking_room.{}').main()"
)
CAP_SYS_ADMIN = 21
_FIRST_UID = 0x40000000


def command(module: str) -> list[str]:
    """The command that starts one module of this room in a fresh Python that reads no settings."""
    return [sys.executable, "-S", "-s", "-B", "-c", _BOOT.format(module), str(Path(__file__).parent), *search_path()]


def search_path() -> list[str]:
    """Where the student's Python imports from: the course's folder, the standard library, installed packages."""
    base = [path for path in sys.path if path and _is_standard(path)]
    return ["/course", *dict.fromkeys([*base, *_packages()])]


def _packages() -> list[str]:
    """The folders of installed packages that this Python uses; a folder of PYTHONPATH is none."""
    known = [*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    if site.ENABLE_USER_SITE:
        known.append(site.getusersitepackages())
    known = [os.path.abspath(path) for path in known]
    return [path for path in map(os.path.abspath, filter(None, sys.path)) if path in known and os.path.isdir(path)]


def _is_standard(path: str) -> bool:
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)}
    path = os.path.abspath(path)
    return path in standard or (os.path.dirname(path) in standard and os.path.basename(path) == "lib-dynload")


def orders(hide: list[str]) -> dict:
    """What the warm process is told of this machine: folders to see, places to hide, rights."""
    as_root = is_root()
    return {
        "see": [[place, os.path.realpath(place)] for place in _seen()],
        "hide": sorted({*map(os.path.realpath, [*hide, *_ours()]), *map(os.path.abspath, [*hide, *_ours()])}),
        "as_root": as_root,
        "many_uids": as_root and _maps_user(_FIRST_UID),
    }


def _seen() -> list[str]:
    """Python's own folders and those of its packages; never a whole environment, which may be the course's folder."""
    roots = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    roots |= {os.path.realpath(root) for root in roots}
    parts = [os.path.join(root, name) for root in roots for name in ("bin", "lib", "lib64", "pyvenv.cfg")]
    library = sysconfig.get_config_var("LIBDIR")
    places = {*parts, *_packages(), *([library] if library else []), os.path.dirname(os.__file__)}
    system = ("/usr", "/bin", "/lib", "/lib64", "/sbin")
    found = [place for place in sorted(places) if os.path.exists(place)]
    found = [place for place in found if not any(place == top or place.startswith(top + "/") for top in system)]
    return [place for place in found if not any(place.startswith(other + "/") for other in found)]


def _ours() -> list[str]:
    """Every copy of this package that a Python could find: there the rules and the mistakes stand."""
    here = Path(__file__).resolve().parents[1]
    copies = [str(here)]
    for root in {sys.prefix, sys.base_prefix}:
        copies += map(str, Path(root).glob("lib*/python3*/*-packages/helpers"))
    copies += ["/usr/src", "/usr/local/src"]
    return [*copies, *(os.path.join(path, "helpers") for path in _packages())]


def is_root() -> bool:
    """Whether this process may make namespaces and mounts without a user namespace."""
    if os.geteuid() != 0:
        return False
    with open("/proc/self/status", encoding="ascii") as file:
        held = next((int(line.split()[1], 16) for line in file if line.startswith("CapEff:")), 0)
    # Mounts, other users, and giving up what programs could regain.
    return all(held >> number & 1 for number in (CAP_SYS_ADMIN, 6, 7, 8)) and _maps_user(65_499)


def _maps_user(number: int) -> bool:
    """Whether a user of this number exists here: inside a container only some do."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        ranges = [tuple(map(int, line.split())) for line in file]
    return any(inside <= number < inside + count for inside, _, count in ranges)


def why_not(number: int, what: str) -> str:
    """One sentence on why there is no sandbox, and what to change; `number` is the system's error."""
    if sys.platform != "linux":
        return (
            f"Notebooks can be run safely only on Linux, and this is {sys.platform}: mark there, or use --no-sandbox."
        )
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return "This system keeps user namespaces from users: run `sudo sysctl kernel.unprivileged_userns_clone=1`."
    if _setting("user/max_user_namespaces") == "0" and not is_root():
        return "This system allows no user namespaces: run `sudo sysctl user.max_user_namespaces=10000`."
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1" and not is_root():
        return (
            "AppArmor keeps user namespaces from users here: "
            "run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`."
        )
    if number in (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EINVAL, errno.ENOSPC, errno.EUSERS):
        return (
            f"This system refuses namespaces ({what}); in a container, start it with "
            "`--cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined`."
        )
    if "No module named" in what:
        return f"What runs notebooks is not installed ({what}): run `pip install transformer-by-hand[instructor]`."
    return f"The sandbox does not start: {what}."


def _setting(name: str) -> str:
    """A setting of the kernel, or "" where it has none of the name."""
    path = Path("/proc/sys") / name
    return path.read_text(encoding="ascii").strip() if path.exists() else ""
