"""The sandbox runs cells as a notebook does, and answers with what they left."""

import subprocess
import sys

import numpy as np
import pytest
from rooms import text_of

from helpers.errors import PlainError
from helpers.grading.sandbox import LimitReached, Sandbox, StudentError
from helpers.grading.wire import Function, Missing, Unreadable


def run(session, source):
    ran = session.run(source, "cell 1")
    assert ran.limit is None
    return ran


def test_what_a_cell_shows(session):
    ran = run(session, "print('a')\ndisplay(2)\nprint('b')\n3")
    assert ran.error is None
    assert ran.outputs == [
        {"output_type": "stream", "name": "stdout", "text": "a\n"},
        {"output_type": "display_data", "data": {"text/plain": "2"}, "metadata": {}},
        {"output_type": "stream", "name": "stdout", "text": "b\n"},
        {"output_type": "execute_result", "data": {"text/plain": "3"}, "metadata": {}, "execution_count": 1},
    ]


def test_names_stay_from_cell_to_cell(session):
    run(session, "a = 20")
    run(session, "a + 1")
    assert text_of(run(session, "_ * 2, In[1], Out[2]")) == "(42, 'a = 20', 21)"


def test_the_packages_of_the_course_are_there(session):
    assert text_of(run(session, "import helpers\nhelpers.version")) == "'mute'"
    run(session, "from helpers import X as given")
    np.testing.assert_array_equal(session.value("given"), [[0, 1, 2], [3, 4, 5]])


def test_an_error_ends_the_cell_and_no_more(session):
    ran = run(session, "a = 1\n1 / 0\na = 2")
    assert ran.error == "ZeroDivisionError: division by zero"
    assert ran.outputs[0]["output_type"] == "error"
    assert ran.outputs[0]["ename"] == "ZeroDivisionError"
    assert "1 / 0" in "".join(ran.outputs[0]["traceback"])
    assert session.value("a") == 1


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("a = (", "_IncompleteInputError|SyntaxError"),
        ("raise ValueError", "ValueError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("exit()", None),
        ("input('?')", "StdinNotImplementedError"),
        ("import getpass; getpass.getpass()", "StdinNotImplementedError"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("def f(): return f()\nf()", "RecursionError"),
        ("%nothing", None),
        ("import nothing_of_the_name", "ModuleNotFoundError"),
    ],
)
def test_errors_of_many_kinds(session, source, error):
    ran = run(session, source)
    if error is None:
        assert session.alive
    else:
        assert any(ran.error.startswith(name) for name in error.split("|"))
    assert text_of(run(session, "'still here'")) == "'still here'"


def test_a_warning_does_not_cost_the_cell(session):
    ran = run(session, "import warnings, sys\nwarnings.warn('odd')\nprint('x', file=sys.stderr)\na = 5")
    assert ran.error is None
    assert {output["name"] for output in ran.outputs} == {"stderr"}
    assert session.value("a") == 5


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("!echo hello", "hello\n"),
        ("names = !echo one; echo two\nnames", "['one', 'two']"),
        ("x = 'two words'\n!echo {x} $x", "two words two words\n"),
        ("%%bash\necho from bash", "from bash\n"),
        ("%%capture held\nprint('inside')", ""),
        ("%time 3", "3"),
        ("get_ipython().run_line_magic('who_ls', '')", "[]"),
        ("import os; os.write(1, b'direct\\n');", "direct\n"),
        ("import subprocess; subprocess.run(['echo', 'sub']);", "sub\n"),
        ("await __import__('asyncio').sleep(0, 'awaited')", "'awaited'"),
        ("async def f():\n    return 7\nawait f()", "7"),
        ("import asyncio\nasync def f():\n    return 8\nawait asyncio.gather(f(), f())", "[8, 8]"),
        ("from IPython.display import HTML, clear_output\nprint('gone'); clear_output(); print('kept')", "kept\n"),
        ("h = display(1, display_id='a')\nh.update(2)", "2"),
        ("class R:\n    _repr_html_ = lambda self: '<b>x</b>'\n    __repr__ = lambda self: 'plain'\nR()", "plain"),
        ("print('né 日本 \\ud800')", "né 日本 ?\n"),
        ("5;", ""),
        ("a = 1\r\nprint(a)\r\n", "1\n"),
        ("?print", "print"),
    ],
)  # fmt: skip
def test_what_notebooks_do(session, source, shown):
    ran = run(session, source)
    assert ran.error is None
    assert shown in text_of(ran)
    if not shown:
        assert text_of(ran) == ""


def test_matplotlib_inline_draws(session):
    run(session, "%matplotlib inline")
    ran = run(session, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
    assert ran.error is None
    assert "image/png" in ran.outputs[0]["data"]


def test_without_matplotlib_its_line_is_harmless(session):
    run(
        session, "import sys\nfor name in [n for n in sys.modules if n.startswith('matplotlib')]: del sys.modules[name]"
    )
    run(session, "sys.meta_path.insert(0, type('No', (), {'find_spec': staticmethod(lambda name, *_: "
                 "(_ for _ in ()).throw(ImportError(name)) if name.startswith('matplotlib') else None)}))")  # fmt: skip
    ran = run(session, "%matplotlib inline\na = 3")
    assert ran.error is None
    assert session.value("a") == 3
    assert "Error" in run(session, "import matplotlib.pyplot").error


def test_the_same_notebook_draws_the_same_numbers(sandbox):
    drawn = []
    for _ in range(2):
        with sandbox.session() as session:
            source = "import random, numpy as np\na = [random.random(), np.random.rand(), hash('x')]"
            assert session.run(source, "cell 1").error is None
            drawn.append(session.value("a"))
    assert drawn[0] == drawn[1]


def test_sessions_know_nothing_of_one_another(sandbox):
    with sandbox.session() as one, sandbox.session() as other:
        run(one, "import os, helpers\nhelpers.version = a = 'mine'\nopen('left.txt', 'w').write('x');")
        assert other.value("a") == Missing()
        assert text_of(run(other, "import os, helpers\nos.listdir(), helpers.version")) == "([], 'mute')"


def test_files_given_to_one_session(sandbox):
    with sandbox.session({"numbers/a.txt": b"42"}) as one, sandbox.session() as other:
        assert text_of(run(one, "open('/given/numbers/a.txt').read()")) == "'42'"
        assert text_of(run(other, "import os\nos.listdir('/given')")) == "[]"


def test_values(session):
    run(session, """
import numpy as np
from collections import namedtuple, OrderedDict
from enum import IntEnum
A = np.arange(6).reshape(2, 3)
B = {"a": [1, 2.5, None, True], "b": ("x", A)}
C = np.float32(2)
D = namedtuple("D", "x y")(1, 2)
E = OrderedDict(a=1)
F = IntEnum("F", "ONE").ONE
G = np.array(["cat", "sat"])
H = np.matrix([[1, 2]])
I = np.str_("word")
def f(x): return x
class K: pass
k = K()
""")  # fmt: skip
    A = session.value("A")
    assert A.dtype == np.int64
    np.testing.assert_array_equal(A, [[0, 1, 2], [3, 4, 5]])
    B = session.value("B")
    assert B["a"] == [1, 2.5, None, True]
    assert B["b"][0] == "x"
    assert type(session.value("C")) is np.float32
    assert session.value("D") == (1, 2)
    assert session.value("E") == {"a": 1}
    assert session.value("F") == 1
    assert session.value("G").tolist() == ["cat", "sat"]
    assert type(session.value("H")) is np.ndarray
    assert session.value("I") == "word"
    assert session.value("f") == Function()
    assert session.value("K") == Function()
    assert session.value("k") == Unreadable("a K, not numbers")
    assert session.value("nothing") == Missing()
    assert session.value("not a name") == Missing()


def test_calls(session):
    run(
        session,
        "def f(X, scale=1, **more):\n    X[0] = 9\n    print('noise')\n    return {'y': X * scale, 'more': more}",
    )
    X = np.ones(3)
    back = session.call("f", [X], {"scale": 2.0, "deep": [(1,)]})
    np.testing.assert_array_equal(back["y"], [18, 2, 2])
    assert back["more"] == {"deep": [(1,)]}
    assert X.tolist() == [1, 1, 1]


def test_calls_that_fail(session):
    run(
        session,
        "def bad(x): raise ValueError('no\\nsecond line')\ndef empty(x): pass\ndef lazy(x): yield x\nnumber = 3",
    )
    run(session, "import sys\ndef leave(x): sys.exit()\nasync def later(x): return x\ndef back(x): return back")
    for name, reason in (
        ("bad", "ValueError: no"),
        ("lazy", "lazy gives back a generator, not numbers"),
        ("leave", "SystemExit"),
        ("later", "later gives back a coroutine, not numbers"),
        ("back", "back gives back a function, not numbers"),
        ("number", "TypeError: 'int' object is not callable"),
        ("absent", "absent is not there"),
    ):
        with pytest.raises(StudentError) as caught:
            session.call(name, [1])
        assert str(caught.value) == reason
    with pytest.raises(StudentError, match="TypeError"):
        session.call("bad", [])
    assert session.call("empty", [1]) is None


def test_functions_handed_in(session):
    run(session, "def twice(step, start, last=None):\n    y = step(step(start))\n    return last(y) if last else y")
    assert session.call("twice", [lambda x: x + 1, 5]) == 7
    back = session.call("twice", [lambda x: {"a": x}, np.ones(2)], functions={"last": lambda y: y["a"]["a"].sum()})
    assert back == 2


def test_a_function_handed_in_refuses_wrong_arguments(session):
    run(
        session,
        "def odd(step):\n    try:\n        step(1, 2, 3)\n    except ValueError as error:\n        return str(error)",
    )
    assert "refused its arguments" in session.call("odd", [lambda x: x])
    run(session, "def strange(step): return step(object())")
    with pytest.raises(StudentError, match="TypeError: the function was called with an object"):
        session.call("strange", [lambda x: x])


def test_a_function_handed_in_answers_a_bounded_number_of_times(session):
    run(session, "def much(step):\n    for i in range(10**6): step(i)")
    with pytest.raises((StudentError, LimitReached), match="called the function it was given more than 1000 times"):
        session.call("much", [lambda x: x])


def test_a_function_that_was_kept_is_no_use_later(session):
    run(session, "kept = []\ndef keep(step): kept.append(step)\ndef use(): return kept[0](1)")
    session.call("keep", [lambda x: x])
    with pytest.raises(StudentError, match="only during the call"):
        session.call("use")
    assert "only during the call" in run(session, "kept[0](1)").error


def test_a_closed_session_says_so(sandbox):
    session = sandbox.session()
    session.close()
    assert not session.alive
    assert session.run("1", "cell 1").limit == "the session was closed"
    assert session.value("a") == Unreadable("the session was closed")
    with pytest.raises(LimitReached, match="the session was closed"):
        session.call("f")


def test_a_module_that_is_not_there_is_named():
    with pytest.raises(PlainError, match="No module named 'absent'"):
        Sandbox(warm=["absent"]).start()


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    return x\n",
        "x = 1\ny = 2",
        "x = 7 % 2\n7 % 4",
        "a = 1\n%who_ls",
        "\n\nx = 1\nx",
        "    x = 1\n    x",
        ">>> x = 1\n>>> x",
        "x = 3\nx?",
        'x = """\n%no magic\n"""\nx',
        "import asyncio\nawait asyncio.sleep(0)\n4",
        "def broken(:\n    pass",
    ],
)
def test_cells_of_plain_python_are_read_as_ipython_reads_them(source):
    from IPython.core.inputtransformer2 import TransformerManager

    script = "from helpers.grading import shell; import sys; r = shell.make(9999); out = sys.__stdout__\n"
    script += f"print(repr(r.shell.transform_cell({source!r})), file=out)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(TransformerManager().transform_cell(source))
