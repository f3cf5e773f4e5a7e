"""What stands where an answer was: a stub, or an empty box."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions

from helpers.course.clear import ClearBoxes, preprocessors

STUB = '# YOUR CODE HERE\nraise NotImplementedError("not written yet")'
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
BOX = "# Q0 = X · Wq0\nQ0 = [\n    [..., ...],  # the\n]"


def cleared(*lines, new=new_code_cell):
    metadata = {"nbgrader": {"solution": True, "grade": False, "grade_id": "Q0"}}
    clear = ClearBoxes(code_stub={"python": STUB}, text_stub="Write here.")
    cell = new("\n".join(lines), metadata=metadata)
    return clear.preprocess_cell(cell, {"language": "python"}, 0)[0].source


def test_a_box_keeps_its_dots_and_gets_no_stub():
    assert cleared(BOX, BEGIN, "Q0 = [[1, 2]]", END) == BOX


def test_what_follows_a_box_stays():
    assert cleared(BOX, BEGIN, "Q0 = 1", END, "print(Q0)", BEGIN, "Q0 = 2", END) == f"{BOX}\nprint(Q0)"


def test_a_function_gets_a_stub():
    stub = STUB.replace("\n", "\n    ")
    assert cleared("def f():", f"    {BEGIN}", "    return 1", f"    {END}") == f"def f():\n    {stub}"


def test_a_box_and_a_function_in_one_cell():
    stub = STUB.replace("\n", "\n    ")
    lines = [BOX, BEGIN, "Q0 = 1", END, "def f():", f"    {BEGIN}", "    return 1", f"    {END}"]
    assert cleared(*lines) == f"{BOX}\ndef f():\n    {stub}"


@pytest.mark.parametrize("lines", [(BEGIN, "Q0 = 1", END), ("Q0 = 1",)])
def test_a_cell_with_nothing_but_the_answer_gets_a_stub(lines):
    assert cleared(*lines) == STUB


def test_words_get_their_own_stub():
    assert cleared("Why?", BEGIN, "Because.", END, new=new_markdown_cell) == "Why?\nWrite here."


@pytest.mark.parametrize("lines", [(BOX, BEGIN, "Q0 = 1"), (BOX, BEGIN, BEGIN, "Q0 = 1", END)])
def test_a_region_without_an_end_or_inside_another_is_refused(lines):
    with pytest.raises(RuntimeError, match="solution statement"):
        cleared(*lines)


def test_nothing_else_of_generate_assignment_is_changed():
    theirs = GenerateAssignment.preprocessors.default()
    assert ClearSolutions in theirs
    assert [ClearSolutions if step is ClearBoxes else step for step in preprocessors()] == theirs
