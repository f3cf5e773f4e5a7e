"""One task back to its start: what was written stays below, nothing else moves."""

import copy

import pytest
from mended_lesson import STUB, by_id, cell, changed, first, raw, sources
from support import plain_error

from helpers.grading.marking import Unreadable
from helpers.term.reset import place_of, reset, tasks_of

WRITTEN = "def double(x):\n    return x + x"


def student():
    made = changed(first(), double_task=WRITTEN, prose_1="One is too few.", title="# Mine")
    by_id(made, "double-check")["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "hm"}]
    made["metadata"]["mine"] = {"kept": True}
    return made


def test_a_task_goes_back_to_its_start_and_the_answer_stays_below_it():
    done = reset(raw(student()), first(), "double")
    assert not done.same
    assert not done.was_missing
    expected = changed(student(), double_task=STUB)
    expected["cells"].insert(3, {"cell_type": "raw", "id": "kept-1", "metadata": {}, "source": WRITTEN})
    assert done.notebook == expected


def test_a_question_in_words_and_its_pictures():
    made = student()
    by_id(made, "prose-1")["attachments"] = {"a.png": {"image/png": "aGk="}}
    done = reset(raw(made), first(), "prose-1")
    at = sources(done.notebook).index("Write your answer here.")
    assert "attachments" not in done.notebook["cells"][at]
    assert done.notebook["cells"][at + 1] == {
        "cell_type": "raw", "id": "kept-1", "metadata": {}, "source": "One is too few.",
        "attachments": {"a.png": {"image/png": "aGk="}},
    }  # fmt: skip


def test_a_task_at_its_start_is_left_alone():
    done = reset(raw(student()), first(), "half")
    assert done.same
    assert done.notebook == student()


def test_a_deleted_task_is_put_back_in_its_place():
    made = student()
    made["cells"].remove(by_id(made, "double-task"))
    done = reset(raw(made), first(), "double")
    assert done.was_missing
    assert done.notebook == changed(student(), double_task=STUB)


def test_of_a_task_that_is_there_twice_neither_counts_any_more():
    made = student()
    made["cells"].insert(3, copy.deepcopy(by_id(made, "double-task")) | {"id": "again", "source": f"{WRITTEN}  # 2"})
    done = reset(raw(made), first(), "double")
    assert WRITTEN in sources(done.notebook)
    assert f"{WRITTEN}  # 2" in sources(done.notebook)
    assert [one["cell_type"] for one in done.notebook["cells"] if one["source"].startswith(WRITTEN)] == ["raw", "raw"]
    assert tasks_of(raw(done.notebook), first())[0].state == "as released"


def test_again_and_again():
    once = reset(raw(student()), first(), "double").notebook
    by_id(once, "double-task")["source"] = "def double(x):\n    return 2 * x"
    twice = reset(raw(once), first(), "double").notebook
    ids = [one["id"] for one in twice["cells"]]
    assert len(ids) == len(set(ids))
    assert [one["source"] for one in twice["cells"] if one["cell_type"] == "raw"] == [
        "def double(x):\n    return 2 * x",
        WRITTEN,
    ]


def test_the_list_of_tasks():
    made = student()
    made["cells"].remove(by_id(made, "boxes"))
    assert [(task.name, task.state) for task in tasks_of(raw(made), first())] == [
        ("double", "written"), ("prose-1", "written"), ("ids", "missing"), ("half", "as released"),
    ]  # fmt: skip


@pytest.mark.parametrize(("task", "place"), [("double", 2), ("check-double", 2), ("ids", 6)])
def test_a_task_is_known_by_its_name_and_that_of_its_check(task, place):
    assert place_of(task, first()) == place


def test_an_unknown_task_is_told_with_the_one_that_was_meant():
    with plain_error("There is no task 'doubel'. Did you mean double? The tasks are: double, prose-1, ids, half."):
        place_of("doubel", first())


def test_what_cannot_be_reset_is_left_to_update():
    with plain_error("old format", "byhand update"):
        reset(raw(student() | {"nbformat_minor": 4}), first(), "double")
    with plain_error("cells that cannot be read"):
        reset(raw(student() | {"cells": [*student()["cells"], 7]}), first(), "double")
    with pytest.raises(Unreadable):
        reset(raw({"cells": [cell("a", "x", "code", "other")], "nbformat": 4}), first(), "double")
