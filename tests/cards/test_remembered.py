"""What part 1 ended with is what part 2 begins with, through a small file."""

import json

import pytest

from helpers.cards import remembered
from helpers.cards.settings import Settings

KEPT, _ = Settings().changed(source="man bites 🐱", target="mann beißt katze", d_model=12, heads=3, layers=5, seed=8)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A student's folder with a start page and two units; the process stands in the first."""
    (tmp_path / "index.ipynb").write_text("{}")
    for unit in ("encoder", "decoder"):
        (tmp_path / unit).mkdir()
    monkeypatch.chdir(tmp_path / "encoder")
    return tmp_path


def test_part_2_begins_with_what_part_1_ended_with(course, monkeypatch):
    assert remembered.recall() == (Settings(), "")
    assert remembered.keep(KEPT) == ""
    monkeypatch.chdir(course / "decoder")
    assert remembered.recall() == (KEPT, "")


def test_the_file_lies_in_the_folder_of_the_units_and_nothing_else_is_left(course):
    remembered.keep(KEPT)
    remembered.keep(Settings())
    assert {path.name for path in course.rglob("*") if path.is_file()} == {"index.ipynb", "my-sentence.json"}
    assert (course / "my-sentence.json").is_file()


def test_a_notebook_that_stands_alone_keeps_it_beside_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    remembered.keep(KEPT)
    assert remembered.recall() == (KEPT, "")
    assert (tmp_path / "my-sentence.json").is_file()


def test_the_authors_notebooks_neither_read_nor_write_it(course, monkeypatch):
    folder = course / "solutions" / "encoder"
    folder.mkdir(parents=True)
    (course / "solutions" / "index.ipynb").write_text("{}")
    monkeypatch.chdir(folder)
    (folder / "my-sentence.json").write_text(json.dumps({"format": 1}))
    assert remembered.recall() == (Settings(), "")
    assert remembered.keep(KEPT) == ""
    assert not (course / "solutions" / "my-sentence.json").exists()


GOOD = {
    "format": 1,
    "d_model": 8,
    "heads": 2,
    "layers": 2,
    "source": ["a"],
    "target": ["b"],
    "seed": 1,
    "trained": False,
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "cannot be read"),
        ("{", "cannot be read"),
        ("\x00\xff", "cannot be read"),
        ("[1]", "another version"),
        (json.dumps(GOOD | {"format": 2}), "another version"),
        (json.dumps({"format": 1}), "missing or unknown"),
        (json.dumps(GOOD | {"colour": "red"}), "missing or unknown"),
        (json.dumps(GOOD | {"trained": "yes"}), "missing or unknown"),
        (json.dumps(GOOD | {"d_model": 9}), "d_model is 9"),
        (json.dumps(GOOD | {"d_model": [8]}), "d_model is"),
        (json.dumps(GOOD | {"heads": "2"}), "heads"),
        (json.dumps(GOOD | {"layers": True}), "layers is True"),
        (json.dumps(GOOD | {"seed": -1}), "seed is -1"),
        (json.dumps(GOOD | {"source": []}), "no word"),
        (json.dumps(GOOD | {"source": "a b"}), "no words"),
        (json.dumps(GOOD | {"source": [1, 2]}), "no words"),
        (json.dumps(GOOD | {"target": ["a b"]}), "no words"),
        (json.dumps(GOOD | {"target": [["a"]]}), ""),
    ],
)
def test_a_file_that_cannot_be_used_gives_the_defaults_and_a_word_about_it(course, text, said):
    (course / "my-sentence.json").write_bytes(text.encode("latin-1"))
    settings, remark = remembered.recall()
    assert settings == Settings()
    assert said in remark
    assert "my-sentence.json" in remark
    assert "\n" not in remark


def test_a_folder_that_cannot_be_written_is_said_once(course, monkeypatch):
    (course / "my-sentence.json").mkdir()  # nobody, not even root, can replace a folder by a file
    assert "cannot be written" in remembered.keep(KEPT)
    assert [path.name for path in course.iterdir() if path.name.startswith(".")] == []
