"""A lesson in two releases, and what students make of the first: for the tests of update and reset."""

import copy
import json

from helpers.term.history import KEY, next_history


def cell(name, source, kind="markdown", task="", check=False, points=None):
    settings = {}
    if task:
        settings = {
            "grade_id": task, "grade": check or points is not None, "solution": not check, "locked": check,
            "task": False, "schema_version": 3, "cell_type": kind,
        }  # fmt: skip
        settings |= {} if points is None else {"points": points}
    made = {"cell_type": kind, "id": name, "metadata": {"nbgrader": settings} if task else {}, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def notebook(cells, **metadata):
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel, **metadata}, "nbformat": 4, "nbformat_minor": 5}


SETUP = 'import numpy as np\n\nstudent = ""  # your id\n\nhw = homework(student)'
STUB = 'def double(x):\n    """Twice x."""\n    # YOUR CODE HERE\n    raise NotImplementedError("not written yet")'
HALF = STUB.replace("double", "half").replace("Twice", "Half")
PROSE = "Write your answer here."


def first():
    """The first release."""
    return notebook([
        cell("title", "# Doubles\n\nTwo times."),
        cell("setup", SETUP, "code"),
        cell("double-task", STUB, "code", "double"),
        cell("double-check", "feedback = check(double=double)\ndouble_points = 1", "code", "check-double", True, 2),
        cell("question", "Why two?"),
        cell("prose-1", PROSE, task="prose-1", points=3),
        cell("boxes", "ids = [ ... , ... ]", "code", "ids"),
        cell("boxes-check", "feedback = check(ids=ids)", "code", "check-ids", True, 2),
        cell("practice", "2 + 2", "code"),
        cell("half-task", HALF, "code", "half"),
        cell("half-check", "feedback = check(half=half)", "code", "check-half", True, 2),
        cell("end", "The end of it."),
    ])  # fmt: skip


def second():
    """The mended one: texts, a stub and a check are others, a cell came and one went."""
    new = first()
    by_id = {one["id"]: one for one in new["cells"]}
    by_id["title"]["source"] = "# Doubles\n\nTwo times, and what it is good for."
    by_id["setup"]["source"] = SETUP.replace("import numpy as np", "import numpy as np\nfrom math import pi")
    by_id["double-task"]["source"] = STUB.replace("Twice x.", "Return twice x.")
    by_id["double-check"]["source"] += "\ndouble_points = 2"
    new["cells"].insert(4, cell("more", "Mind the sign.", "markdown"))
    new["cells"].remove(by_id["practice"])
    return with_history(first(), new)


def with_history(old, new):
    new["metadata"][KEY] = next_history(old, new["cells"]).as_metadata()
    return new


def raw(found):
    return json.dumps(found).encode()


def by_id(found, name):
    return next(one for one in found["cells"] if one["id"] == name)


def changed(found, **sources):
    """A copy in which the cells of these names (- written as _) say something else."""
    found = copy.deepcopy(found)
    for name, source in sources.items():
        by_id(found, name.replace("_", "-"))["source"] = source
    return found


def sources(found):
    return [one["source"] for one in found["cells"]]
