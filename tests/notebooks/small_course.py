"""A course of one tiny unit, for tests of the pipeline: two tasks, a prose question, a picture, a data file."""

from pathlib import Path
from shutil import copyfile

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PROJECT = Path(__file__).resolve().parents[2]
UNIT = "tiny"

SETUP = "from pathlib import Path\n\nprint(Path('words.txt').read_text().strip())"
DOUBLE = '''def double(x):
    """Twice x."""
    ### BEGIN SOLUTION
    return x + x
    ### END SOLUTION'''
# A course check in small: it never raises, and its last line is the number of points.
CHECK_DOUBLE = """def points(given, expected):
    try:
        right = sum(double(x) == y for x, y in zip(given, expected, strict=True))
    except NotImplementedError as error:
        print(error)
        return 0
    return 2 * right / len(given)


earned = points([1, 2], [2, 4])
### BEGIN HIDDEN TESTS
earned = min(earned, points([3, -7], [6, -14]))
### END HIDDEN TESTS
earned"""
PICTURE = "from IPython.display import SVG, display\n\ndisplay(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>'))"


def nbgrader(grade_id, grade=False, solution=False, locked=False, points=None, cell_type="code"):
    entry = {
        "grade_id": grade_id,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "task": False,
        "schema_version": 3,
        "cell_type": cell_type,
    }
    return {"nbgrader": entry | ({"points": points} if points is not None else {})}


def tiny_notebook():
    prose = nbgrader("prose-1", grade=True, solution=True, points=3, cell_type="markdown")
    cells = [
        new_markdown_cell("# Tiny", id="title"),
        new_code_cell(SETUP, id="setup"),
        new_code_cell(DOUBLE, id="double", metadata=nbgrader("double", solution=True)),
        new_code_cell(
            CHECK_DOUBLE,
            id="check-double",
            metadata=nbgrader("check-double", grade=True, locked=True, points=2),
        ),
        new_code_cell(PICTURE, id="picture", metadata={"tags": ["nbval-ignore-output"]}),
        new_markdown_cell("Why two?", id="question"),
        new_markdown_cell("Because one is too few.", id="prose-1", metadata=prose),
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": {"name": "mine", "display_name": "My kernel"}})


def make_course(folder, notebook=None):
    """A project folder with nbgrader's settings and the unit in solutions/; returns the notebook's path."""
    unit = folder / "solutions" / UNIT
    unit.mkdir(parents=True)
    copyfile(PROJECT / "nbgrader_config.py", folder / "nbgrader_config.py")
    (unit / "words.txt").write_text("the cat sat\n", encoding="utf-8")
    path = unit / f"{UNIT}.ipynb"
    nbformat.write(notebook or tiny_notebook(), path)
    return path
