"""The checker measured on simulated students: how much honest work it accepts, how many slips it names, how fast."""

import statistics

from pupils.measure import Plan, measure
from pupils.tables import all_tables, limits
from pupils.timing import check_times
from table import print_table

STUDENTS = 1000
MEDIAN_MS, LONGEST_MS = 2, 10


def test_the_checker_keeps_its_promises():
    tally = measure(Plan(students=STUDENTS))
    for table in all_tables(tally):
        print_table(*table)
    assert [limit.row() for limit in limits(tally) if not limit.kept] == []


def test_one_check_takes_milliseconds():
    check_times(1)  # what is computed once is computed
    found = sorted(check_times(20), key=lambda time: time[-1])
    times = [time for *_, time in found]
    rows = [("one check", len(times), f"{statistics.median(times):.2f}", f"{times[-1]:.2f}", " ".join(found[-1][:2]))]
    print_table("One check with all mistakes tried", ("what", "boxes", "ms (median)", "longest", "where"), rows)
    assert statistics.median(times) <= MEDIAN_MS
    assert times[-1] <= LONGEST_MS
