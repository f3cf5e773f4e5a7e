"""Notebooks executed in a fresh kernel and written so that the same content always gives the same bytes."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from traitlets import default

from helpers.errors import PlainError

SECONDS_PER_CELL = 120
KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
}
LIVE = "application/vnd.jupyter.widget-view+json"
# What editors and kernels note in a cell about one occasion.
PASSING = {"ExecuteTime", "collapsed", "execution", "scrolled", "trusted"}


class _ThisPython(KernelSpecManager):
    """Knows one kernel, the running interpreter, whatever is called python3 elsewhere on the machine."""

    def get_kernel_spec(self, kernel_name):
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
        return KernelSpec(argv=argv, display_name="Python 3", language="python")


class _ThisPythonsKernel(AsyncKernelManager):
    @default("kernel_spec_manager")
    def _only_this_python(self):
        return _ThisPython(parent=self)


def read(path: Path) -> NotebookNode:
    """Read a notebook of format 4; cells without an id get one that depends on their content only."""
    try:
        notebook = nbformat.reader.reads(path.read_text(encoding="utf-8"))
    except nbformat.reader.NotJSONError:
        raise PlainError(f"{path} is not a notebook: it is not valid JSON.") from None
    if notebook.get("nbformat") != 4:
        raise PlainError(f"{path} is a notebook of format {notebook.get('nbformat')}; 4 is expected.")
    notebook.nbformat_minor = 5
    _give_ids(notebook.cells)
    return notebook


def _give_ids(cells: list[NotebookNode]) -> None:
    taken = {cell["id"] for cell in cells if "id" in cell}
    for cell in cells:
        number = 0
        while "id" not in cell:
            proposal = hashlib.sha256(f"{number} {cell.source}".encode()).hexdigest()[:8]
            number += 1
            if proposal not in taken:
                cell["id"] = proposal
                taken.add(proposal)


def execute(path: Path, timeout: int = SECONDS_PER_CELL) -> NotebookNode:
    """Run a notebook from top to bottom in its own folder; return it executed and normalised.

    Raises PlainError, naming the cell, when one fails, takes longer than `timeout` seconds or writes to
    stderr (warnings carry paths and line numbers that differ between machines).
    """
    notebook = read(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        kernel_manager_class=_ThisPythonsKernel,
        timeout=timeout,
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    started = 0

    def note(cell, cell_index):
        nonlocal started
        started = cell_index

    client.on_cell_execute = note
    with tempfile.TemporaryDirectory() as settings:
        try:
            client.execute(env=_kernel_environment(settings))
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise PlainError(f"{cell_name(path, notebook, started)}: {_why(error, timeout)}.") from error
    normalise(notebook)
    _refuse_stderr(path, notebook)
    return notebook


def _kernel_environment(settings: str) -> dict[str, str]:
    """The caller's environment without personal settings that would show in the outputs."""
    environment = {key: value for key, value in os.environ.items() if key not in {"MPLBACKEND", "PYTHONWARNINGS"}}
    return environment | {"IPYTHONDIR": settings, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def _why(error: Exception, timeout: int) -> str:
    """One line on what stopped a cell."""
    if isinstance(error, CellTimeoutError):
        return f"still running after {timeout} s"
    if isinstance(error, DeadKernelError):
        return "the kernel died"
    first = (error.evalue.strip().splitlines() or [""])[0].rstrip(".")
    return f"{error.ename}: {first}"


def cell_name(path: Path, notebook: NotebookNode, index: int) -> str:
    """How messages name a cell: file, number counted from 1, and id."""
    cell = notebook.cells[index]
    name = cell.metadata.get("nbgrader", {}).get("grade_id") or cell["id"]
    return f"{path.parent.name}/{path.name}, cell {index + 1} ({name})"


def _refuse_stderr(path: Path, notebook: NotebookNode) -> None:
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                first = output.text.strip().splitlines()[0] if output.text.strip() else ""
                raise PlainError(f"{cell_name(path, notebook, index)}: wrote to stderr: {first}")


def normalise(notebook: NotebookNode) -> None:
    """Remove from an executed notebook, in place, all that differs between two runs of the same cells."""
    notebook.metadata["kernelspec"] = dict(KERNELSPEC)
    notebook.metadata["language_info"] = dict(LANGUAGE)
    notebook.metadata.pop("widgets", None)
    count = 0
    for cell in notebook.cells:
        for key in PASSING:
            cell.metadata.pop(key, None)
        if cell.cell_type != "code":
            continue
        if cell.execution_count is not None:
            count += 1
            cell.execution_count = count
        cell.outputs = _merge_streams([output for output in map(_still, cell.outputs) if output is not None])
        for output in cell.outputs:
            if "metadata" in output:
                output.metadata = NotebookNode()
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count


def _still(output: NotebookNode) -> NotebookNode | None:
    """An output without its widget, which shows nothing without the kernel that made it; None if nothing is left."""
    data = output.get("data", {})
    if LIVE not in data:
        return output
    del data[LIVE]
    # What ipywidgets itself writes beside a widget is its name; a card gives its first state as HTML.
    return output if "text/html" in data else None


def _merge_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """A kernel sends what is printed in chunks of its own choosing: join neighbours of the same stream."""
    merged: list[NotebookNode] = []
    for output in outputs:
        before = merged[-1] if merged else None
        if before and output.output_type == before.output_type == "stream" and output.name == before.name:
            before.text += output.text
        else:
            merged.append(output)
    return merged


def to_bytes(notebook: NotebookNode) -> bytes:
    """The one way a notebook is written: sorted keys, indent 1, UTF-8, a newline at the end."""
    return (nbformat.writes(notebook, version=nbformat.NO_CONVERT).rstrip("\n") + "\n").encode()


def holds(path: Path, content: bytes) -> bool:
    """Whether a file is there and holds just that."""
    return path.is_file() and path.read_bytes() == content


def write_if_changed(path: Path, content: bytes) -> bool:
    """Write a file unless it already holds just that; return whether it was written."""
    if holds(path, content):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True
