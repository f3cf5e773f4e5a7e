"""The gradebook's file or server: opened as nbgrader does, with a table of ours, and written with patience."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from nbgrader import api
from sqlalchemy import Column, Float, MetaData, String, Table, Text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from helpers.errors import PlainError

PATIENCE = 60
Result = TypeVar("Result")

# Beside nbgrader's tables, in the same transaction as the marks: what was marked, so that a rerun can tell.
_OURS = MetaData()
GRADED = Table(
    "byhand_graded", _OURS,
    Column("assignment", String(128), primary_key=True), Column("student", String(128), primary_key=True),
    Column("fingerprint", String(64), nullable=False), Column("digest", String(64), nullable=False),
    Column("late", Float, nullable=False), Column("line", Text, nullable=False),
)  # fmt: skip


def with_driver(url: str) -> str:
    """An address that names its driver: for PostgreSQL psycopg, where it is installed and no other is asked for."""
    kind, colon, rest = url.partition("://")
    if kind in ("postgres", "postgresql") and importlib.util.find_spec("psycopg") is not None:
        return f"postgresql+psycopg{colon}{rest}"
    return url


def open_gradebook(url: str, course_id: str) -> api.Gradebook:
    """Open the gradebook; a new file is made beside its place, so that it is there with all its tables or not."""
    url = with_driver(url)
    try:
        address = make_url(url)
        file = Path(address.database or "") if address.get_backend_name() == "sqlite" else None
        if file is not None and address.database and not file.exists():
            new = file.with_name(f"{file.name}.new-{os.getpid()}")
            new.unlink(missing_ok=True)
            _with_ours(address.set(database=str(new)).render_as_string(False), course_id).close()
            new.replace(file)
        return _unlocked(lambda: _with_ours(url, course_id))
    except (SQLAlchemyError, ImportError, OSError) as error:
        install = '; install it, as with `pip install "psycopg[binary]"`' if isinstance(error, ImportError) else ""
        raise PlainError(
            f"The gradebook at {_without_password(url)} cannot be opened: {_line(error)}{install}."
        ) from None


def is_missing(url: str) -> bool:
    """Whether an address is that of an SQLite file that is not there: who only reads must not make one."""
    address = make_url(url) if url.startswith("sqlite:") else None
    return address is not None and bool(address.database) and not Path(address.database).exists()


def _without_password(url: str) -> str:
    return re.sub(r"(://[^/@]*:)[^/]*@", r"\1***@", url)


def _with_ours(url: str, course_id: str) -> api.Gradebook:
    with programs_at_hand():
        book = api.Gradebook(url, course_id)
    _OURS.create_all(book.engine)
    return book


@contextmanager
def programs_at_hand() -> Iterator[None]:
    """nbgrader starts alembic by name, for a new gradebook: it must be the one installed beside it."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def patiently(action: Callable[[], None], db) -> None:
    """Do one transaction, again while another program holds the gradebook; undone whatever stops it.

    Raises PlainError when the gradebook cannot be written at all.
    """

    def once():
        try:
            action()
        finally:
            # After a commit there is nothing to undo.
            db.rollback()
            db.expunge_all()

    try:
        _unlocked(once)
    except OperationalError as error:
        raise PlainError(f"The gradebook cannot be written: {_line(error)}.") from error


@contextmanager
def plainly(db) -> Iterator[None]:
    """Read in the body; raises PlainError when the gradebook is not there any more."""
    try:
        yield
    except OperationalError as error:
        raise PlainError(f"The gradebook cannot be read: {_line(error)}.") from error
    finally:
        db.rollback()


def _unlocked(action: Callable[[], Result]) -> Result:
    """What an action gives once no other program locks the gradebook; raises PlainError when that takes too long."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return action()
        except OperationalError as error:
            if "locked" not in str(error):
                raise
            if time.monotonic() > until:
                raise PlainError(
                    "Another program keeps the gradebook locked: close it and give the same command again."
                ) from error
        time.sleep(0.2)
