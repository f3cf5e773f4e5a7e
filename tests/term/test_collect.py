"""`byhand collect` as an instructor meets it: whose, which, when, the newest, and nothing lost."""

import json
import os
import shutil
from datetime import datetime, timezone

import pytest
from collecting import (
    CLASS,
    OTHER,
    UNIT,
    byhand,
    course,
    everything,
    moodle,
    packed,
    saved,
    stamp,
    submitted,
    tree,
    work,
)

RIGHT, WRONG, HALF = work("return x + x"), work("return x"), work("return 2 * abs(x)")


@pytest.fixture
def root(tmp_path):
    return course(tmp_path / "course")


@pytest.fixture
def collect(root, monkeypatch, capsys):
    """(exit code, what was printed) of one collection."""

    def call(source, *argv, unit=UNIT):
        code = byhand(monkeypatch, "collect", unit, "--from", source, "--course", root, *argv)
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def at(day, hour=12, minute=0):
    return (2027, 3, day, hour, minute, 0)


def test_moodles_zip_in_folders(root, collect, tmp_path):
    entries = {
        moodle("Ada Lovelace", 1): (RIGHT, at(1)),
        moodle("Bruno Müller", 2, "tiny (1).ipynb"): (WRONG, at(3, 9, 30)),
    }
    code, said = collect(saved(tmp_path, entries))
    assert code == 0
    assert said == ("tiny: 2 handed in: 2 new.\n\nNot handed in\n  kim1, kim2\n")
    assert submitted(root, "ada") == RIGHT
    assert submitted(root, "bruno") == WRONG
    # Noon in Berlin, in winter.
    assert stamp(root, "ada") == "2027-03-01 11:00:00.000000 UTC"
    assert stamp(root, "bruno") == "2027-03-03 08:30:00.000000 UTC"
    assert (root / "collected.csv").read_text().splitlines() == [
        "unit,label,student,how,platform,number,time,late",
        "tiny,Ada Lovelace_1,ada,name,moodle,1,2027-03-01 11:00:00 UTC,",
        "tiny,Bruno Müller_2,bruno,name,moodle,2,2027-03-03 08:30:00 UTC,",
    ]


def test_moodles_zip_without_folders(root, collect, tmp_path):
    entries = {"Ada Lovelace_1_assignsubmission_file_tiny.ipynb": (RIGHT, at(1)),
               "Ada Lovelace_1_assignsubmission_file_data.csv": (b"1,2", at(1)),
               "Kim Lee_2_assignsubmission_file_tiny.ipynb": (HALF, at(2))}  # fmt: skip
    code, said = collect(saved(tmp_path, entries))
    assert code == 3
    assert (
        "  Kim Lee_2: 2 people are called so (kim1, kim2). Add --as 'Kim Lee_2=kim1' or --as 'Kim Lee_2=kim2', "
        "or --as 'Kim Lee_2=-' to leave it out.\n"
    ) in said
    assert set(tree(root, "submitted")) == {
        "submitted/ada/tiny/tiny.ipynb", "submitted/ada/tiny/data.csv", *(
            ["submitted/ada/tiny/timestamp.txt"] if stamp(root, "ada") else []),
    }  # fmt: skip


def test_an_answer_is_given_once(root, collect, tmp_path):
    file = saved(tmp_path, {moodle("Kim Lee", 2): RIGHT, moodle("Kim Lee", 3): HALF, moodle("Guest", 9): WRONG})
    assert collect(file)[0] == 3
    code, said = collect(file, "--as", "Kim Lee_2=KIM1", "Kim Lee_3=kim2", "--as", "Guest_9=-", "--times", "files")
    assert code == 0
    assert "Guest_9: is nobody's, as was said" in said
    assert (submitted(root, "kim1"), submitted(root, "kim2")) == (RIGHT, HALF)
    code, said = collect(file, "--times", "files")
    assert code == 0
    assert said.startswith("tiny: 2 handed in: 2 unchanged.")


def test_canvas_zip(root, collect, tmp_path):
    entries = {"lovelaceada_501_71_tiny-1.ipynb": RIGHT, "müllerbruno_LATE_502_72_tiny.ipynb": WRONG,
               "leekim_504_73_tiny.ipynb": HALF, "leekim_503_text.html": b"<p>hello"}  # fmt: skip
    code, said = collect(saved(tmp_path, entries))
    assert code == 3
    assert submitted(root, "kim2") == HALF
    assert "kim1 (leekim_503): there is no notebook, only leekim_503_text.html." in said
    assert "bruno: is late, says Canvas, and its zip does not say how late. Add --time 'bruno=2027-03-02 10:00'" in said
    assert "ada, bruno, kim2: what was downloaded says when it was downloaded" in said
    assert stamp(root, "ada") is None
    code, said = collect(saved(tmp_path, entries), "--time", "bruno=2027-03-05 10:00")
    assert stamp(root, "bruno") == "2027-03-05 09:00:00.000000 UTC"
    assert "Late\n  bruno: 2027-03-05 10:00, was due 2027-03-04 23:59 with the extension\n" in said


def test_without_a_due_date_missing_times_matter_to_nobody(tmp_path, monkeypatch, capsys):
    root = course(tmp_path / "course", settings="")
    file = saved(tmp_path, {"lovelaceada_501_71_tiny.ipynb": RIGHT})
    assert byhand(monkeypatch, "collect", UNIT, "--from", file, "--course", root) == 0


def test_the_times_of_a_download_are_not_those_of_handing_in(root, collect, tmp_path):
    entries = {moodle("Ada Lovelace", 1): (RIGHT, at(9, 8, 0)), moodle("Bruno Müller", 2): (WRONG, at(9, 8, 2))}
    code, said = collect(saved(tmp_path, entries))
    assert code == 3
    assert "ada, bruno: what was downloaded says when it was downloaded, not when it was handed in." in said
    assert stamp(root, "ada") is None
    sheet = tmp_path / "Grades.csv"
    sheet.write_text(
        'Identifier,Full name,Last modified (submission)\nParticipant 1,Ada Lovelace,"Monday, 1 March 2027, 6:05 PM"\n'
        'Participant 2,Bruno Müller,"Friday, 5 March 2027, 9:00 AM"\n'
    )
    code, said = collect(saved(tmp_path, entries), "--worksheet", sheet)
    assert code == 0
    assert said.startswith("tiny: 2 handed in: 2 unchanged.")
    assert stamp(root, "ada") == "2027-03-01 17:05:00.000000 UTC"
    assert "Late\n  bruno: 2027-03-05 09:00, was due 2027-03-04 23:59 with the extension\n" in said


def test_a_folder_of_ids(root, collect, tmp_path):
    top = tmp_path / "in"
    (top / "Bruno").mkdir(parents=True)
    (top / "ada.ipynb").write_bytes(RIGHT)
    (top / "Bruno" / "whatever.ipynb").write_bytes(WRONG)
    (top / "Bruno" / "timestamp.txt").write_text("2027-03-02 10:00:00 UTC\n")
    (top / "nobody.ipynb").write_bytes(RIGHT)
    noon = datetime(2027, 3, 1, 11, 0, tzinfo=timezone.utc).timestamp()
    os.utime(top / "ada.ipynb", (noon, noon))
    code, said = collect(top)
    assert code == 3
    assert "nobody: nobody in class.csv is called so. Add --as nobody=ID, or --as nobody=- to leave it out." in said
    assert "bruno: the notebook was called whatever.ipynb" in said
    assert stamp(root, "bruno") == "2027-03-02 10:00:00.000000 UTC"
    assert set(tree(root, "submitted/bruno")) == {
        "submitted/bruno/tiny/tiny.ipynb", "submitted/bruno/tiny/timestamp.txt",
    }  # fmt: skip


def test_without_a_class_list_plain_ids_are_enough(tmp_path, monkeypatch, capsys):
    root = course(tmp_path / "course", people="", settings="")
    file = saved(tmp_path, {"ada.ipynb": RIGHT, "a b/tiny.ipynb": WRONG, moodle("Ada Lovelace", 1): HALF})
    assert byhand(monkeypatch, "collect", UNIT, "--from", file, "--course", root) == 3
    assert "there is no class.csv to find the id in" in capsys.readouterr().out
    assert (submitted(root, "ada"), submitted(root, "a b")) == (RIGHT, WRONG)


# Which file


def test_the_notebook_is_told_by_its_cells(root, collect, tmp_path):
    scratch = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
    entries = {
        moodle("Ada Lovelace", 1, "final.ipynb"): RIGHT, moodle("Ada Lovelace", 1, "scratch.ipynb"): scratch,
        moodle("Ada Lovelace", 1, "sub/words.txt"): b"mine",
        moodle("Bruno Müller", 2, "tiny.ipynb"): work(unit=OTHER),
        moodle("Zoë Núñez-ONeill", 3, "answers.pdf"): b"%PDF",
        moodle("Kim Lee", 4, "a.ipynb"): RIGHT, moodle("Kim Lee", 4, "b.ipynb"): HALF,
        moodle("Kim Lee", 5, "tiny.ipynb"): b'{"cells": [',
    }  # fmt: skip
    file = saved(tmp_path, entries)
    code, said = collect(file, "--times", "files", "--as", "Kim Lee_4=kim1", "Kim Lee_5=kim2")
    assert code == 3
    assert tree(root, "submitted/ada") == {
        "submitted/ada/tiny/tiny.ipynb": RIGHT, "submitted/ada/tiny/sub/words.txt": b"mine",
        "submitted/ada/tiny/timestamp.txt": b"2027-03-01 11:00:00.000000 UTC",
    }  # fmt: skip
    assert "ada: the notebook was called final.ipynb" in said
    assert "ada: left out: scratch.ipynb" in said
    path = "Bruno Müller_2_assignsubmission_file/tiny.ipynb"
    assert f"bruno (Bruno Müller_2): it is the notebook of other, not of tiny. Add --as '{path}=bruno'" in said
    assert "zoe (Zoë Núñez-ONeill_3): there is no notebook, only answers.pdf." in said
    first, second = (f"Kim Lee_4_assignsubmission_file/{name}.ipynb" for name in "ab")
    assert (
        f"kim1 (Kim Lee_4): 2 different notebooks were handed in. "
        f"Add --as '{first}=kim1' or --as '{second}=kim1' for the one that counts."
    ) in said
    assert submitted(root, "kim2") == b'{"cells": ['
    assert "kim2: the notebook cannot be read: it is no notebook: its JSON is broken (line 1)" in said
    assert not (root / "submitted" / "bruno").exists()
    code, said = collect(file, "--times", "files", "--as", f"{second}=kim1")
    assert submitted(root, "kim1") == HALF
    # The other unit's notebook is collected where it belongs.
    assert collect(file, "--times", "files", unit=OTHER)[0] == 3
    assert submitted(root, "bruno", OTHER) == work(unit=OTHER)


def test_a_zip_in_the_zip_is_opened(root, collect, tmp_path):
    inner = packed(
        {"work/tiny.ipynb": RIGHT, "work/.ipynb_checkpoints/tiny-checkpoint.ipynb": WRONG, "../../evil": b"x"}
    )
    code, said = collect(saved(tmp_path, {moodle("Ada Lovelace", 1, "work.zip"): inner}), "--times", "files")
    assert code == 0, said
    assert submitted(root, "ada") == RIGHT
    assert not list(tmp_path.rglob("evil"))


def test_names_that_some_systems_refuse_are_left_out(root, collect, tmp_path):
    odd = ["CON", "a/nul.txt", "dot.", "what?.csv", "tiny.ipynb/inside.txt"]
    entries = {moodle("Ada Lovelace", 1): RIGHT} | {moodle("Ada Lovelace", 1, name): b"x" for name in odd}
    _, said = collect(saved(tmp_path, entries), "--times", "none")
    assert [file.name for file in (root / "submitted" / "ada" / "tiny").iterdir()] == ["tiny.ipynb"]
    assert said.count("is a name that some systems refuse, and was left out") == len(odd)


def test_a_bomb_of_one_student_stops_nobody(root, collect, tmp_path):
    entries = {"ada.ipynb": bytes(51 * 2**20), "bruno/tiny.ipynb": RIGHT, "bruno/data.bin": bytes(101 * 10**6)}
    code, said = collect(saved(tmp_path, entries), "--times", "none")
    assert code == 3
    assert "ada (ada): there is no notebook, only ada.ipynb (ada.ipynb is larger than 50 MB and was left out)." in said
    assert "bruno: data.bin is too large and was left out" in said
    assert submitted(root, "bruno") == RIGHT


# Again


def test_the_newest_counts_and_the_one_before_is_kept(root, collect, tmp_path):
    first = saved(tmp_path, {"ada.ipynb": (WRONG, at(1, 10))}, "first.zip")
    second = saved(tmp_path, {"ada.ipynb": (RIGHT, at(1, 11)), "bruno.ipynb": (RIGHT, at(1))}, "second.zip")
    assert collect(first)[0] == 0
    code, said = collect(second)
    assert code == 0
    assert said.startswith("tiny: 2 handed in: 1 new, 1 newer than before.")
    assert submitted(root, "ada") == RIGHT
    kept = "submitted-before/ada/tiny/2027-03-01T09-00-00"
    assert tree(root, "submitted-before") == {
        f"{kept}/tiny.ipynb": WRONG, f"{kept}/timestamp.txt": b"2027-03-01 09:00:00.000000 UTC",
    }  # fmt: skip
    before = everything(root)
    code, said = collect(first)
    assert "Older than what was collected before\n  ada: kept in submitted-before/" in said
    assert everything(root) == before | {root / "collected.csv": (root / "collected.csv").read_bytes()}


def test_an_older_one_that_comes_later_is_kept_aside(root, collect, tmp_path):
    collect(saved(tmp_path, {"ada.ipynb": (RIGHT, at(2))}))
    _, said = collect(saved(tmp_path, {"ada.ipynb": (WRONG, at(1))}))
    assert "1 older than what is there" in said
    assert submitted(root, "ada") == RIGHT
    assert tree(root, "submitted-before")["submitted-before/ada/tiny/2027-03-01T11-00-00/tiny.ipynb"] == WRONG


def test_without_times_what_comes_later_is_newer_unless_it_was_there_before(root, collect, tmp_path):
    for content in (WRONG, RIGHT):
        collect(saved(tmp_path, {"ada.ipynb": content}), "--times", "none")
    assert submitted(root, "ada") == RIGHT
    assert list(tree(root, "submitted-before")) == ["submitted-before/ada/tiny/no-time/tiny.ipynb"]
    collect(saved(tmp_path, {"ada.ipynb": WRONG}), "--times", "none")
    assert submitted(root, "ada") == RIGHT
    collect(saved(tmp_path, {"ada.ipynb": HALF}), "--times", "none")
    assert submitted(root, "ada") == HALF
    assert set(tree(root, "submitted-before")) == {
        f"submitted-before/ada/tiny/{name}/tiny.ipynb" for name in ("no-time", "no-time-2")
    }


def test_the_same_again_stays_untouched(root, collect, tmp_path):
    file = saved(tmp_path, {"ada/tiny.ipynb": RIGHT, "ada/data.csv": b"1"})
    collect(file)
    folder = root / "submitted" / "ada" / "tiny"
    before = {path: path.stat().st_mtime_ns for path in [folder, *folder.iterdir()]}
    assert collect(saved(tmp_path, {"ada/tiny.ipynb": (RIGHT, at(9)), "ada/data.csv": b"1"}))[0] == 0
    assert {path: path.stat().st_mtime_ns for path in [folder, *folder.iterdir()]} == before


def test_two_of_one_person_go_by_their_times(root, collect, tmp_path):
    entries = {"ada.ipynb": (RIGHT, at(2)), "ada@example.org.ipynb": (WRONG, at(1))}
    assert collect(saved(tmp_path, entries))[0] == 0
    assert submitted(root, "ada") == RIGHT
    assert tree(root, "submitted-before")["submitted-before/ada/tiny/2027-03-01T11-00-00/tiny.ipynb"] == WRONG


def test_two_of_one_person_at_one_time_are_listed(root, collect, tmp_path):
    code, said = collect(saved(tmp_path, {"ada.ipynb": RIGHT, "1001.ipynb": WRONG}))
    assert code == 3
    assert "ada: was handed in 2 times, as 1001 and as ada, and nothing tells which is the newest." in said
    assert "Leave out what does not count, as with --as 1001=-." in said
    assert not (root / "submitted").exists()
    assert collect(saved(tmp_path, {"ada.ipynb": RIGHT, "1001.ipynb": WRONG}), "--as", "1001=-")[0] == 0
    assert submitted(root, "ada") == RIGHT


# The command


def test_a_dry_run_says_it_all_and_writes_nothing(root, collect, tmp_path):
    collect(saved(tmp_path, {"ada.ipynb": (WRONG, at(1))}))
    before = everything(root)
    _, said = collect(saved(tmp_path, {"ada.ipynb": (RIGHT, at(2)), "bruno.ipynb": (RIGHT, at(9))}), "--dry-run")
    assert said.startswith("tiny: 2 handed in: 1 would be new, 1 would replace what is there.")
    assert "bruno: 2027-03-09 12:00, was due 2027-03-04 23:59 with the extension" in said
    assert said.endswith("This was a dry run: nothing was written.\n")
    assert everything(root) == before


def test_who_has_withdrawn_is_collected_and_told(root, collect, tmp_path):
    code, said = collect(saved(tmp_path, {"zoe.ipynb": RIGHT}))
    assert code == 0
    assert "Withdrawn; collected, and not marked\n  zoe\n" in said


def test_a_wrong_line_of_the_class_list_is_told(root, collect, tmp_path):
    (root / "class.csv").write_text(CLASS + "../x,Evil\n", encoding="utf-8")
    code, said = collect(saved(tmp_path, {"ada.ipynb": RIGHT}))
    assert code == 3
    assert "Wrong in the class list\n  class.csv, line 7: '../x' cannot be an id" in said


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--as", "ada=nobody"], "'nobody', named for 'ada', is not in class.csv."),
        (["--as", "eve=ada"], "Nothing was handed in under the name 'eve'."),
        (["--as", "ada"], "'ada' is not of the form NAME=ID"),
        (["--time", "ada=soon"], "'soon' is no time"),
        (["--time", "ada"], "'ada' is not of the form ID=WHEN"),
        (["--worksheet", "no.csv"], "The worksheet no.csv cannot be read"),
    ],
)
def test_a_wrong_wish_is_one_plain_sentence(root, collect, tmp_path, argv, sentence):
    code, said = collect(saved(tmp_path, {"ada.ipynb": RIGHT}), *argv)
    assert code == 1
    assert said.startswith(f"byhand: {sentence}")
    assert len(said.splitlines()) == 1
    assert not (root / "submitted").exists()


def test_an_empty_source_an_unknown_unit_and_a_wrong_record_are_told(root, collect, tmp_path):
    assert "There is nothing in it that was handed in" in collect(saved(tmp_path, {}))[1]
    assert collect(saved(tmp_path, {"ada.ipynb": RIGHT}), unit="nope")[0] == 1
    (root / "collected.csv").write_text("mine\n")
    assert "collected.csv is not as byhand writes it" in collect(saved(tmp_path, {"ada.ipynb": RIGHT}))[1]


def test_what_a_killed_run_left_is_no_hindrance(root, collect, tmp_path):
    left = root / "submitted" / "ada" / ".tiny.new"
    left.mkdir(parents=True)
    (left / "half").write_text("x")
    collect(saved(tmp_path, {"ada.ipynb": RIGHT}))
    assert [path.name for path in left.parent.iterdir()] == ["tiny"]


# nbgrader's exchange


def test_the_exchange_is_collected_by_nbgrader_and_nothing_is_lost(root, collect, tmp_path):
    exchange = tmp_path / "exchange"
    inbound = exchange / "transformer-by-hand" / "inbound"
    config = (root / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(f"{config}\nc.Exchange.root = {str(exchange)!r}\n")
    inbound.mkdir(parents=True)

    def hand_in(student, hour, content):
        folder = inbound / f"{student}+{UNIT}+2027-03-01 {hour}:00:00.000000 UTC+abc{hour}"
        folder.mkdir()
        (folder / "tiny.ipynb").write_bytes(content)
        (folder / "timestamp.txt").write_text(f"2027-03-01 {hour}:00:00.000000 UTC")
        (folder / "submission_secret.txt").write_text(f"secret {hour}")

    hand_in("ada", 10, WRONG)
    hand_in("bruno", 10, HALF)
    assert collect("exchange", "--dry-run")[0] == 0
    assert not (root / "gradebook.db").exists()
    code, said = collect("exchange")
    assert code == 0, said
    assert "claims to be submitted by ada but is owned by" in said
    assert stamp(root, "ada") == "2027-03-01 10:00:00.000000 UTC"
    assert (root / "submitted/ada/tiny/submission_secret.txt").read_text() == "secret 10"
    hand_in("ada", 11, RIGHT)
    code, said = collect("exchange")
    assert said.startswith("tiny: 2 handed in: 1 newer than before, 1 unchanged.")
    assert submitted(root, "ada") == RIGHT
    kept = tree(root, "submitted-before")
    assert kept["submitted-before/ada/tiny/2027-03-01T10-00-00/tiny.ipynb"] == WRONG
    assert kept["submitted-before/ada/tiny/2027-03-01T10-00-00/submission_secret.txt"] == b"secret 10"
    shutil.rmtree(exchange)
    code, said = collect("exchange")
    assert code == 1
    assert said.startswith("byhand: nbgrader cannot collect tiny: ")
