"""The ready-made functions that a unit's text hands to its readers, cut out of the engine for the sandbox.

Their source is the engine's own. Masks are no part of them: a parameter that blocks is cut away, and with it the way to
the masked rules, which are what students of that unit write.
"""

from __future__ import annotations

import ast
from pathlib import Path

from helpers import transformer

# Unit → functions of `transformer` that its text offers.
READY = {
    "decoder": ("add_norm", "attention", "ffn", "input_vectors", "merge_heads", "softmax", "split_heads"),
}
MASKS = ("blocked", "cross_blocked")
# What takes a mask → what it is without one.
WITHOUT_MASK = {"masked_softmax": "softmax"}


def ready_made(unit: str) -> str:
    """Python source of a unit's ready-made functions with all that they call, "" where there are none."""
    wanted = READY.get(unit, ())
    if not wanted:
        return ""
    tree = ast.parse(Path(transformer.__file__).read_text(encoding="utf-8"))
    functions = {node.name: _unmasked(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    constants = [node for node in tree.body if isinstance(node, ast.Assign)]
    kept, open_ = set(), list(wanted)
    while open_:
        name = open_.pop()
        if name in functions and name not in kept:
            kept.add(name)
            open_ += [node.id for node in ast.walk(functions[name]) if isinstance(node, ast.Name)]
    asked = {node.id for name in kept for node in ast.walk(functions[name]) if isinstance(node, ast.Name)}
    parts = [node for node in constants if asked & {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}]
    parts += [function for name, function in functions.items() if name in kept]
    head = "import numpy as np\nfrom helpers.errors import PlainError\nfrom helpers.sizes import whole\n"
    return head + "\n".join(ast.unparse(part) for part in parts) + "\n"


def _unmasked(function: ast.FunctionDef) -> ast.FunctionDef:
    """A function without its masks, without its docstring and without the types it names."""
    function = _Unmask().visit(function)
    function.returns = None
    if ast.get_docstring(function) is not None and len(function.body) > 1:
        function.body = function.body[1:]
    arguments = function.args
    first = len(arguments.args) - len(arguments.defaults)
    kept = [
        (argument, arguments.defaults[k - first] if k >= first else None)
        for k, argument in enumerate(arguments.args)
        if argument.arg not in MASKS
    ]
    arguments.args = [argument for argument, _ in kept]
    arguments.defaults = [default for _, default in kept if default is not None]
    return ast.fix_missing_locations(function)


class _Unmask(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Calls without the mask, to what needs none."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in WITHOUT_MASK:
            node.func.id = WITHOUT_MASK[node.func.id]
        node.args = [one for one in node.args if not (isinstance(one, ast.Name) and one.id in MASKS)]
        return node
