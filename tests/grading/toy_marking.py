"""Marking for the tests of the class run: it runs the cells of small_course's unit right here, without a sandbox.

A submission may hold orders to the marker, as comments: `# wait SECONDS`, `# die` (the process ends), `# die once
FILE` (it ends unless the file is there, and makes it), `# fail`, `# refuse WHY`.
"""

import ast
import contextlib
import copy
import io
import json
import os
import re
import time
from pathlib import Path

from helpers.grading.marking import Marked, Unreadable


def mark(content, unit, student, sandbox):
    text = content.decode()
    obey(text)
    try:
        notebook = json.loads(text)
    except ValueError:
        raise Unreadable("it is no notebook: its JSON is broken") from None
    handed_in = {name(cell): cell for cell in notebook["cells"] if name(cell)}
    source = {name(cell): cell for cell in unit.source["cells"] if name(cell)}
    graded, points, by_hand, namespace = copy.deepcopy(unit.release), {}, [], {}
    for cell in graded["cells"]:
        own = handed_in.get(name(cell))
        settings = cell["metadata"].get("nbgrader", {})
        if own is not None and settings.get("solution"):
            cell["source"] = "".join(own["source"])
        if cell["cell_type"] == "markdown":
            given = next(one for one in unit.release["cells"] if name(one) == name(cell))["source"]
            if settings.get("grade"):
                points |= {} if cell["source"] != given else {name(cell): 0.0}
                by_hand += [name(cell)] if cell["source"] != given else []
            continue
        ran = source[name(cell)]["source"] if settings.get("grade") else cell["source"]
        value = run(ran, namespace) if name(cell) else None
        cell["outputs"] = []
        if settings.get("grade"):
            points[name(cell)] = float(value or 0)
            cell["outputs"] = [
                {
                    "output_type": "execute_result",
                    "execution_count": 1,
                    "metadata": {},
                    "data": {"text/plain": str(value)},
                }
            ]
    return Marked(graded, points, by_hand, repairs=repairs(text))


def name(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade_id")


def repairs(text):
    return re.findall(r"# repair (\w+)", text)


def run(source, namespace):
    """The value of a cell's last line; what it prints and raises is lost."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        exec(compile(tree, "cell", "exec"), namespace)
        return eval(compile(ast.Expression(last.value), "cell", "eval"), namespace) if last else None


def obey(text):
    if order := re.search(r"# wait ([\d.]+)", text):
        time.sleep(float(order[1]))
    if order := re.search(r"# die once (\S+?)(?=\\n|\"|\s)", text):
        if not Path(order[1]).exists():
            Path(order[1]).touch()
            os._exit(9)
    elif "# die" in text:
        os._exit(9)
    if "# fail" in text:
        raise ZeroDivisionError("marking itself is wrong")
    if order := re.search(r"# refuse (\w+)", text):
        raise Unreadable(order[1])
