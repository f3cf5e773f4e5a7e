"""The student's side of a plain process with limits: no namespaces, no root of its own."""

from __future__ import annotations

import importlib
import os
import socket
import sys
import tempfile

from . import child, shell, wire


def main() -> None:
    """Connect to the marker named on standard input, take its orders, answer questions."""
    port, word = sys.stdin.readline().split()
    channel = wire.Channel(socket.create_connection(("127.0.0.1", int(port))))
    channel.send({"word": word})
    session, _ = channel.receive()
    top = session["top"]
    sys.path[0] = os.path.join(top, "course")
    _own_outputs(os.path.join(top, "tmp"))
    own = {"IPYTHONDIR": "ipython", "MPLCONFIGDIR": "matplotlib", "TMPDIR": "", "TEMP": "", "TMP": ""}
    os.environ.update({name: os.path.join(top, "tmp", folder) for name, folder in own.items()})
    tempfile.tempdir = None
    ready = shell.make(session["output_kb"] * 1024)
    for name in session["warm"]:
        if name not in session["optional"]:
            importlib.import_module(name)
    session["place"] = os.environ["BYHAND_GIVEN"]
    child.limit(session, many=False)
    child.answer(session, ready, channel)


def _own_outputs(folder: str) -> None:
    """Both outputs go to files that the shell reads after each cell."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    for number, name in ((1, "out"), (2, "err")):
        descriptor = os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
