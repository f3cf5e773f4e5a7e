"""What VS Code finds in the folder: in the zip, and in a clone."""

import json

import nbformat
import pytest
from course_units import PROJECT, UNITS

from helpers.bundle.archives import unzipped
from helpers.bundle.make import ROOT, ZIP
from helpers.bundle.vscode import SIGNS, vscode_files


@pytest.fixture(scope="module")
def folder(made):
    """Path below the unzipped folder → content."""
    return {name.removeprefix(f"{ROOT}/"): content for name, content in unzipped(made[ZIP]).items()}


def allowed(content):
    return json.loads(content)[SIGNS]


def test_no_sign_in_the_code_of_a_notebook_is_framed_as_if_it_were_another(folder):
    signs = set()
    for unit in UNITS:
        cells = nbformat.reads(folder[f"{unit}/{unit}.ipynb"].decode(), as_version=4).cells
        signs |= {sign for cell in cells if cell.cell_type == "code" for sign in cell.source if ord(sign) > 127}
    assert {"×", "\N{MINUS SIGN}", "√"} <= signs
    assert allowed(folder[".vscode/settings.json"]) == dict.fromkeys(signs, True)


@pytest.mark.parametrize("name", ["settings", "extensions"])
def test_a_clone_has_what_the_zip_has(folder, name):
    there = json.loads((PROJECT / ".vscode" / f"{name}.json").read_text(encoding="utf-8"))
    given = json.loads(folder[f".vscode/{name}.json"])
    assert {key: there[key] for key in given} == given, f"copy .vscode/{name}.json from the zip of byhand bundle"


def test_the_extensions_are_those_of_the_container(folder):
    container = (PROJECT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    wanted = json.loads(folder[".vscode/extensions.json"])["recommendations"]
    assert len(wanted) == 2
    assert all(f'"{extension}"' in container for extension in wanted)


def test_signs_come_from_code_alone_and_in_order():
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell('print("3 × 4", "√2")'),
            nbformat.v4.new_markdown_cell("Größe – hier"),
            nbformat.v4.new_code_cell('print("ä × x")'),
        ]
    )
    files = vscode_files([notebook])
    assert list(allowed(files[".vscode/settings.json"])) == ["×", "ä", "√"]
    assert list(allowed(vscode_files([])[".vscode/settings.json"])) == []
