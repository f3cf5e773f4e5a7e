"""What the doctor finds, and what it tells to type."""

import importlib.metadata
import re

import pytest

from helpers.course import environment
from helpers.house import doctor

PROJECT = environment.PACKAGE.parent


def found(missing=(), sandbox="", monkeypatch=None, project=PROJECT, inner=None):
    real = importlib.metadata.version

    def version(name):
        if name in missing:
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(doctor.importlib.metadata, "version", version)
    monkeypatch.setattr(doctor.environment, "project_folder", lambda: project)
    monkeypatch.setattr(doctor, "inner_python", lambda: inner)
    return {finding.what: finding for finding in doctor.examine(lambda: sandbox)}


def test_all_is_well(monkeypatch):
    findings = found(monkeypatch=monkeypatch, inner=PROJECT)
    assert {findings[extra].state for extra in doctor.PARTS} == {"ok"}
    assert re.search(r"numpy \d+\.\d+", findings["core"].said)
    assert findings["sandbox"].state == "ok"
    assert doctor.code(list(findings.values())) == 0


@pytest.mark.parametrize(
    ("project", "inner", "state", "typed"),
    [
        (PROJECT, PROJECT, "broken", "python3 -m helpers setup lab"),
        (PROJECT, None, "missing", "python3 -m helpers setup lab"),
        (None, None, "broken", 'pip install "transformer-by-hand[lab]"'),
    ],
)
def test_what_is_missing_is_named_with_what_to_type(project, inner, state, typed, monkeypatch):
    findings = found(["ipywidgets"], monkeypatch=monkeypatch, project=project, inner=inner)
    assert findings["lab"].state == state
    assert "ipywidgets not installed" in findings["lab"].said
    assert findings["lab"].fix == typed
    assert doctor.code(list(findings.values())) == (state == "broken")
    assert f"type: {typed}" in doctor.text(list(findings.values()))


def test_what_only_instructors_need_stops_no_student(monkeypatch):
    findings = found(["nbgrader", "tox"], monkeypatch=monkeypatch, inner=PROJECT)
    assert findings["instructor"].state == findings["dev"].state == "missing"
    assert "sandbox" not in findings
    assert doctor.code(list(findings.values())) == 0


def test_why_there_is_no_sandbox_is_said_as_the_sandbox_says_it(monkeypatch):
    findings = found(sandbox="User namespaces are switched off.", monkeypatch=monkeypatch)
    assert (findings["sandbox"].state, findings["sandbox"].said) == ("missing", "User namespaces are switched off.")


def test_the_parts_are_those_of_the_project_and_name_what_it_asks_for():
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    for extra, (_, names) in doctor.PARTS.items():
        block = re.search(rf"^{'dependencies' if extra == 'core' else extra} = \[(.*?)\]$", text, re.M | re.S)[1]
        for name in names:
            assert re.search(rf'"{name}[<>=]', block), (extra, name)
