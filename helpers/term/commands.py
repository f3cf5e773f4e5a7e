"""The commands of a term; light to load, since every command loads it."""

from __future__ import annotations

from collections.abc import Callable

from helpers.term import feedback_command, report_command


def add_to(command: Callable) -> None:
    """Add the commands to the command line."""
    for topic in (feedback_command, report_command):
        topic.add_to(command)
