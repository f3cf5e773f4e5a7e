"""The copy in work/: everything new arrives, nothing that is there changes."""

import json
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from support import plain_error
from traitlets.utils.importstring import import_item

from helpers.course import commands, environment, lab

NAMES = st.sampled_from(["a", "b", "encoder", "encoder.ipynb", "ä ö.txt"])
TREES = st.dictionaries(st.lists(NAMES, min_size=1, max_size=3).map(tuple), st.binary(max_size=8), max_size=8)


def plant(folder, tree):
    """Write a tree of files; a path that needs a folder where a file is, or the reverse, is left out."""
    folder.mkdir()
    for parts, content in tree.items():
        path = folder.joinpath(*parts)
        if any(parent.is_file() for parent in path.parents) or path.is_dir():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def files(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@settings(deadline=None, max_examples=150)
@given(release=TREES, work=TREES)
def test_a_copy_never_overwrites(release, work):
    with tempfile.TemporaryDirectory() as scratch:
        source, target = Path(scratch) / "release", Path(scratch) / "work"
        plant(source, release)
        plant(target, work)
        offered, before = files(source), files(target)
        copied = lab.copy_release(source, target)
        after = files(target)
        assert files(source) == offered
        assert {name: after[name] for name in before} == before
        assert after.keys() == before.keys() | set(copied.added)
        assert all(after[name] == offered[name] for name in copied.added)
        assert set(copied.added) | set(copied.kept) == offered.keys()
        assert before.keys().isdisjoint(copied.added)
        assert lab.copy_release(source, target) == lab.Copied([], sorted(offered))


def test_what_an_editor_leaves_behind_is_not_copied(tmp_path):
    plant(tmp_path / "release", {("encoder", "encoder.ipynb"): b"1", ("encoder", ".ipynb_checkpoints", "x"): b"2"})
    assert lab.copy_release(tmp_path / "release", tmp_path / "work").added == [Path("encoder/encoder.ipynb")]


@pytest.fixture
def started(monkeypatch, tmp_path):
    """Run in an empty folder; the command that would take over is kept instead."""
    handed = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab, "hand_over", lambda command, env: handed.append((command, env)))
    monkeypatch.setattr(environment, "enter", lambda extra, argv: handed.append((extra, argv)))
    monkeypatch.setattr(environment, "project_folder", lambda: tmp_path)
    return handed


def test_lab_copies_and_opens_the_lesson(started, tmp_path, capsys):
    plant(tmp_path / "notebooks", {("encoder", "encoder.ipynb"): b"1", ("encoder", "words.txt"): b"2"})
    argv = ["lab", "encoder", "--no-browser", "--port", "8890", "--", "--ServerApp.token=x"]
    assert commands.run(argv) == 0
    (extra, raw), (command, env) = started
    assert (extra, raw) == ("lab", argv)
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert f"--ServerApp.root_dir={tmp_path / 'work'}" in command
    assert "--LabApp.default_url=/lab/tree/encoder/encoder.ipynb" in command
    assert {"--no-browser", "--port=8890", "--ServerApp.token=x"} <= set(command)
    assert env["JUPYTER_PREFER_ENV_PATH"] == "1"
    assert "2 files added, 0 files kept as found" in capsys.readouterr().out


def test_lab_keeps_what_the_student_wrote_and_says_so(started, tmp_path, capsys):
    plant(tmp_path / "notebooks", {("encoder", "encoder.ipynb"): b"new", ("encoder", "more.txt"): b"2"})
    plant(tmp_path / "work", {("encoder", "encoder.ipynb"): b"mine"})
    assert commands.run(["lab"]) == 0
    assert (tmp_path / "work/encoder/encoder.ipynb").read_bytes() == b"mine"
    assert "1 file added, 1 file kept as found" in capsys.readouterr().out


def test_lab_lands_on_the_page_that_leads_to_all_lessons(started, tmp_path):
    plant(tmp_path / "notebooks", {("encoder", "encoder.ipynb"): b"1", ("index.ipynb",): b"2"})
    assert commands.run(["lab"]) == 0
    assert "--LabApp.default_url=/lab/tree/index.ipynb" in started[1][0]


def test_lab_without_notebooks_says_where_it_looked(started, tmp_path, capsys):
    assert commands.run(["lab"]) == 1
    assert str(tmp_path / "notebooks") in capsys.readouterr().err
    with plain_error("notebooks"):
        commands._release_folder()


def test_lab_opens_the_folder_when_the_unit_is_unknown(started, tmp_path, capsys):
    plant(tmp_path / "notebooks", {("encoder", "encoder.ipynb"): b"1"})
    assert commands.run(["lab", "decoder"]) == 0
    assert "--LabApp.default_url=/lab" in started[1][0]
    assert "there is no decoder/decoder.ipynb" in capsys.readouterr().out


def test_a_kernels_answers_go_out_at_once(tmp_path, monkeypatch):
    """Without it a second small answer waits until the browser has said that it has the first."""
    option = next(part for part in lab.lab_command(tmp_path) if "websocket_connection_class" in part)
    connection = import_item(option.partition("=")[2])
    done = []
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", lambda self: done.append("connected"))
    made, handler = connection.__new__(connection), KernelWebsocketHandler.__new__(KernelWebsocketHandler)
    handler.set_nodelay = done.append
    made.websocket_handler = handler
    made.connect()
    assert done == [True, "connected"]


def test_a_notebook_that_was_begun_on_an_older_release_is_named(tmp_path):
    numbers = {"release": {"a": 2, "b": 1, "c": 3, "odd": 2, "new": 2}, "work": {"a": 1, "b": 1, "c": 3, "odd": "x"}}
    for folder, notebooks in numbers.items():
        for name, number in notebooks.items():
            file = tmp_path / folder / name / f"{name}.ipynb"
            file.parent.mkdir(parents=True)
            file.write_text(json.dumps({"metadata": {"byhand": {"release": number}}}))
    (tmp_path / "work" / "odd" / "odd.ipynb").write_text("{")
    older = lab.begun_on_older(tmp_path / "release", tmp_path / "work")
    assert older == [Path("a/a.ipynb"), Path("odd/odd.ipynb")]
