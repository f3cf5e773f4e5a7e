"""The screen proven on a class: every id gets friendly numbers, in which every screened slip can be seen."""

from screening import faults
from table import print_table

from helpers import personal_example

STUDENTS = 1000


def test_a_thousand_ids_pass_the_screen():
    found = {k: faults(personal_example(f"student {k}", "a class")) for k in range(STUDENTS)}
    wrong = [(k, *fault) for k, faulty in found.items() for fault in faulty]
    print_table("Ids screened, by loops of their own", ("ids", "faults"), [(STUDENTS, len(wrong))])
    assert wrong == []
