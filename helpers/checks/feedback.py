"""The answer to a check: it shows itself as text and HTML, and knows its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from ..displays.numbers import WIDTH, wrap
from ..displays.output import Display
from ..displays.table import OFF, OFF_FIRST, grid, html_table
from .compare import Finding

# A map of the student's own numbers helps while it can be taken in at a glance.
MAP_LIMIT = 12


@dataclass
class Feedback:
    """One answer to one check.

    kind: "right", "off" or "empty". verdict: one sentence. subject: what was checked.
    points of possible: what it earns. details: pairs of a term and what is said about it.
    finding, rows, columns: what the comparison found, and the names of rows and columns, for the map.
    labels: the mistakes that were named.
    """

    kind: str
    verdict: str
    subject: str
    points: float
    possible: float
    details: Sequence[tuple[str, str]] = field(default_factory=list)
    finding: Finding | None = None
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    labels: tuple[str, ...] = ()

    def __and__(self, other: Feedback) -> Feedback:
        """Two checks of one answer: the one with fewer points counts."""
        return other if other.points < self.points else self

    @property
    def text(self) -> str:
        """The feedback as plain text, lines of at most 100 columns."""
        lines = wrap(f"{self.subject}: {self.verdict}  ({self._earned})", WIDTH, "  ")
        for term, said in self.details:
            lines += wrap(f"  {term:<10} {said}", WIDTH, " " * 13)
        return "\n".join(lines)

    @property
    def display(self) -> Display:
        """The feedback as a display: text and its HTML twin."""
        head = (
            f'<p class="v"><b>{escape(self.verdict)}</b> <i>{escape(self.subject)}</i> <span>{self._earned}</span></p>'
        )
        said = "".join(f"<dt>{escape(term)}</dt><dd>{escape(text)}</dd>" for term, text in self.details)
        body = f'<div class="fb {self.kind}">{head}{self._map()}{f"<dl>{said}</dl>" if said else ""}</div>'
        return Display(self.text, body, ("table", "feedback"))

    @property
    def _earned(self) -> str:
        return f"{self.points:g} of {self.possible:g} points"

    def _map(self) -> str:
        """The student's own matrix with the entries that are off framed; "" when it is no small matrix."""
        finding = self.finding
        if finding is None or finding.given is None or finding.given.ndim != 2:
            return ""
        if max(finding.given.shape) > MAP_LIMIT:
            return ""

        def cell(i: int, j: int) -> str:
            if not finding.off[i, j]:
                return ""
            return OFF_FIRST if (i, j) == finding.first else OFF

        kept = grid(finding.given, "yours" if finding.part == "It" else f"your {finding.part}", self.rows, self.columns)
        return html_table(kept, "map", cell=cell)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.display._repr_mimebundle_(include, exclude)
