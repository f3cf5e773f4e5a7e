"""The class report as a page: every picture has its numbers beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from helpers.term import page as pages
from helpers.term.before import TOTAL
from helpers.term.feedback_page import points
from helpers.term.names import instructors_line, title
from helpers.term.pictures import bar, histogram, legend
from helpers.term.report import Beside, ClassReport
from helpers.term.similar import CODE, IDENTITY, Group
from helpers.term.tally import BARE, FULL, NONE, PART, StepCount, kinds_of, median

# So many names stand in a cell before the rest is counted.
NAMED = 8
RANGES = 10


def report_page(report: ClassReport) -> str:
    """The whole page."""
    parts = (_head, _totals, _mistakes, _first, _steps, _stopped, _alike, _before)
    body = "\n".join(filter(None, (part(report) for part in parts)))
    return pages.page(f"{report.heading}: what the class got wrong", body)


def _head(report: ClassReport) -> str:
    whole = report.tally
    count = len(whole.students)
    said = [f"{_students(count)} with marks, {points(whole.mean)} of {points(whole.of)} points on average"]
    said[0] += f", {points(median(whole.totals))} in the middle."
    if whole.waiting:
        said.append(f"{_students(whole.waiting)} still wait{'s' if whole.waiting == 1 else ''} for a person's marks.")
    if whole.late:
        said.append(f"{_students(whole.late)} handed in late.")
    if whole.unseen:
        said.append(
            f"The marked notebooks of {_names(report.named, whole.unseen)} cannot be read: "
            "they count with their marks alone."
        )
    lines = [f"<h1>{escape(report.heading)}</h1>", pages.paragraph("What the class got wrong")]
    if report.anonymous:
        said.append("Names are made up, and what students typed themselves is left out.")
    return "\n".join([*lines, pages.paragraph(" ".join(said))])


def _totals(report: ClassReport) -> str:
    """How the marks are spread."""
    whole = report.tally
    counts = [0] * RANGES
    for total in whole.totals:
        share = total / whole.of if whole.of else 0.0
        counts[min(max(int(share * RANGES), 0), RANGES - 1)] += 1
    wide = whole.of / RANGES
    labels = [f"{100 * k // RANGES}–{100 * (k + 1) // RANGES}" for k in range(RANGES)]
    short = [f"{100 * k // RANGES}+" for k in range(RANGES)]
    rows = [
        [f"{label} %", f"{points(k * wide)} to {points((k + 1) * wide)}", str(count)]
        for k, (label, count) in enumerate(zip(labels, counts, strict=True))
    ]
    picture = histogram("Students by share of the points, in per cent", short, counts)
    table = pages.table("Students by points", ["Share", "Points", "Students"], rows, (1, 2))
    return f'<h2>How the marks are spread</h2>\n<div class="pair hist"><div>{picture}</div><div>{table}</div></div>'


def _steps(report: ClassReport) -> str:
    rows = []
    for one in report.tally.steps:
        kinds = one.kinds
        name = escape(one.step.key)
        more = title(report.tally.unit, one.step.key)
        name += f'<br><span class="sub">{escape(more)}</span>' if more else ""
        mean = f"{one.mean:.2f} of {points(one.step.of)}" if one.scores and not one.waiting else "–"
        share = f"{100 * one.share_full:.0f} %" if one.scores and not one.waiting else "–"
        numbers = [str(kinds[kind]) for kind in (FULL, PART, NONE, BARE)]
        rows.append([name, mean, share, *numbers, str(one.waiting), bar(kinds, len(one.scores))])
    head = ["Step", "Mean", "Share with all", "All", "Some", "None", "Not filled in", "Waiting", "Picture"]
    table = pages.table("Marks for each step: how many students earned what", head, rows, range(1, 8), long=True)
    return f"<h2>Step by step</h2>\n{legend()}\n{table}"


def _mistakes(report: ClassReport) -> str:
    whole = report.tally
    if not whole.mistakes:
        return "<h2>The commonest mistakes</h2>\n" + pages.paragraph("No check named a mistake.")
    count = len(whole.students)
    rows = []
    for one in whole.mistakes:
        keys = [f"{key} {number}" for key, number in one.keys.most_common()]
        line = instructors_line(one.label, tuple(one.keys), whole.unit)
        row = [f"{len(one.students)} of {count}", escape(line), escape(", ".join(keys)), f"<code>{one.label}</code>"]
        rows.append([*row, escape(_names(report.named, one.students))])
    head = ["How many", "What it shows", "Where, and how often", "Label", "Who"]
    said = pages.paragraph("What the checks could name. A student counts once for each mistake.")
    return f"<h2>The commonest mistakes</h2>\n{said}\n{pages.table('Mistakes by label', head, rows, long=True)}"


def _first(report: ClassReport) -> str:
    """Where passes first went wrong, and what that cost."""
    rows = [_first_row(report, one) for one in report.tally.first_wrong]
    if not rows:
        return ""
    said = pages.paragraph(
        "For each student the first step that is off. Points lost from there on are those of this step and of all "
        "steps written after it; a slip that is followed through costs its own step only."
    )
    head = [
        "Step",
        "First for",
        "Points lost from there on",
        "Of these in the step itself",
        "Named in this step, of anybody",
    ]
    table = pages.table("First steps that are off", head, rows, (2, 3))
    return f"<h2>Where it first went wrong</h2>\n{said}\n{table}"


def _first_row(report: ClassReport, one: StepCount) -> list[str]:
    named = "; ".join(
        f"{count} × {instructors_line(label, (one.step.key,), report.tally.unit)}"
        for label, count in one.mistakes.most_common(3)
    )
    key = escape(one.step.key)
    return [key, _students(one.first), points(one.lost), points(one.lost_here), escape(named or "–")]


def _stopped(report: ClassReport) -> str:
    parts = []
    for heading, told in (
        ("Limits that were reached", report.tally.limits),
        ("What was mended before marking", report.tally.repairs),
        ("What else was noticed", report.tally.remarks),
    ):
        if told:
            rows = [
                [escape(kind[:1].upper() + kind[1:]), str(len(who)), escape(_names(report.named, who))]
                for kind, who in kinds_of(told)
            ]
            parts += [f"<h3>{heading}</h3>", pages.table(heading, ["What", "Students", "Who"], rows, (1,))]
    if not parts:
        return "<h2>Limits and repairs</h2>\n" + pages.paragraph("No limit was reached, and nothing had to be mended.")
    return "\n".join(["<h2>Limits and repairs</h2>", *parts])


# What is alike


def _alike(report: ClassReport) -> str:
    said = pages.paragraph(
        "These submissions share what honest ones hardly share by chance. It is a sign and no verdict: they may have "
        "learned together, or from the same page. Ask before you conclude anything."
    )
    if not report.groups:
        said = pages.paragraph("No submissions share wrong numbers or wrong code that others do not have as well.")
    parts = [_group(report, number, group, besides) for number, (group, besides) in enumerate(report.groups, start=1)]
    return "\n".join(["<h2>Submissions that are alike</h2>", said, *parts])


def _group(report: ClassReport, number: int, group: Group, besides: Sequence[Beside]) -> str:
    names = " and ".join(report.named(student) for student in group.students)
    strength = "a strong sign" if group.strong else "a sign"
    same: dict[tuple, list[str]] = {}
    for sign in group.signs:
        same.setdefault((sign.kind, sign.strong, sign.students), []).append(sign.key)
    signs = [_sign_words(report, *kind, keys) for kind, keys in same.items()]
    parts = [f"<h3>{number}. {escape(names)}: {strength}</h3>", pages.listed(signs)]
    for beside in besides:
        if beside.wrote:
            columns = "".join(
                f"<div><h4>{escape(report.named(student))}, {escape(beside.sign.key)}</h4>"
                f"<pre>{escape(text) or 'nothing that can be shown'}</pre></div>"
                for student, text in list(beside.wrote.items())[:4]
            )
            parts.append(f'<div class="pair">{columns}</div>')
    return "\n".join(parts)


def _sign_words(report: ClassReport, kind: str, strong: bool, students: Sequence[str], keys: Sequence[str]) -> str:
    who, where = _names(report.named, students), ", ".join(keys)
    if kind == IDENTITY:
        return f"{who}: one notebook works with the personal numbers of the other."
    if kind == CODE:
        return f"{where}: the same wrong code but for names, blanks and comments ({who})."
    if strong:
        return f"{where}: the same numbers although the personal numbers differ ({who})."
    return f"{where}: the same wrong numbers, which no known mistake explains ({who})."


# The class before


def _before(report: ClassReport) -> str:
    if not report.changes:
        return ""
    rows = []
    for one in report.changes:
        name = "All together" if one.key == TOTAL else one.key
        by = f"{100 * one.by:+.0f}".replace("-", "−").replace("+0", "0").replace("−0", "0")
        rows.append(
            [escape(name), f"{100 * one.before:.0f} %", f"{100 * one.now:.0f} %", by, "yes" if one.notable else "–"]
        )
    said = pages.paragraph(
        "The mean share of the points. “More than chance” means more than two standard errors: with many steps "
        "one in twenty looks so by chance."
    )
    head = ["Step", "Before", "Now", "Difference", "More than chance"]
    table = pages.table("Mean share of the points", head, rows, (1, 2, 3))
    return f"<h2>Compared with the class before</h2>\n{said}\n{table}"


def _names(named: Callable[[str], str], students: Sequence[str]) -> str:
    shown = sorted(named(student) for student in students[:NAMED])
    more = len(students) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _students(count: int) -> str:
    return f"{count} student{'' if count == 1 else 's'}"
