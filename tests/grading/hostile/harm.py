"""Attempts at the course, its gradebook, other students and the machine."""

from functools import partial

from hostile.case import cell as any_cell
from hostile.case import folder

cell = partial(any_cell, group="harm")

cell(
    "everybody's grades are rewritten",
    """
import sqlite3
for file in {books}:
    try:
        db = sqlite3.connect('file:' + file + '?mode=rw', uri=True)
        db.execute('update grade set auto_score = 0, manual_score = 99')
        db.commit()
    except sqlite3.Error:
        pass
""",
)
cell(
    "the gradebook is deleted",
    """
import os
for file in {books}:
    try:
        os.remove(file)
    except OSError:
        pass
""",
)
cell(
    "the gradebook is locked",
    """
import sqlite3
held = []
for file in {books}:
    try:
        db = sqlite3.connect('file:' + file + '?mode=rw', uri=True)
        db.execute('begin exclusive')
        held.append(db)
    except sqlite3.Error:
        pass
""",
)
OVERWRITE = """
import glob, os
for top in ['{course}', *('../' * n for n in range(1, 6))]:
    for file in glob.glob(top + '/%s', recursive=True):
        try:
            os.chmod(file, 0o666)
            open(file, 'a').write(' ')
        except OSError:
            pass
"""
cell("solutions/ is overwritten", OVERWRITE % "solutions/**/*.ipynb")
cell("helpers/ is overwritten", OVERWRITE % "helpers/**/*.py")
cell("other students' work is overwritten", OVERWRITE % "submitted/**/*.ipynb")
cell(
    "all that can be written is deleted",
    """
import os
for top in ['{course}', *('../' * n for n in range(5, 0, -1)), '/']:
    for place, _, files in os.walk(top):
        if place.startswith(('/proc', '/sys', '/dev')):
            continue
        for file in files:
            try:
                os.remove(os.path.join(place, file))
            except OSError:
                pass
""",
)
cell(
    "a daemon that rewrites scores later",
    """
import os, time
if os.fork() == 0:
    os.setpgid(0, 0)
    if os.fork():
        os._exit(0)
    import sqlite3
    for _ in range(50):
        time.sleep(0.2)
        for file in {books}:
            try:
                db = sqlite3.connect('file:' + file + '?mode=rw', uri=True)
                db.execute('update grade set auto_score = 99')
                db.commit()
            except sqlite3.Error:
                pass
    os._exit(0)
""",
)
cell(
    "the network is asked",
    """
import socket, urllib.request
for place in (('1.1.1.1', 53), ('127.0.0.1', 22), ('169.254.169.254', 80)):
    s = socket.socket()
    s.settimeout(0.3)
    try:
        s.connect(place)
        print('reached', place)
    except OSError:
        pass
""",
)
cell(
    "every process gets a signal",
    """
import os, signal
for number in [1, os.getppid(), *range(2, 400)]:
    if number != os.getpid():
        try:
            os.kill(number, signal.SIGKILL)
        except OSError:
            pass
""",
)
cell(
    "the page of marks is attacked",
    """
from IPython.display import HTML, Javascript, SVG, display
display(HTML('<script>alert(1)</script><img src=x onerror=alert(1)>'))
display(Javascript('alert(1)'))
display(SVG('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'))
display({'text/html': '<iframe src="javascript:alert(1)"></iframe>'}, raw=True)
""",
)


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
    (folder / "timestamp.txt").write_text("9" * 4000 + " \N{GRINNING FACE}", encoding="utf-8")
