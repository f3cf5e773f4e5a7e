"""The sections on the class list, collecting, exporting and forgetting: every command in them, from top to bottom."""

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
PART = PROJECT / "docs" / "instructor-parts" / "term1.md"
# Left for a person: Canvas's late one has a time by then; files that were downloaded still name who is forgotten.
TO_SETTLE = {"byhand forget bruno --yes"}


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", PART.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_only_shell_settings_and_examples_are_fenced():
    assert set(re.findall(r"^```(\w+)$", PART.read_text(encoding="utf-8"), re.MULTILINE)) == {"sh", "toml"}


@pytest.mark.slow
def test_every_command_does_what_it_says(tmp_path):
    root = make_course(tmp_path / "course", "encoder")
    (root / "pyproject.toml").write_text(blocks("toml")[0], encoding="utf-8")
    (root / "tests").mkdir()
    shutil.copytree(PROJECT / "tests" / "data", root / "tests" / "data")
    for unit in ("solutions", "notebooks"):
        assert (root / unit / "encoder").is_dir()
    said = {}
    for command in "".join(blocks("sh")).splitlines():
        words = shlex.split(command)
        program = {"byhand": [sys.executable, "-m", "helpers"], "python": [sys.executable]}[words[0]]
        env = os.environ | {"PYTHONPATH": str(PROJECT)}
        done = subprocess.run([*program, *words[1:]], cwd=root, env=env, capture_output=True, text=True, check=False)
        said[command] = done.stdout
        assert done.returncode == (3 if command in TO_SETTLE else 0), f"{command}\n{done.stdout}{done.stderr}"
    assert said["byhand grade encoder"].startswith("encoder: 3 of 3 marked")
    grades = (root / "exports" / "canvas-encoder.csv").read_text(encoding="utf-8")
    assert '"Lovelace, Ada",501,S1001,ada,Group 1,83.02\n' in grades
    assert "Bruno" not in grades
    assert "bruno" not in (root / "class.csv").read_text(encoding="utf-8")
