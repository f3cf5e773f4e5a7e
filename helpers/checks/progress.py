"""What was checked so far: the last feedback to every item of every unit, kept while the notebook's kernel runs."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence

from ..displays.output import Display
from ..displays.progress import show_progress
from ..errors import PlainError
from ..points import POINTS, QUESTION
from .feedback import Feedback

PROSE = "prose-"
"""Items that begin like this are questions to be answered in words; a person marks them."""

GROUPS: dict[str, Mapping[str, Sequence[str]]] = {}
"""Unit → its groups, each a name and the items in it. A unit that is not here is one group of tasks."""

ITEMS: ChainMap[str, Mapping[str, float]] = ChainMap({}, POINTS)
"""Unit → what can be checked in it → points. Sheets of other sizes than the homework's add theirs."""

_STATES = {"right": "right", "off": "off", "stale": "off"}
_record: dict[str, dict[str, Feedback]] = {}
_last: list[tuple[str, str]] = []
_open: dict[str, Callable[[], Display]] = {}


def note(unit: str, item: str, feedback: Feedback) -> None:
    """Keep the last feedback to one item of a unit; nothing of it is written anywhere."""
    _record.setdefault(unit, {})[item] = feedback
    _last[:] = [(unit, item)]


def begin(unit: str, show: Callable[[], Display]) -> None:
    """Forget what was checked in one unit: its homework was opened anew, and `show` tells how far that one is."""
    _record.pop(unit, None)
    _open[unit] = show


def forget() -> None:
    """Begin again, as a new kernel does."""
    _record.clear()
    _open.clear()
    _last.clear()


def progress(unit: str | None = None) -> Display:
    """How far one is in a unit: what is right, what to look at again, what is left, and the points so far.

    Without a name it is the unit of the last check. Only checks made since the notebook's kernel was started count.

    Raises:
        PlainError: there is no such unit.
    """
    if unit is None and not _last:
        sentence = "Nothing was checked yet: run a check, then run this cell again."
        return Display(sentence, f'<p class="note">{sentence}</p>')
    unit = _last[0][0] if unit is None else unit
    if unit not in ITEMS:
        raise PlainError(f"There is no unit {unit!r}; the units are {', '.join(ITEMS)}.")
    if unit in _open:
        return _open[unit]()
    current = _last[0][1] if _last and _last[0][0] == unit else None
    return progress_of(unit, _record.get(unit, {}), current)


def progress_of(unit: str, feedbacks: Mapping[str, Feedback], current: str | None = None) -> Display:
    """The progress that some feedbacks make in a unit; `current` is the item checked last."""
    groups = {
        name: {item: _state(feedbacks.get(item)) for item in items} for name, items in _groups(unit).items() if items
    }
    states = {item: state for group in groups.values() for item, state in group.items()}
    things, todo = ("steps", "not filled in") if unit in GROUPS else ("tasks", "not written")
    return show_progress.build(
        groups,
        sum(feedbacks[item].points for item in states if item in feedbacks),
        sum(ITEMS[unit][item] for item in states),
        current if current in states else None,
        next((item for item, state in states.items() if state == "off"), None),
        things,
        todo,
        _by_hand(unit),
    )


def _groups(unit: str) -> dict[str, list[str]]:
    """The groups of a unit; what is in none of them comes last, in a group of its own."""
    items = [item for item in ITEMS[unit] if not item.startswith(PROSE)]
    if unit not in GROUPS:
        return {"tasks": items}
    grouped = {name: list(group) for name, group in GROUPS[unit].items()}
    placed = {item for group in grouped.values() for item in group}
    return grouped | {"other": [item for item in items if item not in placed]}


def _state(feedback: Feedback | None) -> str:
    if feedback is None:
        return "todo"
    return _STATES.get(feedback.kind, "begun" if feedback.begun else "todo")


def _by_hand(unit: str) -> str:
    count = sum(item.startswith(PROSE) for item in ITEMS[unit])
    if not count:
        return ""
    things, are = ("question", "is") if count == 1 else ("questions", "are")
    return f"The {count} {things} in words ({count * QUESTION} points) {are} marked by hand."
