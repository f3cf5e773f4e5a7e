"""A dry run's place of a gradebook: it takes marks in and writes nothing down."""

from __future__ import annotations

from helpers.grading.report import Mark


class Nowhere:
    """Answers as a `gradebook.Writer` of an empty gradebook does."""

    def __init__(self):
        self._marks: dict[str, Mark] = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def register(self, notebook) -> None:
        """Register nothing."""

    def due(self) -> None:
        """Nothing is said of a date."""

    def enrol(self, enrolment) -> None:
        """Write nobody down."""

    def known(self) -> dict:
        """Nothing was marked before."""
        return {}

    def add(self, entry) -> None:
        """Keep the sum of what marking gave, for the report."""
        self._marks[entry.student] = Mark(sum(entry.points.values()), len(entry.by_hand))

    def flush(self) -> None:
        """Nothing waits."""

    def marks(self) -> dict[str, Mark]:
        """Student → what this run gave."""
        return dict(self._marks)
