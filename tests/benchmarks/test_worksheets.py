"""What a worksheet costs: one, and those of a class with keys and print files, made on two processors."""

import time

from table import print_table

from helpers import homework_example, personal_example
from helpers.worksheets import make_worksheets, worksheet

CLASS, CLASS_SECONDS, ONE_SECONDS = 200, 10.0, 0.2
PROCESSES = 2


def test_one_sheet():
    worksheet(homework_example())
    times = []
    for k in range(10):
        example = personal_example(f"one {k}")
        start = time.perf_counter()
        worksheet(example)
        times.append(time.perf_counter() - start)
    print_table(
        "One worksheet with its key", ("s (median)", "longest"), [(f"{sorted(times)[5]:.3f}", f"{max(times):.3f}")]
    )
    assert sorted(times)[5] <= ONE_SECONDS


def test_a_class(tmp_path):
    """From the class list to files: a sheet and a key each, and what is printed for all; starting processes counts."""
    roster = tmp_path / "class.csv"
    roster.write_text("student\n" + "".join(f"student {k}\n" for k in range(CLASS)), encoding="utf-8")
    start = time.perf_counter()
    made = make_worksheets(roster=roster, out=tmp_path / "sheets", key="separate", processes=PROCESSES)
    took = time.perf_counter() - start
    assert len(made.codes) == CLASS
    assert not made.problems
    size = sum(file.stat().st_size for file in made.files)
    print_table(
        "Worksheets of a class, keys apart, and both as a file to print",
        ("sheets", "MB", "ms a student", "s"),
        [(CLASS, size // 10**6, f"{1000 * took / CLASS:.0f}", f"{took:.1f}")],
    )
    assert took <= CLASS_SECONDS
