"""Attempts at marks that nobody earned."""

from functools import partial

from hostile.case import cell as any_cell
from hostile.case import softmax as any_softmax

cell, softmax = partial(any_cell, group="marks"), partial(any_softmax, group="marks")

cell(
    "numpy's comparisons say yes",
    "import numpy as np\nimport numpy.testing as t\nnp.isclose = lambda *a, **k: np.array(True)\n"
    "np.allclose = np.array_equal = lambda *a, **k: True\n"
    "t.assert_allclose = t.assert_array_equal = lambda *a, **k: None",
)
cell(
    "np.asarray gives what is expected",
    "import numpy as np\nreal = np.asarray\n"
    "class Same(np.ndarray):\n    __eq__ = lambda s, o: True\n    __sub__ = __rsub__ = lambda s, o: 0 * s\n"
    "np.asarray = np.array = lambda a, *r, **k: real(a).view(Same)",
)
cell("a check that says yes",
    "class Yes:\n    points = 9.0\n    kind = 'right'\n    labels = ()\n    __iand__ = __and__ = lambda s, o: s\n"
    "check = check_fresh = find_the_slip = lambda *a, **k: Yes()\n"
    "import helpers\nhelpers.check = helpers.check_fresh = check\n"
    "try:\n    hw.check = check\nexcept NameError:\n    pass")  # fmt: skip
cell("the package's feedback is patched",
    "import sys, helpers\nfor m in list(sys.modules.values()):\n    f = getattr(m, 'Feedback', None)\n"
    "    if f is not None:\n        f.points = 9.0\n        f.kind = 'right'")  # fmt: skip
cell("an input transformer",
    "give = lambda lines: ['9.0\\n'] if 'check' in ''.join(lines) else lines\n"
    "get_ipython().input_transformers_cleanup.append(give)\nget_ipython().input_transformers_post.append(give)")  # fmt: skip
cell("an AST transformer",
    "import ast\nclass Nine(ast.NodeTransformer):\n    def visit_Attribute(self, node):\n"
    "        return ast.Constant(9.0) if node.attr == 'points' else node\n"
    "get_ipython().ast_transformers.append(Nine())")  # fmt: skip
cell("an import hook that brings other modules",
    "import sys, types\nclass Hook:\n    def find_spec(self, name, path=None, target=None):\n"
    "        if name.startswith(('helpers', 'numpy')):\n            sys.modules[name] = types.ModuleType(name)\n"
    "sys.meta_path.insert(0, Hook())\nfor name in list(sys.modules):\n"
    "    if name.startswith('helpers'):\n        del sys.modules[name]")  # fmt: skip
cell("builtins are others",
    "import builtins\nbuiltins.float = lambda *a: 9.0\nbuiltins.isinstance = lambda *a: True\nbuiltins.abs = lambda a: 0\n"
    "builtins.round = lambda *a: 0\nbuiltins.max = builtins.min = lambda *a, **k: 0")  # fmt: skip
cell("the points are set and printed",
    "points = 9.0\nclass F:\n    points = 9.0\nfeedback = F()\nprint('9.0')\n"
    "print('{\"points\": 9.0, \"status\": \"right\"}')\n9.0")  # fmt: skip
cell("the file in solutions/ is run",
    "import json, glob\nfor place in ['{course}/solutions', *('../' * n + 'solutions' for n in range(1, 6))]:\n"
    "    for file in glob.glob(place + '/*/*.ipynb'):\n"
    "        for c in json.load(open(file))['cells']:\n"
    "            if c['cell_type'] == 'code' and c['metadata'].get('nbgrader', {}).get('solution'):\n"
    "                try:\n                    exec(''.join(c['source']), globals())\n"
    "                except Exception:\n                    pass")  # fmt: skip
cell("hidden tests are read from the gradebook",
    "import sqlite3, glob\nfound = []\nfor file in ['{course}/gradebook.db', *('../' * n + 'gradebook.db' for n in range(5))]:\n"
    "    try:\n        db = sqlite3.connect('file:' + file + '?mode=ro', uri=True)\n"
    "        found += [s for (s,) in db.execute('select source from source_cell') if 'check' in s]\n"
    "    except sqlite3.Error:\n        pass\nprint('\\n'.join(found)[:2000])\n"
    "if found:\n    import builtins\n    builtins.display = lambda *a: None")  # fmt: skip
cell("the rules are imported and stand for the answers",
    "import sys\nsys.path[:0] = ['{course}', '.', '../../..']\n"
    "try:\n    from helpers.tasks import TASKS\n    for n, t in TASKS.items():\n        globals()[n] = t.reference\n"
    "except Exception as error:\n    print(type(error).__name__)")  # fmt: skip
cell("references are looked for in memory",
    "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ in ('Task', 'Unit', 'Judge', 'Homework', 'Job'):\n"
    "        print('found', type(o).__name__)\n        ref = getattr(o, 'reference', None)\n"
    "        if callable(ref):\n            globals()[getattr(o, 'name', 'x')] = ref")  # fmt: skip
cell("display and print are replaced",
    "import builtins\nbuiltins.display = builtins.print = lambda *a, **k: None\nget_ipython().display_formatter = None")  # fmt: skip
cell("the shell runs nothing any more", "ip = get_ipython()\nip.run_cell = ip.run_cell_async = lambda *a, **k: None",
    answers="none")  # fmt: skip
cell("a trace function that changes what is returned",
    "import sys\ndef trace(frame, event, arg):\n    if 'feedback' in frame.f_locals:\n"
    "        frame.f_locals['feedback'] = 9.0\n    return trace\nsys.settrace(trace)\nsys.setprofile(trace)")  # fmt: skip
cell("the notebook's own file is written anew",
    "import glob\nfor file in glob.glob('*.ipynb') + glob.glob('/**/encoder.ipynb', recursive=True)[:3]:\n"
    "    try:\n        text = open(file).read().replace('feedback.points', '9.0')\n        open(file, 'w').write(text)\n"
    "    except OSError:\n        pass")  # fmt: skip

softmax("numbers where a function is asked for", "softmax = np.full((9, 9), 1 / 9)")
softmax("an object that equals everything",
    "class Yes:\n    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda s, o: True\n    __array__ = lambda s, *a, **k: 1\n"
    "    shape = property(lambda s: (9, 9))\n    dtype = np.dtype(float)\n    __array_ufunc__ = lambda s, *a, **k: True\n"
    "    __class__ = np.ndarray\n\ndef softmax(s):\n    return Yes()")  # fmt: skip
softmax("an array that equals everything",
    "class Yes(np.ndarray):\n    __eq__ = __le__ = lambda s, o: np.ones(s.shape, bool)\n"
    "    __sub__ = __rsub__ = __array_ufunc__ = lambda s, *a, **k: np.zeros(s.shape)\n\n"
    "def softmax(s):\n    return np.zeros(s.shape).view(Yes)")  # fmt: skip
softmax("nothing but NaN", "def softmax(s):\n    return np.full(s.shape, np.nan)")
softmax("a look at the caller's frames",
    "import sys\ndef softmax(s):\n    frame, found = sys._getframe(), None\n    while frame:\n"
    "        found = frame.f_locals.get('expected', found)\n        frame = frame.f_back\n    return found")  # fmt: skip
softmax("a generator of rows", "def softmax(s):\n    e = np.exp(s)\n    yield from e / e.sum(-1, keepdims=True)")
softmax("a claim in an error", "class Right(Exception):\n    points = 2.0\ndef softmax(s):\n    raise Right('2 of 2 points')")
softmax("a pickle that runs something",
    "class P:\n    def __reduce__(self):\n        import os\n        return os.system, ('touch /tmp/pwned',)\n\n"
    "def softmax(s):\n    return P()")  # fmt: skip
