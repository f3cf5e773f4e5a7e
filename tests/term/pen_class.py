"""A made-up class that works through the encoder's homework, each with personal numbers, marked by the class run.

ada     all right                          ivy    copies Ada's numbers, with an id of her own
bob     A0 over columns, H0 from it        gus    stops after nine boxes
cyd     A0 over columns only               kim    hands in the release
eve     one number of K0 mistyped          leo    works with the numbers of ada
mal     one number of K0 mistyped; words and code that mean harm
"""

import ast
import shutil

import numpy as np
from handing_in import PROJECT, name_of, raw, release
from small_class import Quiet

from helpers.boxes import encoder_boxes, work_out
from helpers.checks.homework import homework_boxes, homework_givens
from helpers.grading.run import Order, grade
from helpers.personal import personal_example

UNIT, SALT = "homework_encoder", "tests of the term"
HARM = """<script>document.title = "harmed"</script><img src=x onerror="document.title='harmed'">
<a href="javascript:alert(1)">here</a> <iframe srcdoc="<b>in</b>"></iframe></main></body><form action=/x><input></form>
<style>body { display: none }</style><svg onload="document.title='harmed'"><title>t</title></svg>
<h1 id="step-A0" class="fb right" role="alert">All points</h1>

**bold** $x_1$ &lt;b&gt;
![p](https://evil.example/p.png) ![kept](attachment:own.png)"""
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WORDS = "1. PE and the weights stay.\n2. The rows of E_rows swap.\n3. X changes."


def values(student):
    """Key → the right numbers of a student's boxes, unrounded."""
    example = personal_example(student, SALT)
    boxes = homework_boxes("encoder", example)
    found = work_out(boxes, homework_givens("encoder", example))
    return {box.key: found[box.key] for box in boxes}


def over_columns(boxes):
    e = np.exp(boxes["S0"])
    boxes["A0"] = e / e.sum(axis=0)


def followed(boxes):
    boxes["H0"] = boxes["A0"] @ boxes["V0"]


def mistyped(boxes):
    boxes["K0"][1, 0] += 0.137


def written(student, *slips, count=99, of=None, typed=None, words=None):
    """A notebook with a student's boxes in three decimals, the first `count` of them, `of` another's numbers."""
    notebook, boxes = release(UNIT), {key: np.array(value) for key, value in values(of or student).items()}
    for slip in slips:
        slip(boxes)
    left = [box.key for box in encoder_boxes(2)][:count]
    for cell in notebook["cells"]:
        name = name_of(cell)
        if cell["cell_type"] == "code" and name in left:
            cell["source"] = f"{name} = {np.round(boxes[name], 3).tolist()}"
        elif name.startswith("prose-") and words is not None:
            cell["source"] = words
        cell["source"] = cell["source"].replace('student = ""', f'student = "{typed or student}"')
    return notebook


def harmful():
    notebook = written("mal", mistyped, words=HARM)
    for cell in notebook["cells"]:
        if name_of(cell) == "K0":
            cell["source"] += "\n# </pre><script>document.title = 'harmed'</script>"
        if name_of(cell) == "prose-1":
            cell["attachments"] = {"own.png": {"image/png": PICTURE}}
    return notebook


def class_of_nine():
    return {
        "ada": written("ada", words=WORDS),
        "bob": written("bob", over_columns, followed, words="Because."),
        "cyd": written("cyd", over_columns),
        "eve": written("eve", mistyped),
        "gus": written("gus", count=9),
        "ivy": written("ivy", of="ada"),
        "kim": release(UNIT),
        "leo": written("leo", of="ada", typed="ada"),
        "mal": harmful(),
    }


def handed_in(student):
    """Key → what a student wrote into the boxes, of those that are filled in."""
    found = {}
    for cell in class_of_nine()[student]["cells"]:
        key, _, text = cell["source"].split("\n")[0].partition(" = ")
        if cell["cell_type"] == "code" and name_of(cell) == key and "..." not in text:
            found[key] = np.array(ast.literal_eval(text))
    return found


def make_class(root):
    """The course with the class's notebooks in submitted/, marked."""
    root.mkdir(parents=True)
    shutil.copyfile(PROJECT / "nbgrader_config.py", root / "nbgrader_config.py")
    (root / "pyproject.toml").write_text(f'[tool.byhand]\nsalt = "{SALT}"\n')
    for folder in ("solutions", "notebooks"):
        shutil.copytree(PROJECT / folder / UNIT, root / folder / UNIT)
    for student, notebook in class_of_nine().items():
        folder = root / "submitted" / student / UNIT
        folder.mkdir(parents=True)
        (folder / f"{UNIT}.ipynb").write_bytes(raw(notebook))
    (root / "submitted" / "gus" / UNIT / "timestamp.txt").write_text("2027-01-12 10:00:00 UTC")
    (root / "submitted" / "gus" / UNIT / "submission_secret.txt").write_text("of gus alone")
    (root / "submitted" / "gus" / UNIT / "notes.html").write_text("<b>not for the exchange</b>")
    grade(Order(UNIT, root, workers=2), Quiet())
    return root
