"""How long one check takes, with all mistakes tried: wrong boxes of every family, one process, wall clock."""

import time

import numpy as np
from pupils import honest, slips
from pupils.marker import Marker
from pupils.paper import BOXES


def check_times(students, repeats=3):
    """Milliseconds of one check for every (unit, key): the least of some repeats of one wrong answer each.

    The least of the repeats is what the check costs; what is above it, the machine did for others.
    """
    found = []
    for number in range(students):
        for unit in BOXES:
            found += _sheet_times(Marker(unit, f"pupil {number}"), number, repeats)
    return found


def _sheet_times(marker, number, repeats):
    given = honest.givens(marker.example, marker.unit, marker.Z)
    rng = np.random.default_rng(number)
    done = honest.Pass(given, "rounds", 3, rng).fill()
    found = []
    for b in BOXES[marker.unit]:
        wrong = _some_slip(done, b, rng)
        if wrong is not None:
            times = [_milliseconds(marker, b.key, wrong) for _ in range(repeats)]
            found.append((marker.unit, b.key, min(times)))
        marker.judge(b.key, done.written[b.key])
    return found


def _some_slip(done, b, rng):
    labels = slips.labels_at(b)
    for k in rng.permutation(len(labels)):
        made = slips.slipped(labels[k], done.desk(b.key), done.written[b.key], rng)
        if made is not None and made[1] != done.written[b.key]:
            return made[1]
    return None


def _milliseconds(marker, key, value):
    start = time.perf_counter()
    marker.homework.check(**{key: value})
    return 1000 * (time.perf_counter() - start)
