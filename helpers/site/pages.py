"""A unit as the site shows it: the released text, and the stored outputs that no student's answer can move."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from helpers.course.execute import read
from helpers.course.notebooks import solution_path
from helpers.course.release import make_release

# What shows how far a reader has come.
READS_EVERY_ANSWER = {"progress"}
STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
NOTICE = """\
```{note}
This page is for reading. The numbers are those of the given cells; the cards stand still. To write the answers and to
be told what is off, [open the course in Jupyter](../index.md#open-it-in-jupyter).
```"""


def public(project: Path, unit: str) -> NotebookNode:
    """Return the notebook of a unit's page.

    Its cells are those of the student release. An output is the one stored in solutions/, and is shown only for a
    cell that reads nothing a student writes. Raises PlainError when the release cannot be made.
    """
    solved = read(solution_path(project, unit))
    released = make_release(project, unit, solved)[Path(f"{unit}.ipynb")]
    page = nbformat.reads(released.decode(), as_version=nbformat.NO_CONVERT)
    given = dict(_given(solved))
    _under_one_title(page)
    level = 1
    for cell in page.cells:
        if cell.cell_type == "markdown":
            level = _level(cell.source, level)
        elif cell.cell_type == "code":
            cell.outputs = [_levelled(output, level + 1) for output in given.get(cell.id, [])]
            cell.execution_count = None
        cell.metadata = NotebookNode()
    page.cells.insert(1, nbformat.v4.new_markdown_cell(NOTICE, id="notice"))
    return page


def _given(solved: NotebookNode) -> Iterator[tuple[str, list[NotebookNode]]]:
    """Id and outputs of each code cell that no answer reaches, directly or through a name that another cell made."""
    reached = set(READS_EVERY_ANSWER)
    for cell in solved.cells:
        if cell.cell_type != "code":
            continue
        known = cell.metadata.get("nbgrader", {})
        if known.get("solution") or known.get("grade") or _reads(cell.source) & reached:
            reached |= _defined(cell.source)
        else:
            reached -= _defined(cell.source)
            yield cell.id, cell.outputs


def _defined(source: str) -> set[str]:
    """The names that an answer's cell leaves behind."""
    return {name for name, stored in _names(ast.parse(source).body, inside=False) if stored}


def _reads(source: str) -> set[str]:
    """The names that a cell reads, in its functions too."""
    return {name for name, stored in _names(ast.parse(source).body, inside=True) if not stored}


def _names(nodes: Iterable[ast.AST], inside: bool) -> Iterator[tuple[str, bool]]:
    """Every name in a cell, and whether it is given a value there; what functions keep to themselves if `inside`."""
    for node in nodes:
        own = isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if own:
            yield node.name, True
        if isinstance(node, ast.Name):
            yield node.id, isinstance(node.ctx, ast.Store)
        if inside or not own:
            yield from _names(ast.iter_child_nodes(node), inside)


def _under_one_title(page: NotebookNode) -> None:
    """Put the parts of a unit that has several titles below the first, since a page has one."""
    cells = [cell for cell in page.cells if cell.cell_type == "markdown"]
    parts = [number for number, cell in enumerate(cells) if re.search(r"^# ", cell.source, re.MULTILINE)]
    for cell in cells[parts[1] :] if len(parts) > 1 else []:
        cell.source = re.sub(r"^#(?=#* )", "##", cell.source, flags=re.MULTILINE)


def _level(source: str, level: int) -> int:
    """The level of the last heading so far."""
    found = re.findall(r"^(#{1,6}) ", source, re.MULTILINE)
    return len(found[-1]) if found else level


def take_styles(page: NotebookNode) -> list[str]:
    """Remove the style elements of a page's outputs, in place, and return their rules.

    Every display brings the rules it needs along, a hundred times the same ones: a browser is much quicker with one
    sheet of them.
    """
    rules = []
    for cell in page.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                rules += [rule for style in STYLE.findall(data["text/html"]) for rule in _rules(style)]
                data["text/html"] = STYLE.sub("", data["text/html"])
    return rules


def _rules(style: str) -> Iterator[str]:
    """The rules of a style sheet, one after the other; a rule such as @media is one with all that it holds."""
    depth, start = 0, 0
    for place, sign in enumerate(style):
        depth += (sign == "{") - (sign == "}")
        if sign == "}" and depth == 0:
            yield style[start : place + 1].strip()
            start = place + 1


def _levelled(output: NotebookNode, level: int) -> NotebookNode:
    """The output with its headings announced one level below the page's own: a card knows not where it stands."""
    data = output.get("data", {})
    if "text/html" in data:
        data["text/html"] = re.sub(r"<h3\b", f'<h3 aria-level="{level}"', data["text/html"])
    return output
