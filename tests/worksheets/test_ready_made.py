"""The sheets in worksheets/ are current, and rise in size."""

from pathlib import Path

import pytest

from helpers.personal import homework_example
from helpers.worksheets import ready_made

FOLDER = Path(__file__).parents[2] / "worksheets"


def test_they_are_current():
    assert ready_made.stale(FOLDER) == []


def test_a_stale_a_missing_and_a_strange_file_are_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(ready_made, "SHEETS", {"1-two-words": ready_made.SHEETS["1-two-words"]})
    assert ready_made.rebuild(tmp_path) == 0
    assert ready_made.check(tmp_path) == 0
    sheet = tmp_path / "1-two-words.pdf"
    sheet.write_bytes(sheet.read_bytes() + b" ")
    (tmp_path / "1-two-words-key.pdf").unlink()
    (tmp_path / "old.pdf").write_bytes(b"")
    capsys.readouterr()
    assert ready_made.check(tmp_path) == 1
    assert capsys.readouterr().out.count("is stale") == 3


def test_the_first_two_are_the_homework():
    example = homework_example()
    for name in ("homework-encoder", "homework-encoder-decoder"):
        order = ready_made.sheet_order(name)
        assert order.recipe.example(order.words, order.decoder_words, order.salt) is example


@pytest.mark.parametrize("name", ready_made.SHEETS)
def test_the_readme_names_every_sheet_with_its_code(name):
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert name in text
    assert ready_made.sheet_order(name).code in text
