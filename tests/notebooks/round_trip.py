"""One unit released, handed in and autograded with nbgrader's own commands, and our marks beside."""

import shutil
import subprocess
import sys

import nbformat
from course_units import PROJECT
from handing_in import marker, of_tests, unit
from nbgrader.api import Gradebook


def run_nbgrader(course, *arguments):
    result = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments], cwd=course, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result


def hand_in_and_mark(course, name, submissions):
    """Release a unit in an empty folder, hand in each student's notebook, and return nbgrader's marks."""
    shutil.copyfile(PROJECT / "nbgrader_config.py", course / "nbgrader_config.py")
    shutil.copytree(PROJECT / "solutions" / name, course / "solutions" / name)
    run_nbgrader(course, "generate_assignment", name)
    for student, notebook in submissions.items():
        folder = course / "submitted" / student / name
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{name}.ipynb")
    run_nbgrader(course, "autograde", name)
    return Marks(course, name)


def assert_marked_alike(theirs, submissions):
    """Our marker gives each submission nbgrader's points, cell by cell, and leaves the same words for a person."""
    with marker() as mark:
        for student, notebook in submissions.items():
            ours = mark(theirs.unit, nbformat.writes(notebook).encode(), student)
            assert of_tests(unit(theirs.unit), ours) == theirs.points[student], student
            by_hand = {name for name, needed in theirs.needs_hand[student].items() if needed}
            assert {*ours.by_hand} == by_hand, student


class Marks:
    """What the gradebook holds after autograding one unit."""

    def __init__(self, course, unit):
        self.unit, self.course = unit, course
        self.points, self.needs_hand = {}, {}
        with Gradebook(f"sqlite:///{course}/gradebook.db", "transformer-by-hand") as gradebook:
            for submission in gradebook.assignment_submissions(unit):
                grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
                student = submission.student.id
                self.points[student] = {g.name: g.score for g in grades if g.cell.cell_type == "code"}
                self.needs_hand[student] = {g.name: g.needs_manual_grade for g in grades if g.cell.cell_type != "code"}
                self.possible = {g.name: g.max_score for g in grades if g.cell.cell_type == "code"}

    def notebook(self, student):
        """A student's notebook as it was graded."""
        return nbformat.read(self.course / "autograded" / student / self.unit / f"{self.unit}.ipynb", as_version=4)

    def released(self):
        """The release that nbgrader made, as bytes."""
        return (self.course / "notebooks" / self.unit / f"{self.unit}.ipynb").read_bytes()


def errors(notebook):
    """Ids of the cells that ended in an error."""
    return [cell.id for cell in notebook.cells if any(o.output_type == "error" for o in cell.get("outputs", []))]
