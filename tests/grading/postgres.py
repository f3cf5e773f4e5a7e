"""A PostgreSQL server of a test's own: in a folder of its own, on a socket there, as a user without rights."""

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534
MISSING = "There is no PostgreSQL here: install your system's (Debian: sudo apt install postgresql), then start again."


class Server:
    """A server that can be stopped and started again, and the addresses of its databases."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self._process = None
        # PostgreSQL refuses to run as root.
        self._rights = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        if self._rights:
            os.chown(folder, NOBODY, NOBODY)
        folder.chmod(0o755)
        self._call("initdb", "-D", folder / "data", "-U", "byhand", "--auth=trust", "-E", "UTF8", "--no-locale", "-N")

    def _call(self, program, *arguments):
        command = [self.programs / program, *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, **self._rights)
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self):
        command = [self.programs / "postgres", "-D", self.folder / "data", "-k", self.folder, "-h", "", "-F"]
        with (self.folder / "log").open("a") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, **self._rights)
        until = time.monotonic() + 120
        ready = [self.programs / "pg_isready", "-q", "-h", self.folder]
        while subprocess.run(ready, check=False, **self._rights).returncode != 0:
            alive = self._process.poll() is None and time.monotonic() < until
            assert alive, (self.folder / "log").read_text()
            time.sleep(0.1)

    def stop(self):
        """End it at once, as when its machine is switched off."""
        if self._process is not None:
            self._process.send_signal(3)  # SIGQUIT: "immediate"
            self._process.wait(60)
            self._process = None

    def new_database(self, name):
        """Make an empty database; returns its address, as somebody would type it."""
        self._call("createdb", "-h", self.folder, "-U", "byhand", name)
        return f"postgresql://byhand@/{name}?host={self.folder}"


def _programs():
    """Where PostgreSQL's programs are: Debian keeps those of a server away from the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    initdb = shutil.which("initdb") or (found[-1] if found else None)
    if initdb is None:
        pytest.fail(MISSING, pytrace=False)
    return Path(initdb).resolve().parent


@contextmanager
def running_postgres():
    """Start a server; its folder lies where a user without rights can reach it."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="byhand-pg-", dir="/tmp") as folder:
        server = Server(programs, Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop()
