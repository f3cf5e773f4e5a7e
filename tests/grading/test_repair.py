"""Damaged submissions: what became of a notebook on its way is repaired, told, and costs nothing."""

import copy
import json

import pytest
from handing_in import answered, cell, code, full, marker, name_of, of_tests, place, raw, release, texts, unit

from helpers.grading.repair import LARGEST_MB, Unreadable, read_submission

ENCODER = "encoder"
A_FEW = ("layer_norm", "softmax", "attention")


@pytest.fixture(scope="module")
def mark():
    with marker() as mark:
        yield mark


def repaired(notebook, name=ENCODER):
    content = notebook if isinstance(notebook, bytes) else raw(notebook)
    return read_submission(content, unit(name).release)


def sources(repaired):
    """grade_id → what stands in its cell."""
    return {name_of(one): one["source"] for one in repaired.notebook["cells"] if name_of(one)}


def expected(name=ENCODER):
    return sources(repaired(answered(name), name))


def said(repaired):
    return " ".join(repaired.repairs)


# Files


def test_a_right_file_needs_no_repair():
    found = repaired(answered(ENCODER))
    assert found.repairs == []
    assert list(found.places) == list(range(len(release(ENCODER)["cells"])))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: b"\xef\xbb\xbf" + raw, "byte-order mark"),
        (lambda raw: raw.decode().encode("utf-16"), "byte-order mark"),
        (lambda raw: raw.replace(b"\n", b"\r\n"), None),
        (lambda raw: raw.replace(b"\\n", b"\\r\\n"), "Line ends"),
        (lambda raw: raw.replace(b"\\n", b"\\r"), "Line ends"),
        (lambda raw: raw.decode().encode("cp1252", "replace"), "Windows-1252"),
    ],
    ids=["utf-8 mark", "utf-16", "CRLF in the file", "CRLF in the cells", "CR in the cells", "Windows-1252"],
)  # fmt: skip
def test_encodings_and_line_ends(change, told):
    notebook = answered(ENCODER)
    cell(notebook, "prose-1")["source"] = "Größe zählt."
    found = repaired(change(json.dumps(notebook, ensure_ascii=told != "Windows-1252", indent=1).encode()))
    assert sources(found)["softmax"] == expected()["softmax"]
    assert told is None or told in said(found)
    assert sources(found)["prose-1"] == "Größe zählt."


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b'{"cells": [', "JSON is broken"),
        (b"<<<<<<< HEAD\n{}", "JSON is broken (line 1)"),
        (b"PK\x03\x04\xff\xfe", "JSON is broken"),
        (b"[1, 2]", "no cells"),
        (b'{"cells": 5}', "no cells"),
        (b'{"cells": []}', "none of this assignment's cells"),
        (b"[" * 200_000, "JSON"),
        (b'{"cells": ' + b"[" * 200_000, "JSON"),
        (b" " * ((LARGEST_MB << 20) + 1), f"larger than {LARGEST_MB} MB"),
        (raw({"cells": [code("")] * 3001}), "more than 3,000 cells"),
        (raw({"cells": [code("1 + 1"), code("a = 2")]}), "none of this assignment's cells"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(content, told):
    with pytest.raises(Unreadable, match=r"^It |^The file ") as caught:
        repaired(content)
    assert told in str(caught.value)


@pytest.mark.parametrize("stripped", [False, True], ids=["with names", "without names"])
@pytest.mark.parametrize("handed_in", ["decoder", "hand_traces", "homework_encoder", "homework_translation"])
@pytest.mark.parametrize("asked", ["encoder", "homework_encoder"])
def test_another_assignment_is_told(asked, handed_in, stripped):
    if asked == handed_in:
        handed_in = "encoder"
    notebook = answered(handed_in)
    if stripped:
        strip(notebook)
    with pytest.raises(Unreadable, match="another assignment"):
        repaired(notebook, asked)


def strip(notebook):
    for one in notebook["cells"]:
        one["metadata"] = {}
        one.pop("id", None)
    notebook["metadata"] = {}


# Formats


@pytest.mark.parametrize("minor", [0, 1, 2, 4, 5])
def test_every_format_4(minor):
    notebook = answered(ENCODER) | {"nbformat_minor": minor}
    if minor < 5:
        for one in notebook["cells"]:
            del one["id"]
    found = repaired(notebook)
    assert sources(found) == expected()
    assert found.repairs == []


def test_format_3():
    notebook = answered(ENCODER)
    old = []
    for one in notebook["cells"]:
        source = one["source"].splitlines(keepends=True)
        if one["cell_type"] == "code":
            old.append(
                {"cell_type": "code", "input": source, "outputs": [], "language": "python", "metadata": one["metadata"]}
            )
        elif one["source"].startswith("## "):
            old.append({"cell_type": "heading", "level": 2, "source": source, "metadata": one["metadata"]})
            old[-1]["source"][0] = old[-1]["source"][0][3:]
        else:
            old.append({"cell_type": "markdown", "source": source, "metadata": one["metadata"]})
    found = repaired({"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": old}]})
    assert sources(found) == expected()
    assert "of format 3" in said(found)
    odd = {"nbformat": "\x1b[2J", "worksheets": [{"cells": old}]}
    assert "of format unknown" in said(repaired(odd))


def test_sources_as_lists_of_lines():
    notebook = answered(ENCODER)
    for one in notebook["cells"]:
        one["source"] = one["source"].splitlines(keepends=True)
    assert sources(repaired(notebook)) == expected()


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"kernelspec": {"name": "ir", "language": "R"}}, "asked for the kernel 'ir'"),
        ({}, "named no kernel"),
        ({"kernelspec": "python3"}, "named no kernel"),
        ({"kernelspec": {"name": {"a": 1}}}, "named no kernel"),
    ],
)
def test_kernels(metadata, told):
    found = repaired(answered(ENCODER) | {"metadata": metadata})
    assert told in said(found)
    assert found.notebook["metadata"] == release(ENCODER)["metadata"]


def test_cells_that_are_none_are_left_out():
    notebook = answered(ENCODER)
    notebook["cells"] += [7, None, {"cell_type": "code", "source": {"a": 1}}, {"cell_type": "spell", "source": "abc"}]
    found = repaired(notebook)
    assert "Left out, since it could not be read: 3 cells." in said(found)
    assert found.notebook["cells"][-1]["source"] == "```\nabc\n```"


@pytest.mark.parametrize("sheet", [{"cells": 3}, {"cells": {"a": 1}}, {"cells": "abc"}, {}, 7])
def test_sheets_of_format_3_that_are_none(sheet):
    with pytest.raises(Unreadable, match="none of this assignment's cells"):
        repaired({"worksheets": [sheet, {"cells": []}]})


@pytest.mark.parametrize("level", [1.0, True, [1], "2", None, 10**9])
def test_headings_of_no_level(level):
    notebook = answered(ENCODER)
    notebook["cells"].append({"cell_type": "heading", "level": level, "source": "Own"})
    assert repaired(notebook).notebook["cells"][-1]["source"] == "# Own"


# Names


def test_all_metadata_stripped(mark):
    notebook = answered(ENCODER)
    strip(notebook)
    found = repaired(notebook)
    assert sources(found) == expected()
    assert "48 of 48 cells had lost their names" in said(found)
    assert of_tests(unit(ENCODER), mark(ENCODER, notebook)) == full(unit(ENCODER))


@pytest.mark.parametrize("name", ["decoder", "hand_traces", "homework_encoder", "homework_translation"])
def test_all_metadata_stripped_in_every_unit(name):
    notebook = answered(name)
    strip(notebook)
    assert sources(repaired(notebook, name)) == expected(name)


def test_ids_of_colab_and_vs_code():
    notebook = answered(ENCODER)
    for number, one in enumerate(notebook["cells"]):
        one["metadata"] = {
            "id": f"Xy{number}",
            "vscode": {"languageId": "python"},
            "nbgrader": one["metadata"].get("nbgrader", {}),
        }
        one["id"] = f"{number:08x}"
    found = repaired(notebook)
    assert sources(found) == expected()
    assert found.repairs == []
    assert [one["id"] for one in found.notebook["cells"]] == [one["id"] for one in release(ENCODER)["cells"]]


def test_names_that_were_edited_and_exchanged():
    notebook = answered(ENCODER)
    one, other = cell(notebook, "softmax"), cell(notebook, "attention")
    one["metadata"], other["metadata"] = other["metadata"], one["metadata"]
    one["id"], other["id"] = other["id"], one["id"]
    cell(notebook, "embed")["metadata"]["nbgrader"]["grade_id"] = "enbed"
    found = repaired(notebook)
    assert sources(found) == expected()


def test_settings_of_nbgrader_that_were_edited_do_not_count():
    notebook = answered(ENCODER)
    graded = cell(notebook, "check-softmax")["metadata"]["nbgrader"]
    graded |= {"points": 1000, "solution": True, "grade": False, "locked": False}
    found = repaired(notebook)
    assert [one["metadata"] for one in found.notebook["cells"]] == [
        one["metadata"] for one in release(ENCODER)["cells"]
    ]


# Cells


@pytest.mark.parametrize("name", A_FEW)
def test_a_test_cell_pasted_twice(mark, name):
    notebook = answered(ENCODER)
    there = place(notebook, f"check-{name}")
    notebook["cells"].insert(there, copy.deepcopy(notebook["cells"][there]))
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    assert f"The cell check-{name} was there 2 times; the original was used." in marked.repairs
    assert len(marked.notebook["cells"]) == len(release(ENCODER)["cells"])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["answer first", "answer last"])
def test_an_answer_cell_there_twice_once_as_released(mark, order):
    notebook = answered(ENCODER)
    there = place(notebook, "softmax")
    both = [notebook["cells"][there], copy.deepcopy(cell(release(ENCODER), "softmax"))]
    notebook["cells"][there : there + 1] = [both[order[0]], both[order[1]]]
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    assert "The cell softmax was there 2 times; the last that was written in counts." in marked.repairs


def test_an_answer_cell_that_was_split():
    notebook = answered(ENCODER)
    there = place(notebook, "softmax")
    first = copy.deepcopy(notebook["cells"][there]) | {"source": "def largest(s):\n    return s.max(-1, keepdims=True)"}
    notebook["cells"].insert(there, first)
    found = repaired(notebook)
    assert sources(found)["softmax"] == expected()["softmax"]
    own = next(n for n, one in enumerate(found.notebook["cells"]) if one["source"].startswith("def largest"))
    assert own < next(n for n, one in enumerate(found.notebook["cells"]) if name_of(one) == "softmax")


def test_answers_that_were_merged_into_one_cell(mark):
    notebook = answered(ENCODER)
    parts = [cell(notebook, name) for name in A_FEW]
    parts[0]["source"] = "\n\n".join(part["source"] for part in parts)
    for part in parts[1:]:
        notebook["cells"].remove(part)
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    assert cell(marked.notebook, "softmax")["source"] == "# softmax is written in another cell."


def test_an_answer_below_its_test(mark):
    notebook = answered(ENCODER)
    cell(notebook, "attention")["source"] += "\n\n" + cell(notebook, "softmax")["source"]
    notebook["cells"].remove(cell(notebook, "softmax"))
    assert mark(ENCODER, notebook).points["check-softmax"] == 2


@pytest.mark.parametrize("name", ["check-softmax", "softmax", "prose-1"])
def test_a_deleted_cell_is_put_back(mark, name):
    notebook = answered(ENCODER)
    notebook["cells"].remove(cell(notebook, name))
    marked = mark(ENCODER, notebook)
    assert f"Missing and put back as released: {name}." in marked.repairs
    lost = {"softmax": {"check-softmax"}, "prose-1": {"prose-1"}}.get(name, set())
    used = {"check-attention"} if name == "softmax" else set()
    points = marked.points
    assert {test for test, most in full(unit(ENCODER)).items() if points[test] < most} >= lost - {"prose-1"}
    assert {test for test, most in full(unit(ENCODER)).items() if points[test] < most} <= lost | used | {
        "check-self_attention", "check-encoder_layer", "check-encoder",
    }  # fmt: skip
    assert ("prose-1" in marked.by_hand) == (name != "prose-1")


def test_only_the_answers_were_handed_in(mark):
    notebook = answered(ENCODER)
    notebook["cells"] = [one for one in notebook["cells"] if name_of(one) and "check" not in name_of(one)]
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    strip(notebook)
    assert of_tests(unit(ENCODER), mark(ENCODER, notebook)) == full(unit(ENCODER))


def test_moved_cells_are_put_back_in_place(mark):
    notebook = answered(ENCODER)
    notebook["cells"].insert(3, notebook["cells"].pop(place(notebook, "softmax")))
    notebook["cells"].append(notebook["cells"].pop(place(notebook, "check-embed")))
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    assert "Moved, and put back in place: softmax, check-embed." in marked.repairs
    notebook["cells"].reverse()
    assert of_tests(unit(ENCODER), mark(ENCODER, notebook)) == full(unit(ENCODER))


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_retyped_cells(mark, kind):
    notebook = answered(ENCODER)
    for name in ("softmax", "check-embed"):
        cell(notebook, name)["cell_type"] = kind
    cell(notebook, "prose-1")["cell_type"] = "code"
    marked = mark(ENCODER, notebook)
    assert of_tests(unit(ENCODER), marked) == full(unit(ENCODER))
    assert f"The cell softmax was made a {kind} cell; it was marked as code." in marked.repairs
    assert "The cell prose-1 was made a code cell; it was marked as markdown." in marked.repairs
    assert "prose-1" in marked.by_hand


def test_a_changed_test_cell_is_told_and_the_original_is_used(mark):
    notebook = release(ENCODER)
    cell(notebook, "check-softmax")["source"] = "2"
    cell(notebook, "check-embed")["source"] = "feedback.points = 2\nfeedback.points"
    marked = mark(ENCODER, notebook)
    assert sum(of_tests(unit(ENCODER), marked).values()) == 0
    assert marked.repairs == ["Changed test cells, for which the originals were used: check-embed, check-softmax."]
    assert cell(marked.notebook, "check-softmax")["source"] == cell(release(ENCODER), "check-softmax")["source"]


def test_two_answers_of_the_same_name_keep_their_places():
    """The homework asks five times for paper_shapes."""
    notebook = answered("homework_encoder")
    strip(notebook)
    notebook["cells"].reverse()
    found, wanted = sources(repaired(notebook, "homework_encoder")), expected("homework_encoder")
    # Answers in words are known by their neighbours alone.
    lost = {name: source for name, source in found.items() if wanted[name] != source}
    assert set(lost.values()) == {"Write your answer here."}
    assert all(name.startswith("prose-") for name in lost)


# What is shown of it


def test_a_students_text_cannot_act_on_the_instructors_page(mark):
    notebook = answered(ENCODER)
    cell(notebook, "prose-1")["source"] = (
        "x < 3 <script>alert(1)</script> [here](javascript:alert(2)) ![p](https://e.vil/p.png)"
    )
    cell(notebook, "prose-2")["attachments"] = {
        "me.png": {"image/png": "aGk=", "text/html": "<b>"},
        'a"b': {"image/png": "aGk="},
    }
    notebook["cells"].insert(
        5, {"cell_type": "raw", "metadata": {"raw_mimetype": "text/html"}, "source": "<script>alert(3)</script>"}
    )
    notebook["cells"].insert(
        5, {"cell_type": "markdown", "metadata": {"tags": ["x"]}, "source": "<img src=x onerror=alert(4)>"}
    )
    marked = mark(ENCODER, notebook)
    told = json.dumps(marked.notebook)
    assert "<script" not in told
    assert "onerror" not in told
    assert "](javascript" not in told
    assert "![p](https" not in told
    assert "x < 3" in texts_of(marked, "prose-1") or "x &lt; 3" in texts_of(marked, "prose-1")
    assert cell(marked.notebook, "prose-2")["attachments"] == {"me.png": {"image/png": "aGk="}}


def texts_of(marked, name):
    return cell(marked.notebook, name)["source"] + texts(cell(marked.notebook, name))
