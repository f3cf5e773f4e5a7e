"""A small sample of what `make bench` measures at full size, held to the same limits."""

import pytest
from pupils.measure import Plan, measure
from pupils.tables import limits


@pytest.fixture(scope="module")
def found():
    return limits(measure(Plan(students=8, slips=16, offsets=12, strangers=12, cheats=12)))


def test_the_checker_keeps_its_promises(found):
    assert [limit.row() for limit in found if not limit.kept] == []
