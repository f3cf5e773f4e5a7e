"""The house: public names, what an import costs, who may import whom, and how a plain error looks."""

import ast
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import helpers
from helpers.errors import PlainError

PACKAGE = Path(helpers.__file__).parent
ROOMS = sorted({path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")})
NAMES = [(room, name) for room, names in helpers.PUBLIC.items() for name in names]

# Loaded when a display, a card or a class needs them, never before.
HEAVY = ["matplotlib", "ipywidgets", "IPython", "nbgrader", "nbformat", "nbclient", "typst", "dask", "distributed"]


# Public names


@pytest.mark.parametrize(("room", "name"), NAMES)
def test_public_name_resolves_to_what_its_room_holds(room, name):
    assert getattr(helpers, name) is getattr(importlib.import_module(f"helpers.{room}"), name)
    assert name in dir(helpers)
    assert name in helpers.__all__


@pytest.mark.parametrize(("room", "name"), NAMES)
def test_public_functions_say_what_they_do(room, name):
    public = getattr(helpers, name)
    if inspect.isroutine(public) or inspect.isclass(public):
        assert (public.__doc__ or "").strip()


def test_no_public_name_stands_for_two_things():
    names = [name for _, name in NAMES]
    assert len(set(names)) == len(names)
    assert not set(names) & set(ROOMS), "importing the room would replace the name"


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="softmaximum"):
        _ = helpers.softmaximum


def test_transformer_is_public_as_a_room():
    from helpers import transformer

    assert transformer.softmax([0.0, 0.0]).tolist() == [0.5, 0.5]


# What an import costs


def modules_after(code):
    """Names in sys.modules of a fresh interpreter that ran `code`."""
    code += "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_opens_no_room():
    loaded = modules_after("import helpers")
    assert {name for name in loaded if name.startswith("helpers")} == {"helpers"}
    assert not loaded & {"numpy", *HEAVY}


def test_asking_for_every_public_name_loads_nothing_heavy():
    loaded = modules_after("import helpers\nfor name in helpers.__all__: getattr(helpers, name)")
    assert "helpers.transformer" in loaded
    assert "numpy" in loaded
    assert not loaded & set(HEAVY)


# Who may import whom

# A room imports from floors below its own, never from its own or above.
FLOORS = [
    {"errors"},
    {"sizes", "displays", "points", "settings", "values"},
    {"transformer"},
    {"steps", "examples"},
    {"boxes", "trace", "counts", "decoding", "pen"},
    {"mistakes", "trained"},
    {"personal", "tasks", "hand_traces"},
    {"codes"},
    {"checks", "worksheets", "cards"},
    {"course"},
    {"bundle"},
    {"grading", "site"},
    {"term"},
    {"house"},
    {"__main__"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
ENGINE = {"sizes", "transformer", "steps", "examples", "trace", "counts", "decoding", "tasks", "boxes"}
ENGINE |= {"mistakes", "personal", "codes", "pen", "trained"}
# The rooms that may need what an extra installs, and only inside their functions otherwise.
NEEDS_EXTRAS = {"bundle", "course", "grading", "house", "site", "term"}


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def statements(path):
    """(import statement, is it at the top of the file) of every import in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = set(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, node in top


def modules_named(node, path):
    """Full names of the modules that an import statement may load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not node.level:
        base = node.module
    else:
        package = ("helpers", *path.relative_to(PACKAGE).parent.parts)
        base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
    return [f"{base}.{alias.name}" for alias in node.names]


def rooms_imported(path):
    """Rooms that a file imports from, its own apart, wherever in the file the import stands."""
    found = set()
    for node, _ in statements(path):
        for name in modules_named(node, path):
            parts = name.split(".")
            if parts[0] == "helpers" and len(parts) > 1 and parts[1] in ROOMS:
                found.add(parts[1])
    return found - {room_of(path)}


def files_of(rooms):
    return [path for path in sorted(PACKAGE.rglob("*.py")) if room_of(path) in rooms]


def label(path):
    return str(path.relative_to(PACKAGE))


def test_the_walk_sees_imports():
    assert {"errors", "sizes"} <= rooms_imported(PACKAGE / "transformer.py")
    assert {"examples", "steps"} <= rooms_imported(PACKAGE / "trace.py")


def test_every_room_has_its_floor():
    assert set(ROOMS) - {"__init__"} == set(FLOOR), "a new room needs its place in FLOORS"


@pytest.mark.parametrize("path", files_of(FLOOR), ids=label)
def test_imports_go_down(path):
    upward = {room for room in rooms_imported(path) if FLOOR[room] >= FLOOR[room_of(path)]}
    assert not upward, f"{label(path)} imports from {sorted(upward)}"


@pytest.mark.parametrize("path", files_of({"displays"}), ids=label)
def test_displays_know_errors_alone(path):
    assert rooms_imported(path) <= {"errors"}


@pytest.mark.parametrize("path", files_of(ENGINE), ids=label)
def test_the_engine_knows_no_display(path):
    assert "displays" not in rooms_imported(path)


@pytest.mark.parametrize("path", files_of(set(FLOOR) - NEEDS_EXTRAS), ids=label)
def test_the_core_needs_numpy_alone(path):
    loaded = {name.split(".")[0] for node, at_top in statements(path) if at_top for name in modules_named(node, path)}
    assert loaded <= sys.stdlib_module_names | {"numpy", "helpers"}


# A plain error


def test_plain_error_is_a_value_error_of_one_line():
    error = PlainError("d_model is 7; it must be even.")
    assert isinstance(error, ValueError)
    assert error._render_traceback_() == ["PlainError: d_model is 7; it must be even."]


def test_ipython_shows_a_plain_error_without_a_traceback():
    code = "from helpers import Sizes\nSizes(d_model=7, heads=1, d_ff=1, vocab=1)"
    command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=PACKAGE.parent)
    lines = (done.stdout + done.stderr).strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("PlainError: d_model is 7")


# The map

# What other rooms are made of, and nobody looks for on a map.
UNMAPPED = {"__init__", "__main__", "errors", "values", "pen"}


def test_the_map_in_the_readme_names_every_room_and_no_other():
    readme = (PACKAGE.parent / "README.md").read_text(encoding="utf-8")
    (block,) = [block for block in readme.split("```") if block.lstrip().startswith("helpers/ ")]
    lines = [line.split()[0] for line in block.splitlines() if line.startswith("  ")]
    named = {name.removesuffix("/").removesuffix(".py") for name in lines}
    assert named - {"__main__"} == set(ROOMS) - UNMAPPED
