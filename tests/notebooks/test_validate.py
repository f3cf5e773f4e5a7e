"""What nbgrader's validate says of each unit; it takes a quarter of a minute, so most of them are slow."""

import shutil
import subprocess
import sys

import pytest
from course_units import PROJECT, UNITS, checks, prose, release

QUICK = ("encoder", "homework_encoder")
pytestmark = pytest.mark.parametrize(
    "unit", [unit if unit in QUICK else pytest.param(unit, marks=pytest.mark.slow) for unit in UNITS]
)


def validate(path):
    result = subprocess.run(
        [sys.executable, "-m", "nbgrader", "validate", str(path)],
        cwd=path.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_validate_is_content_with_the_solution(unit):
    said = validate(PROJECT / "solutions" / unit / f"{unit}.ipynb")
    assert said == "Success! Your notebook passes all the tests.\n"


def test_validate_names_the_failing_cells_of_the_untouched_release(unit, tmp_path):
    folder = shutil.copytree(PROJECT / "notebooks" / unit, tmp_path / unit)
    said = validate(folder / f"{unit}.ipynb")
    notebook = release(unit)
    failing = [*checks(notebook).values(), *prose(notebook).values()]
    assert said.startswith(f"VALIDATION FAILED ON {len(failing)} CELL(S)!")
    assert said.count("The following cell failed:") == len(failing)
    for name, cell in checks(notebook).items():
        first = cell.source.splitlines()[0]
        assert first in said, name
