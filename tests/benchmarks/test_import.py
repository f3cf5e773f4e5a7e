"""What `import helpers` costs beside `import numpy`, measured in fresh processes, in pairs, in turns."""

import statistics
import subprocess
import sys

from table import print_table

PAIRS = 15
BUDGET = 1.2
NUMPY = "import numpy"
MEASURED = {
    "import helpers": BUDGET,
    # What a lesson's first cell asks for: everything but NumPy itself has to fit into the allowance too.
    "from helpers import course_run, check, show_matmul": None,
}


def seconds(statement):
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def test_import_helpers_is_as_cheap_as_import_numpy():
    for statement in (NUMPY, *MEASURED):  # files into the cache, bytecode written
        seconds(statement)
    times = {statement: [] for statement in (NUMPY, *MEASURED)}
    for _ in range(PAIRS):
        for statement, found in times.items():
            found.append(seconds(statement))
    rows, ratios = [], {}
    for statement, found in times.items():
        pairs = [time / base for time, base in zip(found, times[NUMPY], strict=True)]
        low, median, high = statistics.quantiles(pairs, n=4)
        ratios[statement] = median
        budget = MEASURED.get(statement)
        rows.append(
            (
                statement,
                f"{1000 * statistics.median(found):.1f}",
                f"{median:.2f}",
                f"{low:.2f} to {high:.2f}",
                budget or "",
            )
        )
    print_table("Imports", ("statement", "ms (median)", "ratio", "middle half", "budget"), rows)
    assert ratios["import helpers"] <= BUDGET
