"""A student's notebook on a mended lesson: nothing that was typed is lost, answers sit in their cells."""

import copy
import json

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mended_lesson import PROSE, SETUP, STUB, by_id, cell, changed, first, raw, second, sources, with_history
from support import plain_error

from helpers.grading.matching import grading, is_answer, named
from helpers.term.history import KEY, read_history
from helpers.term.merge import merge, nearest
from helpers.term.update import number_of, update, written

DAY = "2027-05-02"
WRITTEN = "def double(x):\n    return x + x"


def on_second(student, release=None):
    return update(raw(student), release or second(), DAY)


# What becomes of a notebook


def test_an_untouched_notebook_becomes_the_new_release():
    done = on_second(first())
    assert sources(done.notebook) == sources(second())
    assert [one["metadata"] for one in done.notebook["cells"]] == [one["metadata"] for one in second()["cells"]]
    assert done.notebook["metadata"] == second()["metadata"]
    assert (done.same, done.told, done.to_settle) == (False, [], [])


def test_a_notebook_on_the_new_release_stays_as_it_is():
    student = changed(second(), double_task=WRITTEN, title="# My doubles")
    done = on_second(student)
    assert done.same
    assert done.notebook == student


def test_answers_sit_in_their_cells():
    student = changed(first(), double_task=WRITTEN, prose_1="One is too few.", boxes="ids = [4, 7]")
    done = on_second(student)
    expected = changed(second(), double_task=WRITTEN, prose_1="One is too few.", boxes="ids = [4, 7]")
    assert sources(done.notebook) == sources(expected)
    assert done.told == ["double begins otherwise now; your answer stayed as it was."]
    assert done.to_settle == []


def test_cells_of_ones_own_stay_where_they_stood():
    student = first()
    student["cells"][9:9] = [cell("mine", "3 * 3", "code"), cell("note", "to ask"), cell("odd", "x", "raw")]
    student["cells"].insert(0, cell("top", "My notes"))
    done = on_second(student)
    assert sources(done.notebook)[:2] == ["My notes", second()["cells"][0]["source"]]
    at = sources(done.notebook).index("3 * 3")
    cells = done.notebook["cells"][at - 1 : at + 4]
    assert [one["id"] for one in cells] == ["boxes-check", "mine", "note", "odd", "half-task"]
    assert [one["cell_type"] for one in cells] == ["code", "code", "markdown", "raw", "code"]


def test_an_id_typed_into_the_first_cell_is_put_together_with_its_new_lines():
    done = on_second(changed(first(), setup=SETUP.replace('""', '"ada"')))
    expected = by_id(second(), "setup")["source"].replace('""', '"ada"')
    assert by_id(done.notebook, "setup")["source"] == expected
    assert done.told == ["Your changes and the lesson's were put together in cell 2 (setup): look it over."]
    assert update(written(done.notebook), second(), DAY).same


def test_a_cell_that_both_changed_in_one_line_stands_twice():
    own = "# Doubles\n\nTwo times, says Ada."
    done = on_second(changed(first(), title=own))
    assert [(one["cell_type"], one["source"]) for one in done.notebook["cells"][:2]] == [
        ("markdown", by_id(second(), "title")["source"]),
        ("raw", own),
    ]
    assert done.to_settle == [
        "You and the lesson changed the same lines of cell 1 (title); your version stands behind it."
    ]
    assert update(written(done.notebook), second(), DAY).same


def test_a_changed_cell_that_the_lesson_left_alone_stays_changed():
    done = on_second(changed(first(), question="Why two? Because!"))
    assert by_id(done.notebook, "question")["source"] == "Why two? Because!"


def test_what_found_no_place_stands_at_the_end():
    gone = [one for one in second()["cells"] if one["id"] not in ("half-task", "half-check")]
    release = with_history(first(), {**second(), "cells": gone})
    student = changed(first(), half_task="def half(x):\n    return x / 2", half_check="feedback = 5")
    done = on_second(student, release)
    heading, *kept = done.notebook["cells"][-3:]
    assert heading["source"].startswith(f"## From your earlier notebook, {DAY}\n")
    assert [(one["cell_type"], one["source"]) for one in kept] == [
        ("raw", "def half(x):\n    return x / 2"),
        ("raw", "feedback = 5"),
    ]
    assert done.to_settle == ["2 cells of yours found no place and stand at the end."]
    assert update(written(done.notebook), release, DAY).same


def test_what_the_lesson_no_longer_has_goes_unless_it_was_changed():
    assert "2 + 2" not in sources(on_second(first()).notebook)
    assert "2 + 3" in sources(on_second(changed(first(), practice="2 + 3")).notebook)


def test_a_changed_check_is_kept_at_the_end_and_the_lessons_own_is_used():
    done = on_second(changed(first(), double_check="double_points = 1000"))
    assert by_id(done.notebook, "double-check")["source"] == by_id(second(), "double-check")["source"]
    assert (done.notebook["cells"][-1]["cell_type"], done.notebook["cells"][-1]["source"]) == (
        "raw",
        "double_points = 1000",
    )


def test_the_first_start_pasted_below_an_answer_does_not_take_its_place():
    student = changed(first(), double_task=WRITTEN)
    student["cells"].insert(3, copy.deepcopy(by_id(first(), "double-task")) | {"id": "copy"})
    done = on_second(student)
    assert by_id(done.notebook, "double-task")["source"] == WRITTEN
    assert sources(done.notebook).count(by_id(second(), "double-task")["source"]) == 0


def test_pictures_pasted_into_an_answer_come_along():
    student = changed(first(), prose_1="![me](attachment:me.gif)")
    by_id(student, "prose-1")["attachments"] = {"me.gif": {"image/gif": "aGk="}}
    assert by_id(on_second(student).notebook, "prose-1")["attachments"] == {"me.gif": {"image/gif": "aGk="}}


def test_a_notebook_that_lost_all_names_is_brought_along():
    student = changed(first(), double_task=WRITTEN, prose_1="One is too few.", boxes="ids = [4, 7]")
    for one in student["cells"]:
        one["metadata"] = {}
        del one["id"]
    done = on_second(student)
    expected = changed(second(), double_task=WRITTEN, prose_1="One is too few.", boxes="ids = [4, 7]")
    assert sources(done.notebook) == sources(expected)


def test_two_releases_at_once():
    third = with_history(second(), changed(second(), title="# Doubles again", half_task=STUB.replace("double", "half")))
    assert read_history(third).number == 3
    done = on_second(changed(first(), double_task=WRITTEN), third)
    assert sources(done.notebook) == sources(changed(third, double_task=WRITTEN))
    assert number_of(written(done.notebook)) == 3


def test_an_earlier_release_takes_nothing_back():
    with plain_error("made from release 2 of the lesson, and release 1 is the one that is here"):
        update(raw(second()), first(), DAY)


def test_another_assignment_is_refused():
    with plain_error("the notebook of another assignment"):
        on_second({"cells": [cell("a", "x", "code", "other"), cell("b", "y", "code", "more")], "nbformat": 4})
    with plain_error("no notebook"):
        update(b"{", second(), DAY)


# Random notebooks

LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="=\r"), max_size=20)
PLACES = range(len(first()["cells"]))


@st.composite
def students(draw):
    """A notebook made from the first release; whatever is typed into it has a word of its own, returned as well."""
    made, typed = first(), []

    def words():
        typed.append(f"T{len(typed)}T")
        return f"note {typed[-1]} {draw(LETTERS)}"

    answers = {}
    for one in made["cells"]:
        if is_answer(one) and draw(st.booleans()):
            start = {"double": "def double(x): ", "half": "def half(x): ", "ids": "ids = 1 # "}.get(named(one), "")
            one["source"] = answers[named(one)] = start + words()
        elif not is_answer(one) and draw(st.integers(0, 4)) == 0:
            lines = one["source"].split("\n")
            lines.insert(draw(st.integers(0, len(lines))), words())
            one["source"] = "\n".join(lines)
    for _ in range(draw(st.integers(0, 4))):
        at, kind = draw(st.integers(0, len(made["cells"]))), draw(st.sampled_from(["code", "markdown", "raw"]))
        made["cells"].insert(at, cell(f"own-{at}-{len(typed)}", words(), kind))
    for _ in range(draw(st.integers(0, 3))):
        one = made["cells"].pop(draw(st.integers(0, len(made["cells"]) - 1)))
        typed = [word for word in typed if word not in one["source"]]
        answers.pop(named(one), None)
    for _ in range(draw(st.integers(0, 3))):
        one = made["cells"].pop(draw(st.integers(0, len(made["cells"]) - 1)))
        made["cells"].insert(draw(st.integers(0, len(made["cells"]))), one)
    return made, typed, answers


@given(students())
def test_every_word_is_kept_and_answers_sit_in_their_cells(student):
    made, typed, answers = student
    done = on_second(made)
    text = "\n".join(sources(done.notebook))
    assert [word for word in typed if word not in text] == []
    found = {named(one): one["source"] for one in done.notebook["cells"] if is_answer(one)}
    assert {name: found[name] for name in answers} == answers
    # All that is typed stays as it was typed, to the letter, unless a line of it was put together with the lesson's.
    for one in made["cells"]:
        if not grading(one) and one["id"].startswith("own-"):
            assert one["source"] in sources(done.notebook)
    released = [one for one in done.notebook["cells"] if one["id"] in {other["id"] for other in second()["cells"]}]
    assert [one["id"] for one in released] == [one["id"] for one in second()["cells"]]
    assert [one["metadata"] for one in released] == [one["metadata"] for one in second()["cells"]]


@given(students())
def test_an_updated_notebook_is_a_notebook_and_up_to_date(student):
    done = on_second(student[0])
    content = written(done.notebook)
    nbformat.validate(nbformat.reads(content.decode(), as_version=4), relax_add_props=False)
    again = update(content, second(), DAY)
    assert again.same
    assert json.loads(written(again.notebook)) == json.loads(content)


# History and merging


def test_the_history_names_what_was_another_text():
    history = read_history(second())
    assert history.number == 2
    assert set(history.earlier) == {"title", "setup", "double-task", "double-check", "practice"}
    assert history.earlier["double-task"] == [STUB]


def test_a_text_that_comes_back_is_no_earlier_one():
    back = with_history(second(), changed(second(), title="# Doubles\n\nTwo times."))
    assert read_history(back).earlier["title"] == [by_id(second(), "title")["source"]]


@pytest.mark.parametrize("odd", [{}, {KEY: 7}, {KEY: {"release": "2", "earlier": []}}, {KEY: {"earlier": {"a": "b"}}}])
def test_an_odd_history_is_none(odd):
    assert read_history({"metadata": odd}).number == 1
    assert read_history({"metadata": odd}).earlier == {}


@pytest.mark.parametrize(
    ("own", "new", "expected"),
    [
        ("a\nb\nc", "a\nB\nc", "a\nB\nc"),
        ("A\nb\nc", "a\nb\nC", "A\nb\nC"),
        ("A\nb\nc", "a\nB\nc", "A\nB\nc"),
        ("a\nX\nc", "a\nB\nc", None),
        ("a\nb\nc\nd", "z\na\nb\nc", "z\na\nb\nc\nd"),
        ("a\nb\nc\nd", "a\nb\nc\nD", None),
        ("a\nb\nc\nd", "a\nb\nc\nd", "a\nb\nc\nd"),
        ("a\nc", "a\nb\nC", "a\nC"),
    ],
)
def test_merging(own, new, expected):
    assert merge("a\nb\nc", own, new) == expected


@given(*[st.lists(st.sampled_from("abc"), max_size=6).map("\n".join)] * 2)
def test_a_change_on_one_side_is_taken_as_it_is(base, text):
    assert merge(base, text, base) == merge(base, base, text) == merge(base, text, text) == text


def test_the_nearest_text_is_the_one_with_most_lines_in_common():
    assert nearest(["a\nb", "a\nc"], "a\nc\nd") == "a\nc"
    assert nearest(["a\nb", "a\nc"], "a") == "a\nc"
    assert nearest([PROSE], "anything") == PROSE


def test_an_old_format_is_made_a_new_one():
    old = first() | {"nbformat_minor": 4}
    done = update(raw(old), first(), DAY)
    assert not done.same
    assert done.notebook["nbformat_minor"] == 5
    assert sources(done.notebook) == sources(first())
