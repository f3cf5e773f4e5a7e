"""What it costs to try every known mistake on a student's function, beside the engine's own run of the same cases."""

import statistics
import time

import numpy as np
from table import print_table

from helpers import TASKS, check

TIMES = 9
# A check runs the cases a few times and walks some two hundred mistakes beside them.
BUDGET = 200


def median_ms(work):
    found = []
    for _ in range(TIMES):
        start = time.process_time()
        work()
        found.append(1000 * (time.process_time() - start))
    return statistics.median(found)


def wrong_everywhere(task):
    """A function whose results fit no known mistake, so that every one is tried."""
    rng = np.random.RandomState(0)

    def off(part):
        return np.asarray(part, dtype=float) + rng.normal(0, 1, np.shape(part))

    def function(*args):
        result = task.reference(*args)
        return tuple(map(off, result)) if isinstance(result, tuple) else off(result)

    return function


def test_a_check_with_all_mistakes_is_quick():
    rows, ratios = [], {}
    for name, task in TASKS.items():
        if not task.walk or name == "token_ids":
            continue
        function, cases = wrong_everywhere(task), task.visible()
        assert check(**{name: function}).labels == ()
        whole = median_ms(lambda name=name, function=function: check(**{name: function}))
        alone = median_ms(lambda task=task, cases=cases: [task.reference(*case.args) for case in cases])
        ratios[name] = whole / alone
        rows.append((name, f"{whole:.1f}", f"{alone:.2f}", f"{ratios[name]:.0f}"))
    print_table("Checks of functions, all mistakes tried", ("task", "check, ms", "engine, ms", "ratio"), rows)
    assert max(ratios.values()) <= BUDGET
