"""The student's side of the wire: takes a question, runs what is asked in the shell, and answers with data."""

from __future__ import annotations

import errno
import json
import os
import signal
import threading
import time

import numpy as np

from . import root, shell, wire

_pid, _leave, _signal, _dumps, _now = os.getpid, os._exit, signal.signal, json.dumps, time.monotonic
_WHY_CHARS = 500
_PLAIN = frozenset([int, float, str, bool, type(None)])
_LETTERS = {np.ndarray: "a", tuple: "t", list: "l", dict: "d"}
# So long an answer to one of several calls may wait to be sent.
_MOMENT = 0.02


class Answers:
    """Answers questions until the marker closes the wire; what it says is believed by nobody."""

    def __init__(self, session: dict, ready: shell.Ready, channel: wire.Channel):
        self.session = session
        self.ready = ready
        self.channel = channel
        self.process = _pid()
        self.nonce = ""
        self.busy = False
        self.stopped = False
        self.weight = 0
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
        self.nonce, self.stopped = question["nonce"], False
        _signal(signal.SIGINT, self._interrupt)
        answer = {"run": self._run, "value": self._value, "call": self._call, "try": self._try}[question["op"]]
        self._send(*answer(question, blobs))

    def _send(self, said: dict, pieces: list[bytes]) -> None:
        self._only_here()
        self.channel.send({**said, "nonce": self.nonce}, pieces)

    def _interrupt(self, *_):
        self.stopped = True
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
        stubs = [self._stub(index) for index in range(question["functions"])]
        return self._called(question["name"], question["tree"], blobs, stubs)

    def _called(self, name: str, tree, blobs: list[bytes], stubs=()):
        names = self.ready.shell.user_ns
        if name not in names:
            return {"missing": True}, []
        trees = self._trees()
        trees.functions = stubs
        args, kwargs = trees.hear(tree, blobs)
        return self._say(lambda: names[name](*args, **kwargs), (args, kwargs), tree, blobs)

    def _try(self, question: dict, blobs: list[bytes]):
        """A value, or of a function one answer for each call; the calls end at an interrupt and at a limit.

        Waking the marker costs more than most calls: answers are kept until the last one, or a moment has passed.
        """
        said, pieces = self._value(question, [])
        if said.get("function") is not True:
            return said, pieces
        kept, started = _Kept(), _now()
        for number, (tree, count) in enumerate(question["calls"]):
            if self.stopped:
                break
            said, pieces = self._called(question["name"], tree, blobs[:count])
            blobs = blobs[count:]
            if not kept.room(self.weight, pieces):
                self._send({"function": True, "answers": kept.said, "more": True}, kept.pieces)
                kept, started = _Kept(), _now()
            kept.add(said, pieces)
            if said.get("hit"):
                break
            if _now() - started > _MOMENT and number + 1 < len(question["calls"]) and not self.stopped:
                self._send({"function": True, "answers": kept.said, "more": True}, kept.pieces)
                kept, started = _Kept(), _now()
        return {"function": True, "answers": kept.said}, kept.pieces

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
            self.weight = 60 * (wire.ITEMS - trees.items) + 6 * (wire.LETTERS - trees.letters)
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
        if _as_sent(handed, as_sent, sent):
            return None
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


def _as_sent(value, said, blobs: list[bytes]) -> bool:
    """Whether a value is what was sent; False also where that cannot be told at a glance."""
    kind = type(value)
    if kind in _PLAIN:
        return kind is type(said) and value == said
    if type(said) is not list or said[0] != _LETTERS.get(kind):
        return False
    if kind is np.ndarray:
        same = value.dtype.str[1:] == said[1] and list(value.shape) == said[2]
        return same and value.tobytes() == blobs[said[3]]
    entries = [one for pair in value.items() for one in pair] if kind is dict else value
    return len(entries) == len(said) - 1 and all(
        _as_sent(entry, as_sent, blobs) for entry, as_sent in zip(entries, said[1:], strict=True)
    )


class _Kept:
    """Answers that wait to be sent together."""

    def __init__(self):
        self.said: list[dict] = []
        self.pieces: list[bytes] = []
        self._size = 0

    def room(self, weight: int, pieces: list[bytes]) -> bool:
        """Whether one more, whose JSON has about so many bytes, fits into a message."""
        self._size += sum(map(len, pieces)) + weight
        return not self.said or (self._size < wire.MB and len(self.pieces) + len(pieces) < wire.BLOBS)

    def add(self, said: dict, pieces: list[bytes]) -> None:
        """Keep one more."""
        self.said.append({**said, "pieces": len(pieces)})
        self.pieces += pieces


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
