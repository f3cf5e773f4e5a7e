"""Making, reusing and remaking .venv; pip and venv are replaced, so nothing is fetched."""

import errno
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import venv

import pytest
from support import plain_error

from helpers.course import environment
from helpers.errors import PlainError

PYPROJECT = '[project]\nname = "transformer-by-hand"\n'


class Tools:
    """Stands in for venv and pip, and counts."""

    def __init__(self):
        self.created, self.installed = [], []
        self.pip_says, self.pip_code = "", 0

    def create(self, builder, folder):
        self.created.append(builder.with_pip)
        python = environment.venv_python(folder)
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    def call(self, command, stdout, **_):
        self.installed.append(command)
        stdout.write(self.pip_says)
        return self.pip_code

    def run(self, command, **_):
        return subprocess.CompletedProcess(command, 0)


@pytest.fixture
def tools(monkeypatch):
    tools = Tools()
    monkeypatch.setattr(venv.EnvBuilder, "create", lambda builder, folder: tools.create(builder, folder))
    monkeypatch.setattr(environment.subprocess, "call", tools.call)
    monkeypatch.setattr(environment.subprocess, "run", tools.run)
    return tools


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    return tmp_path


def test_the_first_setup_makes_and_installs_and_says_so(project, tools, capsys):
    python = environment.setup(project, "lab")
    assert python == environment.venv_python(project / ".venv")
    assert tools.created == [True]
    assert tools.installed[0][-2:] == ["--editable", f"{project}[lab]"]
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 3
    assert all(line.startswith("byhand: ") for line in said)
    assert "making" in said[0]
    assert "installing transformer-by-hand[lab]" in said[1]
    assert "ready" in said[2]


def test_the_second_setup_does_nothing_and_says_nothing(project, tools, capsys):
    environment.setup(project, "lab")
    capsys.readouterr()
    environment.setup(project, "lab")
    assert (len(tools.created), len(tools.installed)) == (1, 1)
    assert capsys.readouterr().out == ""


def test_a_changed_pyproject_installs_again_into_the_same_environment(project, tools):
    environment.setup(project, "lab")
    (project / "pyproject.toml").write_text(PYPROJECT + "# changed\n")
    environment.setup(project, "lab")
    assert (len(tools.created), len(tools.installed)) == (1, 2)


def test_a_wider_extra_adds_and_a_narrower_one_is_there_already(project, tools):
    environment.setup(project, "lab")
    environment.setup(project, "dev")
    environment.setup(project, "lab")
    environment.setup(project, "instructor")
    environment.setup(project, "core")
    assert [command[-1] for command in tools.installed] == [f"{project}[lab]", f"{project}[dev]"]


def test_another_python_or_another_place_remakes_it(project, tools, monkeypatch, capsys):
    environment.setup(project, "lab")
    monkeypatch.setattr(environment.platform, "python_version", lambda: "3.99.0")
    environment.setup(project, "lab")
    assert len(tools.created) == 2
    assert "was made by" in capsys.readouterr().out
    moved = project.parent / "moved"
    project.rename(moved)
    environment.setup(moved, "lab")
    assert len(tools.created) == 3
    assert "belongs to" in capsys.readouterr().out


def test_what_was_interrupted_is_made_anew(project, tools, capsys):
    tools.pip_code = 1
    with pytest.raises(PlainError):
        environment.setup(project, "lab")
    tools.pip_code = 0
    environment.setup(project, "lab")
    assert len(tools.created) == 2
    assert "half made" in capsys.readouterr().out


@pytest.mark.parametrize("damage", ["no python", "empty marker"])
def test_a_damaged_environment_is_made_anew(project, tools, damage):
    environment.setup(project, "lab")
    if damage == "no python":
        environment.venv_python(project / ".venv").unlink()
    else:
        (project / ".venv" / environment.MARKER).write_text("")
    environment.setup(project, "lab")
    assert len(tools.created) == 2


def test_an_environment_of_somebody_else_is_left_alone(project, tools):
    (project / ".venv").mkdir()
    (project / ".venv" / "precious.txt").write_text("mine")
    with pytest.raises(PlainError, match="was not made by this command"):
        environment.setup(project, "lab")
    assert (project / ".venv" / "precious.txt").read_text() == "mine"
    assert tools.created == []


def test_without_ensurepip_the_outer_pip_installs(project, tools, monkeypatch):
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(environment.importlib.metadata, "version", lambda name: "23.0.1")
    monkeypatch.setattr(environment.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1))
    environment.setup(project, "lab")
    assert tools.created == [False]
    python = str(environment.venv_python(project / ".venv"))
    assert tools.installed[0][:5] == [sys.executable, "-m", "pip", "--python", python]


@pytest.mark.parametrize("pip", [None, "22.2.1"])
def test_without_ensurepip_and_a_pip_that_could_help_the_package_is_named(project, tools, monkeypatch, pip):
    def version(name):
        if pip is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return pip

    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(environment.importlib.metadata, "version", version)
    with plain_error("apt install", f"python3.{sys.version_info.minor}-venv"):
        environment.setup(project, "lab")
    assert not (project / ".venv").exists()


@pytest.mark.parametrize(
    ("pip_says", "told"),
    [
        ("WARNING: Retrying ... NewConnectionError('...: [Errno 101] Network is unreachable')", "network"),
        ("ERROR: Could not install: [Errno 28] No space left on device: '/x'", "is full"),
        ("Collecting numpy\nERROR: No matching distribution found for numpy>=99\n", "numpy>=99"),
    ],
)
def test_pip_failures_are_told_in_one_line(project, tools, pip_says, told):
    tools.pip_says, tools.pip_code = pip_says, 1
    with pytest.raises(PlainError, match=re.escape(told)) as caught:
        environment.setup(project, "lab")
    assert len(str(caught.value).splitlines()) == 1
    assert (project / ".venv" / environment.LOG).read_text() == pip_says


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "is full"),
        (PermissionError(errno.EACCES, "Permission denied"), "Permission denied"),
        (subprocess.CalledProcessError(1, "ensurepip", b"[Errno 28] No space left on device"), "is full"),
        (
            subprocess.CalledProcessError(1, "ensurepip", b"Traceback\nno such wheel"),
            "could not be made: no such wheel",
        ),
        (subprocess.CalledProcessError(1, "ensurepip", b""), "non-zero exit status 1"),
    ],
)
def test_what_the_system_refuses_is_told_in_one_line(project, tools, monkeypatch, failure, told):
    def refuse(builder, folder):
        raise failure

    monkeypatch.setattr(venv.EnvBuilder, "create", refuse)
    with pytest.raises(PlainError, match=told) as caught:
        environment.setup(project, "lab")
    assert len(str(caught.value).splitlines()) == 1


def test_windows_keeps_its_python_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(environment.os, "name", "nt")
    python = environment.venv_python(type(tmp_path)("x"))
    monkeypatch.undo()
    assert python.parts == ("x", "Scripts", "python.exe")


def test_pip_installs_here_whatever_the_caller_has_set(monkeypatch):
    monkeypatch.setenv("PIP_USER", "1")
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    kept = environment._pip_environment()
    assert {"PIP_USER", "PYTHONPATH"}.isdisjoint(kept)
    assert kept["PIP_INDEX_URL"] == "https://mirror.example/simple"


# Which environment a command runs in


@pytest.fixture
def route(project, monkeypatch):
    """What `enter` does: the calls of setup and hand_over."""
    calls = []
    monkeypatch.setattr(environment, "project_folder", lambda: project)
    monkeypatch.setattr(environment, "setup", lambda folder, extra: calls.append(("setup", extra)) or "python")
    monkeypatch.setattr(environment, "hand_over", lambda command: calls.append(("hand over", command)))
    return calls


def test_a_bare_python_sets_up_and_hands_over(route, monkeypatch):
    monkeypatch.setattr(environment, "installed_here", lambda extra: False)
    environment.enter("lab", ["lab", "--no-browser"])
    assert route == [("setup", "lab"), ("hand over", ["python", "-m", "helpers", "lab", "--no-browser"])]


def test_an_active_environment_that_has_it_all_is_used_as_it_is(route, monkeypatch):
    monkeypatch.setattr(environment, "installed_here", lambda extra: True)
    environment.enter("lab", ["lab"])
    assert route == []


def test_inside_its_own_environment_it_only_looks_for_changes(route, project, monkeypatch):
    (project / ".venv").mkdir()
    (project / ".venv" / environment.MARKER).write_text(json.dumps({}))
    monkeypatch.setattr(sys, "prefix", str(project / ".venv"))
    environment.enter("lab", ["lab"])
    assert route == [("setup", "lab")]


def test_without_a_project_the_missing_extra_is_named(route, monkeypatch):
    monkeypatch.setattr(environment, "project_folder", lambda: None)
    monkeypatch.setattr(environment, "installed_here", lambda extra: False)
    with plain_error('pip install "transformer-by-hand[lab]"'):
        environment.enter("lab", ["lab"])


class Installed:
    """An installed distribution, as importlib.metadata shows it."""

    def __init__(self, folder, requires, editable=None):
        self.folder, self.requires = folder, requires
        self.direct_url = editable and json.dumps({"url": editable.as_uri(), "dir_info": {"editable": True}})

    def read_text(self, name):
        return self.direct_url

    def locate_file(self, name):
        return self.folder / name


REQUIRES = [
    "numpy>=1.26",
    "jupyterlab>=4.2; extra == 'lab'",
    "nbgrader>=0.9; extra == 'instructor'",
    "transformer-by-hand[lab]; extra == 'instructor'",
]


@pytest.mark.parametrize(
    ("present", "extra", "expected"),
    [
        ({"numpy"}, "core", True),
        ({"numpy"}, "lab", False),
        ({"numpy", "jupyterlab"}, "lab", True),
        ({"numpy", "nbgrader"}, "instructor", False),
        ({"numpy", "nbgrader", "jupyterlab"}, "instructor", True),
    ],
)
@pytest.mark.parametrize("kind", ["wheel", "editable", "another copy"])
def test_installed_here(tmp_path, monkeypatch, present, extra, expected, kind):
    clone, elsewhere = environment.PACKAGE.parent, tmp_path
    ours = {
        "wheel": Installed(clone, REQUIRES),
        "editable": Installed(elsewhere, REQUIRES, editable=clone),
        "another copy": Installed(elsewhere, REQUIRES),
    }[kind]

    def distribution(name):
        if name == environment.DISTRIBUTION:
            return ours
        if name not in present:
            raise importlib.metadata.PackageNotFoundError(name)
        return object()

    monkeypatch.setattr(environment.importlib.metadata, "distribution", distribution)
    assert environment.installed_here(extra) is (expected and kind != "another copy")


def test_extras_are_those_of_pyproject():
    text = (environment.PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    table = text.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    declared = {
        name: set((re.search(rf"{environment.DISTRIBUTION}\[(.*)\]", body) or ["", ""])[1].split(",")) - {""}
        for name, body in re.findall(r"^(\w+) = \[\n(.*?)^\]", table, re.M | re.S)
    }
    assert declared == {name: implied - {"core"} for name, implied in environment.EXTRAS.items() if name != "core"}


@pytest.mark.skipif(os.name != "posix", reason="Windows has no exec")
def test_hand_over_keeps_the_exit_code():
    code = "import sys; from helpers.course.environment import hand_over; hand_over([sys.executable, '-c', 'exit(7)'])"
    assert subprocess.run([sys.executable, "-c", code], cwd=environment.PACKAGE.parent, check=False).returncode == 7


def test_a_removal_that_is_interrupted_is_known_to_be_ours(project, tools, monkeypatch, capsys):
    environment.setup(project, "lab")
    marker = json.loads((project / ".venv" / environment.MARKER).read_text())
    monkeypatch.setattr(environment, "_fingerprint", lambda project: {**marker, "python": "another"})

    def interrupted(path):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(environment.shutil, "rmtree", interrupted)
        with pytest.raises(KeyboardInterrupt):
            environment.setup(project, "lab")
    environment.setup(project, "lab")
    assert "half made" in capsys.readouterr().out
    assert tools.created == [True, True]


def test_what_needs_the_core_alone_leaves_another_pythons_environment_as_it_is(project, tools, monkeypatch):
    handed = []
    environment.setup(project, "lab")
    before = (project / ".venv" / environment.MARKER).read_bytes()
    monkeypatch.setattr(environment, "_fingerprint", lambda project: {"project": str(project), "python": "another"})
    monkeypatch.setattr(environment, "project_folder", lambda: project)
    monkeypatch.setattr(environment, "installed_here", lambda extra: False)
    monkeypatch.setattr(environment, "hand_over", handed.append)
    environment.enter("core", ["keys"])
    assert handed == [[str(environment.venv_python(project / ".venv")), "-m", "helpers", "keys"]]
    assert (project / ".venv" / environment.MARKER).read_bytes() == before
    assert tools.created == [True]
