"""What nbgrader's own feedback leaves out: hidden tests, mark schemes, and whatever hidden tests show.

A notebook that `byhand grade` marked holds none of it. One that `nbgrader autograde` marked does: there the hidden
lines stand in the cells again, and an error's traceback quotes them.
"""

from __future__ import annotations

import re

from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution, is_task

from helpers.grading.markers_notes import WithoutMarkersNotes
from helpers.grading.texts import with_pictures
from helpers.term.verdicts import is_verdict, without_hidden

LEFT_OUT = "This test has parts that are not shown, so what it printed is left out."
FAILED = "A test failed."


class HideHidden(NbGraderPreprocessor):
    """Takes out of a marked notebook what students must not see, before it becomes a page."""

    def preprocess_cell(self, cell, resources, cell_index):
        """Clear one cell; of a student's own cells only pictures that are not there are left out."""
        if cell.cell_type == "markdown":
            cell.source, pictures = with_pictures(cell.source, cell.get("attachments", {}))
            if pictures:
                cell.attachments = pictures
        if not is_task(cell) and (not is_grade(cell) or is_solution(cell)):
            return cell, resources
        shown = without_hidden(cell.source)
        if shown != cell.source:
            cell.source = shown
            if cell.cell_type == "code":
                cell.outputs = [one for output in cell.outputs for one in _without_hidden(output)]
        return cell, resources


def _without_hidden(output):
    """What of an output of a cell with hidden lines may be shown."""
    if output.output_type == "error":
        output.ename, output.evalue, output.traceback = "", FAILED, [FAILED]
        yield output
    elif output.output_type == "stream":
        output.text = LEFT_OUT
        yield output
    elif is_verdict(output) or _is_number(output.get("data", {}).get("text/plain", "")):
        # The verdict of a check, and the number of points in which a test ends.
        yield output


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", text.strip()) is not None


def preprocessors() -> list[type]:
    """The steps of generate_feedback; first, what is for whoever marks and hidden tests are taken out."""
    return [WithoutMarkersNotes, HideHidden, *GenerateFeedback.preprocessors.default()]
