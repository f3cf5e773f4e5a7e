"""How long the solution notebooks take from top to bottom, kernel start and stop included."""

import statistics
import time

import pytest
from course_units import PROJECT, UNITS
from table import print_table

from helpers.course.execute import execute
from helpers.course.notebooks import solution_path

RUNS = 3
SECONDS = 15


@pytest.mark.parametrize("unit", UNITS)
def test_a_lesson_runs_in_seconds(unit):
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        execute(solution_path(PROJECT, unit))
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    row = (unit, RUNS, f"{median:.1f}", f"{min(times):.1f} to {max(times):.1f}", SECONDS)
    print_table("Restart and run all", ("unit", "runs", "s (median)", "range", "budget"), [row])
    assert median <= SECONDS
