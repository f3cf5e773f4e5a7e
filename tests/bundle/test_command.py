"""`byhand bundle` on the command line."""

import subprocess
import sys
from pathlib import Path

import pytest
from course_units import PROJECT

from helpers.bundle import commands, make
from helpers.course import environment
from helpers.course.commands import run


def byhand(*arguments):
    return run(["bundle", *arguments], [commands.add_to])


@pytest.fixture
def asked(monkeypatch):
    """What the command asks to be done."""
    calls = []
    monkeypatch.setattr(environment, "enter", lambda extra, argv: calls.append(extra))
    for name in ("write", "check"):
        monkeypatch.setattr(make, name, lambda project, folder, name=name: calls.append((name, project, folder)) or 0)
    return calls


def test_it_writes_to_dist_unless_told_otherwise(asked):
    assert byhand() == 0
    assert byhand("--check", "--out", "week1") == 0
    assert asked[::2] == ["instructor", "instructor"]
    assert asked[1::2] == [("write", PROJECT, PROJECT / "dist"), ("check", PROJECT, Path("week1"))]


def test_without_a_clone_it_says_where_to_run(monkeypatch, capsys):
    monkeypatch.setattr(environment, "project_folder", lambda: None)
    assert byhand() == 1
    assert capsys.readouterr().err == (
        "byhand: What students are given is made from the project's clone only: run this there.\n"
    )


def test_help_ends_with_examples_and_exit_codes():
    command = [sys.executable, "-m", "helpers", "bundle", "--help"]
    text = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    assert "byhand bundle --check" in text
    assert text.rstrip().splitlines()[-1].startswith("Exit codes: 0 ")


def test_wrong_usage_is_exit_code_2(capsys):
    with pytest.raises(SystemExit) as caught:
        byhand("everything")
    assert caught.value.code == 2
    assert "usage: byhand" in capsys.readouterr().err


def test_the_command_is_light_to_load():
    heavy = "{'numpy', 'nbformat', 'nbgrader', 'mistune'}"
    code = f"import helpers.bundle.commands, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
