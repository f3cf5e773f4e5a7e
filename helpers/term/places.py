"""Where a course lies, for commands that are told it or not."""

from __future__ import annotations

from pathlib import Path

from helpers.course import environment


def course_folder(given: Path | None) -> Path:
    """The folder that was named; else the one where the command was given, if it is a course, else the clone."""
    if given is not None:
        return given.resolve()
    here, project = Path.cwd(), environment.project_folder()
    return here if (here / "nbgrader_config.py").is_file() or project is None else project
