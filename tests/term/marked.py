"""A class of the small course that is marked, for the tests of what follows: made once, then copied."""

import functools
import shutil
import sqlite3
import tempfile
from pathlib import Path

from collecting import DUE, UNIT, course, work
from small_class import mark_class

PEOPLE = """\
id,name,email,canvas_id,sis_user_id,sis_login_id,section,id_number,withdrawn,extension tiny
ada,Ada Lovelace,ada@example.org,501,S1001,ada,Group 1,1001,,
bruno,Bruno Müller,bruno@example.org,502,,,Group 1,1002,,1 d
carla,"=cmd|' /C calc'!A0",carla@example.org,503,,,,1003,,
dora,Dora Díaz,dora@example.org,504,,,,,,
zoe,Zoë Núñez,zoe@example.org,505,,,,1005,yes,
"""
WORDS = "One is too few."
TIMES = {"ada": "2027-03-01 10:00:00 UTC", "bruno": "2027-03-03 10:00:00 UTC", "carla": "2027-03-01 10:00:00 UTC"}


def hand_in(root, student, content, time="", unit=UNIT):
    folder = root / "submitted" / student / unit
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{unit}.ipynb").write_bytes(content)
    if time:
        (folder / "timestamp.txt").write_text(time)


@functools.cache
def template():
    """ada: right, with words to be marked by hand; bruno: half right, late by 11 hours with the extension; carla:
    wrong; dora handed in nothing; zoe, who has withdrawn, the right thing.
    """
    root = course(Path(tempfile.mkdtemp(prefix="byhand-marked-")), PEOPLE, DUE)
    config = (root / "nbgrader_config.py").read_text()
    # Of nbgrader's own ways, the one that takes something: all of it.
    (root / "nbgrader_config.py").write_text(f'{config}\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    hand_in(root, "ada", work("return x + x", words=WORDS), TIMES["ada"])
    hand_in(root, "bruno", work("return 2 * abs(x)"), TIMES["bruno"])
    hand_in(root, "carla", work("return x"), TIMES["carla"])
    hand_in(root, "zoe", work("return x + x"))
    mark_class(root)
    return root


def marked(folder):
    """A copy of it."""
    shutil.copytree(template(), folder, dirs_exist_ok=True)
    return folder


def by_hand(root, student, score):
    """What an instructor gives in formgrader for the prose question."""
    with sqlite3.connect(root / "gradebook.db") as db:
        db.execute(
            "update grade set manual_score = ?, needs_manual_grade = 0 where id in (select g.id from grade g "
            "join base_cell b on g.cell_id = b.id join submitted_notebook n on g.notebook_id = n.id "
            "join submitted_assignment s on n.assignment_id = s.id where s.student_id = ? and b.name = 'prose-1')",
            (score, student),
        )
    db.close()
