"""What a cell of a notebook reads and gives a value to, told without running it."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from functools import lru_cache

_WORDS = re.compile(r"\w+")
# Who uses one of these may read a name that is written nowhere.
_INDIRECT = frozenset(
    ("eval", "exec", "globals", "locals", "vars", "get_ipython", "__builtins__", "__import__", "__main__", "sys")
)
# A line that only IPython reads.
_MAGIC = re.compile(r"^[ \t]*[%!]", re.MULTILINE)
# What a released cell shows, by how the call begins; a cell that runs for its names alone goes without.
SHOWS = ("show_", "print", "display", "card", "expand", "trace_", "worksheet_card", "progress")


@lru_cache(maxsize=4096)
def reads(source: str, closely: bool = True) -> frozenset[str]:
    """Names that a cell may read from the notebook: all of its words, where that cannot be told or is not asked."""
    words = set(_WORDS.findall(source))
    if not closely or words & _INDIRECT or _MAGIC.search(source):
        return frozenset(words)
    try:
        table = symtable.symtable(python_of(source), "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(words)
    return frozenset(_read_in(table))


def _read_in(table: symtable.SymbolTable) -> Iterator[str]:
    # A class may read a name of the notebook and give its own of that name a value.
    top = table.get_type() in ("module", "class")
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _read_in(inner)


def quiet_source(source: str) -> str:
    """A released cell without the lines that only show something."""
    tree = ast.parse(python_of(source))
    tree.body = [node for node in tree.body if not _only_shows(node)]
    return ast.unparse(tree)


def _only_shows(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Expr):
        return False
    name = getattr(getattr(node.value, "func", None), "id", "")
    return name.startswith(SHOWS) or not isinstance(node.value, ast.Call)


def binds(tree: ast.AST) -> set[str]:
    """Names that imports, functions, their arguments, handlers of errors and assignments bring."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            found.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
    return found


def python_of(source: str) -> str:
    """A cell without the lines that only IPython reads."""
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.split("\n"))
