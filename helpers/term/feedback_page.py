"""One student's feedback as a page: what counted, what the checks said, what a person wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape

from helpers.term import page as pages
from helpers.term.gradebook import Earned, Student
from helpers.term.names import title
from helpers.term.verdicts import EMPTY, FOLLOWED, OFF, RIGHT, STALE, UNKNOWN, WAITS, Marked, Shown, Step

WORDS = {
    RIGHT: "right",
    FOLLOWED: "right for your own numbers",
    OFF: "off",
    STALE: "right for your earlier numbers",
    EMPTY: "not filled in",
    WAITS: "waits for a person's marks",
    "hand": "marked by a person",
    "part": "partly right",
}
MARK = "byhand-feedback"
_QUOTED = re.compile(r"the numbers of (?:'[^']*'|\"[^\"]*\")")


@dataclass(frozen=True)
class Sheet:
    """What a page is made of. heading: the unit's title. questions: grade_id → the question in words."""

    unit: str
    heading: str
    steps: Sequence[Step]
    student: Student
    marked: Marked
    questions: Mapping[str, str]

    @cached_property
    def states(self) -> Mapping[str, str]:
        """grade_id → what became of the step."""
        marks = self.student.marks
        return {step.name: state(step, marks.get(step.name), self.marked) for step in self.steps}


def feedback_page(sheet: Sheet, fingerprint: str) -> str:
    """The whole page; the fingerprint is what a later run compares."""
    body = "\n".join(filter(None, (_head(sheet), _happened(sheet), _table(sheet), _details(sheet), _written(sheet))))
    return pages.page(f"{sheet.heading}: feedback for {sheet.student.student}", body, {MARK: fingerprint})


# What came of each step


def state(step: Step, mark: Earned | None, marked: Marked) -> str:
    """What became of a step: one of the words above."""
    if mark is None:
        return EMPTY
    if mark.waits:
        return WAITS
    if mark.hand is not None:
        return "hand"
    kind = marked.kind(step.name)
    full = mark.score >= step.of
    if kind in (RIGHT, FOLLOWED) and not full:
        # The numbers that a student could see were right, the fresh ones were not.
        return OFF
    if kind == UNKNOWN:
        return RIGHT if full else EMPTY if step.prose else "part" if mark.score else OFF
    return kind


def first_off(steps: Sequence[Step], states: Mapping[str, str]) -> Step | None:
    """The first step that is off."""
    return next((step for step in steps if states[step.name] in (OFF, STALE, "part")), None)


# The parts of the page


def _head(sheet: Sheet) -> str:
    student, states = sheet.student, sheet.states
    name = f"{student.names} ({student.student})" if student.names else student.student
    waiting = sum(word == WAITS for word in states.values())
    lines = [f"<h1>{escape(sheet.heading)}</h1>", f'<p class="par">Feedback for <b>{escape(name)}</b></p>']
    lines.append(f'<p class="big"><b>{points(student.total)}</b> of {points(student.of)} points</p>')
    if student.penalty:
        lines.append(
            pages.paragraph(f"{points(student.penalty)} points were taken off: it came {_long(student.late)} late.")
        )
    elif student.late:
        lines.append(pages.paragraph(f"It came {_long(student.late)} late; nothing was taken off."))
    if waiting:
        answers = "answer waits" if waiting == 1 else f"{waiting} answers wait"
        one = "One " if waiting == 1 else ""
        lines.append(pages.paragraph(f"{one}{answers} for a person's marks, so this is not the final mark."))
    return "\n".join([*lines, _course(sheet, states)])


def _course(sheet: Sheet, states: Mapping[str, str]) -> str:
    """How far it went right, where it first went wrong, what was followed through."""
    said = []
    tested = [states[step.name] for step in sheet.steps if not step.prose]
    counts = {word: tested.count(word) for word in (RIGHT, FOLLOWED)}
    counts[EMPTY] = list(states.values()).count(EMPTY)
    first = first_off(sheet.steps, states)
    right = counts[RIGHT] + counts[FOLLOWED]
    total = sum(not step.prose for step in sheet.steps)
    said.append(f"{right} of {total} steps are right." if right != total else f"All {total} steps are right.")
    if first is not None:
        named = f'<a href="#{_anchor(first)}">{escape(first.key)}</a>'
        more = title(sheet.unit, first.key)
        said.append(f"The first step that is off is {named}{f', {escape(more)}' if more else ''}.")
    if counts[FOLLOWED]:
        keys = [step.key for step in sheet.steps if states[step.name] == FOLLOWED]
        one = len(keys) == 1
        said.append(
            f"{escape(_enumerated(keys))} {'is' if one else 'are'} right for your own earlier numbers, "
            f"and {'has' if one else 'have'} full points: one slip costs one step."
        )
    if counts[EMPTY]:
        keys = [step.key for step in sheet.steps if states[step.name] == EMPTY]
        said.append(f"Not filled in: {escape(_enumerated(keys))}.")
    return f'<p class="par">{" ".join(said)}</p>'


def _happened(sheet: Sheet) -> str:
    """Limits, repairs and remarks, in the words of the report."""
    told = sheet.student.told
    parts = []
    limits = [_sentence(one) for one in told.get("limits", ())]
    if limits:
        parts += ["<h3>Limits that were reached</h3>", pages.listed(limits)]
        parts.append(pages.paragraph("What needs longer or more than a limit allows is stopped, and the rest goes on."))
    if told.get("repairs"):
        parts += ["<h3>What was mended before marking</h3>", pages.listed(told["repairs"])]
    remarks = [_for_student(one) for one in (*told.get("remarks", ()), *map(_sentence, told.get("notes", ())))]
    if remarks:
        parts += ["<h3>What else was noticed</h3>", pages.listed(remarks)]
    return "\n".join(["<h2>Your notebook</h2>", *parts]) if parts else ""


def _for_student(remark: str) -> str:
    """A remark without another's id, and without what the marker itself stumbled over."""
    remark = re.sub(r"(could not be judged): .*", r"\1 by a fault that is not yours.", remark, flags=re.DOTALL)
    return _QUOTED.sub("the numbers of another id", remark)


def _table(sheet: Sheet) -> str:
    states, rows = sheet.states, []
    for step in sheet.steps:
        mark = sheet.student.marks.get(step.name) or Earned(step.of)
        more = title(sheet.unit, step.key)
        name = f"<a href='#{_anchor(step)}'>{escape(step.key)}</a>" if _is_told(sheet, step) else escape(step.key)
        name += f'<br><span class="sub">{escape(more)}</span>' if more else ""
        rows.append([name, _how(states[step.name], mark), _earned(mark)])
    student, foot = sheet.student, []
    if student.penalty:
        foot.append(["Late", "", f"−{points(student.penalty)}"])
    foot.append(["Together", "", f"{points(student.total)} of {points(student.of)}"])
    head = ["Step", "What came of it", "Points"]
    table = pages.table("Points for each step", head, rows, (2,), foot, long=True)
    return f"<h2>Your marks</h2>\n{table}"


def _how(word: str, mark: Earned) -> str:
    said = [WORDS[word]]
    if word == "hand" and mark.auto is not None:
        said.append(f"in place of {points(mark.auto)}")
    if mark.extra:
        said.append(f"with {points(mark.extra)} extra")
    return escape(", ".join(said))


def _is_told(sheet: Sheet, step: Step) -> bool:
    """Whether a step has a part of its own further down."""
    if step.prose or _comments(sheet, step):
        return True
    word = sheet.states[step.name]
    return word not in (RIGHT, EMPTY) or (word == RIGHT and sheet.marked.says(step.name, "Look again at "))


def _details(sheet: Sheet) -> str:
    told = [step for step in sheet.steps if not step.prose and _is_told(sheet, step)]
    return "\n".join(["<h2>Step by step</h2>", *(_step(sheet, step) for step in told)]) if told else ""


def _written(sheet: Sheet) -> str:
    prose = [step for step in sheet.steps if step.prose]
    return "\n".join(["<h2>Your answers in words</h2>", *(_step(sheet, step) for step in prose)]) if prose else ""


def _step(sheet: Sheet, step: Step) -> str:
    shown, mark = sheet.marked.shown(step.name), sheet.student.marks.get(step.name) or Earned(step.of)
    more = title(sheet.unit, step.key)
    head = f"{step.key}: {more}" if more else step.key
    word = _how(sheet.states[step.name], mark)
    parts = [
        f'<section aria-labelledby="{_anchor(step)}">',
        f'<h3 id="{_anchor(step)}">{escape(head)}</h3>',
        f'<p class="note">{_earned(mark)} points, {word}</p>',
    ]
    parts += _comments(sheet, step)
    if step.prose:
        parts += _prose(sheet, step, shown)
    else:
        parts.append(shown.html)
        if shown.answer.strip():
            parts.append(
                f"<details><summary>Your answer to {escape(step.key)}</summary>"
                f"<pre>{escape(shown.answer[: pages.LONGEST])}</pre></details>"
            )
    return "\n".join([*filter(None, parts), "</section>"])


def _prose(sheet: Sheet, step: Step, shown: Shown) -> list[str]:
    question = sheet.questions.get(step.name, "")
    parts = ["<h4>The question</h4>", pages.students_text(question)] if question else []
    if not shown.answer.strip() or sheet.questions.get(f"{step.name} empty") == shown.answer.strip():
        return [*parts, pages.paragraph("You did not answer it.")]
    return [*parts, "<h4>Your answer</h4>", pages.students_text(shown.answer, shown.pictures)]


def _comments(sheet: Sheet, step: Step) -> list[str]:
    """What a person wrote beside the answers of a step, or beside the step itself."""
    names = dict.fromkeys((step.name, *sheet.marked.answers.get(step.name, ())))
    words = [sheet.student.comments[name] for name in names if name in sheet.student.comments]
    return [f'<div class="hand"><h4>A person wrote</h4><p>{escape(one)}</p></div>' for one in words]


# Small things


def _earned(mark: Earned) -> str:
    return f"{'–' if mark.waits else points(mark.score)} of {points(mark.of)}"


def points(number: float) -> str:
    """A number of points, without needless digits."""
    return f"{round(number, 2):g}".replace("-", "−")


def _anchor(step: Step) -> str:
    return "step-" + re.sub(r"[^A-Za-z0-9_-]", "-", step.key)


def _sentence(text: str) -> str:
    text = text.strip().rstrip(".")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _enumerated(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _long(seconds: float) -> str:
    """A length of time in words."""
    minutes = max(round(seconds / 60), 1)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
