"""What cells read and bind, and which of them have to run."""

import pickle

import pytest
from handing_in import answered, cell, code, full, of_tests, raw, release, unit

from helpers.errors import PlainError
from helpers.grading.marking import Unit, mark, sandbox_for
from helpers.grading.needs import needed_cells
from helpers.grading.reading import quiet_source, reads
from helpers.grading.repair import read_submission


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("y = x + 1", {"x"}),
        ("def f(a):\n    b = a + c\n    return b", {"c"}),
        ("def f(a):\n    return [g(k) for k in a]", {"g"}),
        ("lines.append(words[0])", {"lines", "words"}),
        ("f = lambda v: v @ W", {"W"}),
        ("class A(Base):\n    x = there", {"Base", "there"}),
        ("class A:\n    W = W", {"W"}),
    ],
)
def test_names_that_are_read(source, names):
    assert reads(source) - {"range", "len"} == names


@pytest.mark.parametrize(
    "source",
    ["eval('enc.X')", "globals()['enc']", "%time enc", "x = 1\n%time enc", "# a\n  !ls {enc}", "def broken(:\n    enc"],
)
def test_all_words_where_it_cannot_be_told(source):
    assert "enc" in reads(source)


def test_a_released_cell_without_what_it_shows():
    assert quiet_source("a = 1\nprint(a)\nshow_table(a)\na\nfor k in [1]:\n    b.append(k)") == (
        "a = 1\nfor k in [1]:\n    b.append(k)"
    )


def needed(notebook, name="encoder"):
    repaired = read_submission(raw(notebook), unit(name).release)
    found = needed_cells(repaired, unit(name))
    return {repaired.notebook["cells"][n]["id"] for n in found}


def test_what_an_untouched_lesson_runs():
    ran = needed(release("encoder"))
    assert "setup" in ran
    assert "waves-picture" not in ran
    assert "weights-growth" not in ran


def test_a_cell_that_gives_what_an_answer_reads_runs_with_all_before_it():
    notebook = answered("encoder")
    cell(notebook, "embed")["source"] = "def embed(ids, E):\n    return E[ids] * mixed.shape[1] ** 0.5"
    assert {"order-proof", "order-with-positions", "setup"} <= needed(notebook)


def test_a_cell_that_shows_what_a_student_changed_runs():
    notebook = answered("encoder")
    notebook["cells"].insert(3, code("used_ids = 5"))
    assert "embedding-one-hot" in needed(notebook)


def test_a_homework_runs_whole():
    ran = needed(answered("homework_encoder"), "homework_encoder")
    assert {"setup", "group-1-given-shown", "Q0-box"} <= ran


def test_a_unit_can_be_sent_to_a_worker():
    before = unit("homework_encoder")
    assert before.tests
    after = pickle.loads(pickle.dumps(before))
    assert after == before
    assert after.homework == ("hw", "encoder")
    assert after.tests.keys() == before.tests.keys()


def test_notebooks_that_do_not_belong_together_are_told(tmp_path):
    (tmp_path / "a.ipynb").write_bytes(raw(unit("encoder").source))
    (tmp_path / "b.ipynb").write_bytes(raw(unit("decoder").release))
    with pytest.raises(PlainError, match="does not fit its release"):
        Unit.read(tmp_path / "a.ipynb", tmp_path / "b.ipynb")
    (tmp_path / "b.ipynb").write_text("{}")
    with pytest.raises(PlainError, match="cannot be read as a notebook"):
        Unit.read(tmp_path / "a.ipynb", tmp_path / "b.ipynb")


def test_a_plain_process_gives_the_same_marks():
    with sandbox_for(unit("hand_traces"), safe=False) as plain:
        marked = mark(raw(answered("hand_traces")), unit("hand_traces"), "ada", plain)
    assert of_tests(unit("hand_traces"), marked) == full(unit("hand_traces"))
