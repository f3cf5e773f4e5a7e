"""Marking by hand in nbgrader's formgrader, in a real browser: what whoever marks sees, and what stays of it."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from formgrader_page import answer_box, open_submission, saving, stay_here, write, written
from handing_in import answered, cell, raw
from mixed_class import make_course
from playwright.sync_api import expect
from running_lab import PROJECT, serving

UNIT = "homework_encoder"
FORGED = """1. All three statements, see the box below.

<div class="panel panel-info byhand-marker" onclick="window.acted = 1"><b>Model answer.</b> Give full marks.</div>
<script>window.acted = 1</script>"""
MODEL = "Softmax makes every row add up to 1, whatever the scores are."
EACH = "One point for each numbered statement, in whatever words: 3 points in all."
COMMENT = "Which rows? **Name** them; <b>cat</b> < sat & more."


@pytest.fixture(scope="module", autouse=True)
def _nbgraders_surroundings():
    """nbgrader starts programs by name: those of this environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(PROJECT), os.environ.get("PYTHONPATH")])))
        patch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        yield


@dataclass
class Course:
    """A course's folder and a server on it."""

    root: Path
    server: object

    def hand_in(self, student, **words):
        notebook = answered(UNIT, "ids", "E_rows")
        for grade_id, text in words.items():
            cell(notebook, grade_id.replace("_", "-"))["source"] = text
        folder = self.root / "submitted" / student / UNIT
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{UNIT}.ipynb").write_bytes(raw(notebook))

    def grade(self, *options):
        """Mark with the command itself; returns what it says."""
        command = [sys.executable, "-m", "helpers", "grade", UNIT, "--course", str(self.root), *options]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def feedback(self, student):
        """What nbgrader's own feedback command writes for a student."""
        command = [sys.executable, "-m", "nbgrader", "generate_feedback", UNIT, "--student", student, "--force"]
        subprocess.run(command, cwd=self.root, check=True, capture_output=True)
        return (self.root / "feedback" / student / UNIT / f"{UNIT}.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Two students, marked by the command, and JupyterLab with nbgrader's extensions on the course's folder."""
    top = tmp_path_factory.mktemp("formgrader")
    root = make_course(top / "course", UNIT)
    with serving(top, root, start_in=root) as server:
        course = Course(root, server)
        course.hand_in("ada", prose_1="The weights stay; two rows change places.", prose_2="No, they are still 1.")
        course.hand_in("bob", prose_2=FORGED)
        course.grade()
        yield course


@pytest.fixture
def page(browser, course):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    stay_here(page)
    expect.set_options(timeout=120_000)
    yield page
    page.close()


def open_one(page, course, student):
    server = course.server
    gradebook = f"/formgrader/gradebook/{UNIT}/{UNIT}"
    open_submission(page, f"{server.address}/login?token={server.token}&next={gradebook}", student)


def test_model_answer_and_scheme_stand_below_the_students_answer(page, course):
    open_one(page, course, "ada")
    notes = page.locator(".byhand-marker")
    expect(notes).to_have_count(3)
    note = notes.nth(1)
    expect(note).to_contain_text(re.sub("^S", "s", MODEL))
    expect(note).to_contain_text(EACH)
    expect(note.locator("ol > li")).to_have_count(3)
    expect(answer_box(page, "prose-2")).to_contain_text("No, they are still 1.")
    above, below = answer_box(page, "prose-2").bounding_box(), note.bounding_box()
    assert 0 <= below["y"] - (above["y"] + above["height"]) < 60
    # Both are on one screen.
    assert below["y"] + below["height"] - above["y"] < 900


def test_what_a_student_imitates_stays_in_the_students_box(page, course):
    open_one(page, course, "bob")
    expect(answer_box(page, "prose-2")).to_contain_text("Give full marks.")
    expect(page.locator(".byhand-marker")).to_have_count(3)
    expect(page.locator(".nbgrader_cell .byhand-marker")).to_have_count(0)
    answer_box(page, "prose-2").get_by_text("Give full marks.").click()
    assert not page.evaluate("'acted' in window")


def test_marks_and_comments_by_hand_survive_every_regrade(page, course):
    open_one(page, course, "ada")
    write(page, "prose-1", "1.5")
    write(page, "prose-1-comment", COMMENT)
    with saving(page):
        answer_box(page, "prose-2").get_by_text("Full credit").click()
    given = {"prose-1": ("1.5", COMMENT), "prose-2": ("3", ""), "prose-3": ("", "")}
    assert {name: written(page, name) for name in given} == given

    course.grade("--force")
    open_one(page, course, "ada")
    assert {name: written(page, name) for name in given} == given

    # The answer changes, and another student is late.
    course.hand_in("ada", prose_1="The weights stay. Rows cat and sat change places.")
    course.hand_in("cleo", prose_3="It should be 1.")
    assert "(2 now, 1 before)" in course.grade()
    open_one(page, course, "ada")
    expect(answer_box(page, "prose-1")).to_contain_text("Rows cat and sat change places.")
    assert {name: written(page, name) for name in given} == given
    open_one(page, course, "cleo")
    expect(page.locator(".byhand-marker")).to_have_count(3)
    assert written(page, "prose-1") == ("", "")

    feedback = course.feedback("ada")
    assert "Which rows?" in feedback
    assert "Students never see" not in feedback
    assert MODEL[8:] not in feedback
