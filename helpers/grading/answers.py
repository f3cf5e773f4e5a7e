"""The student's side of the wire: takes a question, runs what is asked in the shell, and answers with data."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import threading

from . import root, shell, wire

_pid, _leave, _signal, _dumps = os.getpid, os._exit, signal.signal, json.dumps
_WHY_CHARS = 500


class Answers:
    """Answers questions until the marker closes the wire; what it says is believed by nobody."""

    def __init__(self, session: dict, ready: shell.Ready, end):
        self.session = session
        self.ready = ready
        self.channel = wire.Channel(end if isinstance(end, socket.socket) else socket.socket(fileno=end))
        self.process = _pid()
        self.nonce = ""
        self.busy = False
        self.asking = threading.Lock()

    def serve(self) -> None:
        """Lay what the session is given, say that it is ready, then answer."""
        begin, blobs = self.channel.receive()
        root.lay(self.session["place"], dict(zip(begin["given"], blobs, strict=True)))
        self.channel.send({"nonce": begin["nonce"], "ready": True})
        while True:
            try:
                question, blobs = self.channel.receive()
                self._answer(question, blobs)
            except wire.Closed:
                _leave(0)
            except KeyboardInterrupt:
                # It came between the end of a cell and its answer: the marker hears nothing and ends the session.
                continue

    def _answer(self, question: dict, blobs: list[bytes]) -> None:
        self.nonce = question["nonce"]
        _signal(signal.SIGINT, self._interrupt)
        said, pieces = {"run": self._run, "value": self._value, "call": self._call}[question["op"]](question, blobs)
        self._only_here()
        self.channel.send({**said, "nonce": self.nonce}, pieces)

    def _interrupt(self, *_):
        if self.busy:
            raise KeyboardInterrupt

    def _only_here(self) -> None:
        """A cell that forks comes back twice; the copy must not answer."""
        if _pid() != self.process:
            _leave(0)

    def _run(self, _question: dict, blobs: list[bytes]):
        outputs = self.ready.fresh()
        error, short = None, None
        try:
            self.busy = True
            result = self.ready.shell.run_cell(blobs[0].decode("utf-8"), store_history=True)
            self.busy = False
            error = result.error_before_exec or result.error_in_exec
        except BaseException as raised:
            self.busy = False
            error = raised
        self._only_here()
        self.ready.collect(outputs)
        if error is not None:
            short = _short(error)
        shown = _dumps(outputs.dicts(), ensure_ascii=False).encode("utf-8", "replace")
        return {"full": outputs.full, "error": short, "hit": _hit(error)}, [shown]

    def _value(self, question: dict, _blobs: list[bytes]):
        names = self.ready.shell.user_ns
        if question["name"] not in names:
            return {"missing": True}, []
        return self._say(lambda: names[question["name"]])

    def _call(self, question: dict, blobs: list[bytes]):
        names = self.ready.shell.user_ns
        if question["name"] not in names:
            return {"missing": True}, []
        trees = self._trees()
        trees.functions = [self._stub(index) for index in range(question["functions"])]
        args, kwargs = trees.hear(question["tree"], blobs)
        return self._say(lambda: names[question["name"]](*args, **kwargs), (args, kwargs), question["tree"], blobs)

    def _say(self, make, handed=None, as_sent=None, sent=()):
        """What `make` gives, as a tree; whatever the student's objects do meanwhile becomes a word in the answer.

        handed: of a call the arguments, which may be changed by it; as_sent, sent: those arguments as they came.
        """
        self.ready.fresh(0)
        trees = self._trees()
        try:
            self.busy = True
            value = make()
            if handed is None and callable(value) and not isinstance(value, (list, tuple, dict)):
                return {"function": True}, []
            tree = trees.say(value)
            results = len(trees.functions)
            after = None if handed is None else self._changed(trees, handed, as_sent, sent)
            self.busy = False
        except wire.WireError as error:
            return {"unreadable": str(error)}, []
        except BaseException as error:
            self.busy = False
            self._only_here()
            return {"raised": _short(error), "in": _last_function(error), "hit": _hit(error)}, []
        finally:
            self.busy = False
        if results:
            return {"unreadable": "a function, not numbers"}, []
        return {"tree": tree, **({} if after is None else {"after": after})}, trees.blobs

    def _changed(self, trees: wire.Trees, handed, as_sent, sent):
        """The arguments as the call left them, None when it left them as they came."""
        now = self._trees()
        said = now.say(handed)
        if said == as_sent and now.blobs == list(sent):
            return None
        trees.functions = []
        return trees.say(handed)

    def _trees(self) -> wire.Trees:
        return wire.Trees(self.session["value_mb"], self.session["depth"])

    def _stub(self, index: int):
        """A function that the marker answers, for as long as the call it was handed to lasts."""
        nonce = self.nonce

        def given(*args, **kwargs):
            trees = self._trees()
            try:
                tree = trees.say((args, kwargs))
            except wire.WireError as error:
                raise TypeError(f"the function was called with {error}") from None
            with self.asking:
                if self.nonce != nonce or not self.busy or _pid() != self.process:
                    raise RuntimeError("this function answers only during the call it was given to")
                self.channel.send({"nonce": nonce, "ask": index, "tree": tree}, trees.blobs)
                answer, blobs = self.channel.receive()
            if "refused" in answer:
                raise ValueError(answer["refused"])
            return self._trees().hear(answer["tree"], blobs)

        return given


def _short(error: BaseException) -> str:
    """An error in one line."""
    name = shell.safe(lambda: type(error).__name__)
    lines = shell.safe(lambda: str(error)).strip().splitlines()
    return f"{name}: {lines[0]}"[:_WHY_CHARS] if lines else name[:_WHY_CHARS]


def _last_function(error: BaseException) -> str:
    """The name of the function in which an error arose."""
    trace, name = error.__traceback__, ""
    while trace is not None:
        trace, name = trace.tb_next, trace.tb_frame.f_code.co_name
    return name[:_WHY_CHARS]


def _hit(error: BaseException | None) -> str | None:
    """Which limit an error tells of, if one."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return "memory"
    if isinstance(error, BlockingIOError) or (isinstance(error, RuntimeError) and "start new thread" in str(error)):
        return "many"
    if isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC):
        return "files"
    return None
