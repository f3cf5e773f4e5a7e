"""docs/instructor.md, played through: every command on it, from top to bottom, in a fresh course folder."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mixed_class import make_course

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs" / "instructor.md").read_text(encoding="utf-8")
# Files that were downloaded still name who is forgotten; they are listed for a person to look at.
TO_SETTLE = {"byhand forget bruno --yes"}


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def root(tmp_path):
    """A course's folder as the page has it copied, and the commands `byhand` and `python`."""
    root = make_course(tmp_path / "course", "encoder")
    (root / "pyproject.toml").write_text("\n".join(blocks("toml")), encoding="utf-8")
    shutil.copytree(PROJECT / "tests" / "data", root / "tests" / "data")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, program in (("byhand", f"{sys.executable} -m helpers"), ("python", sys.executable)):
        (programs / name).write_text(f'#!/bin/sh\nexec {program} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    return root


def test_the_page_names_every_command_of_a_term():
    told = set(re.findall(r"^byhand (\w+)", "".join(blocks("sh")), re.MULTILINE))
    assert told == {"release", "collect", "grade", "feedback", "report", "export", "update", "reset", "try", "forget"}


@pytest.mark.slow
def test_every_command_does_what_it_says(root):
    environment = os.environ | {
        "PYTHONPATH": str(PROJECT),
        "PATH": os.pathsep.join([str(root.parent / "programs"), os.environ["PATH"]]),
    }
    said = {}
    for command in "".join(blocks("sh")).splitlines():
        done = subprocess.run(
            ["bash", "-c", command], cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        said[command] = done.stdout
        assert done.returncode == (3 if command in TO_SETTLE else 0), f"{command}\n{done.stdout}{done.stderr}"
    assert said["byhand grade encoder"].startswith("encoder: 3 of 3 marked")
    # What the page prints below a command is what the command prints.
    for command, shown in re.findall(r"^```sh\n([^\n]+)\n```\n\n```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        assert shown.strip() in said[command], command
    grades = (root / "exports" / "canvas-encoder.csv").read_text(encoding="utf-8")
    assert '"Lovelace, Ada",501,S1001,ada,Group 1,83.02\n' in grades
    assert "Bruno" not in grades
    left = "\n".join(shlex.quote(str(path.relative_to(root))) for path in root.rglob("*"))
    assert "bruno" not in left
    assert "bruno" not in (root / "class.csv").read_text(encoding="utf-8")
    assert "one after the other" in (root / "work" / "encoder" / "encoder.ipynb").read_text(encoding="utf-8")
