"""Submissions that pretend: each earns what its honest content deserves, and the marker is done in time."""

import json
import time

import pytest
from handing_in import QUICK, answered, cell, code, full, marker, name_of, of_tests, place, raw, release, texts, unit
from hostile.channel import FORGE

ENCODER = "encoder"


@pytest.fixture(scope="module")
def mark():
    with marker(QUICK) as mark:
        yield mark


def setup(notebook, source):
    """Put a cell of one's own right behind the imports."""
    notebook["cells"].insert(2, code(source))
    return notebook


def earned(mark, notebook, name=ENCODER):
    return of_tests(unit(name), mark(name, notebook))


def all_but(*names):
    return {test: points for test, points in full(unit(ENCODER)).items() if test.removeprefix("check-") not in names}


# Every one of these is put before an untouched release. Under plain nbgrader some of them give full marks.
PATCHES = {
    "checks that say yes": (
        "check = check_fresh = lambda **k: type('F', (), {'points': 2, '__iand__': lambda s, o: s})()"
    ),
    "the package's check": "import helpers, helpers.checks as c\nc.check = helpers.check = lambda **k: 2",
    "the feedback's points": "import helpers.checks as c\nc.Feedback.points = 2.0\nc.Feedback.kind = 'right'",
    "numpy's comparisons": (
        "import numpy.testing as t\nnp.isclose = lambda *a, **k: np.array(True)\nnp.allclose = lambda *a, **k: True\n"
        "np.array_equal = lambda *a, **k: True\nt.assert_allclose = lambda *a, **k: None\nnp.abs = lambda a: 0 * a"
    ),
    "numpy's asarray": "np.asarray = lambda *a, **k: np.zeros(1)\nnp.array = np.asarray",
    "an input transformer": (
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['2\\n'])\n"
        "get_ipython().input_transformers_post.append(lambda lines: ['2\\n'])"
    ),
    "display": (
        "import builtins\nbuiltins.display = lambda *a: None\nbuiltins.float = lambda *a: 2.0\nbuiltins.len = max"
    ),
    "the shell": "get_ipython().run_cell = lambda *a, **k: None",
    "the points": "points = 2\nfeedback = type('F', (), {'points': 2})()",
    "a printed result": (
        "print('{\"points\": 2}')\nfrom IPython.display import display\ndisplay({'text/plain': '2'}, raw=True)"
    ),
    "the solutions": (
        "import glob\nfor f in glob.glob('/**/solutions/**/*.ipynb', recursive=True):\n    print(open(f).read())"
    ),
    "the engine": "import sys\nsys.path[:0] = ['/tmp', '/work', '.']\nimport importlib\nimportlib.invalidate_caches()",
    "a second interpreter": "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import helpers'])",
}  # fmt: skip


@pytest.mark.parametrize("source", PATCHES.values(), ids=PATCHES)
def test_a_patch_earns_nothing(mark, source):
    marked = mark(ENCODER, setup(release(ENCODER), source))
    assert sum(of_tests(unit(ENCODER), marked).values()) == 0


@pytest.mark.parametrize("which", ["checks that say yes", "the package's check", "the feedback's points", "the points"])
def test_a_patch_takes_nothing_from_right_answers(mark, which):
    assert earned(mark, setup(answered(ENCODER), PATCHES[which])) == full(unit(ENCODER))


# In the place of the answer `softmax`, each with the most that it may earn.
ANSWERS = {
    "numbers where a function is asked for": ("softmax = np.full((9, 9), 1 / 9)", 0),
    "the matrix of the course run": ("def softmax(s):\n    return enc.A0", 1),
    "the printed matrix": ("def softmax(s):\n    return np.full(s.shape, 1 / s.shape[-1])", 1),
    "an object that equals all": (
        "class Yes:\n    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda s, o: True\n"
        "    __array__ = lambda s, *a, **k: 1\n"
        "    shape = property(lambda s: (9, 9))\n    dtype = np.dtype(float)\n"
        "    __array_ufunc__ = lambda s, *a, **k: True\n"
        "    __class__ = np.ndarray\n\ndef softmax(s):\n    return Yes()", 0),
    "an array that equals all": (
        "class Yes(np.ndarray):\n    __eq__ = __le__ = lambda s, o: np.ones(s.shape, bool)\n"
        "    __sub__ = __rsub__ = __array_ufunc__ = lambda s, *a, **k: np.zeros(s.shape)\n\n"
        "def softmax(s):\n    return np.zeros(s.shape).view(Yes)", 0),
    "a number that equals all": (
        "class Yes(float):\n    __eq__ = lambda s, o: True\n    __sub__ = __rsub__ = __abs__ = lambda s, *o: 0.0\n\n"
        "def softmax(s):\n    return Yes(0)", 0),
    "nothing but NaN": ("def softmax(s):\n    return np.full(s.shape, np.nan)", 0),
    "the reference pass": ("from helpers import transformer\n\ndef softmax(s):\n    return transformer.softmax(s)", 0),
    "the reference through the task": (
        "from helpers import TASKS\n\ndef softmax(s):\n    return TASKS['softmax'].reference(s)", 0),
    "the display that works it out": (
        "from helpers import show_softmax\n\ndef softmax(s):\n    return [[float(w) for w in "
        "str(show_softmax.build(row, decimals=12)).split()] for row in s]", 0),
    "a look at the caller": (
        "import sys\n\ndef softmax(s):\n    frame, found = sys._getframe(), None\n    while frame:\n"
        "        found = frame.f_locals.get('expected', found)\n        frame = frame.f_back\n    return found", 0),
    "a function among the results": ("def softmax(s):\n    return softmax", 0),
    "a pickle": ("def softmax(s):\n    import pickle\n    return pickle.dumps(s)", 0),
    "nothing": ("def softmax(s):\n    return None", 0),
    "no value": ("del_me = 1", 0),
    "an error that claims": (
        "class Right(Exception):\n    points = 2\n\ndef softmax(s):\n    raise Right('2 of 2 points')", 0),
    "the end of Python": ("def softmax(s):\n    import os\n    os._exit(0)", 0),
    "an exit": ("def softmax(s):\n    raise SystemExit(0)", 0),
    "a crash": ("def softmax(s):\n    import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)", 0),
    "a loop": ("def softmax(s):\n    while True:\n        pass", 0),
    "a loop that will not be interrupted": (
        "def softmax(s):\n    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass", 0),
    "no end of memory": ("def softmax(s):\n    return np.ones((40_000, 40_000)).sum()", 0),
    "an answer of 80 MB": ("def softmax(s):\n    return np.ones((10_000, 1000))", 0),
    "no end of lists": ("def softmax(s):\n    out = []\n    out.append(out)\n    return out", 0),
    "no end of printing": ("def softmax(s):\n    while True:\n        print('x' * 10**6)", 0),
    "no end of depth": ("def softmax(s):\n    return softmax(s)", 0),
}  # fmt: skip


@pytest.mark.parametrize(("source", "most"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_that_pretends_earns_what_it_is_worth(mark, source, most):
    notebook = answered(ENCODER)
    cell(notebook, "softmax")["source"] = source
    # attention and what follows use another name, so that this answer stands alone.
    cell(notebook, "attention")["source"] = (
        "def own(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)\n\n"
    ) + cell(notebook, "attention")["source"].replace("softmax(", "own(")
    started = time.monotonic()
    points = earned(mark, notebook)
    assert points["check-softmax"] <= most
    assert {test: points[test] for test in all_but("softmax")} == all_but("softmax")
    assert time.monotonic() - started < 30


def test_a_function_fails_at_its_first_timeout(mark):
    notebook = answered(ENCODER)
    cell(notebook, "softmax")["source"] = ANSWERS["a loop"][0]
    started = time.monotonic()
    marked = mark(ENCODER, notebook)
    shown = texts(cell(marked.notebook, "check-softmax"))
    assert "softmax took longer than 1.5 s" in shown
    assert "softmax took longer than 1.5 s" in marked.limits
    # Those who call it wait too, once each.
    waits = sum("took longer" in texts(one) for one in marked.notebook["cells"])
    assert time.monotonic() - started < waits * 4 + 10


CELLS = {
    "a loop": "while True:\n    pass",
    "a loop that will not be interrupted": (
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"
    ),
    "the end of Python": "import os\nos._exit(0)",
    "a crash": "import os\nos.abort()",
    "exit": "exit()",
    "no end of memory": "x = [bytearray(10**7) for _ in range(10**4)]",
    "no end of output": "for _ in range(400):\n    print('x' * 10**5)",
    "all the processes": "import os\nwhile True:\n    os.fork()",
    "a closed wire": "import os\nos.closerange(0, 200)",
    "a thread that goes on": "import threading, time\nthreading.Thread(target=lambda: time.sleep(100)).start()",
    "a question": "name = input('who? ')",
}


@pytest.mark.parametrize("source", CELLS.values(), ids=CELLS)
def test_a_cell_that_ends_everything_costs_nothing_else(mark, source):
    notebook = answered(ENCODER)
    notebook["cells"].insert(place(notebook, "softmax"), code(source))
    assert earned(mark, notebook) == full(unit(ENCODER))


def test_the_cell_that_went_over_a_limit_is_named(mark):
    notebook = answered(ENCODER)
    there = place(notebook, "softmax")
    notebook["cells"].insert(there, code("while True:\n    pass"))
    marked = mark(ENCODER, notebook)
    said = f"cell {there + 1} ran longer than 1.5 s"
    assert said in marked.limits
    own = next(one for one in marked.notebook["cells"] if one["id"] == "own-1")
    assert f"{said.capitalize()}." in texts(own)


def test_many_cells_show_no_more_than_a_few_may(mark):
    notebook = answered(ENCODER)
    notebook["cells"][2:2] = [code("print('x' * 60_000)") for _ in range(80)]
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    assert marked.limits == ["the notebook showed more than 2 MB; the rest was left out"]
    assert len(raw(marked.notebook)) < 4_000_000


@pytest.mark.parametrize("times", [1, 2, 30])
def test_a_forged_answer_costs_its_own_cell_alone(mark, times):
    """It is taken for the cell's; what the line holds then tells on that cell and on no later one."""
    notebook = setup(answered(ENCODER), FORGE + f"send(message({{'nonce': nonce(), 'error': None}}, b'[]') * {times})")
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    assert marked.limits == ["cell 3 wrote to the marker's line itself"]


def test_many_ends_of_python_end_the_notebook(mark):
    notebook = answered(ENCODER)
    notebook["cells"][2:2] = [code("import os\nos._exit(1)")] * 40
    marked = mark(ENCODER, notebook)
    assert "the notebook ended Python 25 times" in marked.limits
    assert set(of_tests(unit(ENCODER), marked)) == set(full(unit(ENCODER)))


def test_a_function_that_is_handed_in_answers_no_giants(mark):
    notebook = answered(ENCODER)
    cell(notebook, "order_gap")["source"] = (
        "def order_gap(f, X, perm):\n    try:\n        f(np.ones((100_000, X.shape[1])))\n    except ValueError as e:\n"
        "        print(e)\n    return np.max(np.abs(f(X[perm]) - f(X)[perm]))"
    )
    assert earned(mark, notebook) == full(unit(ENCODER))
    cell(notebook, "order_gap")["source"] = "def order_gap(f, X, perm):\n    while True:\n        f(X)"
    assert earned(mark, notebook) == full(unit(ENCODER)) | {"check-order_gap": 0}


def test_boxes_hold_numbers_and_nothing_else(mark):
    """What stands in a box is read as data; objects that pretend are told as what they are."""
    name = "homework_encoder"
    notebook = answered(name)
    cell(notebook, "Q0")["source"] = (
        "class Q:\n    __eq__ = lambda s, o: True\n    __float__ = lambda s: 1.0\n"
        "    __array__ = lambda s, *a, **k: 5\nQ0 = Q()"
    )
    cell(notebook, "K0")["source"] = "K0 = '1e99999999'"
    cell(notebook, "V0")["source"] = "V0 = [['1e9999', '9' * 5000], [10 ** 18, 1], [1, 1]]"
    cell(notebook, "Q1")["source"] = "from fractions import Fraction\nQ1 = [[Fraction(1, 10 ** 15)] * 2] * 3"
    cell(notebook, "K1")["source"] = "K1 = hw.check(K1=1)"
    cell(notebook, "V1")["source"] = "V1 = lambda: 1"
    cell(notebook, "paper-shapes-1")["source"] = "paper_shapes = [1, 2]"
    marked = mark(name, notebook)
    lost = {"Q0", "K0", "V0", "Q1", "K1", "V1", "paper-shapes-1"}
    points = of_tests(unit(name), marked)
    assert {key for key in lost if points[f"check-{key}"]} == set()
    assert points == {test: most * (test.removeprefix("check-") not in lost) for test, most in full(unit(name)).items()}
    assert "Q0 cannot be read" in texts(cell(marked.notebook, "check-Q0"))
    assert "This answer is not what is asked for." in texts(cell(marked.notebook, "check-paper-shapes-1"))
    assert not marked.remarks


def test_shapes_count_where_they_are_asked_for(mark):
    """One shape that is known earns its part of one question, and nothing of the others."""
    name = "homework_encoder"
    notebook = answered(name)
    asked = [f"paper-shapes-{number}" for number in range(1, 6)]
    for one in asked:
        cell(notebook, one)["source"] = "paper_shapes = {'ids': '3', 'self': 1, 'possible': 9}"
    points = of_tests(unit(name), mark(name, notebook))
    assert [points[f"check-{one}"] for one in asked] == [0.2, 0, 0, 0, 0]


def test_given_numbers_that_are_overwritten_change_no_mark(mark):
    name = "homework_encoder"
    notebook = answered(name)
    source = "import helpers.values as v\nhw.given._values.clear()\nhw.example = None\nhw = None"
    notebook["cells"].insert(9, code(source))
    assert earned(mark, notebook, name) == full(unit(name))


def test_one_submission_leaves_nothing_to_the_next(mark):
    lonely = mark(ENCODER, answered(ENCODER))
    for source in PATCHES.values():
        mark(ENCODER, setup(release(ENCODER), source))
    again = mark(ENCODER, answered(ENCODER))
    assert again.points == lonely.points
    assert again.notebook == lonely.notebook


def test_what_is_written_back_is_of_the_releases_tests_alone(mark):
    notebook = answered(ENCODER)
    for one in notebook["cells"]:
        if name_of(one).startswith("check-"):
            one["outputs"] = [
                {"output_type": "execute_result", "data": {"text/plain": "99"}, "metadata": {}, "execution_count": 1}
            ]
            one["metadata"]["nbgrader"]["points"] = 99
    marked = mark(ENCODER, notebook)
    assert max(marked.points.values()) == 2
    assert "99" not in {
        out["data"].get("text/plain")
        for one in marked.notebook["cells"]
        for out in one.get("outputs", ())
        if "data" in out
    }
    assert json.loads(raw(marked.notebook)) == marked.notebook
