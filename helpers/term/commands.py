"""The commands of a term, each added by its own topic."""

from __future__ import annotations

from collections.abc import Callable

from helpers.term import collect_command, export_command, forget_command


def add_to(command: Callable) -> None:
    """Add all of them to the command line."""
    for topic in (collect_command, export_command, forget_command):
        topic.add_to(command)
