"""The bundle of the real course, made once."""

import pytest
from course_units import PROJECT

from helpers.bundle.make import bundle


@pytest.fixture(scope="session")
def made():
    """Path below dist/ → content."""
    return bundle(PROJECT)
