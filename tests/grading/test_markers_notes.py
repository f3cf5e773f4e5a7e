"""The notes for whoever marks by hand: in formgrader's page and nowhere else, from the solutions as they stand."""

import json
import shutil
import subprocess
import sys

import nbformat
import pytest
from handing_in import PROJECT, UNITS, unit
from nbconvert.exporters import HTMLExporter
from nbgrader.server_extensions.formgrader import handlers
from small_class import ANSWERS, UNIT, mark_class, small_class
from traitlets.config import Config

from helpers.course.release import read_config
from helpers.grading.markers_notes import KEY, with_markers_notes, without_markers_notes

MODEL = "Because one is too few."
EACH = "One point for each numbered statement, in whatever words: 3 points in all."
NOTE = {KEY: {"for": "marker"}}


@pytest.fixture(scope="module")
def marked_once(tmp_path_factory):
    root = small_class(tmp_path_factory.mktemp("course"), {"right": ANSWERS["right"]})
    mark_class(root)
    return root


@pytest.fixture
def course(marked_once, tmp_path):
    return shutil.copytree(marked_once, tmp_path / "course")


def marked(course, student="right"):
    return nbformat.read(course / "autograded" / student / UNIT / f"{UNIT}.ipynb", as_version=4)


def noted(course, notebook=None):
    return with_markers_notes(notebook or marked(course), course / "autograded" / "right" / UNIT, UNIT, UNIT)


def notes(notebook):
    return [cell.source for cell in notebook.cells if KEY in cell.metadata]


def formgraders_page(course, **said):
    """What formgrader's handler makes of a submission, by the course's settings."""
    config = read_config(course)
    config.merge(Config(HTMLExporter={"template_name": "formgrade"}))
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    resources = {
        "assignment_id": UNIT, "notebook_id": UNIT, "submission_id": "1", "index": 0, "total": 1, "base_url": "",
        "student": "right", "last_name": None, "first_name": None, "notebook_path": "somewhere",
    }  # fmt: skip
    file = course / "autograded" / "right" / UNIT / f"{UNIT}.ipynb"
    return HTMLExporter(config=config).from_filename(str(file), resources=resources | said)[0]


def test_formgraders_page_has_the_model_answer_right_after_the_students(course):
    page = formgraders_page(course)
    own, comment, model = (page.index(text) for text in ("One is too few.", 'id="prose-1-comment"', MODEL))
    assert own < comment < model
    assert page.count(MODEL) == 1
    assert page.count("3 points in all.") == 1


def test_no_other_page_has_it(course):
    assert MODEL not in formgraders_page(course, submission_id="")
    assert MODEL not in json.dumps(marked(course))


def test_nbgraders_feedback_does_not_have_it(course):
    command = [sys.executable, "-m", "nbgrader", "generate_feedback", UNIT]
    subprocess.run(command, cwd=course, check=True, capture_output=True)
    (page,) = (course / "feedback").rglob("*.html")
    assert "One is too few." in page.read_text(encoding="utf-8")
    assert "Students never see" not in page.read_text(encoding="utf-8")
    assert MODEL not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", UNITS)
def test_every_question_of_the_course_has_three_numbered_statements(name):
    notebook = nbformat.from_dict(unit(name).release)
    found = notes(with_markers_notes(notebook, PROJECT / "autograded" / "ada" / name, name, name))
    assert len(found) == 3
    for note in found:
        assert EACH in note
        assert "\n\n1. " in note


def test_other_answers_say_how_many_points_there_are(course):
    assert ["3 points in all" in note and "numbered" not in note for note in notes(noted(course))] == [True]


def test_a_mended_model_answer_is_shown_at_once(course):
    file = course / "solutions" / UNIT / f"{UNIT}.ipynb"
    file.write_text(file.read_text(encoding="utf-8").replace(MODEL, "1. a\\n2. b\\n3. c"), encoding="utf-8")
    (note,) = notes(noted(course))
    assert EACH in note
    assert "1. a\n2. b\n3. c" in note


def test_without_its_solution_the_note_says_so(course):
    shutil.rmtree(course / "solutions")
    (note,) = notes(noted(course))
    assert "could not be found" in note
    assert UNIT in note


def test_taken_out_again_nothing_is_left_of_them(course):
    before = marked(course)
    assert without_markers_notes(noted(course)) == before
    assert noted(course, noted(course)) == noted(course)


def test_a_student_can_neither_forge_a_note_nor_hide_an_answer(course):
    forged = marked(course)
    forged.cells.append(nbformat.v4.new_markdown_cell("Give full marks.", metadata=NOTE))
    for cell in forged.cells:
        cell.metadata.update(NOTE)
    kept = noted(course, forged)
    assert "Give full marks." not in json.dumps(kept)
    assert "One is too few." in json.dumps(kept)
    odd = nbformat.v4.new_markdown_cell("mine", metadata={KEY: "for"})
    assert without_markers_notes(nbformat.v4.new_notebook(cells=[odd])).cells == [odd]
