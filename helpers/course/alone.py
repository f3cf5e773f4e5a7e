"""One at a time: a lock that a second process of the same person waits for."""

from __future__ import annotations

import getpass
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def lock_file(folder: Path) -> Path:
    """Where the lock of a folder lies: outside it, since the folder itself may be removed and made anew."""
    name = hashlib.sha256(f"{getpass.getuser()} {folder.resolve()}".encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"byhand-{name}.lock"


@contextmanager
def alone(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Run the body while no other process is in the body for the same folder; say so once when it has to wait."""
    with lock_file(folder).open("a") as file:
        if not _locked(file):
            say(f"another command is working on {folder}: waiting for it")
            while not _locked(file):
                time.sleep(0.2)
        yield  # closing the file gives the lock back, whatever happened


def _locked(file: IO) -> bool:
    """Try to take the lock; the system gives it back when the process ends."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
