"""What crosses between the marker and a student's process: a JSON header with a length, then raw bytes.

Both sides use this file. Only trees of arrays, numbers and strings can be said in it, so nothing that arrives is
ever executed: there is no pickle and no class name. The marker reads with caps and trusts nothing.
Nothing of the package is imported here: the student's side must not hold it.
"""

from __future__ import annotations

import json
import math
import re
import select
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

PREFIX = struct.Struct(">4sIQ")
MAGIC = b"byh1"
HEADER_MB = 2
SENT_MB = 64
LETTERS = 100_000
ITEMS = 20_000
BLOBS = 2_000
DIMENSIONS = 8
DTYPES = frozenset(["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"])
MB = 1 << 20
CHUNK = 1 << 16
# The longest decimal number, as text, and what it may look like.
DIGITS = 40
_DECIMAL = re.compile(r"-?(?:\d{1,38}(?:\.\d{0,38})?|\.\d{1,38})(?:E[+-]?\d{1,3})?", re.ASCII)

# The student's process may patch its modules, so what is needed is bound here, before it starts.
PLAIN = {
    list: lambda value: list(list.__iter__(value)),
    tuple: lambda value: tuple(tuple.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    str: lambda value: str.__add__(value, ""),
    int: lambda value: int.__add__(value, 0),
    float: lambda value: float.__add__(value, 0.0),
}
_dumps, _pack, _unpack, _now = json.JSONEncoder().encode, PREFIX.pack, PREFIX.unpack, time.monotonic
_poll, _asarray, _contiguous, _prod, _ceil = select.poll, np.asarray, np.ascontiguousarray, math.prod, math.ceil
_frombuffer, _array = np.frombuffer, np.ndarray
_DTYPES = {name: np.dtype(f"<{name}") for name in DTYPES}
# What NumPy's own types are called here, where memory is written as the wire is.
_NAMES = {dtype: name for name, dtype in _DTYPES.items() if dtype.isnative}


class WireError(ValueError):
    """What arrived breaks the rules of the wire, or what should be sent cannot be said in it."""


class Late(Exception):
    """The time for an answer is over."""


class Closed(Exception):
    """The other side is gone."""


@dataclass(frozen=True)
class Missing:
    """The answer of a name that is not there."""


@dataclass(frozen=True)
class Unreadable:
    """The answer of a value that is no tree of arrays, numbers and strings."""

    reason: str


@dataclass(frozen=True)
class Function:
    """The answer of a name that can be called."""


@dataclass(frozen=True)
class Said:
    """A tree as it is sent: its JSON, its pieces of bytes, and how many entries it has."""

    tree: object
    blobs: Sequence[bytes]
    items: int


class Trees:
    """Turns trees into JSON and back, under caps; one object per message.

    Lists, tuples and dicts become lists that begin with a letter, as do the dots of an empty box, fractions and decimal
    numbers; other numbers, strings, bools and None stand for themselves; arrays become their dtype, their shape and the
    number of a piece of raw bytes.
    """

    def __init__(self, value_mb: float = 8, depth: int = 16):
        self.left = int(value_mb * MB)
        self.mb = value_mb
        self.depth = depth
        self.items = ITEMS
        self.letters = LETTERS
        self.blobs: list[bytes] = []
        self.functions: list = []

    # Saying

    def say(self, value, depth: int = 0):
        """JSON for a tree; raises WireError naming what cannot be said. Callables are kept in `functions`."""
        kind = type(value)
        self._count(depth)
        if kind is _array and value.dtype in _NAMES:
            self._spend(value.nbytes)
            self.blobs.append(value.tobytes())
            return ["a", _NAMES[value.dtype], list(value.shape), len(self.blobs) - 1]
        if value is None or kind is bool or kind is float:
            return value
        if kind is int:
            if -(2**63) <= value < 2**64:
                return value
            raise WireError("a whole number of more than 64 bits")
        if kind is str:
            self._spell(len(value))
            return value
        if kind in (list, tuple):
            return ["l" if kind is list else "t", *(self.say(entry, depth + 1) for entry in value)]
        if kind is dict:
            return self._say_dict(value, depth)
        if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, (str, bytes)):
            return self._say_array(value)
        return self._say_other(value, depth)

    def _say_dict(self, value: dict, depth: int):
        said = ["d"]
        for key, entry in value.items():
            if type(key) is not str:
                raise WireError("a dict with keys that are no strings")
            self._spell(len(key))
            said += [key, self.say(entry, depth + 1)]
        return said

    def _say_array(self, value):
        array = _asarray(value).view(np.ndarray)
        if array.dtype.kind == "U":
            self._spell(array.nbytes // 4)
            self._count(0, array.size)
            return ["u", list(array.shape), [str(entry) for entry in array.ravel().tolist()]]
        if array.dtype.kind == "O":
            raise WireError("an array of objects")
        if array.dtype.kind not in "biufc":
            raise WireError(f"an array of {array.dtype}")
        if array.dtype.itemsize > (16 if array.dtype.kind == "c" else 8):
            array = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
        self._spend(array.nbytes)
        array = _contiguous(array, array.dtype.newbyteorder("<")).reshape(array.shape)
        self.blobs.append(array.tobytes())
        letter = "s" if isinstance(value, np.generic) else "a"
        return [letter, array.dtype.str[1:], list(array.shape), len(self.blobs) - 1]

    def _say_other(self, value, depth: int):
        if value is Ellipsis:
            return ["e"]
        if type(value) is Fraction:
            return ["q", self.say(value.numerator, depth), self.say(value.denominator, depth)]
        if type(value) is Decimal and len(text := str(value)) <= DIGITS:
            return ["m", text]
        if callable(value):
            self.functions.append(value)
            return ["f", len(self.functions) - 1]
        # A named tuple, an ordered dict, an enumeration: what it holds, without what it claims.
        for kind, plain in PLAIN.items():
            if isinstance(value, kind):
                return self.say(plain(value), depth)
        name = type(value).__name__
        raise WireError(f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}, not numbers")

    def _count(self, depth: int, items: int = 1) -> None:
        self.items -= items
        if depth > self.depth:
            raise WireError(f"nested more than {self.depth} deep")
        if self.items < 0 or len(self.blobs) >= BLOBS:
            raise WireError(f"more than {ITEMS:,} entries outside arrays")

    def _spell(self, letters: int) -> None:
        self.letters -= letters
        if self.letters < 0:
            raise WireError(f"more than {LETTERS:,} letters of text")

    def _spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise WireError(f"larger than {self.mb:g} MB")

    # Hearing

    def hear(self, said, blobs: list[bytes], depth: int = 0):
        """The tree behind JSON from the other side; raises WireError on all that `say` could not have said."""
        self._count(depth)
        kind = type(said)
        if said is None or kind is bool or kind is float:
            return said
        if kind is int:
            if -(2**63) <= said < 2**64:
                return said
            raise WireError("a whole number of more than 64 bits")
        if kind is str:
            return clean(said)
        if kind is not list or not said or type(said[0]) is not str:
            raise WireError("a value in no known form")
        letter, rest = said[0], said[1:]
        if letter in ("l", "t"):
            entries = [self.hear(entry, blobs, depth + 1) for entry in rest]
            return entries if letter == "l" else tuple(entries)
        if letter == "d":
            return self._hear_dict(rest, blobs, depth)
        if letter in ("a", "s"):
            return self._hear_array(letter, rest, blobs)
        if letter == "u":
            return self._hear_strings(rest)
        if letter in ("e", "q", "m"):
            return _hear_special(letter, rest)
        if letter == "f" and len(rest) == 1 and whole(rest[0]) and rest[0] < len(self.functions):
            return self.functions[rest[0]]
        raise WireError("a value in no known form")

    def _hear_dict(self, rest: list, blobs: list[bytes], depth: int) -> dict:
        keys, entries = rest[::2], rest[1::2]
        if len(keys) != len(entries) or not all(isinstance(key, str) for key in keys):
            raise WireError("a dict in no known form")
        return {clean(key): self.hear(entry, blobs, depth + 1) for key, entry in zip(keys, entries, strict=True)}

    def _hear_array(self, letter: str, rest: list, blobs: list[bytes]):
        if len(rest) != 3 or not isinstance(rest[0], str) or rest[0] not in DTYPES:
            raise WireError("an array of an unknown dtype")
        dtype, shape = _DTYPES[rest[0]], self._shape(rest[1])
        if not whole(rest[2]) or rest[2] >= len(blobs):
            raise WireError("an array without its bytes")
        raw = blobs[rest[2]]
        if _prod(shape) * dtype.itemsize != len(raw):
            raise WireError("an array whose shape does not fit its bytes")
        # A piece of bytes that is named many times would cost many times its size.
        self._spend(len(raw))
        if dtype.kind == "b":
            # Any byte but 0 and 1 is no bool; NumPy would not look.
            array = (_frombuffer(raw, np.uint8) != 0).reshape(shape)
        else:
            array = _frombuffer(raw, dtype).reshape(shape).copy()
        return array if letter == "a" else array[()]

    def _hear_strings(self, rest: list):
        if len(rest) != 2 or not isinstance(rest[1], list) or not all(isinstance(text, str) for text in rest[1]):
            raise WireError("an array of strings in no known form")
        shape, texts = self._shape(rest[0]), [clean(text) for text in rest[1]]
        if _prod(shape) != len(texts):
            raise WireError("an array whose shape does not fit its strings")
        self._count(0, len(texts))
        # NumPy pads every string to the longest.
        self._spend(4 * len(texts) * max(map(len, texts), default=0))
        return np.array(texts, dtype=str).reshape(shape)

    def _shape(self, shape) -> tuple[int, ...]:
        if not isinstance(shape, list) or len(shape) > DIMENSIONS or not all(map(whole, shape)):
            raise WireError("an array of an unknown shape")
        if _prod([size or 1 for size in shape]) > 2**40:
            raise WireError("an array of an unknown shape")
        return tuple(shape)


def _hear_special(letter: str, rest: list):
    """The dots of Python, a fraction, a decimal number."""
    if letter == "e" and not rest:
        return Ellipsis
    if letter == "q" and len(rest) == 2 and all(type(one) is int and abs(one) < 2**64 for one in rest) and rest[1] > 0:
        return Fraction(*rest)
    if letter == "m" and len(rest) == 1 and isinstance(rest[0], str) and _DECIMAL.fullmatch(rest[0]):
        return Decimal(rest[0])
    raise WireError("a value in no known form")


def whole(value) -> bool:
    """Whether something is a whole number of at least 0, and no bool."""
    return type(value) is int and value >= 0


def clean(text: str) -> str:
    """A text that can be written as UTF-8: a lone surrogate becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def parse(text: bytes):
    """JSON from the other side; raises WireError when it is none, too deep, or has numbers without end."""
    try:
        return _decode(text.decode("utf-8"))
    except (ValueError, RecursionError):
        raise WireError("a message that is no JSON") from None


def _short_int(text: str) -> int:
    if len(text) > 20:
        raise ValueError("a number with too many digits")
    return int(text)


_decode = json.JSONDecoder(parse_int=_short_int).decode


class Channel:
    """One end of the wire; every reading and sending ends at a moment of `time.monotonic()`, or never.

    It reads ahead: what hears an end must be one channel from the first message to the last.
    """

    def __init__(self, end: socket.socket, blob_mb: float = SENT_MB):
        self.end = end
        self.cap = int(blob_mb * MB)
        self._got = bytearray()
        end.setblocking(False)

    def send(self, header: dict, blobs: list[bytes] = (), until: float | None = None) -> None:
        """Send one message; raises Late, Closed, or WireError when it is too long."""
        header = dict(header, sizes=[len(blob) for blob in blobs])
        text = _dumps(header).encode("ascii")
        body = b"".join(blobs)
        if len(text) > HEADER_MB * MB or len(body) > SENT_MB * MB:
            raise WireError("a message that is too long")
        left = memoryview(_pack(MAGIC, len(text), len(body)) + text + body)
        while left:
            try:
                left = left[self.end.send(left) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, until)
            except OSError:
                raise Closed from None

    def receive(self, until: float | None = None) -> tuple[dict, list[bytes]]:
        """The next message as header and pieces of bytes; raises Late, Closed, or WireError on a malformed one."""
        magic, length, size = _unpack(self._exactly(PREFIX.size, until, CHUNK))
        if magic != MAGIC or length > HEADER_MB * MB or size > self.cap:
            raise WireError("a message in no known form")
        text, body = self._exactly(length, until), self._exactly(size, until)
        header = parse(text)
        sizes = header.pop("sizes", None) if isinstance(header, dict) else None
        if not isinstance(sizes, list) or len(sizes) > BLOBS or not all(map(whole, sizes)) or sum(sizes) != size:
            raise WireError("a message whose sizes do not add up")
        blobs, start = [], 0
        for piece in sizes:
            blobs.append(body[start : start + piece])
            start += piece
        return header, blobs

    def quiet(self) -> bool:
        """Whether nothing waits to be read."""
        if self._got:
            return False
        poller = _poll()
        poller.register(self.end, select.POLLIN)
        return not poller.poll(0)

    def close(self) -> None:
        """Close this end."""
        self.end.close()

    def _exactly(self, size: int, until: float | None, ahead: int = 0) -> bytes:
        """So many bytes; up to `ahead` of what follows is read with them, and kept for the next time."""
        got = self._got
        while len(got) < size:
            try:
                piece = self.end.recv(min(max(size - len(got), ahead), MB))
            except BlockingIOError:
                self._wait(select.POLLIN, until)
                continue
            except OSError:
                raise Closed from None
            if not piece:
                raise Closed
            got += piece
            if until is not None and _now() > until:
                raise Late
        wanted = bytes(got[:size])
        del got[:size]
        return wanted

    def _wait(self, event: int, until: float | None) -> None:
        left = None if until is None else max(0, until - _now())
        poller = _poll()
        poller.register(self.end, event)
        if left == 0 or not poller.poll(None if left is None else _ceil(left * 1000)):
            raise Late
