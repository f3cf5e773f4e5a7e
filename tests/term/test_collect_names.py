"""Names of files as the platforms write them, and whose they are."""

import unicodedata
from datetime import datetime, timezone
from pathlib import PurePosixPath

import pytest
from collecting import CLASS
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import PlainError
from helpers.grading.people import read_class
from helpers.term.collect_labels import CANVAS, MOODLE, PLAIN, Label, labelled
from helpers.term.collect_people import Matcher, Row, name_keys, read_told
from helpers.term.collect_sources import Offered
from helpers.term.collect_times import participant, read_worksheet

NAMES = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Zs"], exclude_characters="\xa0"), min_size=1, max_size=20)


def offered(*paths):
    return [Offered(tuple(path.split("/")), None, lambda most: b"") for path in paths]


def one(*paths, ids=()):
    (label,) = labelled(offered(*paths), "encoder", ids)
    return label


@pytest.mark.parametrize(
    ("path", "text", "platform", "name", "number", "late", "rest"),
    [
        ("Ada King_12_assignsubmission_file_/e.ipynb", "Ada King_12", MOODLE, "Ada King", "12", False, "e.ipynb"),
        ("Ada King_12_assignsubmission_file/a/e.ipynb", "Ada King_12", MOODLE, "Ada King", "12", False, "a/e.ipynb"),
        ("Ada King_12_assignsubmission_file_e_1.ipynb", "Ada King_12", MOODLE, "Ada King", "12", False, "e_1.ipynb"),
        ("A_B_12_assignsubmission_onlinetext/x.html", "A_B_12", MOODLE, "A_B", "12", False, "x.html"),
        ("kingada_5_77_e.ipynb", "kingada_5", CANVAS, "kingada", "5", False, "e.ipynb"),
        ("kingada_LATE_5_77_e-1.ipynb", "kingada_5", CANVAS, "kingada", "5", True, "e-1.ipynb"),
        ("kingada_5_77_my_9_e.ipynb", "kingada_5", CANVAS, "kingada", "5", False, "my_9_e.ipynb"),
        ("kingada_LATE_5_text.html", "kingada_5", CANVAS, "kingada", "5", True, "kingada_LATE_5_text.html"),
        ("LATE_anon_xY3_77_e.ipynb", "anon_xY3", CANVAS, "", "", True, "e.ipynb"),
        ("ada.ipynb", "ada", PLAIN, "ada", "", False, "ada.ipynb"),
        ("ada/b/e.ipynb", "ada", PLAIN, "ada", "", False, "b/e.ipynb"),
    ],
)
def test_the_platforms_names_come_apart(path, text, platform, name, number, late, rest):
    label = one(path)
    assert (label.text, label.platform, label.name, label.number, label.late) == (text, platform, name, number, late)
    assert [inner for inner, _ in label.files] == [PurePosixPath(rest)]


@given(NAMES, st.integers(1, 10**9))
def test_every_moodle_name_comes_back(name, number):
    label = one(f"{name}_{number}_assignsubmission_file/encoder.ipynb")
    assert (label.name, label.number) == (name, str(number))


def test_files_of_one_person_go_together():
    label = one("kingada_5_77_a.ipynb", "kingada_LATE_5_78_b.csv")
    assert label.late
    assert len(label.files) == 2


def test_the_one_folder_around_a_class_is_passed_over():
    found = labelled(offered("in/ada.ipynb", "in/bob/e.ipynb"), "encoder", {"ada", "bob"})
    assert [label.text for label in found] == ["ada", "bob"]
    assert one("ada/e.ipynb", "ada/f.ipynb", ids={"ada", "bob"}).text == "ada"


def test_of_nbgraders_folders_the_units_is_looked_at():
    label = one("ada/encoder/encoder.ipynb", "ada/encoder/timestamp.txt", "ada/decoder/decoder.ipynb")
    assert [str(path) for path, _ in label.files] == ["encoder.ipynb", "timestamp.txt"]


def test_an_id_that_looks_like_canvas_is_an_id():
    label = one("x_1_2_e.ipynb", ids={"x_1_2_e"})
    assert (label.text, label.platform) == ("x_1_2_e", PLAIN)


# Whose


@pytest.fixture
def listed(tmp_path):
    (tmp_path / "class.csv").write_text(CLASS, encoding="utf-8")
    return read_class(tmp_path)


def label(name, number="", platform=MOODLE):
    text = f"{name}_{number}" if number else name
    return Label(text, platform, name, number)


@pytest.mark.parametrize(
    ("given", "student", "how"),
    [
        (label("Ada Lovelace", "9"), "ada", "name"),
        (label("Lovelace Ada", "9"), "ada", "name"),
        (label("ADA  LOVELACE", "9"), "ada", "name"),
        (label("Bruno Mueller", "9"), "bruno", "name"),
        (label("Bruno Muller", "9"), "bruno", "name"),
        (label(unicodedata.normalize("NFD", "Bruno Müller"), "9"), "bruno", "name"),
        (label("Zoe NunezO Neill", "9"), "zoe", "name"),
        (label("lovelaceada", "501", CANVAS), "ada", "id"),
        (label("leekim", "504", CANVAS), "kim2", "id"),
        (label("mllerbruno", "502", CANVAS), "bruno", "id"),
        (label("ADA", platform=PLAIN), "ada", "id"),
        (label("kim2@example.org", platform=PLAIN), "kim2", "id"),
        (label("1003", platform=PLAIN), "kim1", "id"),
        (label("Ada Lovelace", platform=PLAIN), "ada", "name"),
    ],
)
def test_people_are_found_by_id_and_by_their_whole_name(listed, given, student, how):
    match = Matcher(listed, "tiny").match(given)
    assert (match.student, match.how) == (student, how)


@pytest.mark.parametrize(
    ("given", "why", "candidates"),
    [
        (label("Kim Lee", "9"), "2 people are called so", ("kim1", "kim2")),
        (label("Kim", "9"), "nobody in class.csv is called so", ()),
        (label("Ada L", "9"), "nobody in class.csv is called so", ()),
        (label("Participant", "9"), "nobody in class.csv is called so", ()),
        (label("lovelaceada", "502", CANVAS), "its number is that of bruno, its name that of ada", ("ada", "bruno")),
        (label("lovelaceada", "777", CANVAS), "nobody in class.csv is called so", ()),
        (label("", "", CANVAS), "nobody in class.csv is called so", ()),
    ],
)
def test_what_is_not_clear_is_not_guessed(listed, given, why, candidates):
    match = Matcher(listed, "tiny").match(given)
    assert (match.student, match.why, match.candidates) == (None, why, candidates)


def test_turkish_and_other_letters():
    assert name_keys("Çiğdem YILMAZ") & name_keys("çiğdem yılmaz")
    assert name_keys("İpek Şahin") & name_keys("ipek sahin")
    assert name_keys("Straße Øst Łukasz") & name_keys("strasse ost lukasz")
    assert name_keys("Kim Lee") & name_keys("leekim")
    assert not name_keys("Kim Lee") & name_keys("Kim Leeds")
    assert name_keys("李 小龙") & name_keys("小龙李")
    assert name_keys(" -_ ") == set()


@given(NAMES)
def test_a_name_is_itself_in_every_spelling(name):
    for other in (unicodedata.normalize("NFD", name), name.upper().lower(), name.casefold()):
        assert name_keys(name) & name_keys(other) or not name_keys(name)


def test_what_was_typed_comes_first_and_what_was_settled_before_names(listed):
    matcher = Matcher(listed, "tiny", told={"Kim Lee_9": "kim1", "Ada Lovelace_9": "-"}, settled={"Kim Lee_8": "kim2"})
    assert matcher.match(label("Kim Lee", "9")).student == "kim1"
    assert matcher.match(label("Kim Lee", "8")).student == "kim2"
    assert matcher.match(label("Ada Lovelace", "9")).student == "-"


def test_moodles_worksheet_tells_who_a_number_is(listed):
    rows = [Row("9", "Kim Lee", "kim2@example.org"), Row("8", "Kim Lee", "", "1003"), Row("7", "Ada Lovelace")]
    rows = {row.number: row for row in rows}
    matcher = Matcher(listed, "tiny", worksheet=rows)
    assert matcher.match(label("Kim Lee", "9")).student == "kim2"
    assert matcher.match(label("Participant", "8")).student == "kim1"
    assert matcher.match(label("Participant", "7")).student == "ada"


def test_a_number_in_the_class_list_tells_it_too(tmp_path):
    (tmp_path / "class.csv").write_text("id,name,moodle tiny\nkim1,Kim Lee,70\nkim2,Kim Lee,71\nkim3,Kim Lee,\n")
    matcher = Matcher(read_class(tmp_path), "tiny")
    assert matcher.match(label("Participant", "71")).student == "kim2"
    # The others' numbers are known, so this is the third's.
    assert matcher.match(label("Kim Lee", "72")).student == "kim3"


def test_without_a_list_ids_of_plain_folders_are_taken_and_names_are_not():
    matcher = Matcher(None, "tiny")
    assert matcher.match(label("ada", platform=PLAIN)).student == "ada"
    assert matcher.match(label("..", platform=PLAIN)).student is None
    assert matcher.match(label("Ada Lovelace", "9")).why == "there is no class.csv to find the id in"


def test_answers_are_typed_as_name_and_id():
    assert read_told(["Kim Lee_9=kim2", "a=b.ipynb=ada"]) == {"Kim Lee_9": "kim2", "a=b.ipynb": "ada"}
    for wrong in ("ada", "=ada", "ada="):
        with pytest.raises(PlainError, match="is not of the form NAME=ID"):
            read_told([wrong])


# Moodle's worksheet


def test_the_worksheet_is_read(tmp_path):
    file = tmp_path / "Grades.csv"
    lines = ["Identifier,Full name,Email address,Last modified (submission)"]
    lines += ['Participant 90,Ada,a@b.c,"Monday, 1 March 2027, 6:05 PM"', "Participant 91,Bob,b@b.c,-"]
    file.write_text("\n".join(lines), encoding="utf-8-sig")
    people, times = read_worksheet(file, timezone.utc)
    assert people == {"90": Row("90", "Ada", "a@b.c", ""), "91": Row("91", "Bob", "b@b.c", "")}
    assert times == {"90": datetime(2027, 3, 1, 18, 5)}


def test_a_worksheet_in_another_language_is_refused(tmp_path):
    file = tmp_path / "Grades.csv"
    file.write_text("Bezeichner,Name\nx,y\n")
    with pytest.raises(PlainError, match=r"no column Identifier: download .* with Moodle's language"):
        read_worksheet(file, None)


@pytest.mark.parametrize(("text", "number"), [("Participant 12", "12"), ("12", "12"), ("Participant", ""), ("", "")])
def test_participants_have_numbers(text, number):
    assert participant(text) == number
