"""Executing, normalising, releasing and checking, on a course of one tiny unit."""

import json
import shutil
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from small_course import CHECK_DOUBLE, UNIT, make_course, nbgrader, tiny_notebook
from support import plain_error

from helpers.course import execute
from helpers.course.notebooks import check, regenerate, units
from helpers.course.release import check_release
from helpers.errors import PlainError


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A course whose release has been made once; tests that change it work on a copy."""
    project = tmp_path_factory.mktemp("built")
    make_course(project)
    assert regenerate(project) == 0
    return project


@pytest.fixture
def course(built, tmp_path):
    return shutil.copytree(built, tmp_path / "course")


def snapshot(project):
    return {path.relative_to(project): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def edit(path, change):
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


def released(project):
    return nbformat.read(project / "notebooks" / UNIT / f"{UNIT}.ipynb", as_version=4)


# Executing


def notebook_of(tmp_path, *sources, **metadata):
    path = tmp_path / "one.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources], metadata=metadata), path)
    return path


def test_a_notebook_runs_in_its_own_folder_with_this_python(built):
    path = built / "solutions" / UNIT / f"{UNIT}.ipynb"
    assert execute.read(path).cells[1].outputs[0].text == "the cat sat\n"


def test_the_kernel_is_this_python_even_if_another_is_called_python3(tmp_path, monkeypatch):
    other = tmp_path / "jupyter" / "kernels" / "python3"
    other.mkdir(parents=True)
    (other / "kernel.json").write_text(json.dumps({"argv": ["false"], "display_name": "x", "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    path = notebook_of(tmp_path, "import sys; print(sys.executable)", kernelspec={"name": "gone", "display_name": "x"})
    assert execute.execute(path).cells[0].outputs[0].text == f"{sys.executable}\n"


def test_two_executions_give_the_same_bytes(tmp_path):
    path = notebook_of(
        tmp_path,
        "import time\nfor i in range(3):\n    print(i, flush=True); time.sleep(0.05)",
        "{'b': 1, 'a': [2.5]}",
        "from IPython.display import HTML, display\ndisplay(HTML('x'), metadata={'text/html': {'isolated': True}})",
    )
    first = execute.to_bytes(execute.execute(path))
    assert first == execute.to_bytes(execute.execute(path))
    path.write_bytes(first)
    assert first == execute.to_bytes(execute.execute(path))
    assert first.endswith(b"}\n")


def test_what_a_run_leaves_by_chance_is_removed():
    cell = new_code_cell(
        "print(1)",
        id="a",
        execution_count=17,
        metadata={"execution": {"iopub.busy": "now"}, "scrolled": True, "tags": ["kept"]},
        outputs=[
            new_output("stream", name="stdout", text="1\n"),
            new_output("stream", name="stdout", text="2\n"),
            new_output("execute_result", execution_count=17, data={"text/plain": "3"}, metadata={"timing": 1}),
        ],
    )
    empty = new_code_cell("", id="b")
    last = new_code_cell("4", id="c", execution_count=40)
    notebook = new_notebook(
        cells=[cell, empty, last], metadata={"language_info": {"name": "python", "version": "3.11.7"}, "widgets": {}}
    )
    execute.normalise(notebook)
    assert cell.metadata == {"tags": ["kept"]}
    assert [output.get("text") for output in cell.outputs] == ["1\n2\n", None]
    assert cell.outputs[1].execution_count == cell.execution_count == 1
    assert cell.outputs[1].metadata == {}
    assert (empty.execution_count, last.execution_count) == (None, 2)
    assert notebook.metadata == {"kernelspec": execute.KERNELSPEC, "language_info": execute.LANGUAGE}
    assert "version" not in notebook.metadata.language_info


def test_a_live_card_is_kept_in_its_first_state_and_any_other_widget_goes(tmp_path):
    path = notebook_of(
        tmp_path,
        "from helpers import card\ncard('scores')",
        "import ipywidgets\nipywidgets.Button(description='press')",
        "from helpers import worksheet_card\nworksheet_card()",
    )
    card, button, sheet = (cell.outputs for cell in execute.execute(path).cells)
    (shown,) = card
    assert set(shown.data) == {"text/html", "text/plain"}
    assert "encoder 11" in shown.data["text/plain"]
    assert button == []
    assert [set(output.data) for output in sheet] == [{"text/html", "text/plain"}]


def test_cells_without_an_id_get_the_same_one_each_time(tmp_path):
    path = tmp_path / "old.ipynb"
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["same"]}] * 3
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}))
    first, second = execute.read(path), execute.read(path)
    ids = [cell["id"] for cell in first.cells]
    assert ids == [cell["id"] for cell in second.cells]
    assert len(set(ids)) == 3
    nbformat.validate(first)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\n1 / 0", "ZeroDivisionError"),
        ("import time; time.sleep(30)", "still running after 2 s"),
        ("import os; os._exit(1)", "the kernel died"),
        ("import warnings; warnings.warn('old')", "wrote to stderr"),
    ],
)
def test_a_failing_cell_is_named(tmp_path, source, told):
    path = notebook_of(tmp_path, "1", source, "2")
    with pytest.raises(PlainError, match=told) as caught:
        execute.execute(path, timeout=2)
    assert "one.ipynb, cell 2" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_what_is_no_notebook_is_said_to_be_none(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text("oops")
    with plain_error("x.ipynb", "JSON"):
        execute.read(path)
    path.write_text('{"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": []}')
    with plain_error("x.ipynb", 3, 4):
        execute.read(path)


# The release


def test_the_release_has_stubs_and_keeps_the_rest(built):
    cells = {cell["id"]: cell for cell in released(built).cells}
    stub = '# YOUR CODE HERE\n    raise NotImplementedError("not written yet")'
    assert cells["double"].source == f'def double(x):\n    """Twice x."""\n    {stub}'
    assert cells["prose-1"].source == "Write your answer here."
    assert cells["check-double"].source == CHECK_DOUBLE.partition("### BEGIN")[0] + "earned"
    assert cells["question"].source == "Why two?"
    assert all(cell.get("outputs", []) == [] for cell in cells.values())
    assert (built / "notebooks" / UNIT / "words.txt").read_text() == "the cat sat\n"


def test_checks_are_locked_and_answers_are_not(built):
    cells = {cell["id"]: cell.metadata for cell in released(built).cells}
    assert (cells["check-double"].editable, cells["check-double"].deletable) == (False, False)
    assert cells["double"].get("editable", True)
    assert cells["prose-1"].get("editable", True)


def test_nothing_but_the_release_and_the_outputs_is_written(built):
    assert {str(path) for path in snapshot(built)} == {
        "nbgrader_config.py",
        f"solutions/{UNIT}/{UNIT}.ipynb",
        f"solutions/{UNIT}/words.txt",
        f"notebooks/{UNIT}/{UNIT}.ipynb",
        f"notebooks/{UNIT}/words.txt",
    }


def test_a_second_time_changes_nothing(course, capsys):
    before = snapshot(course)
    assert regenerate(course) == 0
    assert snapshot(course) == before
    assert "up to date" in capsys.readouterr().out


def test_files_without_a_source_leave_the_release(course):
    extra = course / "notebooks" / UNIT / "old.txt"
    extra.write_text("left over")
    regenerate(course)
    assert not extra.exists()


def released_cell(source="1", **metadata):
    return new_notebook(cells=[new_code_cell(source, id="cell", metadata=metadata)])


@pytest.mark.parametrize(
    ("notebook", "told"),
    [
        (released_cell("### BEGIN SOLUTION\n1"), "BEGIN SOLUTION"),
        (released_cell("### BEGIN HIDDEN TESTS\n1"), "HIDDEN TESTS"),
        (released_cell(**nbgrader("c", grade=True, locked=True, points=1)), "edited or deleted"),
        (
            new_notebook(cells=[new_code_cell("1", outputs=[new_output("stream", text="42")], id="cell")]),
            "an output",
        ),
    ],
)
def test_a_release_that_gives_something_away_is_refused(tmp_path, notebook, told):
    with pytest.raises(PlainError, match=told):
        check_release(tmp_path / "x.ipynb", notebook)


def test_what_nbgrader_refuses_is_told_in_one_line(tmp_path):
    def twice(notebook):
        notebook.cells[3].metadata.nbgrader.grade_id = "double"

    edit(make_course(tmp_path), twice)
    with plain_error("nbgrader cannot make the release of tiny", "double"):
        regenerate(tmp_path)
    assert not (tmp_path / "notebooks").exists()


def test_unknown_units_are_named_with_those_there_are(course):
    assert units(course) == [UNIT]
    with plain_error("decoder", UNIT):
        units(course, ["decoder"])


# Staleness


def test_what_is_fresh_is_said_to_be(course, capsys):
    before = snapshot(course)
    assert check(course) == 0
    assert "up to date" in capsys.readouterr().out
    assert snapshot(course) == before


def stale_output(course):
    edit(
        course / "solutions" / UNIT / f"{UNIT}.ipynb",
        lambda notebook: notebook.cells[1].outputs[0].update(text="the dog sat\n"),
    )
    return "cell 2 (setup): stored 'the dog sat', now 'the cat sat'"


def stale_source(course):
    def change(notebook):
        notebook.cells[5].source = "Why not three?"

    edit(course / "solutions" / UNIT / f"{UNIT}.ipynb", change)
    return f"notebooks/{UNIT}/{UNIT}.ipynb is stale"


def stale_file(course):
    (course / "solutions" / UNIT / "words.txt").write_text("a tiny mouse\n")
    return f"notebooks/{UNIT}/words.txt is stale"


def edited_release(course):
    edit(course / "notebooks" / UNIT / f"{UNIT}.ipynb", lambda notebook: notebook.cells.pop(0))
    return f"notebooks/{UNIT}/{UNIT}.ipynb is stale"


def extra_file(course):
    (course / "notebooks" / UNIT / "answers.txt").write_text("42")
    return f"notebooks/{UNIT}/answers.txt has no source"


def missing_release(course):
    (course / "notebooks" / UNIT / f"{UNIT}.ipynb").unlink()
    return f"notebooks/{UNIT}/{UNIT}.ipynb is missing"


def orphan(course):
    (course / "notebooks" / "gone").mkdir()
    return "notebooks/gone has no source in solutions/"


@pytest.mark.parametrize(
    "make_stale",
    [stale_output, stale_source, stale_file, edited_release, extra_file, missing_release, orphan],
    ids=lambda function: function.__name__,
)
def test_what_is_stale_is_named(course, capsys, make_stale):
    expected = make_stale(course)
    before = snapshot(course)
    assert check(course) == 1
    assert expected in capsys.readouterr().out
    assert snapshot(course) == before


def test_pictures_may_differ(course):
    def repaint(notebook):
        notebook.cells[4].outputs[0].data["image/svg+xml"] = "<svg>another version drew this</svg>"

    edit(course / "solutions" / UNIT / f"{UNIT}.ipynb", repaint)
    assert check(course) == 0


# Grades


@pytest.fixture
def graded(course):
    """The course with a real gradebook that holds one student's submission."""
    with Gradebook(f"sqlite:///{course}/gradebook.db", "transformer-by-hand") as gradebook:
        gradebook.add_assignment(UNIT)
        gradebook.add_student("ada")
        gradebook.add_submission(UNIT, "ada")
    return course


def test_a_release_with_grades_is_never_changed(graded):
    stale_source(graded)
    before = snapshot(graded)
    with plain_error(UNIT, "the gradebook holds 1"):
        regenerate(graded)
    assert snapshot(graded) == before


def test_grades_do_not_matter_while_nothing_changes(graded):
    before = snapshot(graded)
    assert regenerate(graded) == 0
    assert check(graded) == 0
    assert snapshot(graded) == before


def test_collected_files_protect_a_release_too(course):
    (course / "submitted" / "ada" / UNIT).mkdir(parents=True)
    stale_source(course)
    with plain_error(UNIT, "submitted/ holds 1"):
        regenerate(course)


def test_a_gradebook_without_submissions_protects_nothing(course):
    with Gradebook(f"sqlite:///{course}/gradebook.db", "another-course") as gradebook:
        gradebook.add_assignment(UNIT)
    stale_source(course)
    assert regenerate(course) == 0
    assert check(course) == 0


def test_a_gradebook_that_cannot_be_read_protects_the_release(course):
    (course / "gradebook.db").write_text("this is no database, but it may have been one")
    stale_source(course)
    with pytest.raises(PlainError, match="cannot be read"):
        regenerate(course)


def test_a_unit_of_markdown_alone_is_fine(tmp_path):
    make_course(tmp_path, new_notebook(cells=[new_markdown_cell("# Words only", id="words")]))
    assert regenerate(tmp_path) == 0
    assert check(tmp_path) == 0
    assert tiny_notebook().cells[0].source != released(tmp_path).cells[0].source == "# Words only"
