"""Runs each stand-alone notebook, as given out and with the model answers, in an empty folder and with this Python.

    python tests/bundle/run_alone.py FOLDER missing=matplotlib,ipywidgets numpy=2.0.2 ...

Needs nbclient besides what is to be tried. Every check must earn all of its points, or none while nothing is written;
no cell may fail or warn; what is `missing` must be told where it is needed and nowhere else; and what is installed must
be just the same afterwards, with the versions that are named. The whole of tox's environments without an extra is this.
"""

import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

import nbformat
from nbclient import NotebookClient

PROJECT = Path(__file__).resolve().parents[2]
UNITS = ("encoder", "decoder", "hand_traces", "homework_encoder", "homework_translation")
# What is said where something is missing → the package that it is.
TOLD = {"To see the picture,": "matplotlib", "This card stands still:": "ipywidgets", "To choose here,": "ipywidgets"}
AT_ONCE = 2
# Kernels say what debuggers miss; nobody debugs here.
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"


def installed():
    return sorted(f"{one.metadata['Name'].lower().replace('_', '-')}=={one.version}" for one in distributions())


def grading(cell):
    return cell.metadata.get("nbgrader", {})


def answered(notebook, unit):
    """The notebook with the answers of the solutions, cells named alike."""
    source = nbformat.read(PROJECT / "solutions" / unit / f"{unit}.ipynb", as_version=nbformat.NO_CONVERT)
    answers = {grading(cell).grade_id: cell.source for cell in source.cells if grading(cell).get("solution")}
    for cell in notebook.cells:
        if grading(cell).get("solution"):
            cell.source = answers[grading(cell).grade_id]
    return notebook


def run(file, solved):
    """Execute one notebook where nothing else is; (points, complaints)."""
    notebook = nbformat.read(file, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    if solved:
        answered(notebook, file.stem)
    with tempfile.TemporaryDirectory() as empty:
        resources = {"metadata": {"path": empty}}
        NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True, resources=resources).execute()
    points, wrong = 0.0, []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        name = grading(cell).get("grade_id") or cell.id
        for out in cell.outputs:
            if out.output_type == "error":
                wrong.append(f"{name}: {out.ename}: {out.evalue}")
            if out.get("name") == "stderr":
                wrong.append(f"{name}: it wrote to stderr: {out.text}")
        if grading(cell).get("grade"):
            earned = cell.outputs[-1].get("data", {}).get("text/plain") if cell.outputs else None
            wanted = grading(cell).points if solved else 0
            if earned is None or float(earned) != wanted:
                wrong.append(f"{name}: {earned} of {wanted} points")
            points += float(earned or 0)
    return points, [*wrong, *untold(notebook)]


def untold(notebook):
    """What was not said although it is missing, or said although it is there."""
    shown = "\n".join(str(out.get("data", "")) for cell in notebook.cells for out in cell.get("outputs", ()))
    sources = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    asked = {"matplotlib": "show_waves(", "ipywidgets": "worksheet_card("}
    for line, package in TOLD.items():
        if line in shown and find_spec(package):
            yield f"it says {line!r} although {package} is installed"
    for package, call in asked.items():
        lines = [line for line, needed in TOLD.items() if needed == package]
        if not find_spec(package) and call in sources and not any(line in shown for line in lines):
            yield f"it does not say that {package} is missing"


def main(folder, *expected):
    before = installed()
    wanted = dict(one.split("=", 1) for one in expected)
    missing = list(filter(None, wanted.pop("missing", "").split(",")))
    wrong = [f"{name} is installed" for name in [*missing, "nbgrader", "transformer-by-hand"] if has(before, name)]
    wrong += [f"{name} is not {version}" for name, version in wanted.items() if f"{name}=={version}" not in before]
    print(f"Python {sys.version.split()[0]},", *(one for one in before if one.split("==")[0] in {"numpy", *wanted}))
    tasks = [(Path(folder) / f"{unit}.ipynb", solved) for unit in UNITS for solved in (False, True)]
    started = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for (file, solved), (points, complaints) in zip(tasks, pool.map(lambda task: run(*task), tasks)):  # noqa: B905
            how = "with the model answers" if solved else "as given out"
            print(f"{file.stem}, {how}: {points:g} points", flush=True)
            wrong += [f"{file.name}: {complaint}" for complaint in complaints]
    if installed() != before:
        wrong.append(f"what is installed was changed: {sorted(set(installed()) ^ set(before))}")
    print(f"{len(tasks)} notebooks in {time.monotonic() - started:.0f} s")
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


def has(before, name):
    return any(one.startswith(f"{name}==") for one in before)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
