"""Make's targets and their twins: the same commands, in the same order, with or without make."""

import re
import subprocess
import sys

import pytest
from support import plain_error

from helpers.course import environment
from helpers.errors import PlainError
from helpers.house import chores

PROJECT = environment.PACKAGE.parent
MAKEFILE = (PROJECT / "Makefile").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z-]+):.*##", MAKEFILE, re.MULTILINE)


@pytest.fixture
def ran(monkeypatch):
    """What was run; a command that holds `failing` fails."""
    commands = []

    def run(command, cwd, check):
        commands.append((command, cwd))
        return subprocess.CompletedProcess(command, 3 if run.failing and run.failing in command else 0)

    run.failing = ""
    monkeypatch.setattr(chores.subprocess, "run", run)
    return commands, run


@pytest.mark.parametrize("target", [target for target in TARGETS if target != "help"])
def test_every_target_is_one_command_of_byhand(target):
    (recipe,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert re.fullmatch(rf"\t@\$\(PYTHON\) -m helpers {target}(?: \$\(ARGS\))?\n", recipe)
    help_ = subprocess.run(
        [sys.executable, "-m", "helpers", target, "--help"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert help_.stdout.startswith(f"usage: byhand {target}")


def test_there_are_targets():
    assert {"lab", "test", "test-all", "bench", "notebooks", "format", "lint", "clean"} <= set(TARGETS)


@pytest.mark.parametrize("chore", chores.CHORES)
def test_a_chore_runs_its_commands_in_order_with_this_python(chore, ran):
    commands, _ = ran
    assert chores.do(chore, PROJECT) == 0
    assert commands == [([sys.executable, *command], PROJECT) for command in chores.CHORES[chore]]


def test_a_chore_ends_with_the_first_command_that_fails(ran):
    commands, run = ran
    run.failing = "not slow"
    assert chores.do("test", PROJECT) == 3
    assert [command[2] for command, _ in commands] == ["ruff", "ruff", "pytest"]


def test_what_a_chore_names_is_there():
    for commands in chores.CHORES.values():
        for command in commands:
            for word in command:
                if word.startswith("tests/"):
                    assert (PROJECT / word).exists(), word


def test_clean_leaves_what_a_person_made(tmp_path):
    for name in (*chores.RUBBISH, "work", "submitted", "helpers/__pycache__", "tests/a/__pycache__"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "file").touch()
    chores.clean(tmp_path)
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["submitted/file", "work/file"]


def test_clean_does_not_saw_off_its_branch(tmp_path, monkeypatch):
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(chores.sys, "prefix", str(tmp_path / ".venv"))
    with pytest.raises(PlainError) as caught:
        chores.clean(tmp_path)
    plain_error(caught)
    assert (tmp_path / ".venv").is_dir()
