"""Submissions that are alike where honest ones hardly are: the same wrong numbers, the same wrong code.

What is found is a sign and no verdict. Three things count:

- numbers: two boxes hold the same numbers, wrong for one of both at least, although the personal numbers that they
  should follow from differ. One such box is a strong sign.
- mistakes with the same personal numbers, or the pinned ones: a known mistake makes the same wrong numbers for
  everybody, so only accidents count, such as a slip of the pen in the same entry, or what no known mistake explains;
  and two boxes at least.
- code: functions that are wrong and the same but for names, blanks and comments, where nobody is right with them and
  they use no other function that is wrong. One long function or two short ones.

What more than a twentieth of the class shares (and more than four) is the class's own way and counts for nobody. Each
submission is looked at once, and only those with the same hash are put side by side.
"""

from __future__ import annotations

import ast
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np

from helpers.boxes import work_out
from helpers.checks.homework import homework_boxes, homework_givens
from helpers.checks.read import Unreadable as UnreadableAnswer
from helpers.checks.read import read
from helpers.errors import PlainError
from helpers.grading.marking import typed_student
from helpers.grading.reading import python_of
from helpers.personal import folded, homework_example, personal_example
from helpers.tasks import TASKS
from helpers.term.gradebook import Student
from helpers.term.verdicts import FOLLOWED, OFF, RIGHT, Marked, Step

HOMEWORKS = {"homework_encoder": "encoder", "homework_translation": "translation"}
# Mistakes that are accidents: nobody makes the very same one by thinking alike.
ACCIDENTS = frozenset({"entry.typo", "entry.sign"})
# So many different numbers that are not whole make a box one's own.
FEWEST_NUMBERS = 4
# Parts of a syntax tree: shorter code says nothing, longer code alone says enough.
FEWEST_PARTS, LONG = 30, 90
SHARED_BY_MANY, AT_LEAST = 0.05, 4
LONGEST = 20_000
NUMBERS, CODE, IDENTITY = "numbers", "code", "id"


@dataclass(frozen=True)
class Trait:
    """Something of a submission that another may share. key: the step. hash: equal for what is the same.

    wrong: whether it is wrong for its student. weak: it says little, since a way of thinking explains it. parts: of
    code, how long it is. varies: whether the right numbers differ from student to student.
    """

    kind: str
    key: str
    hash: str
    wrong: bool
    weak: bool = False
    parts: int = 0
    varies: bool = False


@dataclass
class Traits:
    """What is kept of one submission. numbers: whose personal numbers it works with, "" the pinned ones."""

    numbers: str = ""
    found: list[Trait] = field(default_factory=list)


@dataclass(frozen=True)
class Sign:
    """What several submissions share: in one step the same numbers or code, or one works with another's numbers."""

    kind: str
    key: str
    students: tuple[str, ...]
    strong: bool


@dataclass(frozen=True)
class Group:
    """Submissions that are alike, with the signs of it, the strong ones first."""

    students: tuple[str, ...]
    signs: tuple[Sign, ...]

    @property
    def strong(self) -> bool:
        """Whether one of its signs is a strong one."""
        return any(sign.strong for sign in self.signs)


# What one submission shows


def traits_of(
    unit: str, steps: Sequence[Step], student: Student, marked: Marked, states: Mapping[str, str], salt: str
) -> Traits:
    """What of a submission another may share; `salt` is the course's, "" where the pinned numbers count."""
    traits = Traits(_folded(typed_student(marked.code)))
    if not traits.numbers and salt and unit in HOMEWORKS:
        # What is right for the own numbers was worked out from them, wherever the id was typed.
        own = any(states[step.name] == RIGHT and step.key in _varying(unit) for step in steps)
        traits.numbers = _folded(student.student) if own else ""
    wrong = {step.key for step in steps if states[step.name] == OFF}
    for step in steps:
        if step.prose or step.key.startswith("paper-shapes"):
            continue
        answer = marked.answer(step.name)
        if len(answer) > LONGEST or not answer.strip():
            continue
        labels = set(student.told.get("labels", {}).get(step.name, ()))
        tree = parsed(answer)
        if tree is None:
            continue
        values = _values(tree, step.key) if unit in HOMEWORKS else None
        if values is not None:
            traits.found += _of_numbers(unit, step, values, states[step.name], labels, traits.numbers)
        elif not _uses(tree, wrong - {step.key}):
            traits.found += _of_code(step.key, tree, states[step.name])
    return traits


def right_code(steps: Sequence[Step], solution: Marked) -> Traits:
    """The code of the unit's own solution, which is no sign of anything."""
    trees = [(step.key, parsed(solution.answer(step.name))) for step in steps if not step.prose]
    return Traits("", [trait for key, tree in trees if tree is not None for trait in _of_code(key, tree, RIGHT)])


def _of_code(key: str, tree: ast.Module, word: str) -> Iterator[Trait]:
    code, parts = normalised(tree)
    if parts >= FEWEST_PARTS and word in (OFF, RIGHT):
        yield Trait(CODE, key, _hash(code), word == OFF, parts=parts)


def _uses(tree: ast.Module, names: set[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree))


def _of_numbers(unit: str, step: Step, values: np.ndarray, word: str, labels: set, numbers: str) -> Iterator[Trait]:
    if _says_something(values) and not (numbers == "" and _is_pinned_truth(unit, step.key, values)):
        text = repr((values.shape, np.round(values, 6).tolist()))
        weak = word != OFF or bool(labels - ACCIDENTS)
        varies = step.key in _varying(unit)
        yield Trait(NUMBERS, step.key, _hash(text), word not in (RIGHT, FOLLOWED), weak, varies=varies)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:20]


def _folded(typed: str) -> str:
    try:
        return folded(typed) if typed else ""
    except PlainError:
        return ""


def parsed(source: str) -> ast.Module | None:
    """A cell's syntax tree, None for what is no Python."""
    try:
        return ast.parse(python_of(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _values(tree: ast.Module, key: str) -> np.ndarray | None:
    """The numbers that are written down for a box, None when they are worked out in code."""
    nodes = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and any(isinstance(name, ast.Name) and name.id == key for name in node.targets)
    ]
    if not nodes:
        return None
    node = nodes[-1]
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        node = node.args[0]
    try:
        return read(ast.literal_eval(node)).values
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, UnreadableAnswer):
        return None


def _says_something(values: np.ndarray) -> bool:
    there = values[np.isfinite(values)].tolist()
    return len({abs(value) for value in there if value % 1}) >= FEWEST_NUMBERS


@cache
def _truth(unit: str, student: str = "") -> Mapping[str, np.ndarray]:
    example = personal_example(student, "of no course") if student else homework_example()
    name = HOMEWORKS[unit]
    return work_out(homework_boxes(name, example), homework_givens(name, example))


@cache
def _varying(unit: str) -> frozenset[str]:
    """Keys of the boxes whose right numbers differ from student to student."""
    one, other = _truth(unit, "one"), _truth(unit, "other")
    return frozenset(key for key in one if not np.array_equal(one[key], other[key]))


def _is_pinned_truth(unit: str, key: str, values: np.ndarray) -> bool:
    """Whether a box is right for the pinned numbers: so it is for everybody who left out their id."""
    right = np.asarray(_truth(unit).get(key, np.nan), dtype=float)
    return right.shape == values.shape and bool(np.nanmax(np.abs(right - values), initial=0.0) < 0.02)


def normalised(tree: ast.Module, texts: bool = True) -> tuple[str, int]:
    """Code with its own names replaced in order, without docstrings, or without any texts; and of how many parts."""
    try:
        tree = _Renamed(tree, texts).visit(ast.parse(ast.unparse(tree)))
        return ast.unparse(tree), sum(1 for _ in ast.walk(tree))
    except (RecursionError, MemoryError, ValueError, SyntaxError):
        return "", 0


class _Renamed(ast.NodeTransformer):
    """Gives the names that the code itself brings new ones, in the order in which they come."""

    def __init__(self, tree: ast.Module, texts: bool = True):
        self._texts = texts
        own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        made = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self._own, self._new = own | made - TASKS.keys(), {}

    def _name(self, name: str) -> str:
        return self._new.setdefault(name, f"v{len(self._new)}") if name in self._own else name

    def visit_ClassDef(self, node):
        node.name = self._name(node.name)
        return self.generic_visit(node)

    def visit_Name(self, node):
        return ast.Name(self._name(node.id), node.ctx)

    def visit_arg(self, node):
        return ast.arg(self._name(node.arg), None)

    def visit_Constant(self, node):
        return node if self._texts or not isinstance(node.value, (str, bytes)) else ast.Constant("…")

    def visit_FunctionDef(self, node):
        body = node.body
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            node.body = body[1:] or [ast.Pass()]
        node.name, node.returns = self._name(node.name), None
        return self.generic_visit(node)


# What several share


def groups_of(traits: Mapping[str, Traits], solution: Traits | None = None) -> list[Group]:
    """The groups of submissions that are alike, those with strong signs and the larger ones first."""
    right = {(trait.key, trait.hash) for trait in (solution or Traits()).found}
    signs = [*_shared(traits, right), *_working_for_another(traits)]
    pairs: dict[tuple[str, str], list[tuple[Sign, int]]] = defaultdict(list)
    for sign, parts in signs:
        for pair in combinations(sign.students, 2):
            pairs[pair].append((sign, parts))
    joined = [pair for pair, found in pairs.items() if _is_enough(found)]
    groups = [_group(members, [sign for sign, _ in signs]) for members in _connected(joined)]
    return sorted(groups, key=lambda group: (not group.strong, -len(group.signs), group.students))


def _is_enough(found: Sequence[tuple[Sign, int]]) -> bool:
    return any(sign.strong or parts >= LONG for sign, parts in found) or len(found) >= 2


def _shared(traits: Mapping[str, Traits], right: set[tuple[str, str]]) -> Iterator[tuple[Sign, int]]:
    buckets: dict[tuple[str, str, str], list[tuple[str, Trait]]] = defaultdict(list)
    for student, one in traits.items():
        for trait in one.found:
            buckets[trait.kind, trait.key, trait.hash].append((student, trait))
    few = max(AT_LEAST, SHARED_BY_MANY * len(traits))
    for (kind, key, hash_), bucket in buckets.items():
        if 2 <= len(bucket) <= few and not (kind == CODE and (key, hash_) in right):
            yield from _signs(kind, key, bucket, traits)


def _signs(kind: str, key: str, bucket: list, traits: Mapping[str, Traits]) -> Iterator[tuple[Sign, int]]:
    students = tuple(student for student, _ in bucket)
    found = [trait for _, trait in bucket]
    if kind == CODE:
        if not all(trait.wrong for trait in found):
            return
        yield Sign(CODE, key, students, False), found[0].parts
    elif found[0].varies and len({traits[student].numbers for student in students}) > 1:
        # Right for one, perhaps, but then wrong for the others.
        if any(trait.wrong for trait in found):
            yield Sign(NUMBERS, key, students, True), 0
    else:
        accidents = tuple(student for student, trait in bucket if trait.wrong and not trait.weak)
        if len(accidents) > 1:
            yield Sign(NUMBERS, key, accidents, False), 0


def _working_for_another(traits: Mapping[str, Traits]) -> Iterator[tuple[Sign, int]]:
    """Notebooks that work with the personal numbers of another of the class."""
    known = {_folded(student): student for student in traits}
    for student, one in traits.items():
        other = known.get(one.numbers)
        if other is not None and other != student and one.numbers != _folded(student):
            yield Sign(IDENTITY, "", tuple(sorted((student, other))), True), 0


def _connected(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Who belongs together, when whoever is paired does."""
    parent: dict[str, str] = {}

    def top(one: str) -> str:
        parent.setdefault(one, one)
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for one, other in pairs:
        parent[top(one)] = top(other)
    found: dict[str, list[str]] = defaultdict(list)
    for one in sorted(parent):
        found[top(one)].append(one)
    return [tuple(members) for members in found.values()]


def _group(members: tuple[str, ...], signs: Sequence[Sign]) -> Group:
    inside = set(members)
    kept = []
    for sign in signs:
        both = tuple(student for student in sign.students if student in inside)
        if len(both) > 1:
            kept.append(Sign(sign.kind, sign.key, both, sign.strong))
    return Group(members, tuple(sorted(kept, key=lambda sign: not sign.strong)))
