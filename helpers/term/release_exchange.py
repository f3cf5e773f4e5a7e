"""A release in nbgrader's exchange, where students fetch it."""

from __future__ import annotations

from pathlib import Path

from nbgrader.apps import NbGraderAPI

from helpers.course.release import Files
from helpers.errors import PlainError
from helpers.grading.classroom import Classroom


def to_exchange(classroom: Classroom, files: Files, update: bool, dry_run: bool) -> str:
    """Put a release into the exchange by nbgrader's own release_assignment; returns what was done, in a sentence.

    Raises PlainError when another release is there and `update` is not set, and for what nbgrader refuses.
    """
    unit = classroom.unit
    config = classroom.config.copy()
    api = NbGraderAPI(classroom.course, config=config)
    app = api.exchange.ReleaseAssignment(coursedir=classroom.course, authenticator=api.authenticator, parent=api)
    place = Path(app.root) / classroom.course.course_id / "outbound" / unit
    there = place.is_dir()
    if there and all((place / name).is_file() and (place / name).read_bytes() == files[name] for name in files):
        return ""
    if there and not update:
        raise PlainError(f"The exchange holds another release of {unit}: give --update to put this one in its place.")
    if dry_run:
        return f"{unit} would be put into the exchange: {place}."
    api.config.ExchangeReleaseAssignment.force = there
    result = api.release_assignment(unit)
    if result is None:
        raise PlainError("nbgrader has no exchange on Windows.")
    if not result["success"]:
        raise PlainError(f"nbgrader cannot put {unit} into the exchange: {_reason(result)}.")
    return f"{unit} is in the exchange: {place}."


def _reason(result: dict) -> str:
    lines = [line for line in (result.get("log") or result.get("error") or "").splitlines() if line.strip()]
    told = [line for line in lines if "ERROR" in line] or lines[-1:] or ["it does not say why"]
    return told[0].split("ERROR]", 1)[-1].strip().rstrip(".")
