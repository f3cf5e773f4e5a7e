"""nbgrader's settings for this course: answers in solutions/, the student release in notebooks/."""

from helpers.course.clear import preprocessors
from helpers.grading.markers_notes import MarkersNotes
from helpers.term.hide import preprocessors as feedback_preprocessors

c = get_config()  # noqa: F821 (nbgrader provides it)

c.CourseDirectory.course_id = "transformer-by-hand"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.ignore = [
    ".ipynb_checkpoints",
    "__pycache__",
    "*.pyc",
    ".DS_Store",
    ".nbgrader.log",
]

# Boxes of the homework keep their dots; everything else is released as nbgrader does it.
c.GenerateAssignment.preprocessors = preprocessors()

# The message is what a check recognises as "not written yet", so the two must agree.
c.ClearSolutions.code_stub = {"python": '# YOUR CODE HERE\nraise NotImplementedError("not written yet")'}
c.ClearSolutions.text_stub = "Write your answer here."

# formgrader shows whoever marks the model answers. Feedback is made by the same exporter, and holds neither them nor
# the hidden tests that nbgrader autograde puts back into the cells.
c.HTMLExporter.preprocessors = [MarkersNotes]
c.GenerateFeedback.preprocessors = feedback_preprocessors()

# Seconds a single cell may take.
c.Execute.timeout = 120
