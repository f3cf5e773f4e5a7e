"""The print file of a class: every page of every PDF, in order, each PDF on a sheet of its own."""

from functools import cache
from io import BytesIO

import pikepdf
import pytest
from pypdf import PdfReader

from helpers import personal_example
from helpers.worksheets import worksheet
from helpers.worksheets.printing import Print

STUDENTS = ("ada", "ben", "chloë")


@cache
def sheets():
    return {s: worksheet(personal_example(s), key="separate", name=s, paper="letter") for s in STUDENTS}


@cache
def printed():
    whole = Print()
    for student, sheet in sheets().items():
        whole.add(f"{student}, “a” (b)", sheet.pdf)
    return whole.pdf()


def pages(pdf):
    return PdfReader(BytesIO(pdf), strict=True).pages


def test_every_page_is_there_as_it_was_and_none_is_on_the_back_of_another_student_s():
    found = list(pages(printed()))
    for sheet in sheets().values():
        single = pages(sheet.pdf)
        theirs, found = found[: len(single)], found[len(single) :]
        for mine, page in zip(single, theirs, strict=True):
            assert page.extract_text() == mine.extract_text()
            assert page.mediabox == mine.mediabox
            assert page.get_contents().get_data() == mine.get_contents().get_data()
            assert page["/Resources"]["/Font"].keys() == mine["/Resources"]["/Font"].keys()
        if len(single) % 2 and found:
            assert found.pop(0).extract_text() == ""
    assert not found


def test_bookmarks_lead_to_the_first_pages():
    reader = PdfReader(BytesIO(printed()), strict=True)
    assert [mark.title for mark in reader.outline] == [f"{student}, “a” (b)" for student in STUDENTS]
    starts = [reader.get_destination_page_number(mark) for mark in reader.outline]
    for student, start in zip(STUDENTS, starts, strict=True):
        assert start % 2 == 0
        assert f"Name {student}" in reader.pages[start].extract_text()


def test_tags_stay_out_and_the_file_is_small():
    assert len(printed()) < sum(len(sheet.pdf) for sheet in sheets().values()) / 2
    assert b"/StructElem" not in printed()
    assert b"/StructParents" not in printed()
    twice = Print()
    for title in ("one", "two"):
        twice.add(title, sheets()["ada"].key_pdf)
    assert len(twice.pdf()) < 1.5 * len(sheets()["ada"].key_pdf)


def test_an_empty_print_file_is_a_pdf():
    assert len(pages(Print().pdf())) == 0


def test_a_pdf_that_keeps_its_objects_in_a_stream_is_read_as_well():
    """Another version of Typst may write them so."""
    with pikepdf.open(BytesIO(sheets()["ada"].pdf)) as pdf:
        packed = BytesIO()
        pdf.save(packed, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    assert b"/ObjStm" in packed.getvalue()
    whole = Print()
    whole.add("ada", packed.getvalue())
    assert [page.extract_text() for page in pages(whole.pdf())] == [
        page.extract_text() for page in pages(sheets()["ada"].pdf)
    ]


def test_what_is_no_pdf_is_refused():
    with pytest.raises(pikepdf.PdfError):
        Print().add("x", b"%PDF-1.7 and nothing else")


def test_the_same_sheets_give_the_same_bytes():
    printed.cache_clear()
    first = printed()
    printed.cache_clear()
    assert printed() == first
