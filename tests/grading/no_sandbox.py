"""Marking on a system that offers no sandbox."""

from helpers.grading.sandbox import NoSandbox


def mark(content, unit, student, sandbox):
    raise NoSandbox("This system offers no sandbox: change that.")
