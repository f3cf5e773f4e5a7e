"""What marking knows of one unit: source with hidden tests, release, points, and what follows from them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import CodeType

from helpers.errors import PlainError
from helpers.grading.matching import grading, is_answer, is_test, named
from helpers.grading.reading import binds, python_of, quiet_source, reads

Notebook = dict
"""A notebook of format 4.5 as plain data: the JSON of its file, each source one string."""

HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")


@dataclass(frozen=True)
class Test:
    """A test cell, ready to be run by the marker.

    body: all but the last line, compiled. last: the expression it ends in, None when it ends otherwise.
    names: what it asks for. hidden: numbers of its lines that students never see. checked: answers that it checks on
    the cases a student may see. fresh: answer → seed of the fresh cases it is checked on as well. keys: answer that is
    a dict → the keys it was released with, which are what is asked for there.
    """

    body: CodeType
    last: CodeType | None
    names: frozenset[str]
    hidden: frozenset[int]
    checked: frozenset[str] = frozenset()
    fresh: Mapping[str, int] = field(default_factory=dict)
    keys: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Plain:
    """What a released cell that nobody marks gives a value to, what it reads, and it without what it only shows."""

    binds: frozenset[str]
    reads: frozenset[str]
    quiet: str


@dataclass(frozen=True)
class Unit:
    """What marking needs to know of one unit; made once, then only read. It can be pickled for a worker.

    name: "encoder". source: the notebook with answers and hidden tests. release: what students were given.
    points: grade_id → what it can earn, in the order of the unit; cells marked by hand among them.
    salt: the course's, for personal numbers ("" for none). secret: what fresh inputs are made from.
    """

    name: str
    source: Notebook
    release: Notebook
    points: Mapping[str, float]
    salt: str = ""
    secret: bytes = b""

    @classmethod
    def read(cls, source: Path, release: Path, salt: str = "", secret: bytes = b"") -> Unit:
        """Read a unit from its two notebooks; raises PlainError when one is no notebook or they do not fit."""
        notebooks = [_read(path) for path in (source, release)]
        points = {named(cell): grading(cell)["points"] for cell in notebooks[0]["cells"] if grading(cell).get("grade")}
        unit = cls(Path(source).stem, *notebooks, points, salt, secret)
        missing = [named(cell) for cell in unit.release["cells"] if is_test(cell) and named(cell) not in unit.by_name]
        if missing or not points:
            what = f"has no cell {missing[0]}" if missing else "has no cell with points"
            raise PlainError(f"{source} does not fit its release: it {what}.")
        return unit

    def __getstate__(self) -> dict:
        # What follows from the rest is made again on the other side; compiled code cannot be sent.
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @cached_property
    def by_name(self) -> Mapping[str, Mapping]:
        """grade_id → cell of the source."""
        return {named(cell): cell for cell in self.source["cells"] if named(cell)}

    @cached_property
    def tests(self) -> Mapping[int, Test]:
        """Place in the release → its test, from the source."""
        found, keys = {}, {}
        for n, cell in enumerate(self.release["cells"]):
            if is_test(cell):
                found[n] = replace(_test(self.by_name[named(cell)]["source"]), keys=keys)
            elif is_answer(cell) and cell["cell_type"] == "code":
                keys = _keys(cell["source"])
        return found

    @cached_property
    def plain(self) -> Mapping[int, Plain]:
        """Place in the release → what is read and bound there, of code cells that are neither test nor answer."""
        return {
            n: _plain(cell["source"])
            for n, cell in enumerate(self.release["cells"])
            if cell["cell_type"] == "code" and not is_test(cell) and not is_answer(cell)
        }

    @cached_property
    def homework(self) -> tuple[str, str]:
        """The name of the homework object and which it is, ("hw", "encoder"); ("", "") in a lesson."""
        for place in self.plain:
            for node in ast.parse(python_of(self.release["cells"][place]["source"])).body:
                if (
                    isinstance(node, ast.Assign)
                    and isinstance(node.targets[0], ast.Name)
                    and isinstance(node.value, ast.Call)
                    and getattr(node.value.func, "id", "") == "homework"
                ):
                    return node.targets[0].id, ast.literal_eval(node.value.args[0])
        return "", ""

    @cached_property
    def starts(self) -> Mapping[int, Test]:
        """Place in the release → the lines there that begin the homework from a student's own numbers."""
        name, found = self.homework[0], {}
        for place in self.plain if name else ():
            tree = ast.parse(python_of(self.release["cells"][place]["source"]))
            lines = [node for node in tree.body if f"{name}.start(" in ast.unparse(node)]
            if lines:
                found[place] = _compiled(lines, frozenset())
        return found


def plain_notebook(raw: bytes) -> Notebook:
    """A notebook's file as plain data, each source one string."""
    notebook = json.loads(raw.decode("utf-8-sig"))
    for cell in notebook["cells"]:
        if isinstance(cell["source"], list):
            cell["source"] = "".join(cell["source"])
    return notebook


def _read(path: Path) -> Notebook:
    try:
        return plain_notebook(Path(path).read_bytes())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PlainError(f"{path} cannot be read as a notebook: {error}.") from None


def _test(source: str) -> Test:
    hidden, inside = set(), False
    for number, line in enumerate(source.split("\n"), start=1):
        inside = inside or line.strip() == HIDDEN[0]
        if inside:
            hidden.add(number)
        inside = inside and line.strip() != HIDDEN[1]
    return _compiled(ast.parse(python_of(source)).body, frozenset(hidden))


def _compiled(lines: Sequence[ast.stmt], hidden: frozenset[int]) -> Test:
    *body, last = lines
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], None
    tree = ast.Module(list(body), [])
    whole = ast.Module(list(lines), [])
    return Test(
        compile(tree, "test", "exec"),
        last and compile(ast.Expression(last.value), "test", "eval"),
        frozenset({node.id for node in ast.walk(whole) if isinstance(node, ast.Name)} - binds(whole)),
        hidden,
        frozenset(name for _, name in _checks(whole, "check", 0)),
        {name: args[0] for args, name in _checks(whole, "check_fresh", 1)},
    )


def _checks(tree: ast.Module, function: str, count: int) -> Iterator[tuple[list, str]]:
    """(values of so many arguments, name) of each call such as `check_fresh(7, softmax=softmax)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            plain = all(isinstance(one, ast.Constant) for one in node.args)
            if plain and len(node.args) == count and len(node.keywords) == 1 and node.keywords[0].arg:
                yield [one.value for one in node.args], node.keywords[0].arg


def _keys(source: str) -> dict[str, list[str]]:
    """Name → keys, of each dict that an answer is released with."""
    return {
        node.targets[0].id: [ast.literal_eval(key) for key in node.value.keys]
        for node in ast.parse(python_of(source)).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Dict)
    }


def _plain(source: str) -> Plain:
    return Plain(frozenset(binds(ast.parse(python_of(source)))), reads(source), quiet_source(source))
