"""Runs the test cells of a unit in the marker's own process, on answers fetched from the sandbox."""

from __future__ import annotations

import builtins
import hmac
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from types import ModuleType

import numpy as np

import helpers
from helpers.checks import Feedback, check, check_fresh, visible_cases
from helpers.checks.functions import try_function
from helpers.checks.homework import Homework
from helpers.checks.progress import ITEMS, progress_of
from helpers.errors import PlainError
from helpers.examples import stream
from helpers.grading.proxies import Proxy, said_together
from helpers.grading.runner import Runner
from helpers.grading.session import Called
from helpers.grading.unit import Test, Unit
from helpers.grading.wire import Function, Missing, Unreadable
from helpers.tasks import TASKS, Case

_BUILTINS = frozenset(vars(builtins))


class NotThere(PlainError):
    """An answer that a test asks for and that has no value."""


@dataclass
class Verdict:
    """What a test cell came to.

    points: earned. outputs: for the notebook. labels: mistakes that were named. missing: a name without a value.
    trouble: what the marker itself stumbled over, "" for nothing.
    """

    points: float = 0.0
    outputs: list[dict] = field(default_factory=list)
    labels: tuple[str, ...] = ()
    missing: str = ""
    trouble: str = ""


class Judge:
    """Judges one submission: its tests share names, as the cells of a notebook do."""

    def __init__(self, unit: Unit, runner: Runner, digest: bytes, homework: Homework | None = None):
        self.unit, self.runner, self.digest = unit, runner, digest
        self.feedback: dict[str, Feedback] = {}
        self._labels: tuple[str, ...] = ()
        self._drawn: dict[tuple[str, int], Sequence[Case]] = {}
        self._homework = unit.homework[0]
        self._names = {"np": np, "check": self._check, "check_fresh": self._check_fresh}
        if homework is not None:
            self._names[self._homework] = homework
        self._helpers = _Helpers("helpers", {"check": self._check, "check_fresh": self._check_fresh})

    # What tests call

    def _check(self, **answer) -> Feedback:
        return self._keep(check(**answer), answer)

    def _check_fresh(self, seed: int, **answer) -> Feedback:
        """As the course's own, on inputs that nobody can know before and that are the same the next time."""
        (name,) = answer if len(answer) == 1 else ("",)
        if name not in TASKS:
            # It says what is wrong with the question.
            return check_fresh(seed, **answer)
        before = self.feedback.get(name)
        # What is wrong was told already; then only the points are asked for.
        explain = before is None or before.kind == "right"
        return self._keep(try_function(TASKS[name], answer[name], self._fresh(name, seed), explain), answer)

    def _fresh(self, name: str, seed: int) -> Sequence[Case]:
        """The fresh cases of a task for this submission, drawn once."""
        if (name, seed) not in self._drawn:
            asked = f"{self.unit.name} {seed} {name}".encode()
            drawn = hmac.new(self.unit.secret, self.digest + asked, sha256).digest()
            self._drawn[name, seed] = TASKS[name].fresh(stream(int.from_bytes(drawn[:4], "big")))
        return self._drawn[name, seed]

    def _keep(self, feedback: Feedback, answer: dict) -> Feedback:
        self._labels += feedback.labels
        for name in answer:
            before = self.feedback.get(name)
            self.feedback[name] = feedback if before is None else before & feedback
        return feedback

    # What the marker asks

    def start(self, test: Test) -> str:
        """Begin the homework from a student's own numbers; a sentence when they cannot be used."""
        try:
            names, _ = self._fetch(test)
            exec(test.body, names)
            if test.last:
                eval(test.last, names)
            self._names[self._homework] = names[self._homework]
        except PlainError as error:
            return str(error)
        except Exception as error:
            return f"The homework could not be begun from the numbers that were written ({type(error).__name__})."
        return ""

    def judge(self, test: Test, possible: float) -> Verdict:
        """Run one test cell; whatever happens in it is told in its outputs."""
        page, self._labels = _Page(test.hidden), ()
        verdict = self._judged(test, possible, page)
        verdict.labels = tuple(dict.fromkeys(page.labels + self._labels))
        return verdict

    def _judged(self, test: Test, possible: float, page: _Page) -> Verdict:
        try:
            names, fetched = self._fetch(test)
            names["display"] = page.display
            names["__builtins__"] = vars(builtins) | {"print": page.print, "__import__": self._import}
            exec(test.body, names)
            last = None if test.last is None else eval(test.last, names)
            self._names |= {name: names[name] for name in names.keys() - fetched - {"display", "__builtins__"}}
        except NotThere as error:
            return Verdict(outputs=[_error("NotThere", str(error))], missing=str(error))
        except PlainError as error:
            return Verdict(outputs=[*page.outputs, _error("PlainError", str(error))])
        except AssertionError as error:
            said = "A test failed." if _is_hidden(error, test) else str(error) or "A test failed."
            return Verdict(outputs=[*page.outputs, _error("AssertionError", said)])
        except Exception as error:
            if _is_of_the_test(error):
                # The line itself could not take the value, as where numbers stand for a dict.
                return Verdict(outputs=[*page.outputs, _error("PlainError", "This answer is not what is asked for.")])
            said = f"This answer could not be judged ({type(error).__name__})."
            trouble = f"{type(error).__name__}: {error}"
            return Verdict(outputs=[*page.outputs, _error("PlainError", said)], trouble=trouble)
        return self._earned(last, possible, page)

    def progress(self) -> list[dict]:
        """How far the student is, as the cell that asks for it shows it."""
        homework = self._names.get(self._homework)
        if homework is not None:
            return [_shown(homework.progress())]
        if self.unit.name not in ITEMS:
            return []
        return [_shown(progress_of(self.unit.name, self.feedback))]

    def _earned(self, last, possible: float, page: _Page) -> Verdict:
        number = isinstance(last, (int, float, np.number)) and not isinstance(last, bool)
        points = float(last) if number else possible
        points = min(max(points, 0.0), possible) if points == points else 0.0
        if page.points is not None and points < page.points:
            page.print(f"With fresh numbers this answer earns {points:g} of {possible:g} points.")
        text = f"{points:g}" if number else repr(last)
        result = {
            "output_type": "execute_result",
            "data": {"text/plain": text},
            "metadata": {},
            "execution_count": None,
        }
        return Verdict(points, page.outputs + ([result] if last is not None else []))

    def _fetch(self, test: Test) -> tuple[dict, set[str]]:
        """The marker's names and the student's values under the others; and which these are."""
        names = dict(self._names)
        asked = test.names - names.keys() - _BUILTINS - {"display"}
        for name in sorted(asked):
            value, known = self._answer(test, name)
            if isinstance(value, Function):
                names[name] = Proxy(self.runner, name, known)
            elif isinstance(value, Unreadable):
                raise PlainError(f"{name} cannot be read: {value.reason}.")
            elif not isinstance(value, Missing):
                names[name] = _as_asked(value, test.keys.get(name, ()))
            else:
                raise NotThere(f"{name} has no value: it was not written, or its cell stopped before.")
        return names, set(asked)

    def _answer(self, test: Test, name: str) -> tuple[object, list[tuple[Case, Called]]]:
        """An answer; of a function also what it gives for the cases on which this test will try it."""
        cases = [*visible_cases(name)] if name in test.checked and name in TASKS else []
        if cases and name in test.fresh:
            cases += self._fresh(name, test.fresh[name])
        with self.runner.talking():
            calls = said_together(cases)
        if not calls:
            return self.runner.value(name), []
        value, found = self.runner.tried(name, calls)
        return value, list(zip(cases, found, strict=False))

    def _import(self, name, *rest):
        if name == "helpers":
            return self._helpers
        return builtins.__import__(name, *rest)


class _Helpers(ModuleType):
    """The package as a test imports it: the marker's own checks, and the rest as it is."""

    def __init__(self, name: str, own: dict):
        super().__init__(name)
        self.__dict__.update(own)

    def __getattr__(self, name):
        return getattr(helpers, name)


class _Page:
    """What a test cell shows. What its hidden lines show is left out."""

    def __init__(self, hidden: frozenset[int]):
        self.outputs: list[dict] = []
        self.labels: tuple[str, ...] = ()
        self.points: float | None = None
        self._hidden = hidden

    def display(self, *values) -> None:
        """Show feedback, and other things that show themselves."""
        if self._in_hidden():
            return
        for value in values:
            if isinstance(value, (Feedback, list)) and hasattr(value, "points"):
                self.points = value.points
                each = value if isinstance(value, list) else [value]
                self.labels += tuple(label for one in each for label in one.labels)
            self.outputs.append(_shown(value))

    def print(self, *values, **how) -> None:
        """Print to the cell."""
        if self._in_hidden():
            return
        with io.StringIO() as text:
            print(*values, file=text, **{key: how[key] for key in ("sep", "end") if key in how})
            self.outputs.append({"output_type": "stream", "name": "stdout", "text": text.getvalue()})

    def _in_hidden(self) -> bool:
        frame = sys._getframe(2)
        return frame.f_code.co_filename == "test" and frame.f_lineno in self._hidden


def _as_asked(value, keys: Sequence[str]):
    """A dict with the keys that are asked for and no others: those of another question would earn its points twice."""
    return {key: value.get(key) for key in keys} if keys and isinstance(value, dict) else value


def _is_of_the_test(error: BaseException) -> bool:
    """Whether an error arose in the test cell and in nothing that it called."""
    return error.__traceback__.tb_next is not None and error.__traceback__.tb_next.tb_next is None


def _is_hidden(error: BaseException, test: Test) -> bool:
    """Whether an error arose below a hidden line."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "test" and trace.tb_lineno in test.hidden:
            return True
        trace = trace.tb_next
    return False


def _shown(value) -> dict:
    bundle = getattr(value, "_repr_mimebundle_", None)
    data = bundle() if bundle else {"text/plain": repr(value)}
    return {"output_type": "display_data", "data": dict(data), "metadata": {}}


def _error(name: str, said: str) -> dict:
    return {"output_type": "error", "ename": name, "evalue": said, "traceback": [said]}
