"""Prints what each hostile or damaged submission comes to, here and with plain nbgrader.

    python tests/grading/attacks.py                      the table for the encoder's lesson
    python tests/grading/attacks.py homework_encoder     for another unit
    python tests/grading/attacks.py --only loop links    cases whose name holds one of these words
    python tests/grading/attacks.py --ours               without nbgrader, which takes some 6 s for each

Plain nbgrader runs each case in a throw-away copy of a course in which one other student has marks already, where only
that copy can be written to (hostile/contained.py, for root on Linux; elsewhere it is not tried).
"""

import argparse
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "notebooks"), str(HERE.parent), str(HERE.parents[1])]

# ruff: noqa: E402
from handing_in import raw
from hostile import of_unit
from hostile.contained import SOMEBODY
from hostile.honest import half
from mixed_class import Seat, hand_in, make_course, tree
from small_class import Quiet

from helpers.grading.limits import Limits
from helpers.grading.run import Order, grade

LIMITS = Limits(
    cell_seconds=2, call_seconds=2, notebook_seconds=30, memory_mb=256, output_kb=64, file_mb=8, grace_seconds=0.7
)
SECONDS, STUDENT, OTHER = 100, "hostile", "other"
MARKS = (
    "select sum(coalesce(g.manual_score, g.auto_score, 0)), sum(g.auto_score is null) from grade g "
    "join base_cell b on g.cell_id = b.id join submitted_notebook n on g.notebook_id = n.id "
    "join submitted_assignment s on n.assignment_id = s.id where s.student_id = ? and b.name not like 'prose-%'"
)


def main():
    """Read the wishes, print the table; the exit code is 1 when one of our marks is not the deserved one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("unit", nargs="?", default="encoder")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD")
    parser.add_argument("--ours", action="store_true", help="leave plain nbgrader out")
    parser.add_argument("--jobs", type=int, default=1, help="so many cases of plain nbgrader at once (default: 1)")
    wishes = parser.parse_args()
    cases = [case for case in of_unit(wishes.unit) if any(word in case.name for word in wishes.only)]
    plain = not wishes.ours and sys.platform == "linux" and os.getuid() == 0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        lines = ours(Path(folder) / "ours", wishes.unit, cases)
        print(f"{'':8} {'attack':52} {'deserved':>9} {'here':>9}  plain nbgrader")
        nbgraders = plainly(Path(folder), wishes.unit, cases if plain else [], wishes.jobs)
        for case, theirs in zip(cases, nbgraders, strict=False):
            deserved, got = case.deserves(wishes.unit), points(lines[case.name])
            deserved = "none" if deserved is None else f"{sum(deserved.values()):g}"
            wrong += got != deserved
            print(f"{case.group:8} {case.name:52} {deserved:>9} {got:>9}  {theirs}", flush=True)
    print(f"{len(cases)} cases, {wrong} of them with another mark here than deserved.")
    return int(wrong > 0)


def ours(root, unit, cases):
    """Name of a case → its line of the report."""
    make_course(root, unit)
    for number, case in enumerate(cases):
        hand_in(root, unit, Seat(f"s{number:03}", "hostile", case))
    report = grade(Order(unit, root, workers=os.cpu_count() or 1, limits=LIMITS), Quiet())
    return {case.name: report.lines[f"s{number:03}"] for number, case in enumerate(cases)}


def points(line):
    """What a line of ours says, without the questions in words."""
    if line.status != "marked":
        return "none" if line.status == "unreadable" else line.status
    return f"{sum(p for name, p in line.points.items() if not name.startswith('prose-')):g}"


# Plain nbgrader


def plainly(folder, unit, cases, jobs):
    """What plain nbgrader makes of each case, one by one; without cases it was not tried."""
    if not cases:
        yield from repeat("not tried")
    base = prepared(folder / "base", unit)
    with ThreadPoolExecutor(jobs) as pool:
        places = [folder / f"case-{number}" for number in range(len(cases))]
        yield from pool.map(partial(nbgrader, base, unit), cases, places)


def command(course, *arguments):
    """nbgrader in a course, contained; its exit code and what it wrote."""
    environment = os.environ | {
        "PYTHONPATH": f"{course}:{HERE}:{HERE.parents[1]}", "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": f"{course}/home", "TMPDIR": f"{course}/home",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "OPENBLAS_NUM_THREADS": "1",
        "JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_PLATFORM_DIRS": "1",
    }  # fmt: skip
    os.makedirs(f"{course}/home", exist_ok=True)
    subprocess.run(["chown", "-R", f"{SOMEBODY}:{SOMEBODY}", str(course)], check=True)
    contained = [sys.executable, str(HERE / "hostile" / "contained.py"), str(course), str(SECONDS), "--"]
    nbgrader = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(
        [*contained, *nbgrader], cwd=course, env=environment, capture_output=True, text=True, errors="replace"
    )
    return done.returncode, done.stdout + done.stderr


def prepared(course, unit):
    """A course in which another student's half-finished notebook has its marks."""
    make_course(course, unit)
    shutil.copytree(HERE.parents[1] / "helpers", course / "helpers", ignore=shutil.ignore_patterns("__pycache__"))
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.Execute.timeout = 120", "c.Execute.timeout = 10"))
    (course / "submitted" / OTHER / unit).mkdir(parents=True)
    (course / "submitted" / OTHER / unit / f"{unit}.ipynb").write_bytes(raw(half(unit)))
    for step in (("generate_assignment", unit, "--force"), ("autograde", unit, f"--student={OTHER}")):
        code, said = command(course, *step)
        if code:
            raise SystemExit(f"nbgrader cannot {step[0]} here ({code}): {said[-1500:]}")
    return course


def nbgrader(base, unit, case, course):
    """In words, what plain nbgrader makes of one case."""
    shutil.copytree(base, course)
    hand_in(course, unit, Seat(STUDENT, "hostile", case))
    before, other = tree(course), marks(course, OTHER)
    started = time.monotonic()
    code, _ = command(course, "autograde", unit, f"--student={STUDENT}")
    seconds = time.monotonic() - started
    own = marks(course, STUDENT)
    found = [f"{own[0]:g} points" if own and own[0] is not None else "no mark"]
    if code == 124:
        found.append(f"stopped after {SECONDS} s")
    elif code:
        found.append("the run failed")
    elif seconds > 20:
        found.append(f"{seconds:.0f} s")
    if own and own[1] and own[0] is not None:
        found.append(f"{own[1]} cells wait for a person")
    if marks(course, OTHER) != other:
        found.append("another student's marks changed")
    found += changed(before, tree(course), course)
    shutil.rmtree(course)
    return ", ".join(found)


def marks(course, student):
    """(points, cells without any) of a student; None when the gradebook is no more."""
    if not (course / "gradebook.db").exists():
        return None
    db = sqlite3.connect(course / "gradebook.db", timeout=1)
    try:
        return db.execute(MARKS, [student]).fetchone()
    except sqlite3.Error:
        return None
    finally:
        db.close()


def changed(before, after, course):
    """Folders of the course, beside the student's own, in which files are others now."""
    tops = set()
    for path, was in before.items():
        inside = os.path.relpath(path, course)
        top = inside.split("/")[0]
        own = top in ("home", "gradebook.db") or f"/{STUDENT}/" in f"/{inside}/"
        # The owner changes with every run.
        if not own and (path not in after or after[path][2] != was[2]):
            tops.add(top)
    return [f"{top} changed" for top in sorted(tops)]


if __name__ == "__main__":
    sys.exit(main())
