"""`byhand update`, `reset` and `try` as a student meets them: files kept, exit codes, nothing written in a dry run."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from handing_in import answered, cell, unit
from handing_in import release as released
from mended_lesson import STUB, changed, first, raw, second

import helpers
from helpers.course import environment
from helpers.course.commands import run
from helpers.term.commands import add_to

WRITTEN = "def double(x):\n    return x + x"
TODAY = date.today().isoformat()


@pytest.fixture
def byhand(monkeypatch, tmp_path):
    """The command line, in a folder with a release in notebooks/ and a notebook in work/."""
    monkeypatch.setattr(environment, "enter", lambda extra, argv: None)
    monkeypatch.setattr(environment, "project_folder", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    put("notebooks/doubles/doubles.ipynb", raw(second()))
    put("work/doubles/doubles.ipynb", raw(changed(first(), double_task=WRITTEN)))
    return lambda *argv: run(list(map(str, argv)), [add_to])


def put(name, content):
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def everything():
    return {str(file): file.read_bytes() for file in Path().rglob("*") if file.is_file()}


def test_update_all_of_work(byhand, capsys):
    before = Path("work/doubles/doubles.ipynb").read_bytes()
    assert byhand("update") == 0
    assert Path(f"work/doubles/doubles.before-{TODAY}.ipynb").read_bytes() == before
    after = json.loads(Path("work/doubles/doubles.ipynb").read_text("utf-8"))
    assert after == changed(second(), double_task=WRITTEN)
    said = capsys.readouterr().out.replace(f"{Path.cwd()}/", "")
    assert said == (
        f"work/doubles/doubles.ipynb is updated; as it was, it stays in doubles.before-{TODAY}.ipynb.\n"
        "  double begins otherwise now; your answer stayed as it was.\n"
    )
    assert byhand("update") == 0
    assert capsys.readouterr().out.replace(f"{Path.cwd()}/", "") == "work/doubles/doubles.ipynb is up to date.\n"


def test_no_copy_of_the_same_day_is_overwritten(byhand):
    put(f"work/doubles/doubles.before-{TODAY}.ipynb", b"kept")
    assert byhand("update") == 0
    assert Path(f"work/doubles/doubles.before-{TODAY}.ipynb").read_bytes() == b"kept"
    assert Path(f"work/doubles/doubles.before-{TODAY}-2.ipynb").is_file()


def test_a_dry_run_writes_nothing(byhand, capsys):
    before = everything()
    assert byhand("update", "--dry-run") == 0
    assert byhand("reset", "work/doubles/doubles.ipynb", "double", "--dry-run") == 0
    assert everything() == before
    said = capsys.readouterr().out
    assert "doubles.ipynb would be updated.\n" in said
    assert said.endswith("double would be back at its start; what you wrote would stay below.\n")


def test_what_is_to_be_looked_at_has_its_own_exit_code(byhand, capsys):
    put("work/doubles/doubles.ipynb", raw(changed(first(), title="# Doubles\n\nTwo times, says Ada.")))
    assert byhand("update") == 3
    assert "your version stands behind it" in capsys.readouterr().out


def test_one_that_cannot_be_read_stops_no_other(byhand, capsys):
    broken = put("work/other/other.ipynb", b"{")
    assert byhand("update", broken, "work/doubles/doubles.ipynb") == 3
    assert byhand("update", broken) == 1
    assert byhand("update", "nowhere.ipynb") == 1
    assert byhand("update", "work") == 1
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "byhand: work/other/other.ipynb is of no unit that was released here: doubles."
    assert said[2] == "byhand: nowhere.ipynb cannot be read: No such file or directory."
    assert broken.read_bytes() == b"{"


def test_a_notebook_of_another_name_is_known_by_its_cells(byhand):
    file = put("mine/My copy (2).ipynb", raw(first()))
    assert byhand("update", file) == 0
    assert json.loads(file.read_text("utf-8"))["cells"] == second()["cells"]


def test_a_release_can_be_named(byhand, tmp_path):
    new = put("elsewhere/doubles.ipynb", raw(second()))
    Path("notebooks/doubles/doubles.ipynb").unlink()
    assert byhand("update", "work/doubles/doubles.ipynb") == 1
    assert byhand("update", "work/doubles/doubles.ipynb", "--release", new) == 0


def test_reset_from_the_command_line(byhand, capsys):
    file = Path("work/doubles/doubles.ipynb")
    put("notebooks/doubles/doubles.ipynb", raw(first()))
    assert byhand("reset", file) == 0
    assert capsys.readouterr().out == "double: written\nprose-1: as released\nids: as released\nhalf: as released\n"
    assert byhand("reset", file, "double") == 0
    assert capsys.readouterr().out == "double is back at its start; what you wrote stays below.\n"
    cells = json.loads(file.read_text("utf-8"))["cells"]
    assert [one["source"] for one in cells[2:4]] == [STUB, WRITTEN]
    assert byhand("reset", file, "double") == 0
    assert capsys.readouterr().out == "double is as it was released; nothing was changed.\n"
    assert byhand("reset", file, "nothing") == 1
    assert "There is no task 'nothing'." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["update", "reset", "try", "release"])
def test_help_ends_with_examples_and_exit_codes(byhand, capsys, command):
    with pytest.raises(SystemExit):
        byhand(command, "--help")
    said = capsys.readouterr().out
    assert f"examples:\n  byhand {command} " in said
    assert "--dry-run" in said
    assert "\nExit codes: 0 " in said


@pytest.mark.parametrize("module", ["update", "reset", "student_files", "commands"])
def test_a_student_needs_neither_nbgrader_nor_numpy_for_it(module):
    """Nor anything else that is installed."""
    code = (
        f"import sys, helpers.term.{module}; "
        "print(sorted({name.split('.')[0] for name in sys.modules} - sys.stdlib_module_names - {'__main__'}))"
    )
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(helpers.__file__).parents[1])
    assert done.stdout.strip() == "['helpers']"


# The marks tried


@pytest.fixture
def encoder(tmp_path, byhand):
    """The real encoder's release, as a student has it."""
    put("notebooks/encoder/encoder.ipynb", raw(released("encoder")))

    def tried(notebook, *more):
        put("encoder.ipynb", raw(notebook))
        before = everything()
        code = byhand("try", "encoder.ipynb", *more)
        assert everything() == before
        return code

    return tried


def test_try_with_the_release_alone(encoder, capsys):
    notebook = answered("encoder")
    cell(notebook, "softmax")["source"] = "def softmax(s):\n    e = np.exp(s)\n    return e / e.sum(axis=0)"
    cell(notebook, "prose-2")["source"] = released("encoder")["cells"][0]["source"][:20]
    notebook["cells"].remove(cell(notebook, "ffn"))
    assert encoder(notebook) == 0
    said = capsys.readouterr().out
    lines = said.splitlines()
    assert lines[0].split() == ["step", "points", "of"]
    assert [line.split()[:4] for line in lines if line.startswith(("shapes", "softmax", "ffn "))] == [
        ["shapes", "2", "2", "Right."],
        ["softmax", "0", "2", "81"],
        ["ffn", "0", "2", "Not"],
    ]
    assert "prose-2                     –   3  a person marks it; 5 words" in lines
    assert "encoder: " in said
    assert "as far as the checks in your notebook tell; marking tries more." in said
    assert "What would be repaired\n  Missing and put back as released: ffn." in said


def test_try_in_an_instructors_clone_uses_hidden_tests(encoder, capsys):
    put("solutions/encoder/encoder.ipynb", raw(unit("encoder").source))
    notebook = answered("encoder")
    # Right on the course's run, and on nothing else.
    cell(notebook, "xavier_limit")["source"] = (
        "def xavier_limit(m, n):\n    return {(8, 8): (6 / 16) ** 0.5}.get((m, n), 1.0)"
    )
    assert encoder(notebook) == 0
    said = capsys.readouterr().out
    assert "marking tries more" not in said
    row = next(line for line in said.splitlines() if line.startswith("xavier_limit"))
    assert float(row.split()[1]) < 2
    assert not Path(".byhand-secret").exists()


def test_try_without_a_sandbox(encoder, capsys, monkeypatch):
    from helpers.grading import places
    from helpers.grading.sandbox import NoSandbox, Sandbox

    def none(self):
        raise NoSandbox(places.why_not(1, "namespaces"))

    monkeypatch.setattr(Sandbox, "start", none)
    assert encoder(answered("encoder")) == 0
    assert " It ran without a sandbox: " in capsys.readouterr().out
    put("solutions/encoder/encoder.ipynb", raw(unit("encoder").source))
    assert encoder(answered("encoder")) == 1
    assert encoder(answered("encoder"), "--no-sandbox") == 0
