"""What a worksheet costs: one, and those of a class with keys and print files, made on two processors."""

import multiprocessing
import time

from table import print_table

from helpers import homework_example, personal_example
from helpers.worksheets import worksheet
from helpers.worksheets.printing import Print

CLASS, CLASS_SECONDS, ONE_SECONDS = 200, 10.0, 0.2
PROCESSES = 2


def make(student):
    start = time.process_time()
    made = worksheet(personal_example(student), key="separate", code=student, name=student)
    return student, (made.pdf, made.key_pdf), time.process_time() - start


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
        prints, size, busy = (Print(), Print()), 0, 0.0
        for student, pdfs, seconds in pool.imap(make, students, chunksize=5):
            for whole, pdf in zip(prints, pdfs, strict=True):
                whole.add(student, pdf)
                size += len(pdf)
            busy += seconds
        size += sum(len(whole.pdf()) for whole in prints)
        took = time.perf_counter() - start
    print_table(
        "Worksheets of a class, keys apart, and both as a file to print",
        ("sheets", "MB", "processor ms a student", "s"),
        [(CLASS, size // 10**6, f"{1000 * busy / CLASS:.0f}", f"{took:.1f}")],
    )
    assert took <= CLASS_SECONDS
