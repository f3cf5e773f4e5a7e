"""A Python that is too old is told so in one line, by `python -m helpers` and by make alike."""

import subprocess
import sys

import pytest
from interpreters import interpreters

from helpers import __main__ as entry
from helpers.course.environment import PACKAGE

FOUND = interpreters()
TOO_OLD = {version: path for version, path in FOUND.items() if version < entry.OLDEST_PYTHON}


def test_the_first_files_are_plain_ascii():
    # Python 2.7 stops at the first other character, before it can say anything.
    for name in ("__init__.py", "__main__.py"):
        assert (PACKAGE / name).read_bytes().isascii(), name


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 9, 18)])
def test_one_line_and_exit_code_1(version, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", version)
    assert entry.main(["lab"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert "needs Python 3.10 or newer" in captured.err
    assert ".".join(map(str, version)) in captured.err


def test_real_old_pythons_say_the_same():
    """Whichever of them this machine has; the test above stands in for the others."""
    for version, python in TOO_OLD.items():
        result = subprocess.run(
            [python, "-m", "helpers", "lab"], cwd=PACKAGE.parent, capture_output=True, text=True, check=False
        )
        assert result.returncode == 1, version
        assert len(result.stderr.splitlines()) == 1, version
        assert "needs Python 3.10 or newer" in result.stderr, version


def test_the_oldest_python_is_the_one_that_pyproject_names():
    pyproject = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert f'requires-python = ">={entry.OLDEST_PYTHON[0]}.{entry.OLDEST_PYTHON[1]}"' in pyproject
