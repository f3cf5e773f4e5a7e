"""CONTRIBUTING.md: each of its four examples is followed to the letter, in a copy of the clone."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest

from helpers.course import environment

PROJECT = environment.PACKAGE.parent
PAGE = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = ("Add a step", "Add a mistake", "Add a card", "Add a lesson")
REST = "…"


class Block(NamedTuple):
    """A fenced block: its language, the file that it names, and what stands in it."""

    language: str
    file: str
    body: str


def section(title: str) -> str:
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]


def blocks(title: str) -> Iterator[Block]:
    for language, file, body in re.findall(r"^```(\w*) ?(\S*)\n(.*?)^```$", section(title), re.MULTILINE | re.DOTALL):
        yield Block(language, file, body)


def run(command: list[str], folder: Path, given: str | None = None, **more) -> str:
    """What a command prints; it has to end well."""
    done = subprocess.run(
        command, cwd=folder, input=given, encoding="utf-8", env=more.get("env"), check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(command)}\n{given or ''}\n{done.stdout}"
    return done.stdout


@pytest.fixture
def clone(tmp_path):
    """The tracked files of this clone, beside an environment in which they are installed."""
    folder = tmp_path / "clone"
    for name in run(["git", "ls-files", "-z"], PROJECT).split("\0"):
        if name and (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PROJECT / name, folder / name)
    return folder


@pytest.fixture
def typed(clone, tmp_path):
    """A function that runs lines as somebody types them in the clone, its environment being active."""
    commands, installed = tmp_path / "bin", tmp_path / "installed"
    commands.mkdir()
    for name, start in (("python", ""), ("byhand", "-m helpers ")):
        (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {start}"$@"\n')
        (commands / name).chmod(0o755)
    # The packages of this environment, and the clone as an editable install: what setup dev makes.
    note = installed / "transformer_by_hand-0.dist-info"
    note.mkdir(parents=True)
    (note / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {environment.DISTRIBUTION}\nVersion: 0\n")
    (note / "direct_url.json").write_text(f'{{"url": "{clone.as_uri()}", "dir_info": {{"editable": true}}}}')
    mine = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))}
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != str(PROJECT)]
    mine |= {
        "PATH": os.pathsep.join([str(commands), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(clone), str(installed), *others]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    return lambda lines: run(["sh", "-e"], clone, lines, env=mine)


def follow(title: str, clone: Path, typed) -> str:
    """Apply, write and type all that an example says, from top to bottom; what its commands printed."""
    printed = ""
    for block in blocks(title):
        if block.language == "diff":
            run(["git", "apply", "--verbose"], clone, block.body)
        elif block.language == "sh":
            printed += typed(block.body)
        elif block.language == "text":
            assert_prints(printed, block.body)
        else:
            assert block.file, f"a block of {block.language} names no file"
            assert not (clone / block.file).exists(), f"{block.file} is there already"
            (clone / block.file).parent.mkdir(parents=True, exist_ok=True)
            (clone / block.file).write_text(block.body, encoding="utf-8")
    return printed


def assert_prints(printed: str, promised: str) -> None:
    """Each promised line is printed, in this order; … stands for anything in a line, and lines may be left out."""
    lines = iter(printed.splitlines())
    for line in promised.splitlines():
        pattern = r"\s*" + ".*".join(r"\s+".join(map(re.escape, part.split())) for part in line.split(REST)) + ".*"
        pattern = pattern.replace(".*", r"\s*.*") if REST in line else pattern
        assert any(re.fullmatch(pattern, said) for said in lines), f"{line!r} is not printed, or not there:\n{printed}"


# The page


def test_there_are_four_examples_and_each_ends_in_what_is_printed():
    for title in EXAMPLES:
        languages = [block.language for block in blocks(title)]
        assert languages[-2:] == ["sh", "text"], title
        assert "diff" in languages
        assert set(languages) <= {"diff", "python", "json", "sh", "text"}


def test_a_file_is_named_in_the_words_before_it():
    for title in EXAMPLES:
        before, *rest = re.split(r"^```python (\S+)$", section(title), flags=re.MULTILINE)
        for file, after in zip(rest[::2], rest[1::2], strict=True):
            assert f"`{file}`" in before.rstrip().split("\n\n")[-1]
            before = after


def test_every_file_and_link_that_is_named_is_there():
    prose = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    made = {block.file for title in EXAMPLES for block in blocks(title) if block.file}
    links = re.findall(r"\]\(([^)#]+)", prose)
    paths = [path for path in re.findall(r"`([\w./]+/[\w./]*|\w+\.(?:md|cff|py))`", prose) if path not in made]
    assert len(links) + len(paths) > 20
    for path in [*links, *paths]:
        assert (PROJECT / path).exists() or (PROJECT / "helpers" / path).exists(), path


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_diffs_of_an_example_fit_the_code_of_today(title, clone):
    for block in blocks(title):
        if block.language == "diff":
            run(["git", "apply", "--verbose"], clone, block.body)


@pytest.mark.parametrize(
    ("promised", "printed", "kept"),
    [
        ("a\nc", "a\nb\nc", True),
        ("c\na", "a\nb\nc", False),
        ("3 … left", "  3 of  4 left", True),
        ("… passed …", "12 passed in 3 s", True),
        ("… passed …", "12 failed in 3 s", False),
        ("x  1", "x        1", True),
        ("x 1 …", "y 1", False),
    ],
)
def test_what_is_promised_is_looked_for(promised, printed, kept):
    if kept:
        return assert_prints(printed, promised)
    with pytest.raises(AssertionError):
        assert_prints(printed, promised)


# Followed to the letter


@pytest.mark.slow
def test_a_step_is_added(clone, typed):
    printed = follow("Add a step", clone, typed)
    assert re.search(r"^decoder +perplexity ", printed, re.MULTILINE)
    value = typed("python -c 'from helpers import course_run as c; d = c().decoder; print(d.loss, d.perplexity)'")
    loss, perplexity = map(float, value.split())
    assert perplexity == pytest.approx(2.718281828459045**loss)


@pytest.mark.slow
def test_a_mistake_is_added(clone, typed):
    printed = follow("Add a mistake", clone, typed)
    assert re.search(r"^relu\.capped +Cuts", printed, re.MULTILINE)
    assert "Does ReLU cut from below, or from above too?" in printed
    assert re.search(r"test_homework|\d+ passed", printed)


@pytest.mark.slow
def test_a_card_is_added(clone, typed):
    printed = follow("Add a card", clone, typed)
    assert "Favourites (encoder 20)" in printed
    released = nbformat.read(clone / "notebooks/encoder/encoder.ipynb", as_version=4)
    sources = [cell.source for cell in released.cells]
    assert sources.index('card("favourites")') == sources.index('card("movement")') + 1
    solved = nbformat.read(clone / "solutions/encoder/encoder.ipynb", as_version=4)
    (cell,) = [cell for cell in solved.cells if cell.source == 'card("favourites")']
    assert "Which word does each word read most?" in cell.outputs[0].data["text/html"]


@pytest.mark.slow
def test_a_lesson_is_added(clone, typed):
    follow("Add a lesson", clone, typed)
    released = nbformat.read(clone / "notebooks/perplexity/perplexity.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in released.cells)
    assert 'raise NotImplementedError("not written yet")' in text
    assert not re.search(r"SOLUTION|HIDDEN|check_fresh|np\.mean", text)
    solved = nbformat.read(clone / "solutions/perplexity/perplexity.ipynb", as_version=4)
    feedback, points = solved.cells[-1].outputs
    assert "Right" in feedback.data["text/plain"]
    assert float(points.data["text/plain"]) == 2
    said = typed("""python -c 'from helpers import check; print(check(perplexity=lambda x: 2 ** x.mean()).labels)'""")
    assert said.strip() == "('perplexity.base-2',)"
