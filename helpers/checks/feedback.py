"""The answer to a check: it shows itself as text and HTML, and knows its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from ..displays.marks import ARROW, DOT, STAR, Marked
from ..displays.numbers import WIDTH, columns_of, typeset_within, wrap
from ..displays.output import Display

INDENT = " " * 13
"""Before the later lines of what is said about a term."""

LEGEND = {
    "right": ("{} right", "{} right"),
    "off": ("{} <b>off</b> (solid box)", f"{{}} off ({STAR})"),
    "again": ("{} to look at again (bold)", f"{{}} to look at again ({ARROW})"),
    "empty": ("{} not filled in (dashed box)", f"{{}} not filled in ({DOT})"),
}
"""Kind of entry → how the map's legend counts it, as HTML and as text."""


@dataclass
class Feedback:
    """One answer to one check.

    kind: "right", "off", "empty" (not filled in, or not wholly) or "stale" (right for an earlier version of what it
    was made from). verdict: one sentence. subject: what was checked. points of possible: what it earns.
    details: pairs of a term and what is said about it; of several lines the first is the summary of the others.
    marked: the student's own numbers with the entries that are off or not filled in.
    labels: the mistakes that were named. remark: sentences that hold beside the verdict, "" for none.
    followed: right for the student's own earlier numbers only. begun: of an empty answer, whether some is there.
    counted: what is counted instead of points, where there are none to earn.
    """

    kind: str
    verdict: str
    subject: str
    points: float
    possible: float
    details: Sequence[tuple[str, str]] = field(default_factory=list)
    marked: Marked | None = None
    labels: tuple[str, ...] = ()
    remark: str = ""
    followed: bool = False
    begun: bool = False
    counted: str = ""

    def __and__(self, other: Feedback) -> Feedback:
        """Two checks of one answer: the one with fewer points counts."""
        return other if other.points < self.points else self

    @property
    def text(self) -> str:
        """The feedback as plain text, lines of at most 100 columns."""
        lines = wrap(f"{self.subject}: {self.verdict}  ({self._earned})", WIDTH, "  ")
        if self._drawn:
            lines += [*_indented(self.marked.text_lines()), f"  {self._legend(1)}"]
        if self.remark:
            lines += wrap(f"  {self.remark}", WIDTH, "  ")
        for term, said in self.details:
            first, *rest = said.splitlines() or [""]
            lines += wrap(f"  {term:<10} {first}", WIDTH, INDENT)
            for line in rest:
                lines += wrap(INDENT + line, WIDTH, INDENT + "  ")
        return "\n".join(lines)

    @property
    def display(self) -> Display:
        """The feedback as a display: text and its HTML twin."""
        verdict = self.verdict[:-1] if self.verdict.count(". ") == 0 and self.verdict.endswith(".") else self.verdict
        parts = [f'<p class="v"><b>{_html(verdict)}</b> <i>{_html(self.subject)}</i> <span>{self._earned}</span></p>']
        if self._drawn:
            parts.append(f'{self.marked.html()}<p class="note">{self._legend(0)}</p>')
        if self.remark:
            parts.append(f'<p class="said">{_html(self.remark)}</p>')
        if self.details:
            said = "".join(f"<dt>{escape(term)}</dt>{_detail(term, text)}" for term, text in self.details)
            parts.append(f"<dl>{said}</dl>")
        rules = ("table", "feedback", "map") if self._drawn else ("feedback",)
        return Display(self.text, f'<div class="fb {self.kind}">{"".join(parts)}</div>', rules)

    @property
    def _earned(self) -> str:
        counted = self.counted or ("point" if self.possible == 1 else "points")
        return f"{self.points:g} of {self.possible:g} {counted}"

    @property
    def _drawn(self) -> bool:
        return self.marked is not None and self.marked.drawn

    def _legend(self, twin: int) -> str:
        """Count the entries of the map, each kind with its mark; kinds that do not occur are left out."""
        counts = self.marked.counts()
        return " · ".join(LEGEND[kind][twin].format(some) for kind, some in counts.items() if some)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.display._repr_mimebundle_(include, exclude)


class Several(list):
    """Feedback to several boxes at once: shows them one below the other, and adds their points."""

    @property
    def points(self) -> float:
        """The points of all of them."""
        return sum(feedback.points for feedback in self)

    @property
    def possible(self) -> float:
        """The points they could earn."""
        return sum(feedback.possible for feedback in self)

    @property
    def text(self) -> str:
        """All of them as plain text."""
        return "\n".join(feedback.text for feedback in self)

    @property
    def display(self) -> Display:
        """All of them as one display."""
        first, *others = [feedback.display for feedback in self]
        return sum(others, first)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return self.display._repr_mimebundle_(include, exclude)


def _indented(lines: Sequence[str]) -> list[str]:
    """Set the map in by two columns, where that fits."""
    indent = "  " if max(map(columns_of, lines)) <= WIDTH - 2 else ""
    return [indent + line for line in lines]


def _html(text: str) -> str:
    return escape(typeset_within(text))


def _detail(term: str, text: str) -> str:
    first, *rest = text.splitlines() or [""]
    if rest:
        lines = _html("\n".join(rest))
        return f"<dd><details open><summary>{_html(first)}</summary><pre>{lines}</pre></details></dd>"
    return f'<dd class="q">{_html(first)}</dd>' if term == "Question" else f"<dd>{_html(first)}</dd>"
