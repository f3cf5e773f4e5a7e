"""What nbgrader puts in the place of an answer: a stub in a function, nothing where a box of dots stands above it."""

from __future__ import annotations

import re

from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearSolutions


class ClearBoxes(ClearSolutions):
    """nbgrader's own, but a solution at the left edge of a cell goes without a stub.

    What stands above it stays and is the student's empty box, so that running all cells always reaches the end.
    A cell that would be left with nothing gets the stub after all.
    """

    def _replace_solution_region(self, cell, language):
        begin, end = re.escape(self.begin_solution_delimeter), re.escape(self.end_solution_delimeter)
        within = rf"(?:(?!.*(?:{begin}|{end})).*\n)*"
        box, regions = re.subn(rf"(?m)^(?=\S).*{begin}.*\n{within}.*{end}.*(?:\n|\Z)", "", cell.source)
        if cell.cell_type != "code" or not regions or not box.strip():
            return super()._replace_solution_region(cell, language)
        cell.source = box.rstrip()
        super()._replace_solution_region(cell, language)
        return True


def preprocessors() -> list[type]:
    """The steps of generate_assignment, with ClearBoxes in the place of nbgrader's ClearSolutions."""
    steps = GenerateAssignment.preprocessors.default()
    return [ClearBoxes if step is ClearSolutions else step for step in steps]
