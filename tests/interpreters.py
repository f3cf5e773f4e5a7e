"""The Pythons of this machine, found by asking them: a name on the PATH may be a shim that leads nowhere."""

import os
import subprocess
from pathlib import Path

SUPPORTED = [(3, minor) for minor in range(10, 15)]


def _candidates():
    """Every file that is called like a Python, on the PATH and where pyenv keeps its versions."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted(pyenv.glob("versions/*/bin"))
    for folder in folders:
        for pattern in ("python[23].[0-9]", "python3.[0-9][0-9]", "python3", "python[23].*.exe", "python.exe"):
            yield from sorted(folder.glob(pattern))


def interpreters():
    """Version (major, minor) → path of a Python that answers; the first one found of each version."""
    found = {}
    asked = set()
    for path in _candidates():
        if path.resolve() in asked and "shims" not in path.parts:
            continue
        asked.add(path.resolve())
        version = _version(path)
        if version is not None:
            found.setdefault(version, path)
    return found


def _version(path):
    code = "import sys; sys.stdout.write('%d %d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([path, "-c", code], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    numbers = answer.stdout.split()
    return tuple(map(int, numbers)) if answer.returncode == 0 and len(numbers) == 2 else None
