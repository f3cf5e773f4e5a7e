"""Attempts at marks that nobody earned."""

from functools import partial

from course_units import UNITS

from hostile.case import answer
from hostile.case import cell as any_cell
from hostile.case import softmax as any_softmax

cell, softmax = partial(any_cell, group="marks"), partial(any_softmax, group="marks")

cell(
    "numpy's comparisons say yes",
    """
import numpy as np
import numpy.testing as t
np.isclose = lambda *a, **k: np.array(True)
np.allclose = np.array_equal = lambda *a, **k: True
t.assert_allclose = t.assert_array_equal = lambda *a, **k: None
""",
)
cell(
    "np.asarray gives what is expected",
    """
import numpy as np
real = np.asarray
class Same(np.ndarray):
    __eq__ = lambda s, o: True
    __sub__ = __rsub__ = lambda s, o: 0 * s
np.asarray = np.array = lambda a, *r, **k: real(a).view(Same)
""",
    # In the decoder's lesson the answers themselves compare arrays, and so undo themselves.
    units=tuple(unit for unit in UNITS if unit != "decoder"),
)
cell(
    "a check that says yes",
    """
class Yes:
    points = 9.0
    kind = 'right'
    labels = ()
    __iand__ = __and__ = lambda s, o: s
check = check_fresh = find_the_slip = lambda *a, **k: Yes()
import helpers
helpers.check = helpers.check_fresh = check
try:
    hw.check = check
except NameError:
    pass
""",
)
cell(
    "the package's feedback is patched",
    """
import sys, helpers
for m in list(sys.modules.values()):
    f = getattr(m, 'Feedback', None)
    if f is not None:
        f.points = 9.0
        f.kind = 'right'
""",
)
cell(
    "an input transformer",
    r"""
give = lambda lines: ['9.0\n'] if 'check' in ''.join(lines) else lines
get_ipython().input_transformers_cleanup.append(give)
get_ipython().input_transformers_post.append(give)
""",
)
cell(
    "an AST transformer",
    """
import ast
class Nine(ast.NodeTransformer):
    def visit_Attribute(self, node):
        return ast.Constant(9.0) if node.attr == 'points' else node
get_ipython().ast_transformers.append(Nine())
""",
)
cell(
    "an import hook that brings other modules",
    """
import sys, types
class Hook:
    def find_spec(self, name, path=None, target=None):
        if name.startswith(('helpers', 'numpy')):
            sys.modules[name] = types.ModuleType(name)
sys.meta_path.insert(0, Hook())
for name in list(sys.modules):
    if name.startswith('helpers'):
        del sys.modules[name]
""",
)
cell(
    "builtins are others",
    """
import builtins
builtins.float = lambda *a: 9.0
builtins.isinstance = lambda *a: True
builtins.abs = lambda a: 0
builtins.round = lambda *a: 0
builtins.max = builtins.min = lambda *a, **k: 0
""",
)
cell(
    "the points are set and printed",
    """
points = 9.0
class F:
    points = 9.0
feedback = F()
print('9.0')
print('{"points": 9.0, "status": "right"}')
9.0
""",
)
cell(
    "the file in solutions/ is run",
    """
import json, glob
for place in ['{course}/solutions', *('../' * n + 'solutions' for n in range(1, 6))]:
    for file in glob.glob(place + '/*/*.ipynb'):
        for c in json.load(open(file))['cells']:
            if c['cell_type'] == 'code' and c['metadata'].get('nbgrader', {}).get('solution'):
                try:
                    exec(''.join(c['source']), globals())
                except Exception:
                    pass
""",
)
cell(
    "hidden tests are read from the gradebook",
    r"""
import sqlite3, glob
found = []
for file in {books}:
    try:
        db = sqlite3.connect('file:' + file + '?mode=ro', uri=True)
        found += [s for (s,) in db.execute('select source from source_cell') if 'check' in s]
    except sqlite3.Error:
        pass
print('\n'.join(found)[:2000])
if found:
    import builtins
    builtins.display = lambda *a: None
""",
)
cell(
    "the rules are imported and stand for the answers",
    """
import sys
sys.path[:0] = ['{course}', '.', '../../..']
try:
    from helpers.tasks import TASKS
    for n, t in TASKS.items():
        globals()[n] = t.reference
except Exception as error:
    print(type(error).__name__)
""",
)
cell(
    "references are looked for in memory",
    """
import gc
for o in gc.get_objects():
    if type(o).__name__ in ('Task', 'Unit', 'Judge', 'Homework', 'Job'):
        print('found', type(o).__name__)
        ref = getattr(o, 'reference', None)
        if callable(ref):
            globals()[getattr(o, 'name', 'x')] = ref
""",
)
cell(
    "display and print are replaced",
    """
import builtins
builtins.display = builtins.print = lambda *a, **k: None
get_ipython().display_formatter = None
""",
)
cell(
    "the shell runs nothing any more",
    """
ip = get_ipython()
ip.run_cell = ip.run_cell_async = lambda *a, **k: None
""",
    answers="none",
)
cell(
    "a trace function that changes what is returned",
    """
import sys
def trace(frame, event, arg):
    if 'feedback' in frame.f_locals:
        frame.f_locals['feedback'] = 9.0
    return trace
sys.settrace(trace)
sys.setprofile(trace)
""",
)
cell(
    "the notebook's own file is written anew",
    """
import glob
for file in glob.glob('*.ipynb') + glob.glob('/**/encoder.ipynb', recursive=True)[:3]:
    try:
        text = open(file).read().replace('feedback.points', '9.0')
        open(file, 'w').write(text)
    except OSError:
        pass
""",
)

softmax("numbers where a function is asked for", "softmax = np.full((9, 9), 1 / 9)")
softmax(
    "an object that equals everything",
    """
class Yes:
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda s, o: True
    __array__ = lambda s, *a, **k: 1
    shape = property(lambda s: (9, 9))
    dtype = np.dtype(float)
    __array_ufunc__ = lambda s, *a, **k: True
    __class__ = np.ndarray

def softmax(s):
    return Yes()
""",
)
softmax(
    "an array that equals everything",
    """
class Yes(np.ndarray):
    __eq__ = __le__ = lambda s, o: np.ones(s.shape, bool)
    __sub__ = __rsub__ = __array_ufunc__ = lambda s, *a, **k: np.zeros(s.shape)

def softmax(s):
    return np.zeros(s.shape).view(Yes)
""",
)
softmax(
    "nothing but NaN",
    """
def softmax(s):
    return np.full(s.shape, np.nan)
""",
)
softmax(
    "a look at the caller's frames",
    """
import sys
def softmax(s):
    frame, found = sys._getframe(), None
    while frame:
        found = frame.f_locals.get('expected', found)
        frame = frame.f_back
    return found
""",
)
softmax(
    "a generator of rows",
    """
def softmax(s):
    e = np.exp(s)
    yield from e / e.sum(-1, keepdims=True)
""",
)
softmax(
    "a claim in an error",
    """
class Right(Exception):
    points = 2.0
def softmax(s):
    raise Right('2 of 2 points')
""",
)
softmax(
    "a pickle that runs something",
    """
class P:
    def __reduce__(self):
        import os
        return os.system, ('touch /tmp/pwned',)

def softmax(s):
    return P()
""",
)

ASKED = "paper_shapes = {'ids': '3', 'E_rows': '3 × 512', 'E_scaled': '3 × 512', 'PE': '3 × 512', 'X': '3 × 512'}"
OTHERS = [f"paper-shapes-{number}" for number in range(2, 6)]
answer("the same shapes for every question", "homework_encoder", dict.fromkeys(OTHERS, ASKED), OTHERS)
