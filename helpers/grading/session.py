"""One open notebook: questions, deadlines, and what is made of the answers."""

from __future__ import annotations

import secrets
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from helpers.errors import PlainError
from helpers.grading import outputs, wire
from helpers.grading.clock import Clock
from helpers.grading.limits import Limits
from helpers.grading.wire import Function, Missing, Said, Unreadable

START_SECONDS = 60
SOURCE = wire.MB
LETTERS = 500


class StudentError(PlainError):
    """What a student's function raised, or gave back that is no answer, in one line.

    function: the name of the function in which it arose, as the student's process says.
    """

    def __init__(self, text: str, function: str = ""):
        super().__init__(text)
        self.function = function


class LimitReached(PlainError):
    """A limit that a student's function went over, or the way it ended its process."""


@dataclass(frozen=True)
class Ran:
    """A cell that ran: nbformat output dicts; its error in a line; the limit it went over, in words; wall time."""

    outputs: list[dict] = field(default_factory=list)
    error: str | None = None
    limit: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Called:
    """What one of several calls gave: the result and, when it changed them, its arguments; or its error."""

    result: object = None
    after: tuple | None = None
    error: StudentError | LimitReached | None = None


class _Over(Exception):
    """The session has ended; the text says why."""


class _Left(wire.WireError):
    """The question before this one left something on the line."""


class Session:
    """A student's process, seen from outside; made by a sandbox. Not for two threads at once.

    When a cell or a call ends the process, `alive` is False from then on and every later question says so: the
    marker opens a new session and runs the other cells again. `spoiler` is then the name of an earlier question, when
    it was that one's doing.
    """

    def __init__(self, limits: Limits, end, keeper, given: Mapping[str, bytes] | None = None):
        self.limits = limits
        self.alive = True
        self.seconds = 0.0
        self.after = None
        self.spoiler = ""
        self._before = "", ""
        self._keeper = keeper
        self._channel = wire.Channel(end, blob_mb=limits.value_mb + limits.output_kb / 100 + 2)
        self.why = ""
        given, nonce = dict(given or {}), secrets.token_hex(8)
        try:
            until = time.monotonic() + START_SECONDS
            self._channel.send({"op": "begin", "nonce": nonce, "given": list(given)}, list(given.values()), until)
            header, _ = self._hear(nonce, until)
            if header.get("ready") is not True:
                raise wire.WireError(str(header.get("why")))
        except (wire.Closed, wire.Late, wire.WireError) as error:
            self._channel.close()
            why = self._keeper.ended(2).get("why") or str(error) or type(error).__name__
            self._end("")
            raise PlainError(f"A notebook's process could not be started ({why}).") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """End every process of the session."""
        if self.alive:
            self._end("the session was closed")

    def run(self, source: str, name: str) -> Ran:
        """Run one cell, which messages call by `name` ("cell 14"). Raises nothing that the cell could cause."""
        started = time.monotonic()
        text = source.encode("utf-8", "replace")
        if len(text) > SOURCE:
            return Ran(limit=f"{name} is longer than {SOURCE // wire.MB} MB and was not run")
        try:
            header, blobs, late = self._ask({"op": "run"}, name, self.limits.cell_seconds, [text])
            shown = self._shown(blobs[0] if blobs else b"[]")
            error = header.get("error")
            error = wire.clean(error)[:LETTERS] if isinstance(error, str) else None
            return Ran(shown, error, late or self._hit(header, name), time.monotonic() - started)
        except _Over as over:
            return Ran(limit=str(over), seconds=time.monotonic() - started)
        except wire.WireError:
            return Ran(limit=self._forged(name), seconds=time.monotonic() - started)

    def _shown(self, raw: bytes) -> list[dict]:
        """What a cell showed. To make it harmless takes time, which is the notebook's: thousands of cells may show."""
        started = time.thread_time()
        try:
            return outputs.read(raw, self.limits.output_kb * 1024)
        finally:
            self.seconds += time.thread_time() - started

    def value(self, name: str):
        """The answer under a name: its tree, Missing, Function, or Unreadable with the reason."""
        try:
            header, blobs, late = self._ask({"op": "value", "name": name}, name, self.limits.call_seconds)
        except _Over as over:
            return Unreadable(str(over))
        return self._value(header, blobs, late)

    def tried(self, name: str, calls: Sequence[Said]):
        """What `value` gives for a name and, when it is a function, what the calls gave: (value, [Called]).

        As so many questions by `call`, on one of them: each call has its own time, and the first that goes over a
        limit is the last. When the process ends, the last that is told stands for all that had no answer yet: which
        of them ended it is not known.
        """
        question = {"op": "try", "name": name, "calls": [[said.tree, len(said.blobs)] for said in calls]}
        pieces = [blob for said in calls for blob in said.blobs]
        found: list[Called] = []
        try:
            with self._exchange(question, name, self.limits.call_seconds, pieces) as (nonce, clock):
                header, blobs, late = self._wait(nonce, clock, name, ())
                if header.get("function") is not True:
                    return self._value(header, blobs, clock.slow if late else ""), []
                while True:
                    told = list(self._several(header, blobs, name, len(calls) - len(found)))
                    found += [*told[:-1], Called(error=LimitReached(clock.slow))] if late else told
                    if (found and isinstance(found[-1].error, LimitReached)) or header.get("more") is not True:
                        break
                    if not told:
                        raise wire.WireError("a message without an answer")
                    clock.set(self.limits.call_seconds, self.limits.call_time(name))
                    header, blobs, late = self._wait(nonce, clock, name, ())
                self._drain(nonce, clock, header, len(calls))
                if len(found) < len(calls) and not (found and isinstance(found[-1].error, LimitReached)):
                    raise wire.WireError("fewer answers than calls")
                return Function(), found
        except _Over as over:
            return Function(), [*found, Called(error=LimitReached(str(over)))]

    def _several(self, header: dict, blobs: list[bytes], name: str, most: int) -> Iterator[Called]:
        """The answers of one message, until one tells of a limit."""
        answers = header.get("answers")
        if not isinstance(answers, list) or not all(isinstance(said, dict) for said in answers) or len(answers) > most:
            raise wire.WireError("answers in no known form")
        counts = [said.get("pieces") for said in answers]
        if not all(map(wire.whole, counts)) or sum(counts) != len(blobs):
            raise wire.WireError("answers whose pieces do not add up")
        for said, count in zip(answers, counts, strict=True):
            called = self._called(said, blobs[:count], name)
            blobs = blobs[count:]
            yield called
            if isinstance(called.error, LimitReached):
                return

    def _drain(self, nonce: str, clock: Clock, header: dict, most: int) -> None:
        """Read what is still sent after the call that counts as the last."""
        clock.set(self.limits.grace_seconds, clock.slow)
        while header.get("more") is True and most > 0:
            header, _ = self._hear(nonce, clock.until)
            most -= 1

    def _called(self, header: dict, blobs: list[bytes], name: str) -> Called:
        try:
            return Called(*self._result(header, blobs, "", name))
        except (StudentError, LimitReached) as error:
            return Called(error=error)

    def _value(self, header: dict, blobs: list[bytes], late: str):
        if late:
            return Unreadable(late)
        if header.get("function") is True:
            return Function()
        if header.get("missing") is True:
            return Missing()
        if "tree" not in header:
            return Unreadable(_reason(header, "unreadable") or f"reading it raised {_reason(header, 'raised')}")
        try:
            return self._trees().hear(header["tree"], blobs)
        except (ValueError, RecursionError, MemoryError) as error:
            return Unreadable(str(error))

    def call(
        self,
        name: str,
        args: Sequence = (),
        kwargs: Mapping[str, object] | None = None,
        functions: Mapping[str, Callable] | None = None,
    ):
        """What the student's function `name` gives for a tree of arguments.

        A callable among the arguments, or in `functions` by keyword, becomes a function there that asks the marker,
        at most `limits.callbacks` times in one call. Afterwards `after` holds (args, kwargs) as the call left them, or
        None when it changed none of them. Raises StudentError, LimitReached.
        """
        self.after = None
        trees = wire.Trees(64, 64)
        tree = trees.say((list(args), {**(kwargs or {}), **(functions or {})}))
        question = {"op": "call", "name": name, "tree": tree, "functions": len(trees.functions)}
        try:
            header, blobs, late = self._ask(question, name, self.limits.call_seconds, trees.blobs, trees.functions)
        except _Over as over:
            raise LimitReached(str(over)) from None
        result, self.after = self._result(header, blobs, late, name, trees.functions)
        return result

    def _result(self, header: dict, blobs: list[bytes], late: str, name: str, functions: Sequence = ()) -> tuple:
        """(result, arguments as the call left them, None when it changed none)."""
        if limit := late or self._hit(header, name):
            raise LimitReached(limit)
        if "tree" not in header:
            raise StudentError(_no_result(header, name), _reason(header, "in"))
        heard, after = self._trees(), None
        try:
            result = heard.hear(header["tree"], blobs)
            if "after" in header:
                heard.functions = functions
                after = heard.hear(header["after"], blobs)
            return result, after
        except (ValueError, RecursionError, MemoryError) as error:
            raise StudentError(f"{name} gives back {error}") from None

    # How a question is asked

    def _ask(self, question: dict, name: str, seconds: float, pieces: Sequence[bytes] = (), functions: Sequence = ()):
        """(header, blobs, "" or in words why it was interrupted); raises _Over when the session ended."""
        with self._exchange(question, name, seconds, pieces) as (nonce, clock):
            header, blobs, late = self._wait(nonce, clock, name, functions)
            return header, blobs, clock.slow if late else ""

    @contextmanager
    def _exchange(
        self, question: dict, name: str, seconds: float, pieces: Sequence[bytes]
    ) -> Iterator[tuple[str, Clock]]:
        """Send a question; its answers are heard in the block. Raises _Over when the session ended meanwhile."""
        if not self.alive:
            raise _Over(self.why)
        nonce = secrets.token_hex(8)
        clock = Clock(self.limits, self.seconds)
        if clock.over:
            raise _Over(self._end(self.limits.notebook_time()))
        told = self.limits.cell_time(name) if question["op"] == "run" else self.limits.call_time(name)
        clock.set(seconds, told)
        try:
            if not self._channel.quiet():
                raise _Left("an answer before the question")
            self._channel.send({**question, "nonce": nonce}, list(pieces), clock.until)
            yield nonce, clock
            self._before = nonce, name
        except wire.Late:
            raise _Over(self._end(clock.slow)) from None
        except wire.Closed:
            raise _Over(self._end(self._how_it_ended(name))) from None
        except _Left:
            self.spoiler = self._before[1]
            raise _Over(self._forged(self.spoiler or name)) from None
        except wire.WireError:
            raise _Over(self._forged(name)) from None
        finally:
            self.seconds += time.monotonic() - clock.started

    def _wait(self, nonce: str, clock: Clock, name: str, functions: Sequence[Callable]):
        """The answer; at the deadline one interrupt and a moment of grace."""
        late, asked, until = False, 0, clock.until
        while True:
            try:
                header, blobs = self._hear(nonce, until)
            except wire.Late:
                if late:
                    raise
                late, until = True, until + self.limits.grace_seconds
                self._keeper.interrupt()
                continue
            if "ask" not in header:
                return header, blobs, late
            asked += 1
            if not wire.whole(header["ask"]) or header["ask"] >= len(functions):
                raise wire.WireError("a question nobody may ask")
            if asked > self.limits.callbacks + 10:
                raise _Over(self._end(self.limits.uses(name)))
            self._tell(nonce, functions[header["ask"]], header, blobs, asked, name, until)

    def _tell(self, nonce, function, header, blobs, asked, name, until) -> None:
        """Answer one call of a function that was handed in."""
        trees = wire.Trees(64, 64)
        if asked > self.limits.callbacks:
            reply = {"refused": self.limits.uses(name)}
        else:
            try:
                args, kwargs = self._call_of(header, blobs)
                reply = {"tree": trees.say(function(*args, **kwargs))}
            except Exception as error:
                # Whatever the student's arguments caused is told to the function that gave them.
                reply = {"refused": f"the function that was given refused its arguments: {error}"[:LETTERS]}
        self._channel.send({**reply, "nonce": nonce}, trees.blobs, until)

    def _call_of(self, header: dict, blobs: list[bytes]) -> tuple[tuple, dict]:
        heard = self._trees().hear(header.get("tree"), blobs)
        if not (isinstance(heard, tuple) and len(heard) == 2 and isinstance(heard[0], tuple)):
            raise wire.WireError("a call in no known form")
        if not isinstance(heard[1], dict):
            raise wire.WireError("a call in no known form")
        return heard

    def _hear(self, nonce: str, until: float) -> tuple[dict, list[bytes]]:
        header, blobs = self._channel.receive(until)
        if header.get("nonce") != nonce:
            another = _Left if header.get("nonce") == self._before[0] else wire.WireError
            raise another("an answer to another question")
        return header, blobs

    def _trees(self) -> wire.Trees:
        return wire.Trees(self.limits.value_mb, self.limits.depth + 2)

    # How it ends

    def _end(self, why: str) -> str:
        """End the session; later questions are answered with `why`."""
        self.alive, self.why = False, why
        self._channel.close()
        self._keeper.end()
        return why

    def _forged(self, name: str) -> str:
        return self._end(f"{name} wrote to the marker's line itself")

    def _how_it_ended(self, name: str) -> str:
        """In words, what ended the process."""
        # While its wire is open to some process of the session, it has not ended but closed its own.
        self._channel.close()
        ended = self._keeper.ended(1)
        how, number = ended.get("how"), ended.get("number", 0)
        if how == "memory":
            return self.limits.memory(name)
        if how == "signal" and number == signal.SIGKILL:
            return f"{name} killed its own process"
        if how == "signal":
            return f"{name} crashed Python ({_signal_name(number)})"
        return f"{name} ended Python itself"

    def _hit(self, header: dict, name: str) -> str | None:
        """The limit an answer tells of, in words."""
        told = header.get("hit")
        if isinstance(told, str) and told in ("memory", "many", "files"):
            return getattr(self.limits, told)(name)
        return self.limits.output(name) if header.get("full") is True else None


def _signal_name(number) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _reason(header: dict, key: str) -> str:
    text = header.get(key)
    return wire.clean(text)[:LETTERS] if isinstance(text, str) else ""


def _no_result(header: dict, name: str) -> str:
    if header.get("missing") is True:
        return f"{name} is not there"
    if reason := _reason(header, "unreadable"):
        return f"{name} gives back {reason}"
    return _reason(header, "raised") or f"{name} gives back nothing that can be read"
