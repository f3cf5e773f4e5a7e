"""What a worksheet costs: one, and those of a class with their keys, made on two processors."""

import multiprocessing
import time

from table import print_table

from helpers import homework_example, personal_example
from helpers.worksheets import worksheet

CLASS, CLASS_SECONDS, ONE_SECONDS = 200, 10.0, 0.2
PROCESSES = 2


def make(student):
    made = worksheet(personal_example(student), key="separate", code=student, name=student)
    return len(made.pdf) + len(made.key_pdf)


def warm(_):
    return make("warm")


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


def test_a_class():
    students = [f"student {k}" for k in range(CLASS)]
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        pool.map(warm, range(PROCESSES), chunksize=1)
        start = time.perf_counter()
        sizes = pool.map(make, students, chunksize=10)
        took = time.perf_counter() - start
    print_table(
        "Worksheets of a class, keys apart", ("sheets", "MB", "s"), [(CLASS, sum(sizes) // 10**6, f"{took:.1f}")]
    )
    assert took <= CLASS_SECONDS
