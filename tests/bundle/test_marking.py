"""A unit done in a bundled notebook is marked as any other, wherever it was worked on and however it was saved."""

import copy
import json

import nbformat
import pytest
from handing_in import UNITS, cell, full, marker, name_of, of_tests, release, unit

from helpers.bundle.archives import unzipped
from helpers.grading.repair import read_submission

per_unit = pytest.mark.parametrize("name", UNITS)


@pytest.fixture(scope="module")
def mark():
    with marker() as mark:
        yield mark


def joined(content):
    """A notebook as plain data, each source one string."""
    notebook = json.loads(content)
    for one in notebook["cells"]:
        one["source"] = "".join(one["source"])
    return notebook


@pytest.fixture(scope="module")
def solved(made):
    """What a student hands in who answered everything in the notebook that stands alone."""

    def notebook(name):
        found = joined(made[f"stand-alone/{name}.ipynb"])
        for one in found["cells"]:
            if one["metadata"].get("nbgrader", {}).get("solution"):
                one["source"] = unit(name).by_name[name_of(one)]["source"]
        return found

    return notebook


def sources(repaired):
    return {name_of(one): one["source"] for one in repaired.notebook["cells"] if name_of(one)}


def answers(name):
    return {one: unit(name).by_name[one]["source"] for one in sources_of_answers(name)}


def sources_of_answers(name):
    return [name_of(one) for one in release(name)["cells"] if one["metadata"].get("nbgrader", {}).get("solution")]


@per_unit
def test_a_solved_notebook_that_stands_alone_earns_every_point(mark, solved, name):
    marked = mark(name, solved(name))
    assert of_tests(unit(name), marked) == full(unit(name))
    assert (marked.repairs, marked.limits, marked.remarks, marked.labels) == ([], [], [], {})
    assert [one["id"] for one in marked.notebook["cells"]] == [one["id"] for one in release(name)["cells"]]


@per_unit
def test_as_given_out_it_is_marked_as_untouched(mark, made, name):
    marked = mark(name, made[f"stand-alone/{name}.ipynb"])
    assert {**marked.points} == dict.fromkeys(unit(name).points, 0.0)
    assert (marked.repairs, marked.limits, marked.remarks) == ([], [], [])


def test_so_is_one_of_the_zip(mark, made):
    content = unzipped(made["transformer-by-hand.zip"])["transformer-by-hand/homework_encoder/homework_encoder.ipynb"]
    assert mark("homework_encoder", content).repairs == []


def test_what_a_student_wrote_into_the_first_cells_runs_and_is_kept(mark, solved):
    notebook = solved("encoder")
    first = next(one for one in notebook["cells"] if one["id"] == "bundle-first")
    second = next(one for one in notebook["cells"] if one["id"] == "bundle-copy")
    first["source"] += "\n\nlift = 7.0"
    second["source"] += "\ndrop = lift"
    answer = cell(notebook, "softmax")
    answer["source"] = answer["source"].replace("e / e", "(e + lift - drop) / e")
    marked = mark("encoder", notebook)
    assert of_tests(unit("encoder"), marked) == full(unit("encoder"))
    own = [one for one in marked.notebook["cells"] if one["id"].startswith("own-")]
    assert [one["source"].splitlines()[-1] for one in own] == ["lift = 7.0", "drop = lift"]
    assert not [out for one in own for out in one["outputs"] if out["output_type"] == "error"]


# As editors save it


def sorted_all_the_way(found):
    if isinstance(found, dict):
        return {key: sorted_all_the_way(found[key]) for key in sorted(found)}
    return [sorted_all_the_way(one) for one in found] if isinstance(found, list) else found


def as_vs_code(notebook, stripped=False, ids=True):
    """As VS Code saves it: keys in order, its own notes, other ids, lines as lists, ends of Windows.

    stripped: nbgrader's names are lost too, as when cells are cut and pasted, or a locked one is typed anew.
    """
    saved = copy.deepcopy(notebook)
    for number, one in enumerate(saved["cells"]):
        kept = {} if stripped else one["metadata"]
        one["metadata"] = {**kept, "vscode": {"languageId": "python" if one["cell_type"] == "code" else "markdown"}}
        one["source"] = one["source"].replace("\n", "\r\n").splitlines(keepends=True)
        if not ids:
            one["id"] = f"{number:08x}"
        if one["cell_type"] == "code":
            one["execution_count"] = number
            one["metadata"]["execution"] = {"iopub.execute_input": "2026-11-30T17:11:16.000000Z"}
            one["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["done\r\n"]}]
    saved["metadata"] = {
        "kernelspec": {"display_name": ".venv (3.12.1)", "language": "python", "name": "python3"},
        "language_info": {**notebook["metadata"]["language_info"], "version": "3.12.1"},
        "orig_nbformat": 4,
    }
    text = json.dumps(sorted_all_the_way(saved), indent=1, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n").encode()


@per_unit
def test_vs_code_keeps_the_names_and_nothing_needs_repair(solved, name):
    found = read_submission(as_vs_code(solved(name), ids=False), unit(name).release)
    assert {one: text for one, text in sources(found).items() if one in answers(name)} == answers(name)
    assert found.repairs == ["Line ends were those of Windows or of an old Mac; they were changed."]


@per_unit
def test_names_that_were_lost_are_found_again_and_it_is_told(solved, name):
    found = read_submission(as_vs_code(solved(name), stripped=True, ids=False), unit(name).release)
    assert {one: text for one, text in sources(found).items() if one in answers(name)} == answers(name)
    named = sum(1 for one in release(name)["cells"] if name_of(one))
    assert f"{named} of {named} cells had lost their names and were recognised." in found.repairs


@per_unit
def test_what_vs_code_saved_without_names_earns_every_point(mark, solved, name):
    marked = mark(name, as_vs_code(solved(name), stripped=True))
    assert of_tests(unit(name), marked) == full(unit(name))
    assert any("had lost their names" in line for line in marked.repairs)
    assert [one["metadata"] for one in marked.notebook["cells"]] == [one["metadata"] for one in release(name)["cells"]]


@per_unit
def test_a_check_that_vs_code_let_a_student_change_counts_as_released(mark, solved, name):
    notebook = solved(name)
    test = next(one for one in notebook["cells"] if name_of(one).startswith("check-"))
    test["source"] = "100  # points, please"
    marked = mark(name, as_vs_code(notebook))
    assert of_tests(unit(name), marked) == full(unit(name))
    assert f"Changed test cells, for which the originals were used: {name_of(test)}." in marked.repairs


@per_unit
def test_a_check_that_vs_code_let_a_student_delete_is_put_back(mark, solved, name):
    notebook = solved(name)
    gone = [one for one in notebook["cells"] if name_of(one).startswith("check-")][1]
    notebook["cells"].remove(gone)
    marked = mark(name, as_vs_code(notebook, stripped=True, ids=False))
    assert of_tests(unit(name), marked) == full(unit(name))
    assert f"Missing and put back as released: {name_of(gone)}." in marked.repairs


# As they open


def test_every_notebook_is_one_that_editors_open_without_a_warning(made):
    inside = unzipped(made["transformer-by-hand.zip"])
    notebooks = {name: content for name, content in (made | inside).items() if name.endswith(".ipynb")}
    assert len(notebooks) == 2 * len(UNITS) + 1
    for name, content in notebooks.items():
        found = nbformat.reads(content.decode(), as_version=nbformat.NO_CONVERT)
        nbformat.validate(found)
        assert (found.nbformat, found.nbformat_minor) == (4, 5), name
        assert found.metadata.kernelspec == {"display_name": "Python 3", "language": "python", "name": "python3"}, name
        assert found.metadata.language_info.name == "python", name
        ids = [one.id for one in found.cells]
        assert len(set(ids)) == len(ids), name
        assert b"\r" not in content, name
        assert content.endswith(b"}\n"), name
        assert not [one.id for one in found.cells if one.cell_type == "code" and (one.outputs or one.execution_count)]
