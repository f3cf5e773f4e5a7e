"""The real course's notebooks, as the tests read them."""

import ast
from pathlib import Path

import nbformat

from helpers.course.notebooks import units

PROJECT = Path(__file__).resolve().parents[2]
UNITS = units(PROJECT)
# Units in which numbers are written into boxes, and those in which functions are written.
HOMEWORKS = [unit for unit in UNITS if unit.startswith("homework_")]
LESSONS = [unit for unit in UNITS if unit not in HOMEWORKS]
# Lessons that print a whole pass, and end with a slip to find.
WHOLE_PASSES = ["encoder", "decoder", "hand_traces"]
# Answers that earn no points, and so have no graded check; by grade_id.
PRACTICE = {"slip"}


def solution(unit):
    return _read("solutions", unit)


def release(unit):
    return _read("notebooks", unit)


def _read(folder, unit):
    return nbformat.read(PROJECT / folder / unit / f"{unit}.ipynb", as_version=nbformat.NO_CONVERT)


def grading(cell):
    """What nbgrader knows of a cell; empty for an ordinary one."""
    return cell.metadata.get("nbgrader", {})


def answers(notebook):
    """grade_id → cell, for every cell that holds a student's code and is marked."""
    return {
        grading(cell).grade_id: cell
        for cell in notebook.cells
        if cell.cell_type == "code" and grading(cell).get("solution") and grading(cell).grade_id not in PRACTICE
    }


def practice(notebook):
    """grade_id → cell, for every answer that is looked at and earns nothing."""
    return {grading(cell).grade_id: cell for cell in notebook.cells if grading(cell).get("grade_id") in PRACTICE}


def checks(notebook):
    """grade_id → cell, for every cell that earns points by itself."""
    return {
        grading(cell).grade_id: cell
        for cell in notebook.cells
        if grading(cell).get("grade") and not grading(cell).get("solution")
    }


def prose(notebook):
    """grade_id → cell, for every answer in words."""
    return {
        grading(cell).grade_id: cell
        for cell in notebook.cells
        if cell.cell_type == "markdown" and grading(cell).get("solution")
    }


def functions(source):
    """Names of the functions that a cell defines."""
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def solution_lines(cell):
    """The lines between the solution marks; the whole cell if there are none."""
    if "### BEGIN SOLUTION" not in cell.source:
        return cell.source.splitlines()
    lines, inside = [], False
    for line in cell.source.splitlines():
        if "BEGIN SOLUTION" in line or "END SOLUTION" in line:
            inside = "BEGIN" in line
        elif inside:
            lines.append(line)
    return lines


def text_outputs(cell):
    """Everything plain that a cell printed or showed."""
    return [
        output.text if output.output_type == "stream" else output.data.get("text/plain", "")
        for output in cell.get("outputs", [])
        if output.output_type != "error"
    ]
