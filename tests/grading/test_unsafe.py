"""Without a sandbox: the same questions to a plain process."""

import numpy as np
import pytest
from rooms import FILES, SHORT, text_of

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
