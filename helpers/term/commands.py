"""The commands of a term; light to load, since every command loads them."""

from __future__ import annotations

from collections.abc import Callable

from helpers.term import (
    collect_command,
    export_command,
    feedback_command,
    forget_command,
    release_command,
    report_command,
    reset_command,
    try_command,
    update_command,
)

TOPICS = (
    release_command,
    collect_command,
    update_command,
    reset_command,
    try_command,
    feedback_command,
    report_command,
    export_command,
    forget_command,
)


def add_to(command: Callable) -> None:
    """Add every topic's commands to the command line."""
    for topic in TOPICS:
        topic.add_to(command)
