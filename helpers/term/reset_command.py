"""`byhand reset`: one task back to its start."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from helpers.errors import PlainError

EPILOG = """\
examples:
  byhand reset work/encoder/encoder.ipynb              list its tasks
  byhand reset work/encoder/encoder.ipynb softmax      back to how it was released
  byhand reset work/encoder/encoder.ipynb softmax --dry-run

What you wrote stays in a cell below, as plain text that nothing runs; delete it when you no longer need it. Nothing
else in the notebook changes. Save and close it in JupyterLab first, and open it again afterwards.

Exit codes: 0 done or nothing to do, 1 told why nothing was done, 2 wrong usage.
"""


def add_to(command: Callable) -> None:
    """Add the command to the command line."""
    sub = command(reset, "take one task of your notebook back to its start")
    add = sub.add_argument
    add("file", type=Path, metavar="FILE", help="your notebook")
    add("task", nargs="?", metavar="TASK", help="the task, such as softmax (default: list all)")
    add("--release", type=Path, metavar="PATH", help="the release: a notebook, or a folder (default: notebooks/)")
    add("--dry-run", action="store_true", help="say what would happen and write nothing")
    sub.formatter_class = argparse.RawDescriptionHelpFormatter
    sub.epilog = EPILOG


def reset(arguments: argparse.Namespace, argv: list[str]) -> int:
    """Reset one task, or list all."""
    from helpers.term.reset import place_of, tasks_of
    from helpers.term.reset import reset as begin_again
    from helpers.term.student_files import read_file, released_for, replace_file
    from helpers.term.update import written

    raw = read_file(arguments.file)
    release = released_for(arguments.file, raw, arguments.release).notebook
    if arguments.task is None:
        for task in tasks_of(raw, release):
            print(f"{task.name}: {task.state}")
        return 0
    done = begin_again(raw, release, arguments.task)
    cell = release["cells"][place_of(arguments.task, release)]
    name = cell["metadata"]["nbgrader"]["grade_id"]
    if done.same:
        print(f"{name} is as it was released; nothing was changed.")
        return 0
    if not arguments.dry_run:
        if read_file(arguments.file) != raw:
            raise PlainError(f"{arguments.file} was saved by another program just now: give the same command again.")
        replace_file(arguments.file, written(done.notebook))
    would = "would be" if arguments.dry_run else "is"
    if done.was_missing:
        print(f"{name} was missing and {would} put back.")
    else:
        print(
            f"{name} {would} back at its start; what you wrote {'would stay' if arguments.dry_run else 'stays'} below."
        )
    return 0
