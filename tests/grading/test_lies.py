"""Objects that lie, modules that were patched, answers that were forged: nothing of it reaches a mark."""

import contextlib
import time

import numpy as np
import pytest

from helpers.grading.sandbox import LimitReached, StudentError
from helpers.grading.wire import Function, Missing, Unreadable

LIAR = """
import numpy as np
class Liar:
    def __eq__(self, other): return True
    __ne__ = lambda self, other: False
    __hash__ = None
    __array__ = lambda self, *_, **__: np.eye(2)
    __float__ = lambda self: 1.0
    __reduce__ = lambda self: (print, ("reduced",))
    __class__ = np.ndarray
    shape, dtype, size, nbytes, itemsize = (2, 2), np.dtype(float), 4, 32, 8
    def __getattr__(self, name): return self
    def __len__(self): return 2
    def __getitem__(self, index): return 1.0
liar = Liar()
class Array(np.ndarray):
    def __eq__(self, other): return True
    def __array_finalize__(self, other): pass
    def __array_ufunc__(self, *_, **__): return True
    def tobytes(self, *_): return bytes(10**6)
    nbytes = 0
    shape = property(lambda self: (1, 1))
    dtype = property(lambda self: np.dtype("O"))
array = np.zeros((2, 3)).view(Array)
class List(list):
    def __iter__(self): return iter([9, 9])
    def __len__(self): return 10**9
    def __eq__(self, other): return True
plain = List([1, 2])
class Text(str):
    def __eq__(self, other): return True
    def encode(self, *_): return b"9"
text = Text("word")
class Number(float):
    def __eq__(self, other): return True
    def __float__(self): return 9.0
    def __repr__(self): return "9.0"
number = Number(1.5)
class Whole(int):
    def __index__(self): return 9
    def __repr__(self): return "9"
whole = Whole(4)
class Keys(dict):
    def items(self): return [("a", 9)]
keys = Keys(a=1)
"""


def test_objects_that_lie_arrive_as_what_they_hold(session):
    assert session.run(LIAR, "cell 1").error is None
    answer = session.value("liar")
    assert isinstance(answer, (Unreadable, Function))
    answer = session.value("array")
    assert isinstance(answer, Unreadable) or (type(answer) is np.ndarray and not answer.any())
    assert session.value("plain") == [1, 2]
    for name, held in (("text", "word"), ("number", 1.5), ("whole", 4), ("keys", {"a": 1})):
        answer = session.value(name)
        assert type(answer) is type(held)
        assert answer == held


@pytest.mark.parametrize(
    "patch",
    [
        "import json\njson.dumps = json.loads = lambda *a, **k: 'patched'",
        "import struct\nstruct.pack = struct.unpack = lambda *a: b''\nstruct.Struct = None",
        "import socket\nsocket.socket.send = socket.socket.recv = None\nsocket.socket = None",
        "import os\nos.getpid = os._exit = os.read = os.write = lambda *a: 0",
        "import select, time\nselect.poll = None\ntime.monotonic = lambda: 0",
        "import numpy as np\nnp.asarray = np.array = np.allclose = np.testing.assert_allclose = lambda *a, **k: True",
        "import threading, signal\nthreading.Lock = signal.signal = None",
        "import sys\nsys.modules.clear()",
        "import sys\nsys.stdout = sys.stderr = None",
        "import helpers\nhelpers.__dict__.clear()",
        "get_ipython().ast_transformers.append(None)",
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['a = 99\\n'])",
        "get_ipython().display_formatter = None",
        "get_ipython().run_cell = lambda *a, **k: None",
        "import sys\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)",
        "import gc\ngc.set_threshold(0)\n[type(o) for o in gc.get_objects()]",
        "import atexit, os\natexit.register(os._exit, 3)\nimport weakref",
    ],
)
def test_patches_change_nothing_outside(session, patch):
    """A patched process may say anything; the marker hears data or a word on why not, and soon."""
    assert session.run("a = 1\ndef f(x): return x", "cell 1").error is None
    started = time.monotonic()
    session.run(patch, "cell 2")
    answer = session.value("a")
    assert answer in (1, 99) or isinstance(answer, (Unreadable, Missing))
    with contextlib.suppress(StudentError, LimitReached):
        assert session.call("f", [2]) == 2
    ran = session.run("a = 3", "cell 3")
    assert isinstance(ran.outputs, list)
    assert time.monotonic() - started < 10


# Forged answers

WRITE = "import os, socket, struct, json\nline = socket.socket(fileno=os.dup(3))\nline.setblocking(True)\n"
FORGE = (
    WRITE
    + """
def message(header, body=b"", sizes=None):
    text = json.dumps(header | {"sizes": [len(body)] if body else []} if isinstance(header, dict) else header).encode()
    return struct.pack(">4sIQ", b"byh1", len(text), len(body)) + text + body
def nonce():
    import gc
    return next(o.nonce for o in gc.get_objects() if type(o).__name__ == "Answers")
"""
)


@pytest.mark.parametrize(
    "forged",
    [
        "line.send(b'garbage' * 100)",
        "line.send(os.urandom(10000))",
        "line.send(message({'nonce': 'wrong', 'error': None, 'tree': 1}))",
        "line.send(message({'nonce': nonce(), 'error': None}) * 2)",
        "line.send(message([1, 2]))",
        "line.send(struct.pack('>4sIQ', b'byh1', 2**31, 2**63))",
        "line.send(struct.pack('>4sIQ', b'byh1', 1000, 0) + b'[' * 1000)",
        "line.send(message({'nonce': nonce(), 'ask': 0, 'tree': 1}))",
        "line.send(message({'nonce': nonce(), 'error': 5}, b'[[[[')); os._exit(0)",
        "line.shutdown(2)",
    ],
)
def test_writing_to_the_line_ends_the_session_and_gives_nothing(session, forged):
    session.run(FORGE, "cell 1")
    ran = session.run(forged, "cell 2")
    later = session.run("1", "cell 3")
    assert ran.limit is not None or later.limit is not None
    assert not session.alive
    assert "wrote to the marker's line" in later.limit or "ended Python" in later.limit
    assert isinstance(session.value("x"), Unreadable)


def test_an_answer_written_ahead_is_not_taken(session):
    session.run(FORGE, "cell 1")
    session.run(
        "import threading, time\nthreading.Timer(0.3, lambda: line.send(message({'nonce': 'x', 'tree': 42}))).start()",
        "2",
    )
    time.sleep(0.6)
    answer = session.value("x")
    assert answer == Unreadable("2 wrote to the marker's line itself")
    assert session.spoiler == "2"
    assert not session.alive


def test_forged_outputs_are_not_shown(session):
    session.run(FORGE, "cell 1")
    source = (
        "data = {'text/html': '<script>x</script><b>y</b>'}\nbody = [{'output_type': 'display_data', 'data': data}]\n"
    )
    ran = session.run(
        source + "line.send(message({'nonce': nonce()}, json.dumps(body).encode())); os._exit(0)", "cell 2"
    )
    assert ran.outputs == [{"output_type": "display_data", "data": {"text/html": "<b>y</b>"}, "metadata": {}}]
    assert session.run("1", "cell 3").limit is not None


def test_not_reading_the_line_does_not_hold_the_marker(session):
    session.run("import os, time, threading\nstop = lambda: os.kill(os.getpid(), 19)", "cell 1")
    session.run("threading.Timer(0.2, stop).start()", "cell 2")
    time.sleep(0.5)
    session.run("def f(x): return x", "cell 3")
    with pytest.raises(LimitReached):
        session.call("f", [np.zeros(2**19)])


def test_a_function_is_asked_with_hostile_arguments(session):
    session.run(
        "import numpy as np\ndef f(step): return step(np.zeros(2**22))\ndef g(step): return step(*[1] * 30_000)", "1"
    )
    for name in ("f", "g"):
        with pytest.raises(StudentError, match="TypeError: the function was called with"):
            session.call(name, [lambda *x: 1])
    session.run(
        FORGE + "def h(step):\n    line.send(message({'nonce': nonce(), 'ask': 7, 'tree': 1}))\n    return 1", "cell 2"
    )
    with pytest.raises(LimitReached, match="wrote to the marker's line"):
        session.call("h", [lambda x: x])
