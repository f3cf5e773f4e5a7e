"""What marking a class costs: 200 submissions beside `nbgrader autograde`, the stages of one, 2,000, a scheduler."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from course_units import PROJECT
from grading_runs import ENVIRONMENT, UNIT, byhand, course, points
from small_class import scores as small_scores
from small_class import small_class
from table import print_table

CLASS, SAMPLE = 200, (2, 12)
TIMES_FASTER = 20
MARKING_MS = 40
TOY = (
    "import resource, sys; from pathlib import Path; from small_class import mark_class; "
    "mark_class(Path(sys.argv[1])); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
)


def nbgrader(root):
    environment = ENVIRONMENT | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "JUPYTER_PREFER_ENV_PATH": "1",
    }
    start = time.perf_counter()
    for words in (("generate_assignment", UNIT), ("autograde", UNIT)):
        if words[0] == "autograde":
            start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "nbgrader", *words, "--force"], cwd=root, env=environment,
            capture_output=True, check=True)  # fmt: skip
    return time.perf_counter() - start


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    root = course(tmp_path_factory.mktemp("class"), CLASS)
    return root, byhand(root, "--workers", "2")


def test_a_class_beside_nbgrader(marked, tmp_path_factory):
    root, ours = marked
    again = byhand(root)
    times = {}
    for students in SAMPLE:
        sample = course(tmp_path_factory.mktemp("sample"), students)
        times[students] = nbgrader(sample)
    few, many = SAMPLE
    each = (times[many] - times[few]) / (many - few)
    theirs = times[few] + (CLASS - few) * each
    mine = points(root)
    assert {key: mine[key] for key in points(sample)} == points(sample)
    print_table(
        f"Marking {CLASS} submissions of {UNIT}, two at once",
        ("", "s", "s each"),
        [
            ("byhand grade", f"{ours:.1f}", f"{ours / CLASS:.3f}"),
            ("byhand grade, nothing changed", f"{again:.1f}", ""),
            (f"nbgrader autograde (from {few} and {many})", f"{theirs:.1f}", f"{each:.2f}"),
            ("times faster", f"{theirs / ours:.1f}", ""),
        ],
    )
    assert theirs / ours >= TIMES_FASTER


def test_stages_of_one(marked):
    from helpers.grading.classroom import open_course, token
    from helpers.grading.limits import Limits
    from helpers.grading.marker import Job
    from helpers.grading.work import Marker

    root, _ = marked
    unit = open_course(root, UNIT).marking_unit()
    marker = Marker(Job(token(unit, Limits()), unit))
    contents = [path.read_bytes() for path in sorted((root / "submitted").rglob("*.ipynb"))[:36]]
    for content in contents[:6]:
        marker.mark("warm", content)
    start = time.perf_counter()
    outcomes = [marker.mark("one", content) for content in contents]
    each = (time.perf_counter() - start) / len(contents)
    marker.close()
    mean = {name: sum(one.seconds[name] for one in outcomes) / len(outcomes) for name in outcomes[0].seconds}
    # What the marker computes when the answers are there: right or wrong, why, and how it is told.
    marking = mean["judging"]
    rest = mean["all"] - sum(mean[stage] for stage in ("repair", "cells", "asking", "judging"))
    stages = [
        ("repair", mean["repair"]),
        ("what cells show", mean["cells"]),
        ("asking the sandbox", mean["asking"]),
        ("marking, diagnosis included", marking),
        ("writing the notebook", mean["write"]),
        ("the rest", rest),
        ("waiting for cells and calls", mean["waited"]),
        ("all, on the clock", each),
    ]
    print_table("One submission", ("stage", "ms"), [(name, f"{1000 * value:.1f}") for name, value in stages])
    assert 1000 * marking <= MARKING_MS


def test_two_thousand_take_ten_times_as_long_and_no_more_memory(tmp_path_factory):
    rows = []
    for students in (200, 2000):
        root = small_class(tmp_path_factory.mktemp("crowd"), {})
        one = json.loads((PROJECT / "notebooks" / UNIT / f"{UNIT}.ipynb").read_text(encoding="utf-8"))
        from small_class import RIGHT, hand_in, submission

        notebook = submission(root, RIGHT, "So.")
        # As large as a real one.
        notebook.metadata["ballast"] = one["cells"]
        for number in range(students):
            hand_in(root, f"s{number:04}", notebook)
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", TOY, str(root)], env=ENVIRONMENT, capture_output=True, text=True,
            check=True)  # fmt: skip
        rows.append((students, time.perf_counter() - start, int(done.stdout)))
        assert len(small_scores(root)) == students
    print_table("A class with a toy marker: all but marking", ("students", "s", "MB at most"),
        [(students, f"{took:.1f}", memory) for students, took, memory in rows])  # fmt: skip
    assert rows[1][1] <= 12 * rows[0][1]
    assert rows[1][2] <= rows[0][2] + 60


def test_a_scheduler_with_two_worker_processes(marked):
    from distributed import LocalCluster

    root, threads = marked
    before = points(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
            took = byhand(root, "--force", "--scheduler", cluster.scheduler_address)
    print_table(f"{CLASS} submissions", ("", "s"), [("two threads here", f"{threads:.1f}"),
        ("a scheduler, two worker processes", f"{took:.1f}")])  # fmt: skip
    assert points(root) == before
