"""One person's rows in a gradebook: found, and removed so that no byte of them stays in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nbgrader import api
from sqlalchemy import create_engine, delete, func, inspect, select, text
from sqlalchemy.engine import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from helpers.errors import PlainError
from helpers.grading.database import GRADED

_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True)
class Rows:
    """What a gradebook holds of a person: names, and how many rows by table."""

    names: tuple[str, ...] = ()
    email: str = ""
    counts: tuple[tuple[str, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __str__(self) -> str:
        return ", ".join(f"{count} in {table}" for table, count in self.counts)


def is_sqlite(file: Path) -> bool:
    """Whether a file is an SQLite database."""
    with file.open("rb") as opened:
        return opened.read(len(_SQLITE)) == _SQLITE


def look(url: str, student: str) -> Rows:
    """What is there of a student; nothing is made or changed. Raises PlainError when it cannot be opened."""
    engine = _engine(url)
    try:
        with Session(engine) as db:
            return _look(db, engine, student)
    except (SQLAlchemyError, ImportError) as error:
        raise PlainError(f"The gradebook at {engine.url} cannot be read: {str(error).splitlines()[0]}.") from None
    finally:
        engine.dispose()


def _look(db: Session, engine: Engine, student: str) -> Rows:
    there = set(inspect(engine).get_table_names())
    counts, names, email = [], (), ""
    if api.Student.__tablename__ in there:
        row = db.execute(
            select(api.Student.first_name, api.Student.last_name, api.Student.email).where(api.Student.id == student)
        ).one_or_none()
        if row is not None:
            first, last, email = (value or "" for value in row)
            names = tuple(name for name in (f"{first} {last}".strip(), f"{last}, {first}") if name.strip(", "))
            counts.append(("student", 1))
        for model, chosen in _theirs(student):
            if model.__tablename__ in there:
                counts.append((model.__tablename__, db.scalar(select(func.count()).select_from(model).where(chosen))))
    if GRADED.name in there:
        counts.append((GRADED.name, db.scalar(select(func.count()).where(GRADED.c.student == student))))
    return Rows(names, email, tuple((table, count) for table, count in counts if count))


def _theirs(student: str) -> list[tuple[type, object]]:
    """(model, which of its rows), the rows that others point to last."""
    assignments = select(api.SubmittedAssignment.id).where(api.SubmittedAssignment.student_id == student)
    notebooks = select(api.SubmittedNotebook.id).where(api.SubmittedNotebook.assignment_id.in_(assignments))
    return [
        (api.Grade, api.Grade.notebook_id.in_(notebooks)),
        (api.Comment, api.Comment.notebook_id.in_(notebooks)),
        (api.SubmittedNotebook, api.SubmittedNotebook.assignment_id.in_(assignments)),
        (api.SubmittedAssignment, api.SubmittedAssignment.student_id == student),
    ]


def remove(url: str, student: str) -> None:
    """Delete all rows of a student in one transaction; of an SQLite file, the bytes as well. Raises PlainError."""
    engine = _engine(url)
    lite = engine.dialect.name == "sqlite"
    try:
        with engine.connect() as connection:
            if lite:
                # Overwrites what is deleted; what was deleted long ago goes with VACUUM.
                connection.execute(text("PRAGMA secure_delete = ON"))
                connection.commit()
            there = set(inspect(connection).get_table_names())
            connection.commit()
            with connection.begin(), Session(connection) as db:
                _delete(db, there, student)
                db.flush()
        if lite:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("PRAGMA secure_delete = ON"))
                connection.execute(text("VACUUM"))
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
    except (SQLAlchemyError, ImportError) as error:
        raise PlainError(f"The gradebook at {engine.url} cannot be written: {str(error).splitlines()[0]}.") from None
    finally:
        engine.dispose()


def _delete(db: Session, there: set[str], student: str) -> None:
    link = api.Base.metadata.tables.get("student_course")
    steps: Sequence = [(model.__table__, chosen) for model, chosen in _theirs(student)]
    steps = [*steps, (api.Student.__table__, api.Student.id == student), (GRADED, GRADED.c.student == student)]
    if link is not None:
        steps = [(link, link.c.student_id == student), *steps]
    for table, chosen in steps:
        if table.name in there:
            db.execute(delete(table).where(chosen).execution_options(synchronize_session=False))


def _engine(url: str) -> Engine:
    try:
        return create_engine(make_url(url))
    except (SQLAlchemyError, ImportError) as error:
        raise PlainError(f"The gradebook at {url} cannot be opened: {error}.") from None
