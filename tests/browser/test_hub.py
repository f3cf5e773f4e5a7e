"""A unit played through under JupyterHub, as docs/jupyterhub.md says: two accounts, two servers, the exchange."""

import re

import pytest
from formgrader_page import answer_box, open_submission, stay_here, write
from handing_in import cell, unit
from mixed_class import make_course
from playwright.sync_api import expect
from running_hub import COURSE, PAGE, Person, blocks, running_hub

UNIT = "homework_encoder"
WORDS = "No, softmax still makes them 1; but the weights are flatter."
COMMENT = "And how would you find the slip?"


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    top = tmp_path_factory.mktemp("hub")
    with running_hub(top, ["ines", "ada"], "ines", lambda root: make_course(root, UNIT)) as address:
        yield address


@pytest.fixture
def log_in(browser, hub):
    """A function that gives a person who logged in."""
    contexts = []

    def log_in(name):
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}))
        page = contexts[-1].new_page()
        page.set_default_timeout(300_000)
        stay_here(page)
        return Person(hub, name, page)

    yield log_in
    for context in contexts:
        context.close()


def commands():
    """What the instructor types, as the page says it, in order."""
    text = PAGE.read_text(encoding="utf-8").partition("## A unit from release to feedback")[2].partition("\n## ")[0]
    return [line for block in re.findall(r"```\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]


def typed(person, *lines):
    code, said = person.type(" && ".join(["cd ~/" + COURSE, *lines]))
    assert code == 0, said
    return said


def state(person):
    """Status of the unit in a student's assignment list."""
    listed = person.done("GET", f"assignments?course_id={COURSE}")
    assert listed["success"], listed
    return [one["status"] for one in listed["value"] if one["assignment_id"] == UNIT]


def work(student):
    """Fill in what a student of half a mind would, and save the notebook."""
    place = f"api/contents/{UNIT}/{UNIT}.ipynb"
    notebook = student.done("GET", place)["content"]
    right = unit(UNIT).by_name
    for name in ("ids", "E_rows"):
        cell(notebook, name)["source"] = right[name]["source"]
    cell(notebook, "prose-2")["source"] = WORDS
    student.done("PUT", place, {"type": "notebook", "format": "json", "content": notebook})


def mark_by_hand(page, instructor):
    """The instructor's mark and comment, with the model answer below the student's words."""
    open_submission(page, instructor.url(f"formgrader/gradebook/{UNIT}/{UNIT}"), "ada")
    expect(answer_box(page, "prose-2")).to_contain_text(WORDS)
    expect(page.locator(".byhand-marker").nth(1)).to_contain_text("softmax makes every row add up to 1")
    write(page, "prose-2", "2")
    write(page, "prose-2-comment", COMMENT)


def test_a_unit_from_release_to_feedback(hub, log_in):
    change, release, collect, grade, generate, give_back = commands()
    assert change == f"cd ~/{COURSE}"
    ines, ada = log_in("ines"), log_in("ada")
    assert state(ada) == []
    typed(ines, release)

    assert state(ada) == ["released"]
    ada.done("POST", "assignments/fetch", {"assignment_id": UNIT, "course_id": COURSE})
    work(ada)
    ada.done("POST", "assignments/submit", {"assignment_id": UNIT, "course_id": COURSE})
    assert sorted(state(ada)) == ["fetched", "submitted"]

    assert "cheating" not in typed(ines, collect)
    assert "1 of 1 marked" in typed(ines, grade)
    mark_by_hand(ines.page, ines)
    typed(ines, generate, give_back)

    ada.done("POST", "assignments/fetch_feedback", {"assignment_id": UNIT, "course_id": COURSE})
    (folder,) = ada.done("GET", f"api/contents/{UNIT}/feedback")["content"]
    page = ada.done("GET", f"api/contents/{folder['path']}/{UNIT}.html?type=file&format=text")["content"]
    assert COMMENT in page
    assert WORDS in page
    assert "Students never see" not in page

    nobody_sees_anothers(hub, ines, ada)


def nobody_sees_anothers(hub, ines, ada):
    """Neither through the hub nor through the machine; formgrader is the instructor's."""
    assert ada.ask("GET", "api/contents", of="ines")[0] in (403, 404)
    assert ada.ask("GET", "formgrader/manage_assignments")[0] == 404
    assert ines.ask("GET", "formgrader/manage_assignments")[0] == 200
    exchange = f"{COURSE}/inbound"
    code, said = ada.type(f'ls ~ines/ ; ls "$(dirname ~)/../exchange/{exchange}"')
    assert code != 0
    assert said.count("Permission denied") == 2, said


def test_the_page_gives_three_files_in_full():
    files = blocks(PAGE.read_text(encoding="utf-8"))
    assert list(files) == ["jupyterhub_config.py", "nbgrader_config.py", "instructor_config.py"]
    for name, content in files.items():
        compile(content, name, "exec")
