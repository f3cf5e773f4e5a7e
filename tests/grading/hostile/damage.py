"""What becomes of notebooks on their way: by accident, by other programs, by people who tidy up."""

import copy
import json

from handing_in import code, name_of, raw, release

from hostile.case import UNREADABLE, damage


def tests(notebook):
    return [cell for cell in notebook["cells"] if name_of(cell).startswith("check-")]


@damage("a test cell pasted twice")
def _(notebook):
    first = tests(notebook)[0]
    notebook["cells"].insert(notebook["cells"].index(first), copy.deepcopy(first))
    return notebook


@damage("a test cell deleted")
def _(notebook):
    notebook["cells"].remove(tests(notebook)[0])
    return notebook


@damage("all test cells deleted")
def _(notebook):
    gone = tests(notebook)
    notebook["cells"] = [cell for cell in notebook["cells"] if cell not in gone]
    return notebook


@damage("test cells edited")
def _(notebook):
    for cell in tests(notebook):
        cell["source"] = "9.0"
        cell["metadata"]["nbgrader"]["points"] = 99
    return notebook


@damage("all metadata stripped")
def _(notebook):
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell["metadata"] = {}
    return notebook


@damage("ids of Colab, no names")
def _(notebook):
    for number, cell in enumerate(notebook["cells"]):
        cell["id"], cell["metadata"] = f"cOlAb{number}", {"id": f"cOlAb{number}", "colab": {"base_uri": "https://x"}}
    return notebook


@damage("ids of VS Code")
def _(notebook):
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"{number:08x}"
        cell["metadata"]["vscode"] = {"languageId": "python"}
    return notebook


@damage("cells moved about")
def _(notebook):
    cells = notebook["cells"]
    notebook["cells"] = cells[:2] + cells[12:30] + cells[2:12] + cells[30:]
    return notebook


@damage("cells of code made text")
def _(notebook):
    for cell in tests(notebook)[:3]:
        cell["cell_type"] = "markdown"
        del cell["outputs"], cell["execution_count"]
    return notebook


@damage("a kernel that is not there")
def _(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "my-venv-3.13", "display_name": "Mine", "language": "python"}
    return notebook


@damage("no kernel at all")
def _(notebook):
    notebook["metadata"] = {}
    return notebook


@damage("line ends of Windows and a BOM")
def _(notebook):
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].replace("\n", "\r\n")
    return b"\xef\xbb\xbf" + json.dumps(notebook, indent=1).replace("\n", "\r\n").encode()


@damage("UTF-16")
def _(notebook):
    return json.dumps(notebook, ensure_ascii=False).encode("utf-16")


@damage("notebook format 3")
def _(notebook):
    cells = []
    for cell in notebook["cells"]:
        old = {"cell_type": cell["cell_type"], "metadata": cell["metadata"]}
        key = "input" if cell["cell_type"] == "code" else "source"
        old[key] = cell["source"].splitlines(keepends=True)
        cells.append(old | ({"language": "python", "collapsed": False, "outputs": []} if key == "input" else {}))
    sheets = [{"cells": cells, "metadata": {}}]
    return {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": sheets}


@damage("notebook format 4.0")
def _(notebook):
    for cell in notebook["cells"]:
        del cell["id"]
    return notebook | {"nbformat": 4, "nbformat_minor": 0}


@damage("old outputs, one of them of 5 MB")
def _(notebook):
    tests(notebook)[0]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x" * 5_000_000]}]
    return notebook


@damage("cells that are none")
def _(notebook):
    notebook["cells"][4:4] = [None, 7, "text", {}, {"cell_type": "code"}, {"cell_type": ["code"], "source": "x = 1"}]
    return notebook


@damage("a warning in every answer", answers="all")
def _(notebook):
    for cell in notebook["cells"]:
        if name_of(cell) and cell["cell_type"] == "code" and cell["metadata"]["nbgrader"].get("solution"):
            cell["source"] = "import warnings\nwarnings.warn('careful')\n" + cell["source"]
    return notebook


@damage("half a surrogate in every text")
def _(notebook):
    notebook["metadata"]["kernelspec"] = {"name": "\ud800"}
    notebook["cells"].insert(2, code("x = '\ud800'\nprint(x)", **{"\udfff": "\ud800"}))
    return notebook


@damage("JSON cut off", answers=UNREADABLE)
def _(notebook):
    return raw(notebook)[:-2000]


@damage("an empty file", answers=UNREADABLE)
def _(_notebook):
    return b""


@damage("another assignment", answers=UNREADABLE)
def _(notebook):
    own = {name_of(cell) for cell in notebook["cells"]}
    return release("decoder" if "check-shapes" in own or "check-Q0" in own else "encoder")


@damage("no notebook but a list", answers=UNREADABLE)
def _(_notebook):
    return b"[" * 100_000


@damage("a notebook of 100 MB", answers=UNREADABLE)
def _(notebook):
    notebook["cells"].append(code("x = 1"))
    notebook["cells"][-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 100_000_000}]
    return notebook
