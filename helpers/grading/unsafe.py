"""The marker's side of a plain process with limits, for systems that offer no sandbox."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from helpers.errors import PlainError
from helpers.grading import places, root, wire

START_SECONDS = 60
# What a Python of Windows needs to start, and where a system keeps its temporary files.
NEEDED = ("SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "PATHEXT")


class PlainProcess:
    """A fresh Python in a temporary folder, which connects to the marker; also the session's keeper."""

    def __init__(self, files: Mapping[str, bytes], orders: dict):
        self._folder = tempfile.TemporaryDirectory(prefix="byhand-", ignore_cleanup_errors=True)
        top = Path(self._folder.name).resolve()
        for name, content in (("course", files), ("given", {}), ("home", {}), ("tmp", {})):
            (top / name).mkdir()
            root.lay(str(top / name), dict(content))
        orders = orders | {"top": str(top)}
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(START_SECONDS)
            self._process = self._start(top)
            self.wire = self._meet(server, orders)

    def interrupt(self) -> None:
        """Interrupt what runs; Windows cannot, so there the end follows."""
        if sys.platform != "win32":
            self._process.send_signal(signal.SIGINT)

    def end(self) -> dict:
        """End the process, and those of its group."""
        code = self._process.poll()
        if sys.platform == "win32":
            self._process.kill()
        else:
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except ProcessLookupError:
                code = self._process.poll()
        self._process.wait()
        self._folder.cleanup()
        if code is None:
            return {"how": "killed"}
        return {"how": "signal" if code < 0 else "exit", "number": abs(code)}

    def ended(self, wait: float) -> dict:
        """How a process that is ending by itself ended."""
        try:
            self._process.wait(wait)
        except subprocess.TimeoutExpired:
            return {"how": "killed"}
        code = self._process.returncode
        return {"how": "signal" if code < 0 else "exit", "number": abs(code)}

    def _start(self, top: Path) -> subprocess.Popen:
        kept = {name: os.environ[name] for name in NEEDED if name in os.environ}
        own = {"HOME": str(top / "home"), "USERPROFILE": str(top / "home"), "BYHAND_GIVEN": str(top / "given")}
        null = subprocess.DEVNULL
        return subprocess.Popen(
            places.command("plain"), stdin=subprocess.PIPE, stdout=null, stderr=null, cwd=top / "home",
            env={**kept, **places.ENVIRONMENT, **own}, start_new_session=sys.platform != "win32",
        )  # fmt: skip

    def _meet(self, server: socket.socket, orders: dict) -> socket.socket:
        """The connection of the process just started, known by a word that only it was told."""
        word = secrets.token_hex(16)
        try:
            self._process.stdin.write(f"{server.getsockname()[1]} {word}\n".encode())
            self._process.stdin.close()
            end, _ = server.accept()
            channel = wire.Channel(end)
            header, _ = channel.receive(wire._now() + START_SECONDS)
            if header.get("word") != word:
                raise wire.WireError("a stranger")
            channel.send(orders)
        except (OSError, wire.Closed, wire.Late, wire.WireError):
            self.end()
            raise PlainError("The process that runs notebooks ended while it was starting.") from None
        return end
