"""What the gradebook knows of a unit, read without changing it, and a due date written to it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from nbgrader import api
from nbgrader.utils import parse_utc
from sqlalchemy import create_engine, func, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from helpers.errors import PlainError
from helpers.grading.database import open_gradebook
from helpers.term.release_changes import Held


def look(url: str, unit: str) -> Held:
    """Read what is held; a gradebook that is not there holds nothing, and is not made. Raises PlainError."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite" and not Path(address.database or "").is_file():
        return Held()
    engine = create_engine(address)
    try:
        if not inspect(engine).has_table(api.Assignment.__tablename__):
            return Held()
        with Session(engine) as db:
            return _held(db, unit)
    except SQLAlchemyError as error:
        raise PlainError(f"The gradebook cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error
    finally:
        engine.dispose()


def _held(db: Session, unit: str) -> Held:
    assignment = db.scalars(select(api.Assignment).where(api.Assignment.name == unit)).one_or_none()
    if assignment is None:
        return Held()
    notebook = next((one for one in assignment.notebooks if one.name == unit), None)
    cells = [] if notebook is None else [*notebook._base_cells, *notebook.source_cells]
    graded = [cell for cell in cells if isinstance(cell, (api.GradeCell, api.TaskCell))]
    submissions = assignment.submissions
    extensions = [one.extension for one in submissions if one.extension]
    by_hand = 0
    if notebook is not None:
        by_hand = db.scalar(
            select(func.count())
            .select_from(api.Grade)
            .join(api.SubmittedNotebook, api.Grade.notebook_id == api.SubmittedNotebook.id)
            .where(api.SubmittedNotebook.notebook_id == notebook.id, api.Grade.manual_score.is_not(None))
        )
    due = assignment.duedate
    return Held(
        {cell.name: cell.max_score for cell in graded} if cells else None,
        frozenset(cell.name for cell in cells),
        len(submissions),
        by_hand,
        due,
        due and max([due, *(due + extension for extension in extensions)]),
        frozenset((cell.name, cell.source) for cell in cells if isinstance(cell, api.SourceCell)),
    )


def set_due(url: str, course_id: str, unit: str, when: datetime) -> None:
    """Write a due date, in UTC without a zone, to the gradebook; the unit is registered there."""
    with open_gradebook(url, course_id) as book:
        book.update_or_create_assignment(unit, duedate=when)


def due_date(text: str) -> datetime:
    """A due date as typed, in UTC; without a zone it is this computer's time. Raises PlainError for another text."""
    import dateutil.parser

    try:
        when = dateutil.parser.isoparse(text.strip().replace(" ", "T", 1))
        if len(text.strip()) <= len("2027-05-01"):
            when = when.replace(hour=23, minute=59)
        return parse_utc(when.astimezone())
    except (ValueError, OverflowError):
        raise PlainError(
            f"The due date {text[:40]!r} cannot be read; write it as 2027-05-01 or 2027-05-01T18:00."
        ) from None
