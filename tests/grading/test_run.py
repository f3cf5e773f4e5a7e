"""The class run: the same marks on any number of workers, only what is missing is done, a fault costs its own."""

import json
import logging
import os
import random
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from small_class import (
    RIGHT,
    WRONG,
    Quiet,
    command,
    content,
    hand_in,
    mark_class,
    rows,
    scores,
    search_path,
    small_class,
    submission,
)  # fmt: skip
from small_course import UNIT

from helpers.errors import PlainError
from helpers.grading import run, work
from helpers.grading.limits import Limits

ENVIRONMENT = os.environ | {"PYTHONPATH": search_path()}


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """A class that was marked once; tests take copies or change it in ways that the next does not see."""
    root = small_class(tmp_path_factory.mktemp("class"))
    watch = Quiet()
    report = mark_class(root, watch)
    return root, watch, report


def again(root, **wishes):
    """Mark the class once more; returns who was marked, and the report."""
    watch = Quiet()
    report = mark_class(root, watch, **wishes)
    assert watch.total == len(watch.students)
    return sorted(watch.students), report


def notebooks(root):
    return {path.parent.parent.name: path.read_bytes() for path in (root / "autograded").rglob("*.ipynb")}


# Only what is missing or changed


def test_everyone_is_marked_once(marked):
    root, watch, report = marked
    assert sorted(watch.students) == sorted(report.lines) == ["empty", "half", "right", "wrong"]
    assert scores(root) == {"right": 2, "wrong": 0, "half": 1, "empty": 0}
    assert report.code() == 0


def test_a_rerun_marks_nobody_and_reports_the_same(marked):
    root, _, report = marked
    before = content(root), notebooks(root)
    who, second = again(root)
    assert who == []
    assert (content(root), notebooks(root)) == before
    assert second.table() == report.table()
    assert all(line.again for line in second.lines.values())


def test_what_changed_or_went_missing_is_marked_again(marked):
    root, *_ = marked
    hand_in(root, "empty", submission(root, WRONG))
    hand_in(root, "new", submission(root, RIGHT))
    graded = root / "autograded" / "half" / UNIT / f"{UNIT}.ipynb"
    graded.unlink()
    assert again(root)[0] == ["empty", "half", "new"]
    graded.chmod(0o644)
    graded.write_text("{}")
    (root / "submitted" / "right" / UNIT / "notes.txt").write_text("mine")
    assert again(root)[0] == ["half", "right"]
    assert (root / "autograded" / "right" / UNIT / "notes.txt").read_text() == "mine"
    assert again(root)[0] == []


def test_students_can_be_named_and_all_can_be_forced(marked):
    root, *_ = marked
    again(root)
    assert again(root, students=["right", "e*"])[0] == []
    assert again(root, students=["right", "e*"], force=True)[0] == ["empty", "right"]
    with pytest.raises(PlainError, match="tiny was not handed in by nobody"):
        again(root, students=["right", "nobody"])


def test_other_limits_mark_again(marked):
    root, *_ = marked
    again(root)
    assert len(again(root, limits=Limits(cell_seconds=11))[0]) == len(again(root)[0]) > 0


def test_a_submission_that_a_person_removed_from_the_gradebook_is_marked_again(marked):
    from nbgrader.api import Gradebook

    root, *_ = marked
    again(root)
    with Gradebook(f"sqlite:///{root}/gradebook.db", "transformer-by-hand") as book:
        book.remove_submission(UNIT, "half")
    assert again(root)[0] == ["half"]


# The same marks


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """24 students, marked by one worker."""
    root = tmp_path_factory.mktemp("crowd")
    answers = [(RIGHT, "So."), (WRONG, None), ("return 2 * abs(x)", "Thus."), ("return None", "")]
    small_class(root, {f"s{number:02}": answers[number % 4] for number in range(24)})
    mark_class(root, workers=1)
    return root


def test_two_workers_give_the_same_as_one(crowd):
    before = content(crowd), notebooks(crowd)
    assert len(again(crowd, force=True, workers=2)[0]) == 24
    assert (content(crowd), notebooks(crowd)) == before


def test_a_cluster_gives_the_same(crowd, monkeypatch):
    from distributed import LocalCluster

    before = content(crowd), notebooks(crowd)
    monkeypatch.setenv("PYTHONPATH", search_path())
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        assert len(again(crowd, force=True, scheduler=cluster.scheduler_address)[0]) == 24
    assert (content(crowd), notebooks(crowd)) == before


class Killer(Quiet):
    """Kills a worker when the fifth submission is done."""

    def __init__(self, pid):
        super().__init__()
        self.pid = pid

    def step(self, student):
        super().step(student)
        if len(self.students) == 5:
            os.kill(self.pid, signal.SIGKILL)


def test_a_worker_that_is_killed_is_no_loss(crowd, monkeypatch):
    from distributed import Client, LocalCluster

    before = content(crowd), notebooks(crowd)
    monkeypatch.setenv("PYTHONPATH", search_path())
    logging.getLogger("distributed.nanny").setLevel(logging.CRITICAL)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        pids = list(client.run(os.getpid).values())
        watch = Killer(pids[0])
        report = mark_class(crowd, watch, force=True, scheduler=cluster.scheduler_address)
    assert report.code() == 0
    assert sorted(watch.students) == sorted(scores(crowd))
    assert (content(crowd), notebooks(crowd)) == before


def test_no_scheduler_is_one_sentence(crowd, monkeypatch):
    monkeypatch.setattr(run.pool, "CONNECT_SECONDS", 1)
    with pytest.raises(PlainError, match="no Dask scheduler at tcp"):
        again(crowd, force=True, scheduler="tcp://127.0.0.1:9")


def test_nbgrader_stays_out_of_the_workers():
    code = "import helpers.grading.work, helpers.grading.marker, sys; print('nbgrader' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# Faults


def test_a_fault_costs_its_own_submission(tmp_path):
    root = small_class(tmp_path)
    once = tmp_path / "died"
    orders = {
        "dies": "# die", "dies-once": f"# die once {once}", "fails": "# fail", "refused": "# refuse unreadable",
        "repaired": "# repair order",
    }  # fmt: skip
    for student, order in orders.items():
        hand_in(root, student, submission(root, RIGHT, order=order))
    (root / "submitted" / "broken" / UNIT).mkdir(parents=True)
    (root / "submitted" / "broken" / UNIT / f"{UNIT}.ipynb").write_text("{")
    (root / "submitted" / "nothing" / UNIT).mkdir(parents=True)
    who, report = again(root)
    assert len(who) == 10
    assert scores(root) == {"right": 2, "wrong": 0, "half": 1, "empty": 0, "dies-once": 2, "repaired": 2}
    text = report.text()
    assert "dies: the process that marked it ended (9)" in text
    assert "fails: ZeroDivisionError: marking itself is wrong" in text
    assert "refused: unreadable" in text
    assert "broken: it is no notebook" in text
    assert "nothing: no notebook was handed in" in text
    assert "repaired: order" in text
    assert "3 tried twice" in text
    assert report.code() == 4
    # What failed is tried at the next run, what was marked is not.
    assert again(root)[0] == ["broken", "dies", "fails", "refused"]


def test_an_unreadable_second_version_leaves_the_marks_of_the_first(tmp_path):
    root = small_class(tmp_path)
    again(root)
    (root / "submitted" / "right" / UNIT / f"{UNIT}.ipynb").write_text("{")
    before = content(root), notebooks(root)
    report = again(root)[1]
    assert "right: it is no notebook: its JSON is broken; the marks of an earlier version stay" in report.text()
    assert report.code() == 3
    assert (content(root), notebooks(root)) == before


def test_a_marker_that_hangs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(work, "_EXTRA_SECONDS", 2)
    monkeypatch.setattr(work, "_PATIENCE", 0)
    root = small_class(tmp_path, {"right": (RIGHT, None)})
    hand_in(root, "waits", submission(root, RIGHT, order="# wait 60"))
    report = again(root)[1]
    assert "waits: marking took longer than 2 s" in report.text()
    assert scores(root) == {"right": 2}


# Stopped at any moment


def whole(root):
    """Nothing is lost, doubled, or half written."""
    assert rows(root, "pragma integrity_check") == [("ok",)]
    for table in ("grade", "comment"):
        assert not rows(root, f"select cell_id from {table} group by cell_id, notebook_id having count(*) > 1")
    assert not rows(root, "select student_id from submitted_assignment group by student_id having count(*) > 1")
    submitted = {student for (student,) in rows(root, "select student_id from submitted_assignment")}
    assert submitted == {student for (student,) in rows(root, "select student from byhand_graded")}
    for path in (root / "autograded").rglob("*.ipynb"):
        if not path.parent.name.startswith("."):
            assert json.loads(path.read_text())["cells"]


def wait_class(root, students=30):
    small_class(root, {})
    for number in range(students):
        code = (RIGHT, WRONG)[number % 2]
        hand_in(root, f"s{number:02}", submission(root, code, "So.", order="# wait 0.05"))
    return root


def start(root):
    return subprocess.Popen(
        command(root), env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def test_sigkill_at_random_moments_loses_and_doubles_nothing(tmp_path):
    root = wait_class(tmp_path)
    chance, kept = random.Random(7), None
    killed = 0
    while killed < 4:
        process = start(root)
        until = time.monotonic() + 60
        # Wait for its first traces, then for a moment that nobody chose.
        while not (root / "autograded").exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 3))
        process.kill()
        process.communicate()
        killed += 1
        if (root / "gradebook.db").exists():
            whole(root)
            kept = kept or by_hand(root)
    again(root)
    whole(root)
    assert scores(root) == {f"s{number:02}": (2.0, 0.0)[number % 2] for number in range(30)}
    assert len(notebooks(root)) == 30
    if kept:
        assert rows(root, "select manual_score from grade where manual_score is not null") == [(2.5,)]
    assert again(root)[0] == []
    assert not list((root / "autograded").glob("*/.*"))


def by_hand(root):
    """Write a mark as a person would, once there is one to write; returns whether there was."""
    import sqlite3

    with sqlite3.connect(root / "gradebook.db") as db:
        changed = db.execute("update grade set manual_score = 2.5 where id in (select min(id) from grade)").rowcount
    db.close()
    return changed


def test_an_interrupt_keeps_what_was_marked_and_says_how_to_go_on(tmp_path):
    root = wait_class(tmp_path, 60)
    code = (
        "import sys; from pathlib import Path; from small_class import mark_class\n"
        # Whoever is started in the background has been told to ignore an interrupt.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from helpers.grading.run import Stopped\n"
        "try: mark_class(Path(sys.argv[1]))\n"
        "except Stopped as stopped: print(stopped.report.text()); sys.exit(stopped.report.code())"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(root)], env=ENVIRONMENT, stdout=-1, text=True)
    until = time.monotonic() + 60
    # The notebook of one may be there when its marks are not yet.
    while len(list((root / "autograded").glob("*"))) < 6 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "left: give the same command to go on." in printed
    done = len(scores(root))
    assert 5 <= done < 60
    assert len(notebooks(root)) - done <= 1
    assert len(again(root)[0]) == 60 - done
    whole(root)


# The room


def test_two_runs_at_once_wait_for_each_other(tmp_path):
    root = wait_class(tmp_path, 6)
    both = [start(root) for _ in range(2)]
    for process in both:
        process.communicate(timeout=120)
    assert [process.returncode for process in both] == [0, 0]
    whole(root)
    assert len(scores(root)) == 6


def test_the_courses_secret_is_made_once_and_kept_private(tmp_path):
    from helpers.grading.classroom import open_course

    root = small_class(tmp_path, {})
    secret = open_course(root, UNIT).secret()
    assert len(secret) == 32
    assert open_course(root, UNIT).secret() == secret
    assert (root / ".byhand-secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("where", "unit", "sentence"),
    [("elsewhere", UNIT, "There is no course in"), (".", "huge", "There is no unit huge; the units are: tiny")],
)
def test_no_course_or_unit_is_one_sentence(tmp_path, where, unit, sentence):
    from helpers.grading.run import Order, grade

    small_class(tmp_path, {})
    with pytest.raises(PlainError, match=sentence):
        grade(Order(unit, tmp_path / where), Quiet())


def test_a_class_that_handed_in_nothing_is_one_sentence(tmp_path):
    with pytest.raises(PlainError, match="Nothing was handed in for tiny"):
        mark_class(small_class(tmp_path, {}))


def test_a_notebook_of_another_name_is_found(tmp_path):
    root = small_class(tmp_path, {})
    hand_in(root, "ada", submission(root, RIGHT), name="tiny (1).ipynb")
    nbformat.write(nbformat.v4.new_notebook(), root / "submitted" / "ada" / UNIT / "tinyy.ipynb")
    report = again(root)[1]
    assert scores(root) == {"ada": 2}
    assert "ada: the notebook was called tiny (1).ipynb" in report.text()
    assert list(notebooks(root)) == ["ada"]
    assert (root / "autograded" / "ada" / UNIT / f"{UNIT}.ipynb").exists()
