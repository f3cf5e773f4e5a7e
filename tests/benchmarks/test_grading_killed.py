"""SIGKILL of a class run at 20 random moments: nothing is lost or doubled, hand marks stay."""

import contextlib
import random
import sqlite3
import subprocess
import sys
import time

from grading_runs import BYHAND, ENVIRONMENT, UNIT, byhand, course, points
from table import print_table
from test_mixed_class import heir_of_orphans

KILLS, STUDENTS = 20, 48
GRADES = "select min(id) from grade where auto_score is not null group by notebook_id limit 5"


def rows(root, query, *values):
    with contextlib.closing(sqlite3.connect(root / "gradebook.db")) as db:
        found = db.execute(query, values).fetchall()
        db.commit()
        return found


def by_hand(root):
    """Marks and a comment as a person gives them; returns what is to be found at the end."""
    ids = [number for (number,) in rows(root, GRADES)]
    for number in ids:
        rows(root, "update grade set manual_score = 1.25, extra_credit = 0.5 where id = ?", number)
    rows(root, "update comment set manual_comment = 'Well said.' where id = (select min(id) from comment)")
    return written(root) if ids else None


def written(root):
    manual = "select id, manual_score, extra_credit from grade where manual_score is not null"
    return rows(root, manual), rows(root, "select id, manual_comment from comment where manual_comment is not null")


def whole(root):
    """The gradebook opens, and no grade is there twice."""
    assert rows(root, "pragma integrity_check") == [("ok",)]
    for table in ("grade", "comment"):
        assert not rows(root, f"select 1 from {table} group by cell_id, notebook_id having count(*) > 1")
    assert not rows(root, "select 1 from submitted_assignment group by student_id, assignment_id having count(*) > 1")
    without = "select 1 from submitted_notebook n left join grade g on g.notebook_id = n.id where g.id is null"
    assert not rows(root, without)


def test_killed_at_twenty_moments(tmp_path_factory):
    undisturbed = course(tmp_path_factory.mktemp("undisturbed"), STUDENTS)
    took = byhand(undisturbed, "--workers", "2")
    root = course(tmp_path_factory.mktemp("killed"), STUDENTS)
    chance, kept, moments, ended = random.Random(20), None, [], 0
    command = [sys.executable, "-c", BYHAND, "grade", UNIT, "--course", str(root), "--workers", "2", "--force"]
    for _ in range(KILLS):
        with heir_of_orphans() as running:
            here = running()
            process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            moments.append(chance.uniform(0.1, 1.1) * took)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moments[-1])
                ended += 1
            process.kill()
            process.wait()
            # One that is still loading notices when it asks for its first job.
            until = time.monotonic() + 60
            while running() - here and time.monotonic() < until:
                time.sleep(0.1)
            assert running() <= here
        if (root / "gradebook.db").exists():
            whole(root)
            kept = kept or by_hand(root)
            assert kept is None or written(root) == kept
    again = byhand(root, "--workers", "2")
    whole(root)
    assert points(root) == points(undisturbed)
    assert written(root) == kept
    notebooks = {path.relative_to(root) for path in (root / "autograded").rglob("*.ipynb")}
    assert notebooks == {path.relative_to(undisturbed) for path in (undisturbed / "autograded").rglob("*.ipynb")}
    assert not list((root / "autograded").glob("*/.*"))
    print_table(
        f"SIGKILL at {KILLS} moments of a run over {STUDENTS} submissions",
        ("", ""),
        [
            ("an undisturbed run, s", f"{took:.1f}"),
            ("killed between, s", f"{min(moments):.1f} and {max(moments):.1f}"),
            ("of these were at their end already", ended),
            ("marks lost, doubled or changed", 0),
            ("marks and comments by hand, all kept", sum(map(len, kept))),
            ("the run that went on, s", f"{again:.1f}"),
        ],
    )
