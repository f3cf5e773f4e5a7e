"""The class list and the due dates: what is read, what is refused, and in which words."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from collecting import CLASS
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import PlainError
from helpers.grading.people import is_id, read_class
from helpers.grading.times import due_of, read_extension, read_time, shown

BERLIN = ZoneInfo("Europe/Berlin")
DUE = datetime(2027, 3, 1, 22, 59)


def listed(folder, text):
    (folder / "class.csv").write_text(text, encoding="utf-8")
    return read_class(folder)


def test_a_class_is_read(tmp_path):
    found = listed(tmp_path, CLASS)
    assert list(found.people) == ["ada", "bruno", "kim1", "kim2", "zoe"]
    assert found.people["ada"].canvas_id == "501"
    assert found.people["bruno"].names() == ("Bruno", "Müller")
    assert found.withdrawn() == {"zoe"}
    assert [person.id for person in found.present()] == ["ada", "bruno", "kim1", "kim2"]
    assert found.problems == ()
    assert found.extensions("tiny", DUE, BERLIN) == ({"bruno": timedelta(days=3)}, [])
    assert found.speaks_of("tiny")
    assert not found.speaks_of("other")
    assert found.extensions("other", DUE, BERLIN) == ({}, [])


def test_no_list_is_none(tmp_path):
    assert read_class(tmp_path) is None


def test_titles_and_separators_of_other_programs_are_understood(tmp_path):
    text = "Student;First Name;Last-Name;E-Mail;Moodle tiny;Extension\nAda L;Ada;King, Lady;a@b.c;77;48 h\n"
    person = listed(tmp_path, text).people["Ada L"]
    assert person.names() == ("Ada", "King, Lady")
    assert (person.name, person.email, person.moodle) == ("Ada King, Lady", "a@b.c", {"tiny": "77"})
    assert read_class(tmp_path).extensions("any", None, None)[0] == {"Ada L": timedelta(hours=48)}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("../etc,x", "'../etc' cannot be an id"),
        ("a/b,x", "'a/b' cannot be an id"),
        (".hidden,x", "'.hidden' cannot be an id"),
        ("NUL,x", "'NUL' cannot be an id"),
        ("com1.txt,x", "'com1.txt' cannot be an id"),
        ("=1+2,x", "'=1+2' cannot be an id"),
        ("ada.,x", "'ada.' cannot be an id"),
        (",x", "it has no id"),
        ("ADA,x", "the id 'ADA' stands in line 2 already"),
        ("bob,x,perhaps", "withdrawn is 'perhaps'"),
    ],
)
def test_a_line_that_cannot_be_used_is_told_and_stops_nobody(tmp_path, line, sentence):
    found = listed(tmp_path, f"id,name,withdrawn\nada,Ada,\n{line}\ncarl,Carl,no\n")
    assert list(found.people) == ["ada", "carl"]
    (problem,) = found.problems
    assert problem.startswith(f"class.csv, line 3: {sentence}")


@pytest.mark.parametrize(
    ("text", "sentence"), [("name,email\nx,y\n", "no column id"), ("id,name,name\n", "two columns")]
)
def test_a_list_that_cannot_be_used_is_refused(tmp_path, text, sentence):
    with pytest.raises(PlainError, match=sentence):
        listed(tmp_path, text)


@given(st.text(max_size=12))
def test_an_id_is_one_plain_name_of_a_folder(text):
    if is_id(text):
        assert "/" not in text
        assert "\\" not in text
        assert not text.startswith((".", "-", "=", "+", "@", " "))
        assert text == text.strip()


# Times


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2027-03-01 23:59", datetime(2027, 3, 1, 22, 59)),
        ("2027-07-01", datetime(2027, 7, 1, 21, 59, 59)),
        ("2027-03-01T23:59:00+00:00", datetime(2027, 3, 1, 23, 59)),
        ("2027-03-01 23:59 -05:00", datetime(2027, 3, 2, 4, 59)),
        ("2027-03-01T12:00Z", datetime(2027, 3, 1, 12, 0)),
    ],
)
def test_times_are_those_of_the_course(written, expected):
    assert read_time(written, BERLIN) == expected


@pytest.mark.parametrize("written", ["soon", "2027-13-01", "1.3.2027", ""])
def test_what_is_no_time_is_told(written):
    with pytest.raises(PlainError, match="is no time"):
        read_time(written, BERLIN)


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ('tiny = "2027-03-01 23:59"', DUE),
        ("tiny = 2027-03-01T23:59:00", DUE),
        ("tiny = 2027-03-01T22:59:00Z", DUE),
        ("tiny = 2027-03-01", datetime(2027, 3, 1, 22, 59, 59)),
        ("other = 2027-03-01", None),
    ],
)
def test_due_dates_stand_in_the_settings(tmp_path, toml, expected):
    text = f'[tool.byhand]\ntimezone = "Europe/Berlin"\n[tool.byhand.due]\n{toml}\n'
    (tmp_path / "pyproject.toml").write_text(text)
    assert due_of(tmp_path, "tiny") == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[tool.byhand.due]\ntiny = 3\n", "The due date of tiny is 3"),
        ('[tool.byhand]\ntimezone = "Mars"\n[tool.byhand.due]\ntiny = 2027-03-01\n', "'Mars' is no time zone"),
        ("[tool.byhand\n", "is no TOML"),
    ],
)
def test_settings_that_make_no_sense_are_told(tmp_path, text, sentence):
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(PlainError, match=sentence):
        due_of(tmp_path, "tiny")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("3 d", timedelta(days=3)),
        ("+2 days", timedelta(days=2)),
        ("48h", timedelta(hours=48)),
        ("1.5 w", timedelta(days=10.5)),
        ("2027-03-04 23:59", timedelta(days=3)),
        ("2027-02-01", timedelta(0)),
    ],
)
def test_extensions_are_lengths_or_days(written, expected):
    assert read_extension(written, DUE, BERLIN) == expected


def test_an_extension_that_is_none_is_told(tmp_path):
    with pytest.raises(PlainError, match="'some' is no extension"):
        read_extension("some", DUE, BERLIN)
    with pytest.raises(PlainError, match="no due date"):
        read_extension("2027-03-04", None, BERLIN)
    found = listed(tmp_path, "id,extension tiny\nada,soon\n").extensions("tiny", DUE, BERLIN)
    assert found == ({}, ["ada: 'soon' is no extension; one looks like 3 d, 48 h or 2027-03-05 23:59."])


def test_a_time_is_shown_in_the_zone_of_the_course():
    assert shown(DUE, BERLIN) == "2027-03-01 23:59"
