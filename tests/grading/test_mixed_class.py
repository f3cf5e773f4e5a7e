"""A class of honest, hostile and damaged submissions, marked in one run: nobody gains, loses, harms or stays."""

import ctypes
import json
import os
import sqlite3
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from handing_in import PROJECT, raw
from hostile import CASES
from hostile.honest import HONEST, every_test, half_of, points_of
from mixed_class import hand_in, make_course, seats, tree
from small_class import Quiet

from helpers.grading.classroom import open_course
from helpers.grading.limits import Limits
from helpers.grading.marker import MARKED, UNREADABLE
from helpers.grading.marking import mark, sandbox_for
from helpers.grading.run import Order, grade

pytestmark = pytest.mark.slow
UNIT = "encoder"
SHORT = Limits(
    cell_seconds=2, call_seconds=2, notebook_seconds=25, memory_mb=256, output_kb=64, file_mb=8, grace_seconds=0.5
)
# What a run may write, below the course's folder.
OWN = ("autograded", "reports", "gradebook.db", ".byhand")
_PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def heir_of_orphans():
    """Whatever loses its parent becomes a child of this process, so that nothing gets away unseen."""
    if not hasattr(ctypes.CDLL(None), "prctl"):
        yield lambda: set()
        return
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield children
    finally:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def children():
    """Processes below this one that still run."""
    found, waiting = set(), [os.getpid()]
    while waiting:
        number = waiting.pop()
        try:
            below = " ".join(file.read_text() for file in Path(f"/proc/{number}/task").glob("*/children")).split()
        except OSError:
            # It ended meanwhile.
            continue
        waiting += below
        found |= {one for one in below if _state(one) not in ("Z", "")}
    return found


def _state(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


class Scales(threading.Thread):
    """The most memory that any one process below this one held, and how many there were at once."""

    def __init__(self):
        super().__init__(daemon=True)
        self.megabytes, self.processes, self.over = 0, 0, threading.Event()

    def run(self):
        while not self.over.wait(0.3):
            numbers = children()
            self.processes = max(self.processes, len(numbers))
            for number in numbers:
                try:
                    pages = int(Path(f"/proc/{number}/statm").read_text().split()[1])
                except (OSError, IndexError):
                    continue
                self.megabytes = max(self.megabytes, pages * os.sysconf("SC_PAGE_SIZE") >> 20)


class Day:
    """One run over the class, and what was seen before, meanwhile and after."""

    def __init__(self, folder):
        self.root = make_course(folder / "course", UNIT)
        self.seats = seats(UNIT)
        self.content = {seat.student: hand_in(self.root, UNIT, seat) for seat in self.seats}
        # Everybody may write here, so that nothing but the walls of the sandbox keeps a submission out.
        self.outside = folder / "outside"
        self.outside.mkdir(mode=0o777)
        os.chmod(self.outside, 0o777)
        (self.outside / "precious").write_text("stay")
        self.tops = (folder, PROJECT / "helpers", PROJECT / "solutions")
        self.before = tree(*self.tops)
        scales, started = Scales(), time.monotonic()
        with heir_of_orphans() as running:
            here = running()
            scales.start()
            self.report = grade(Order(UNIT, self.root, workers=2, limits=SHORT), Quiet())
            self.seconds = time.monotonic() - started
            until = time.monotonic() + 10
            while running() - here and time.monotonic() < until:
                time.sleep(0.1)
            self.left = {number: _name(number) for number in running() - here}
        scales.over.set()
        self.scales = scales
        self.after = tree(*self.tops)


def _name(number):
    try:
        return Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    return Day(tmp_path_factory.mktemp("day"))


def test_the_class_is_large_and_mixed(day):
    assert len(CASES) >= 40
    assert len(day.seats) >= 60
    assert {seat.kind for seat in day.seats} == {*HONEST, "hostile"}
    assert set(day.report.lines) == {seat.student for seat in day.seats}


def test_every_mark_is_what_the_honest_content_deserves(day):
    wrong = {}
    for seat in day.seats:
        line = day.report.lines[seat.student]
        if seat.case is None:
            continue
        deserved = seat.case.deserves(UNIT)
        got = None if line.status == UNREADABLE else {test: line.points.get(test) for test in every_test(UNIT)}
        if got != deserved or line.status not in (MARKED, UNREADABLE):
            differ = {} if None in (got, deserved) else {t: got[t] for t in got if got[t] != deserved[t]}
            wrong[seat.case.name] = (line.status, line.reason, differ, line.limits[:2])
    assert wrong == {}


def test_every_honest_mark_is_as_alone(day):
    answers = {"right": "all", "half": half_of(UNIT), "untouched": ()}
    deserved = {kind: points_of(UNIT, which) for kind, which in answers.items()}
    known = open_course(day.root, UNIT).marking_unit()
    with sandbox_for(known) as sandbox:
        alone = mark(raw(HONEST["wrong"](UNIT)), known, "alone", sandbox).points
    deserved["wrong"] = {test: alone[test] for test in every_test(UNIT)}
    assert sum(deserved["wrong"].values()) < sum(every_test(UNIT).values()) / 4
    for seat in day.seats:
        if seat.case is None:
            line = day.report.lines[seat.student]
            assert {test: line.points[test] for test in every_test(UNIT)} == deserved[seat.kind], seat
            assert not line.limits


def test_the_gradebook_holds_just_these_marks(day):
    db = sqlite3.connect(day.root / "gradebook.db")
    found = db.execute(
        "select s.student_id, b.name, g.auto_score, g.manual_score from grade g join base_cell b on g.cell_id = b.id "
        "join submitted_notebook n on g.notebook_id = n.id join submitted_assignment s on n.assignment_id = s.id"
    ).fetchall()
    assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
    db.close()
    scores = {(student, name): score for student, name, score, _ in found}
    assert len(scores) == len(found)
    assert {manual for *_, manual in found} == {None}
    for student, line in day.report.lines.items():
        assert {name: scores.get((student, name)) for name in line.points} == line.points
    assert {student for student, *_ in found} == {s for s, line in day.report.lines.items() if line.status == MARKED}


def test_no_file_outside_the_runs_own_changed(day):
    assert {path: day.after.get(path) for path in day.before} == day.before
    new = {os.path.relpath(path, day.root) for path in day.after.keys() - day.before.keys()}
    assert {path for path in new if not path.startswith(OWN)} == set()
    assert not os.path.lexists("/tmp/pwned")
    for seat in day.seats:
        place = day.root / "autograded" / seat.student / UNIT
        assert place.exists() == (day.report.lines[seat.student].status == MARKED)
        assert not any(path.is_symlink() for path in place.rglob("*"))


def test_no_process_is_left(day):
    assert day.left == {}


def test_nothing_went_over_its_limits(day):
    # A process holds what it may beside what Python and its libraries take.
    assert day.scales.megabytes < SHORT.memory_mb + 400
    assert day.scales.processes < 2 * (SHORT.processes + 12) + 10
    for seat in day.seats:
        line = day.report.lines[seat.student]
        assert line.seconds.get("wall", 0) < SHORT.notebook_seconds + 10, seat
        file = day.root / "autograded" / seat.student / UNIT / f"{UNIT}.ipynb"
        if file.exists():
            cells = json.loads(file.read_text())["cells"]
            largest = max(len(json.dumps(cell.get("outputs", []))) for cell in cells)
            assert largest < 6 * SHORT.output_kb * 1024 + 200_000, seat


def test_the_pages_hold_nothing_that_acts(day):
    for seat in day.seats:
        file = day.root / "autograded" / seat.student / UNIT / f"{UNIT}.ipynb"
        if not file.exists():
            continue
        for cell in json.loads(file.read_text())["cells"]:
            for output in cell.get("outputs", ()):
                shown = output.get("data", {})
                assert set(shown) <= {"text/plain", "text/html", "text/latex", "image/svg+xml", "image/png"}
                html = f"{shown.get('text/html')} {shown.get('image/svg+xml')}".lower()
                assert not any(word in html for word in ("<script", "onerror=", "onload=", "<iframe", "javascript:"))


def test_the_report_names_what_could_not_be_read_and_limits(day):
    text = day.report.text()
    for seat in day.seats:
        if seat.case is not None and seat.case.answers == UNREADABLE:
            assert f"{seat.student}: " in text
    assert "ran longer than 2 s" in text
    assert "asked for more than 256 MB of memory" in text


def test_the_batch_is_done_in_time(day):
    assert day.seconds < 20 * len(day.seats) / 2
