"""Without a sandbox: the same questions to a plain process."""

import numpy as np
import pytest
from rooms import FILES, SHORT, text_of

from helpers.grading import wire
from helpers.grading.sandbox import LimitReached, UnsafeSandbox

DEAF = """
import signal
def f():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True: pass
"""


def test_a_notebook_in_a_plain_process():
    with UnsafeSandbox(SHORT, FILES) as sandbox, sandbox.session({"a.txt": b"42"}) as session:
        assert text_of(session.run("import helpers\nprint(helpers.version)", "cell 1")) == "mute\n"
        assert text_of(session.run("!echo hello", "cell 2")) == "hello\n"
        given = "import os\nopen(os.path.join(os.environ['BYHAND_GIVEN'], 'a.txt')).read()"
        assert text_of(session.run(given, "cell 3")) == "'42'"
        assert session.run("1 / 0", "cell 4").error == "ZeroDivisionError: division by zero"
        session.run("def f(x, g): return g(x) + 1", "cell 5")
        np.testing.assert_array_equal(session.call("f", [np.ones(2), lambda x: 2 * x]), [3, 3])
        many = session.run("x = [bytearray(2**20) for _ in range(2000)]", "cell 6")
        assert many.limit == "cell 6 asked for more than 256 MB of memory"


def test_endless_ones_are_stopped():
    with UnsafeSandbox(SHORT, FILES) as sandbox, sandbox.session() as session:
        assert session.run("while True: pass", "cell 1").limit == "cell 1 ran longer than 2 s"
        assert session.alive
        session.run(DEAF, "cell 2")
        with pytest.raises(LimitReached, match="f took longer than 2 s"):
            session.call("f")
        assert not session.alive


def test_one_that_ends_itself():
    with UnsafeSandbox(SHORT, FILES) as sandbox, sandbox.session() as session:
        assert session.run("import os; os._exit(0)", "cell 1").limit == "cell 1 ended Python itself"


class Kept(bytearray):
    """Stands in for a socket, and keeps what is sent."""

    def send(self, piece):
        self.extend(piece)
        return len(piece)


class Together(wire.Channel):
    """Keeps the message without a question back, and sends it with the next."""

    before = b""

    def send(self, header, blobs=(), until=None):
        line, self.end = self.end, Kept()
        super().send(header, blobs, until)
        message, self.end = Together.before + bytes(self.end), line
        Together.before = b"" if "op" in header else message
        if "op" in header:
            line.sendall(message)


def test_orders_and_the_first_question_may_arrive_in_one_piece(monkeypatch):
    """The process reads ahead while it takes its orders; what it has read then is not lost."""
    monkeypatch.setattr(wire, "Channel", Together)
    with UnsafeSandbox(SHORT, FILES) as sandbox, sandbox.session() as session:
        assert text_of(session.run("print(6 * 7)", "cell 1")) == "42\n"
