"""The first cells of a bundled notebook: where they find the package, and what they say when they do not."""

import json
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from course_units import PROJECT

from helpers.bundle.archives import unzipped
from helpers.bundle.cells import badge_cell, copy_cell, first_cell, is_bundles

NUMPYS = str(Path(numpy.__file__).parents[1])
# Runs cells as a kernel does, in a Python that has NumPy and no course, and prints what came of it.
RUN = """
import json, os, sys
cells, paths = json.loads(sys.stdin.read())
sys.path[:] = ["", *paths, *sys.path]
names, said = {}, ""
for cell in cells:
    try:
        exec(cell, names)
    except Exception as error:
        shown = getattr(error, "_render_traceback_", lambda: [f"{type(error).__name__}: {error}"])()
        said = "\\n".join(shown)
        break
import importlib
helpers = sys.modules.get("helpers")
print(json.dumps([said, helpers and helpers.__file__, sorted(set(names) - {"__builtins__"})]))
"""
USE = "import helpers\nassert helpers.course_run().encoder.Z.shape == (9, 8)"


@pytest.fixture(scope="session")
def alone(made):
    """The first cell and the folded one of a notebook that stands alone, and one that uses the package."""
    cells = json.loads(made["stand-alone/encoder.ipynb"])["cells"]
    first = next(n for n, cell in enumerate(cells) if cell["cell_type"] == "code")
    return ["".join(cell["source"]) for cell in cells[first : first + 2]] + [USE]


@pytest.fixture(scope="session")
def built(made):
    """The wheel: its name and its content."""
    return next((Path(name).name, file) for name, file in unzipped(made["transformer-by-hand.zip"]).items()
                if name.endswith(".whl"))  # fmt: skip


def run(cells, folder, *paths, without=(NUMPYS,)):
    """(what was said, where `helpers` came from, the names that the cells gave)."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", RUN], cwd=folder, input=json.dumps([cells, [*map(str, paths), *without]]),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    *printed, last = done.stdout.splitlines()
    said, place, names = json.loads(last)
    return "\n".join([*printed, *filter(None, [said])]), place and Path(place), names


def test_the_folded_cell_brings_the_package_to_an_empty_folder(alone, tmp_path):
    said, place, names = run(alone, tmp_path)
    assert said == "The package is not installed here: the next cell brings a copy. Run it too."
    assert place.parent.name == "helpers"
    assert not place.exists(), "what was unpacked is gone when Python ends"
    assert not list(tmp_path.iterdir())
    assert names == ["helpers", "make_ready"]


def test_the_installed_package_comes_first(alone, built, tmp_path):
    (tmp_path / built[0]).write_bytes(built[1])
    said, place, _ = run(alone, tmp_path, PROJECT)
    assert said == ""
    assert place == PROJECT / "helpers" / "__init__.py"


@pytest.mark.parametrize("above", [False, True], ids=["beside", "one folder up"])
def test_the_wheel_comes_before_the_copy(alone, built, tmp_path, above):
    folder = tmp_path / "encoder"
    folder.mkdir()
    (folder.parent if above else folder).joinpath(built[0]).write_bytes(built[1])
    # Without its copy: what is used must be the wheel.
    said, place, _ = run([alone[0], USE], folder)
    assert said == ""
    assert place.parent.name == "helpers"
    said, _, _ = run([*alone[:2], USE, "print(next(iter(helpers.__path__)))"], folder)
    assert said.endswith("/helpers"), "nothing was said of a copy"
    assert "\n" not in said


def test_a_broken_wheel_is_as_none(alone, built, tmp_path):
    (tmp_path / built[0]).write_bytes(built[1][:1000])
    said, place, _ = run(alone, tmp_path)
    assert said.startswith("The package is not installed here")
    assert place


def test_in_the_unzipped_folder_the_wheel_is_found_and_its_loss_is_told(made, tmp_path):
    for name, content in unzipped(made["transformer-by-hand.zip"]).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    folder = tmp_path / "transformer-by-hand" / "decoder"
    cells = json.loads((folder / "decoder.ipynb").read_bytes())["cells"]
    first = next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert run([first, USE], folder)[0] == ""
    next(folder.parent.glob("*.whl")).unlink()
    assert run([first, USE], folder)[0].splitlines() == [
        "The course's package is missing: unzip all of transformer-by-hand.zip, and open the notebook there.",
        "ModuleNotFoundError: No module named 'helpers'",
    ]


@pytest.mark.parametrize("name", ["helpers.py", "helpers/__init__.py"])
@pytest.mark.parametrize("installed", [False, True])
def test_a_file_that_hides_the_package_is_named_in_one_sentence(alone, tmp_path, name, installed):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("def mine():\n    return 1\n")
    said, place, _ = run(alone, tmp_path, *([PROJECT] if installed else []))
    assert said == (
        f"Your file {file} hides the course's package, which is called helpers too: "
        "rename yours, restart the kernel and run this cell again."
    )
    assert place is None
    file.rename(file.with_name("mine.py"))
    assert run(alone, tmp_path)[1]


def test_a_folder_of_that_name_that_is_no_package_hides_nothing(alone, tmp_path):
    (tmp_path / "helpers").mkdir()
    (tmp_path / "helpers" / "notes.txt").write_text("mine")
    assert run(alone, tmp_path)[1]


def test_running_the_cells_again_changes_nothing(alone, tmp_path):
    said, place, _ = run([*alone, *alone], tmp_path)
    assert said.count("\n") == 0
    assert place


def test_without_numpy_the_course_says_what_is_missing(alone, tmp_path):
    said, _, _ = run(alone, tmp_path, without=())
    assert said.splitlines()[-1] == "ModuleNotFoundError: No module named 'numpy'"


def test_the_first_cell_is_short_and_both_are_folded_or_locked():
    first, copy = first_cell(copy=True), copy_cell("UEs=")
    assert len(first["source"].splitlines()) <= 32
    assert max(map(len, first["source"].splitlines())) <= 112
    assert copy["metadata"]["jupyter"]["source_hidden"]
    assert copy["metadata"]["cellView"] == "form"
    assert len(copy["source"].splitlines()) == 2
    assert not first["metadata"]["editable"]


@pytest.mark.parametrize("salt", ["", "autumn 2027", 'it\'s "odd"'])
@pytest.mark.parametrize("copy", [False, True])
def test_the_bundles_cells_are_known_as_given_out_and_the_students_are_not(salt, copy):
    first = first_cell(copy, salt)["source"]
    for source in (first, copy_cell("UEsDB+/=")["source"], badge_cell("https://a.b/c.ipynb")["source"]):
        assert is_bundles(source)
        assert is_bundles(source + "\n")
        assert not is_bundles(source + "\nanswer = 3")
        assert not is_bundles("answer = 3\n" + source)
    assert not is_bundles("")
    assert not is_bundles("import numpy as np")


def test_the_salt_of_the_course_comes_along(tmp_path):
    use = "import os\nassert os.environ['BYHAND_SALT'] == 'it\\'s odd'\nfrom helpers.settings import course_salt\n"
    use += "assert course_salt() == 'it\\'s odd'\nimport helpers"
    said, place, _ = run([first_cell(True, "it's odd")["source"], use], tmp_path, PROJECT)
    assert said == ""
    assert place
