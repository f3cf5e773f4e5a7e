"""The page that leads from lesson to lesson: every unit is on it, every link leads somewhere."""

import re

import nbformat
from course_units import PROJECT, UNITS

from helpers.course.notebooks import INDEX

PAGE = PROJECT / "notebooks" / INDEX


def links():
    cells = nbformat.read(PAGE, as_version=nbformat.NO_CONVERT).cells
    return [target for cell in cells for target in re.findall(r"\]\(([^)]+)\)", cell.source)]


def test_every_unit_is_on_the_page_and_every_link_leads_to_a_file():
    assert {link.split("/")[0] for link in links()} == set(UNITS)
    assert all((PAGE.parent / link).is_file() for link in links())


def test_the_release_of_the_page_is_the_page():
    assert PAGE.read_bytes() == (PROJECT / "solutions" / INDEX).read_bytes()
