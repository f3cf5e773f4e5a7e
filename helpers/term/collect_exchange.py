"""nbgrader's exchange as a source: nbgrader itself collects, into a folder that lasts only as long."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.exchange import ExchangeError, ExchangeFactory
from traitlets.config import Config

from helpers.course.release import course_directory
from helpers.errors import PlainError
from helpers.grading.classroom import Classroom
from helpers.grading.database import is_missing, programs_at_hand
from helpers.term.collect_sources import Source, opened


@contextmanager
def from_exchange(room: Classroom) -> Iterator[Source]:
    """The newest submission of everybody in the exchange, with nbgrader's warnings; raises PlainError.

    nbgrader's own collect would remove what is there already: here it writes to an empty folder, and what comes of it
    is put in place as from any other source.
    """
    with tempfile.TemporaryDirectory() as scratch:
        config = Config(room.config)
        course = course_directory(Path(scratch).resolve(), config)
        # The gradebook, which knows the due date, is the course's own; where there is none yet, none is made.
        course.db_url = f"sqlite:///{scratch}/none.db" if is_missing(room.course.db_url) else room.course.db_url
        course.assignment_id = room.unit
        course.submitted_directory, course.directory_structure = "in", "{nbgrader_step}/{student_id}/{assignment_id}"
        heard = _Heard()
        collect = ExchangeFactory(config=config).Collect(coursedir=course, config=config)
        collect.log = logging.Logger("collect")
        collect.log.addHandler(heard)
        try:
            with programs_at_hand():
                collect.start()
        except (ExchangeError, SystemExit, OSError, RuntimeError) as error:
            raise PlainError(f"nbgrader cannot collect {room.unit}: {heard.reason() or error}") from error
        place = Path(scratch).resolve() / "in"
        place.mkdir(exist_ok=True)
        with opened(place) as source:
            source.notes += heard.warnings
            yield source


class _Heard(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.warnings: list[str] = []
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what is said."""
        text = " ".join(record.getMessage().split())
        (self.errors if record.levelno >= logging.ERROR else self.warnings).append(text)

    def reason(self) -> str:
        """The last complaint."""
        return self.errors[-1] if self.errors else ""
