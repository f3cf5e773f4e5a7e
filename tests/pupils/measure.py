"""Measure the checker with simulated students: one walk per student, unit and kind, many boxes judged on the way.

A walk fills in one unit and hands in box after box. Then some other answers are tried in the place of each box: the
box as each named slip would make it, with small offsets, with errors in no catalogue. Which of them are tried is spread
over the walks, so that every pair of slip and box has its turn.
"""

import multiprocessing
import zlib
from typing import NamedTuple

import numpy as np
from pupils import honest, noise, slips
from pupils.marker import Marker
from pupils.paper import BOXES, KINDS, NO_DECIMALS, Desk, entries, shape
from pupils.rules import right
from pupils.seen import seen_entries, twins, written_unit
from pupils.tally import Tally

UNITS = ("encoder", "translation")
OFFSETS = {"5 units": 5, "10 units": 10, "20 units": 20}
# A wrong rule with a typo on top can be named from this many entries on.
LEAST_WITH_TYPO = 6


class Plan(NamedTuple):
    """How much is tried: so many kinds of students for each homework, each trial at every so-manieth box or pair."""

    students: int = 1000
    kinds: int = 3
    slips: int = 60
    offsets: int = 30
    strangers: int = 30
    slipped_walks: int = 1
    cheats: int = 20


class Case(NamedTuple):
    """All that is needed to see a miss again: `again(case)` makes the same walk."""

    student: str
    unit: str
    kind: str
    decimals: int
    seed: int
    slip: tuple
    key: str
    what: str
    said: str


class Walk:
    """One student's way through one unit, judged box by box into a tally."""

    def __init__(self, marker, kind, decimals, seed, tally, slip=()):
        self.marker = marker
        self.kind, self.decimals, self.seed, self.slip = kind, decimals, seed, tuple(slip)
        self.tally = tally
        self.rng = np.random.default_rng(seed + 1)
        given = honest.givens(marker.example, marker.unit, marker.Z)
        self.done = honest.Pass(given, kind, decimals, np.random.default_rng(seed)).fill(slip)
        self.boxes = [b for b in BOXES[marker.unit] if self.done.written[b.key] is not None]
        self.spoilt = False

    def after_slip(self, b):
        """Does this box come after the slip of this walk?"""
        keys = [other.key for other in self.boxes]
        return any(keys.index(key) < keys.index(b.key) for _, key in self.slip)

    def case(self, key, what, verdict):
        said = f"{'right' if verdict.accepted else 'off'} {' '.join(verdict.labels)}{' remark' * verdict.remark}"
        return Case(
            self.marker.student, self.marker.unit, self.kind, self.decimals, self.seed, self.slip, key, what, said
        )

    def go(self, trials=()):
        """Hand in every box in order; then try other answers, from the last box back to the first.

        Backwards, because the checker remembers what a box was built on: no box that is tried may rest on another
        that was tried before it.
        """
        for b in self.boxes:
            verdict = self.marker.judge(b.key, self.done.written[b.key])
            if not self.slip:
                self._honest(b, verdict)
            elif self.after_slip(b):
                self._followed(b, verdict)
        self.first = self.marker.first_slip() if self.slip else ""
        for b in reversed(self.boxes):
            for trial in trials:
                trial(self, b, self.done.written[b.key])
        return self

    def _honest(self, b, verdict):
        self.tally.add(
            "honest",
            (self.kind, self.decimals),
            accepted=verdict.accepted,
            remarked=verdict.remark,
            claimed=bool(verdict.labels),
        )
        for name, missed in (
            ("accepted", not verdict.accepted),
            ("remarked", verdict.remark),
            ("claimed", verdict.labels),
        ):
            if missed:
                self.tally.miss("honest", name, self.case(b.key, "honest", verdict))

    def _followed(self, b, verdict):
        self.tally.add("followed", self.kind, accepted=verdict.accepted)
        if not verdict.accepted:
            self.spoilt = True
            self.tally.miss("followed", b.key, self.case(b.key, "later box", verdict))


def turn(walk, b, name, every):
    """Is it this trial's turn in this walk? Spread evenly and the same in every run."""
    return zlib.crc32(f"{walk.seed} {b.key} {name}".encode()) % every == 0


# --- slips ---------------------------------------------------------------------------------------


def slip_trials(every):
    """Try the named slips of a box, each in its turn: plain and with a typo on top, or after an earlier slip."""

    def trial(walk, b, value):
        for label in slips.labels_at(b):
            if turn(walk, b, label, every):
                _try_slip(walk, b, value, label)

    return trial


def _try_slip(walk, b, value, label):
    desk = walk.done.desk(b.key)
    made = slips.slipped(label, desk, value, walk.rng)
    if made is None:
        return
    _, wrong = made
    if walk.slip:
        if walk.after_slip(b):
            _judge_slip(walk, desk, value, label, wrong, "after an earlier slip")
        return
    _judge_slip(walk, desk, value, label, wrong, "plain")
    if len(entries(wrong)) >= LEAST_WITH_TYPO and label not in ("entry.typo", "entry.sign", "rounding.early"):
        mistyped = noise.mistype(wrong, walk.decimals, walk.rng)
        _judge_slip(walk, desk, value, label, wrong, "with a typo", mistyped)


def _judge_slip(walk, desk, value, label, wrong, situation, mistyped=None):
    table, row = f"slips {situation}", (label, desk.box.key)
    handed_in = wrong if mistyped is None else mistyped
    if not _visible(walk, label, wrong, value, mistyped):
        walk.tally.add("unseen", (situation, walk.decimals), unseen=True)
        walk.tally.add(table, row, unseen=True)
        return
    names = twins(label, wrong, desk, value)
    verdict = walk.marker.judge(desk.box.key, handed_in)
    first = bool(verdict.labels) and verdict.labels[0] in names
    among = bool(names & set(verdict.labels[:2]))
    what = dict(seen=True, first=first, among=among, accepted=verdict.accepted, named=bool(verdict.labels))
    walk.tally.add("unseen", (situation, walk.decimals))
    walk.tally.add(table, row, **what)
    for other in names - {label}:
        walk.tally.add("twins", (desk.box.family, *sorted((label, other))))
    if not among:
        walk.tally.miss(table, row, walk.case(desk.box.key, label, verdict))
    elif not first:
        walk.tally.miss(f"{table}, second", row, walk.case(desk.box.key, label, verdict))


def _visible(walk, label, wrong, value, mistyped):
    """Does the slip show at the written digits? Under a typo, in two entries beside the mistyped one.

    Rounding too early is claimed only where every entry shows it: anything less may be an honest hand.
    """
    if shape(wrong) != shape(value):
        return True
    unit = written_unit(wrong)
    if label == "rounding.early":
        return seen_entries(wrong, value, unit) == len(entries(value))
    if mistyped is None:
        return seen_entries(wrong, value, unit) > 0
    kept = [(x, y) for x, y, z in zip(entries(wrong), entries(value), entries(mistyped), strict=True) if x == z]
    return seen_entries([x for x, _ in kept], [y for _, y in kept], unit) >= 2


# --- offsets -------------------------------------------------------------------------------------


def offset_trials(every):
    """Try small offsets, a sign flip and two exchanged rows; only where nothing else is wrong."""

    def trial(walk, b, value):
        if walk.slip or b.key in NO_DECIMALS:
            return
        for name in (*OFFSETS, "sign flip", "two rows exchanged"):
            if turn(walk, b, name, every):
                moved = _moved(walk, b, value, name)
                if moved is not None:
                    _judge_offset(walk, b, value, name, moved)

    return trial


def _moved(walk, b, value, name):
    if name in OFFSETS:
        return noise.offset(value, OFFSETS[name], walk.rng)
    label = "entry.sign" if name == "sign flip" else "rows.exchanged"
    made = slips.slipped(label, walk.done.desk(b.key), value, walk.rng)
    return None if made is None else made[1]


def _judge_offset(walk, b, value, name, moved):
    # A turned sign or an exchange can be smaller than any offset that is promised to be rejected.
    if not seen_entries(moved, value, written_unit(moved), units=OFFSETS.get(name, OFFSETS["10 units"])):
        walk.tally.add("unseen", (name, walk.decimals), unseen=True)
        return
    verdict = walk.marker.judge(b.key, moved)
    row = (name, "rounds" if walk.kind == "rounds" else "other kinds")
    walk.tally.add("unseen", (name, walk.decimals))
    walk.tally.add("offsets", row, rejected=not verdict.accepted, noticed=not verdict.accepted or verdict.remark)
    if verdict.accepted and not (name == "5 units" and verdict.remark):
        walk.tally.miss("offsets", row, walk.case(b.key, name, verdict))


# --- errors in no catalogue ----------------------------------------------------------------------


def stranger_trials(every):
    """Try errors that no rule explains; a rule claimed for them is a false one."""

    def trial(walk, b, value):
        if walk.slip or b.key in NO_DECIMALS:
            return
        for name, make in STRANGERS.items():
            if turn(walk, b, name, every):
                made = make(walk, b, value)
                if made is not None and seen_entries(made, value, written_unit(made)) >= 2:
                    _judge_stranger(walk, b, name, made)

    return trial


def _misread(walk, b, value):
    other = noise.misread(walk.done.given, b, walk.rng)
    if other is None:
        return None
    desk = walk.done.desk(b.key)
    return walk.done.pen.write(right(Desk(desk.box, desk.see, other, desk.pen)))


def _typos(count):
    def made(walk, b, value):
        return noise.some_typos(value, walk.decimals, walk.rng, count) if len(entries(value)) > count else None

    return made


STRANGERS = {
    "random matrix": lambda walk, b, value: noise.random_matrix(value, walk.decimals, walk.rng),
    "misread weight": _misread,
    "two typos": _typos(2),
    "three typos": _typos(3),
    "right × 0.8": lambda walk, b, value: noise.scaled_by(value, walk.decimals),
}


def _judge_stranger(walk, b, name, made):
    verdict = walk.marker.judge(b.key, made)
    walk.tally.add("strangers", name, claimed=bool(verdict.labels), accepted=verdict.accepted)
    if verdict.labels or verdict.accepted:
        walk.tally.miss("strangers", name, walk.case(b.key, name, verdict))


# --- whole students ------------------------------------------------------------------------------


def student(number, plan):
    """All walks of one student's homework: a tally in plain form."""
    tally = Tally()
    for unit in UNITS:
        marker = Marker(unit, f"pupil {number}")
        for k, kind in enumerate(KINDS):
            if (number + k) % len(KINDS) >= plan.kinds:
                continue
            seed = 1000 * number + 10 * k + (unit == "translation")
            decimals = 3 - (number // 2 + k) % 2
            trials = (slip_trials(plan.slips), offset_trials(plan.offsets), stranger_trials(plan.strangers))
            Walk(marker.afresh(), kind, decimals, seed, tally).go(trials)
        for k in range(plan.slipped_walks):
            _slipped_walk(marker, number, k, plan, tally)
        if number % plan.cheats == 0:
            _cheat(marker, number, tally)
    return tally.plain()


def _slipped_walk(marker, number, k, plan, tally):
    """One walk with a slip at a random box, and later boxes made from it; other slips are tried on top."""
    seed = 1000 * number + 100 + 10 * k + (marker.unit == "translation")
    rng = np.random.default_rng(seed)
    kind, decimals = noise.pick(rng, KINDS), 3 - number % 2
    given = honest.givens(marker.example, marker.unit, marker.Z)
    slip = _possible_slip(given, kind, decimals, seed, rng)
    walk = Walk(marker.afresh(), kind, decimals, seed, tally, [slip])
    walk.go([slip_trials(max(1, plan.slips // 4))])
    _passed(walk, slip, tally)


def _passed(walk, slip, tally):
    """Was everything after the slip accepted, and is the slip named as the first wrong step?"""
    label, key = slip
    tally.add("passes", walk.marker.unit, followed=not walk.spoilt)
    done = walk.done
    if _visible(walk, label, done.written[key], done.honest[key], None):
        found = walk.first
        tally.add("first wrong step", walk.marker.unit, named=found == key)
        if found != key:
            case = Case(
                walk.marker.student, walk.marker.unit, walk.kind, walk.decimals, walk.seed, walk.slip, key, label, found
            )
            tally.miss("first wrong step", walk.marker.unit, case)


def _possible_slip(given, kind, decimals, seed, rng):
    """A slip drawn at random that can happen in this pass and leaves the box its shape."""
    done = honest.Pass(given, kind, decimals, np.random.default_rng(seed)).fill()
    while True:
        label, key = noise.pick(rng, slips.pairs(given.unit))
        made = slips.slipped(label, done.desk(key), done.written[key], rng)
        if made is not None and shape(made[1]) == shape(done.written[key]):
            return label, key


def _cheat(marker, number, tally):
    """Passes without work: what they earn, box by box."""
    given = honest.givens(marker.example, marker.unit, marker.Z)
    done = honest.Pass(given, "rounds", 3, np.random.default_rng(number)).fill()
    for name, boxes in noise.cheats(done.written, marker.unit, 3, np.random.default_rng(number)).items():
        sheet = marker.afresh()
        for key, value in boxes.items():
            if value is not None:
                sheet.judge(key, value)
        report = sheet.report()
        points, possible = (sum(getattr(found, what) for found in report.values()) for what in ("points", "possible"))
        accepted = [key for key, found in report.items() if found.accepted]
        row = (marker.unit, name)
        tally.add("cheats", row, points=round(1000 * points), possible=round(1000 * possible), right=len(accepted))
        tally.miss("cheats", row, (marker.student, points, accepted))


def again(case):
    """Make the walk of a miss once more, up to its box: (walk, the box's honest value)."""
    found = Walk(Marker(case.unit, case.student), case.kind, case.decimals, case.seed, Tally(), case.slip)
    for b in BOXES[case.unit]:
        if b.key == case.key:
            return found, found.done.written[b.key]
        if found.done.written[b.key] is not None:
            found.marker.judge(b.key, found.done.written[b.key])
    raise ValueError(f"{case.unit} has no box {case.key}")


def _one(args):
    return student(*args)


def measure(plan, first=0, workers=2):
    """Walk through the homework of plan.students students: a Tally."""
    tally = Tally()
    jobs = [(number, plan) for number in range(first, first + plan.students)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for plain in pool.imap_unordered(_one, jobs, chunksize=2):
            tally.take(plain)
    return tally
