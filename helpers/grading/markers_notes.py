"""What formgrader shows whoever marks by hand, below an answer in words: the model answer, and what earns a point.

The notes stand in no file. They are put in when formgrader makes its page, from the course's solutions, so that
autograded/ and everything made of it, feedback above all, never holds them. Each is a cell that says
`byhand: {"for": "marker"}` in its metadata; `without_markers_notes` takes out whatever says so, as a second lock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode, from_dict
from nbgrader.utils import is_grade, is_solution

from helpers.course.execute import read
from helpers.course.release import CONFIG, course_directory, read_config
from helpers.errors import PlainError

KEY, FOR_MARKER = "byhand", {"for": "marker"}
_CLAUSE = re.compile(r"^\d+\. ", re.MULTILINE)
# formgrader's page has these classes (Bootstrap 3); a blank line ends HTML, so that what follows is read as Markdown.
_NOTE = """\
<div class="panel panel-info byhand-marker" role="note" aria-label="Model answer">
<div class="panel-heading"><strong>Model answer.</strong> {scheme} Students never see this box.</div>
<div class="panel-body">

{answer}

</div>
</div>"""


class MarkersNotes(Preprocessor):
    """Puts the notes into the page of one submission that formgrader makes, and into nothing else."""

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Return the notebook with notes if formgrader asks, or as it is."""
        # Only formgrader's own handler says these three; nbgrader's feedback is made by the same exporter.
        if not all(resources.get(name) for name in ("submission_id", "notebook_path", "assignment_id")):
            return notebook, resources
        folder = Path(resources["metadata"]["path"])
        return with_markers_notes(notebook, folder, resources["assignment_id"], resources["notebook_id"]), resources


class WithoutMarkersNotes(Preprocessor):
    """Takes the notes out of whatever students are given."""

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Return the notebook without notes."""
        return without_markers_notes(notebook), resources


def with_markers_notes(notebook: NotebookNode, folder: Path, unit: str, name: str) -> NotebookNode:
    """Return the notebook with a note after each answer that a person marks.

    folder: where the notebook lies, somewhere below the course's own folder.
    """
    try:
        source = _source(folder, unit, name)
        models = {cell.metadata.nbgrader.grade_id: cell for cell in source.cells if _is_marked_by_hand(cell)}
    except (PlainError, OSError) as error:
        models, reason = {}, str(error)
    else:
        reason = f"The solution of {unit} has no answer of this name."
    cells = []
    for cell in without_markers_notes(notebook).cells:
        cells.append(cell)
        if _is_marked_by_hand(cell):
            grade_id = cell.metadata.nbgrader.grade_id
            model = models.get(grade_id)
            text = _note(model) if model else _NOTE.format(scheme="It could not be found.", answer=reason)
            cells.append(_note_cell(grade_id, text))
    return from_dict({**notebook, "cells": cells})


def without_markers_notes(notebook: NotebookNode) -> NotebookNode:
    """Return the notebook without the cells that are for whoever marks; an answer or a test always stays."""
    kept = [cell for cell in notebook.cells if "nbgrader" in cell.metadata or not _is_note(cell)]
    return from_dict({**notebook, "cells": kept})


def _is_note(cell: NotebookNode) -> bool:
    ours = cell.metadata.get(KEY)
    return isinstance(ours, dict) and ours.get("for") == FOR_MARKER["for"]


def _is_marked_by_hand(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and is_grade(cell) and is_solution(cell)


def _source(folder: Path, unit: str, name: str) -> NotebookNode:
    """The notebook with the model answers, found from a folder of the course."""
    root = next(_courses_above(folder), None)
    if root is None:
        raise PlainError(f"No folder above {folder} has a {CONFIG}.")
    course = course_directory(root, read_config(root))
    return read(Path(course.format_path(course.source_directory, ".", unit)) / f"{name}.ipynb")


def _courses_above(folder: Path) -> Iterator[Path]:
    return (above for above in folder.resolve().parents if (above / CONFIG).is_file())


def _note(model: NotebookNode) -> str:
    points = float(model.metadata.nbgrader.points)
    each = len(_CLAUSE.findall(model.source)) == points
    scheme = "One point for each numbered statement, in whatever words: " if each else ""
    return _NOTE.format(scheme=f"{scheme}{points:g} points in all.", answer=model.source.strip())


def _note_cell(grade_id: str, text: str) -> NotebookNode:
    metadata = {KEY: FOR_MARKER, "editable": False}
    return from_dict({"cell_type": "markdown", "id": f"{grade_id}-model", "metadata": metadata, "source": text})
