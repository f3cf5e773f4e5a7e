"""Attempts at the course, its gradebook, other students and the machine."""

from functools import partial

from hostile.case import cell as any_cell
from hostile.case import folder

cell = partial(any_cell, group="harm")
BOOKS = "['{course}/gradebook.db', *('../' * n + 'gradebook.db' for n in range(5))]"

cell("everybody's grades are rewritten",
    f"import sqlite3\nfor file in {BOOKS}:\n    try:\n        db = sqlite3.connect('file:' + file + '?mode=rw', uri=True)\n"
    "        db.execute('update grade set auto_score = 0, manual_score = 99')\n        db.commit()\n"
    "    except sqlite3.Error:\n        pass")  # fmt: skip
cell("the gradebook is deleted",
    f"import os\nfor file in {BOOKS}:\n    try:\n        os.remove(file)\n    except OSError:\n        pass")  # fmt: skip
cell("the gradebook is locked",
    f"import sqlite3\nheld = []\nfor file in {BOOKS}:\n    try:\n"
    "        db = sqlite3.connect('file:' + file + '?mode=rw', uri=True)\n        db.execute('begin exclusive')\n"
    "        held.append(db)\n    except sqlite3.Error:\n        pass")  # fmt: skip
OVERWRITE = (
    "import glob, os\nfor top in ['{course}', *('../' * n for n in range(1, 6))]:\n"
    "    for file in glob.glob(top + '/%s', recursive=True):\n        try:\n"
    "            os.chmod(file, 0o666)\n            open(file, 'a').write(' ')\n        except OSError:\n            pass"
)
cell("solutions/ is overwritten", OVERWRITE % "solutions/**/*.ipynb")
cell("helpers/ is overwritten", OVERWRITE % "helpers/**/*.py")
cell("other students' work is overwritten", OVERWRITE % "submitted/**/*.ipynb")
cell("all that can be written is deleted",
    "import os\nfor top in ['{course}', *('../' * n for n in range(5, 0, -1)), '/']:\n"
    "    for place, _, files in os.walk(top):\n        if place.startswith(('/proc', '/sys', '/dev')):\n            continue\n"
    "        for file in files:\n            try:\n                os.remove(os.path.join(place, file))\n"
    "            except OSError:\n                pass")  # fmt: skip
cell("a daemon that rewrites scores later",
    f"import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork():\n        os._exit(0)\n    import sqlite3\n"
    f"    for _ in range(50):\n        time.sleep(0.2)\n        for file in {BOOKS}:\n            try:\n"
    "                db = sqlite3.connect('file:' + file + '?mode=rw', uri=True)\n"
    "                db.execute('update grade set auto_score = 99')\n                db.commit()\n"
    "            except sqlite3.Error:\n                pass\n    os._exit(0)")  # fmt: skip
cell("the network is asked",
    "import socket, urllib.request\nfor place in (('1.1.1.1', 53), ('127.0.0.1', 22), ('169.254.169.254', 80)):\n"
    "    s = socket.socket()\n    s.settimeout(0.3)\n    try:\n        s.connect(place)\n        print('reached', place)\n"
    "    except OSError:\n        pass")  # fmt: skip
cell("every process gets a signal",
    "import os, signal\nfor number in [1, os.getppid(), *range(2, 400)]:\n    if number != os.getpid():\n        try:\n"
    "            os.kill(number, signal.SIGKILL)\n        except OSError:\n            pass")  # fmt: skip
cell("the page of marks is attacked",
    "from IPython.display import HTML, Javascript, SVG, display\ndisplay(HTML('<script>alert(1)</script><img src=x onerror=alert(1)>'))\n"
    "display(Javascript('alert(1)'))\ndisplay(SVG('<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>'))\n"
    "display({'text/html': '<iframe src=\"javascript:alert(1)\"></iframe>'}, raw=True)")  # fmt: skip


@folder("links to the solutions and the gradebook")
def _(folder):
    (folder / "answers").symlink_to("../../../solutions", target_is_directory=True)
    (folder / "gradebook.db").symlink_to("../../../gradebook.db")
    (folder / "passwd").symlink_to("/etc/passwd")


@folder("a notebook that is a link to another's", answers="unreadable")
def _(folder):
    notebook = next(folder.glob("*.ipynb"))
    notebook.unlink()
    notebook.symlink_to("/etc/passwd")


@folder("modules of his own beside the notebook")
def _(folder):
    for name in ("numpy.py", "helpers.py", "sitecustomize.py", "json.py", "nbgrader_config.py"):
        (folder / name).write_text("import os\nos._exit(3)\n")


@folder("a timestamp that is none")
def _(folder):
    (folder / "timestamp.txt").write_text("9" * 4000 + " \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"))
