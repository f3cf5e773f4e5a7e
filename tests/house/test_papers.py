"""The papers of a public house: what they say of version, commands and licence holds."""

import json
import re

import helpers
from helpers.course import environment

PROJECT = environment.PACKAGE.parent


def read(name):
    return (PROJECT / name).read_text(encoding="utf-8")


def test_the_citation_names_the_version_and_the_licence():
    text = read("CITATION.cff")
    assert f"version: {helpers.__version__}\n" in text
    assert "license: MIT\n" in text
    assert "cff-version: 1.2.0" in text


def test_the_changelog_begins_with_what_is_unreleased_and_knows_this_version():
    heads = re.findall(r"^## (.*)$", read("CHANGELOG.md"), re.MULTILINE)
    assert heads[0] == "Unreleased"
    assert helpers.__version__ in heads


def test_github_runs_what_ci_runs():
    workflow = read(".github/workflows/ci.yml")
    assert "- run: .ci/run\n" in workflow
    assert "timeout-minutes: 90" in workflow
    ours = read(".ci/run")
    assert re.search(r"^make test\nmake test-all\n?$", ours, re.MULTILINE)


def test_the_container_makes_what_the_readme_makes():
    lines = [
        line for line in read(".devcontainer/devcontainer.json").splitlines() if not line.lstrip().startswith("//")
    ]
    container = json.loads("\n".join(lines))
    assert container["postCreateCommand"].endswith("python3 -m helpers setup dev")
