"""The same tests for a user without rights, when root runs them; the sandbox is then made of a user namespace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import helpers

pytestmark = pytest.mark.slow
HERE = Path(__file__).parent


def test_all_holds_for_an_ordinary_user(tmp_path_factory):
    """Run by an ordinary user, the other files of this folder have shown it already."""
    if os.getuid() != 0:
        return
    top = Path(helpers.__file__).parents[1]
    places = [sys.base_prefix, sys.prefix, str(top)]
    files = [
        str(HERE / f"test_{name}.py") for name in ("walls", "attacks", "lies", "shell", "mute", "marking", "cheats")
    ]
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files]
    environment = os.environ | {"PYTHONPATH": str(top), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": ""}
    environment["PYTEST_DEBUG_TEMPROOT"] = "/dev/shm"
    done = subprocess.run(
        [sys.executable, str(HERE / "as_nobody.py"), *places, "--", *tests],
        cwd=top, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
