"""What a page shows of a unit: the released text, and the outputs that no answer reaches."""

import nbformat.v4 as v4
import pytest
from nbformat import NotebookNode

from helpers.site import pages
from helpers.site.build import _inside


def notebook(*cells):
    """A solved notebook: (source, what nbgrader knows of the cell), each with an output that names its number."""
    made = v4.new_notebook()
    for number, (source, known) in enumerate(cells):
        output = v4.new_output("stream", name="stdout", text=f"output {number}")
        metadata = {"nbgrader": known} if known else {}
        made.cells.append(v4.new_code_cell(source, id=f"c{number}", outputs=[output], metadata=metadata))
    return made


def shown(*cells):
    return [int(name[1:]) for name, _ in pages._given(notebook(*cells))]


ANSWER, CHECK = {"solution": True, "grade": False}, {"solution": False, "grade": True}


def test_answers_and_checks_show_nothing():
    assert shown(("a = 1", {}), ("def f(): return 1", ANSWER), ("check(f=f)", CHECK)) == [0]


@pytest.mark.parametrize(
    "source",
    ["print(f(2))", "show(rows=[f(i) for i in range(3)])", "def g():\n    return f(1)", "x = f", "progress()"],
)
def test_a_cell_that_reads_an_answer_shows_nothing(source):
    assert shown(("def f(x): return x", ANSWER), (source, {})) == []


def test_what_such_a_cell_makes_is_an_answer_too():
    assert shown(("f = 3", ANSWER), ("g = f + 1", {}), ("h = g", {}), ("print(h)", {})) == []


def test_a_name_that_a_given_cell_makes_anew_is_given():
    assert shown(("f = 3", ANSWER), ("f = 4", {}), ("print(f)", {})) == [1, 2]


def test_a_name_inside_an_answer_is_its_own():
    assert shown(("def f(x):\n    rows = x\n    return rows", ANSWER), ("rows = 3", {}), ("print(rows)", {})) == [1, 2]


def test_a_page_has_one_title():
    page = v4.new_notebook(cells=[v4.new_markdown_cell(text) for text in ("# One\n\n## A", "# Two\n\n## B", "### C")])
    pages._under_one_title(page)
    assert [cell.source for cell in page.cells] == ["# One\n\n## A", "## Two\n\n### B", "#### C"]


def test_a_card_stands_one_level_below_its_section():
    output = NotebookNode(output_type="display_data", data={"text/html": "<h3>Order</h3>"}, metadata={})
    assert pages._levelled(output, 3)["data"]["text/html"] == '<h3 aria-level="3">Order</h3>'


def test_a_link_to_a_file_that_the_site_does_not_have_names_it():
    text = "see [the map](../README.md#map), [grading](grading.md) and ![a picture](../docs/a.png)"
    assert _inside(text) == "see the map (`README.md#map`), [grading](grading.md) and ![a picture](../docs/a.png)"
