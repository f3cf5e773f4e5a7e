"""Two commands that make the environment at once: the second waits for the first."""

import subprocess
import sys
import time

from helpers.course import environment
from helpers.course.alone import alone

HOLD = """
import sys, time
from pathlib import Path
from helpers.course.alone import alone
with alone(Path(sys.argv[1]), print):
    print("in", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def holder(folder, seconds):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), str(seconds)],
        cwd=environment.PACKAGE.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "in\n"
    return process


def test_the_second_waits_for_the_first_and_says_so(tmp_path):
    said = []
    with holder(tmp_path, 1.0) as first:
        start = time.monotonic()
        with alone(tmp_path, said.append):
            waited = time.monotonic() - start
        assert first.wait() == 0
    assert waited > 0.5
    assert said == [f"another command is working on {tmp_path}: waiting for it"]


def test_a_process_that_dies_leaves_no_lock(tmp_path):
    said = []
    with holder(tmp_path, 60) as first:
        first.kill()
        first.wait()
        with alone(tmp_path, said.append):
            pass
    assert said == []


def test_folders_do_not_wait_for_one_another(tmp_path):
    said = []
    with alone(tmp_path / "a", said.append), alone(tmp_path / "b", said.append):
        pass
    assert said == []
