"""byhand worksheet, as an instructor meets it."""

import re
from io import BytesIO

import pytest
from pypdf import PdfReader

from helpers import example_of, make_worksheets
from helpers.course import commands, environment
from helpers.errors import PlainError
from helpers.worksheets import orders
from helpers.worksheets.orders import Order
from helpers.worksheets.roster import read_roster

CLASS = """\
Student ID;First Name;Last Name
ada;Ada;Lovelace
;No;Id
ADA;Again;Ada

grace;Grace;Hopper
ç"x;"bad;q
{long};Long;Id
a/b;Slash;
a_b;Under;Line
class-print;C;P
""".format(long="x" * 50)


@pytest.fixture
def byhand(monkeypatch, tmp_path, capsys):
    """Run the command in an empty folder: exit code, what it printed, what it complained of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(environment, "enter", lambda extra, argv: None)

    def run(*argv):
        code = commands.run(["worksheet", *argv])
        return code, *capsys.readouterr()

    return run


def pages(file):
    return len(PdfReader(BytesIO(file.read_bytes())).pages)


def text(file):
    return " ".join(page.extract_text() for page in PdfReader(BytesIO(file.read_bytes())).pages)


def test_without_arguments_it_is_the_homework(byhand, tmp_path):
    code, printed, complaint = byhand()
    assert (code, complaint) == (0, "")
    (file,) = tmp_path.iterdir()
    assert file.name in printed
    found = re.search(r"E4-2-8-3-seed0-[A-Z]{3}", printed)[0]
    assert example_of(found).src_words == ("the", "cat", "sat")
    assert found in text(file)


def test_key_paper_and_name_of_the_file(byhand, tmp_path):
    asked = [
        "a dog",
        "--decoder",
        "ein Hund",
        "--seed",
        "7",
        "--key",
        "separate",
        "--paper",
        "letter",
        "--out",
        "x/a.pdf",
    ]
    code, printed, _ = byhand(*asked)
    assert code == 0
    assert {file.name for file in (tmp_path / "x").iterdir()} == {"a.pdf", "a-key.pdf"}
    for file in (tmp_path / "x").iterdir():
        box = PdfReader(file).pages[0].mediabox
        assert (round(box.width), round(box.height)) == (612, 792)
    found = re.search(r"D4-2-8-3-seed7-[A-Z]{3}", printed)[0]
    assert example_of(found, "a dog", "ein Hund").candidates == ("ein", "Hund", "<eos>")


def test_nothing_is_overwritten_without_force(byhand, tmp_path):
    (tmp_path / "a-key.pdf").write_text("mine")
    asked = ["--out", "a.pdf", "--key", "separate"]
    code, _, complaint = byhand(*asked)
    assert code == 1
    assert "a-key.pdf is there" in complaint
    assert [file.name for file in tmp_path.iterdir()] == ["a-key.pdf"]
    assert byhand(*asked, "--force")[0] == 0
    assert pages(tmp_path / "a-key.pdf")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([""], "at least one word"),
        (["a <sos>"], "reserved"),
        (["--d-model", "7"], "even"),
        (["--heads", "3"], "divisible"),
        (["--d-ff", "900"], "too large"),
        (["--seed", "-1"], "seed"),
        (["--student", ""], "1 to 200"),
        (["--roster", "none.csv"], "cannot be read"),
    ],
)
def test_what_cannot_be_made_is_one_sentence_and_exit_code_1(byhand, tmp_path, asked, said):
    code, printed, complaint = byhand(*asked)
    assert (code, printed) == (1, "")
    assert said in complaint
    assert complaint.startswith("byhand: ")
    assert len(complaint.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "asked",
    [["--student", "a", "--seed", "1"], ["--roster", "r", "--student", "a"], ["--decimals", "9"], ["--key", "x"]],
)
def test_wrong_usage_is_exit_code_2(byhand, asked):
    with pytest.raises(SystemExit) as caught:
        byhand(*asked)
    assert caught.value.code == 2


def test_check_alone_is_wrong_usage(byhand):
    assert byhand("--check")[0] == 2


# A class


def test_a_class_gets_its_sheets_and_bad_lines_are_told(byhand, tmp_path):
    roster = tmp_path / "class.csv"
    roster.write_bytes(CLASS.encode() + b"jos\xe9;Jos;x\n")
    code, printed, complaint = byhand("--roster", "class.csv", "a dog")
    assert code == 3
    assert [int(line) for line in re.findall(r"^class.csv, line (\d+): ", complaint, re.M)] == [3, 4, 7, 8, 12]
    assert printed.startswith("5 sheets in worksheets-class, ")
    folder = tmp_path / "worksheets-class"
    singles = ["ada.pdf", "grace.pdf", "a_b.pdf", "a_b-2.pdf", "class-print-2.pdf"]
    assert {file.name for file in folder.iterdir()} == {*singles, "class-print.pdf", "class-key.pdf"}
    print_file = PdfReader(folder / "class-print.pdf")
    starts = [print_file.get_destination_page_number(mark) for mark in print_file.outline]
    assert [mark.title.split(",")[0] for mark in print_file.outline][:2] == ["Ada Lovelace", "Grace Hopper"]
    assert all(start % 2 == 0 for start in starts), "printed on both sides, no two sheets share a leaf"
    assert starts == [sum(pages(folder / name) + pages(folder / name) % 2 for name in singles[:k]) for k in range(5)]
    assert len(PdfReader(folder / "class-key.pdf").outline) == 5
    assert byhand("--roster", "class.csv", "a dog")[0] == 1
    assert byhand("--roster", "class.csv", "a dog", "--force")[0] == 3


def test_a_students_sheet_has_the_numbers_of_the_homework(byhand, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.byhand]\nsalt = "autumn"\n')
    (tmp_path / "c.csv").write_text("ada\ngrace,Grace Hopper\n")
    made = make_worksheets(roster="c.csv", out="sheets", key="none")
    assert [file.name for file in made.files] == ["ada.pdf", "grace.pdf", "class-print.pdf"]
    assert not made.problems
    for student, code in zip(("ada", "grace"), made.codes, strict=True):
        from helpers import personal_example

        assert example_of(code) is personal_example(student, "autumn")


def test_a_class_twice_gives_the_same_bytes(byhand, tmp_path):
    (tmp_path / "c.csv").write_text("id,name\nada,Ada\ngrace,\n")
    for folder in ("one", "two"):
        make_worksheets("a dog", d_ff=4, roster="c.csv", out=folder)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_several_processes_make_the_same_bytes(byhand, tmp_path, monkeypatch):
    monkeypatch.setattr(orders, "MANY", 2)
    (tmp_path / "c.csv").write_text("ada\ngrace\nalan\n")
    asked = dict(sentence="a dog", d_ff=4, roster="c.csv")
    one, two = make_worksheets(out="one", **asked), make_worksheets(out="two", processes=2, **asked)
    assert one.codes == two.codes
    for first, second in zip(one.files, two.files, strict=True):
        assert first.read_bytes() == second.read_bytes(), first.name


def test_progress_is_told_for_every_student(byhand, tmp_path):
    (tmp_path / "c.csv").write_text("ada\ngrace\n")
    told = []
    make_worksheets("a dog", roster="c.csv", key="none", progress=lambda done, of: told.append((done, of)))
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_name_that_cannot_be_printed_costs_no_sheet(byhand, tmp_path, monkeypatch):
    def make(self, name=""):
        if name == "?":
            raise PlainError("? cannot be printed.")
        return made(self, name)

    made = Order.make
    monkeypatch.setattr(Order, "make", make)
    (tmp_path / "c.csv").write_text("ada,?\ngrace,Grace\n")
    done = make_worksheets("a dog", roster="c.csv", key="none")
    assert len(done.files) == 3
    assert [str(problem) for problem in done.problems] == [
        "line 1: its sheet has an empty name line: ? cannot be printed."
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("ada\ngrace\n", [("ada", "ada"), ("grace", "grace")]),
        ("name,id\nAda L,ada\n", [("ada", "Ada L")]),
        ("\ufeffid\tname\nada\tAda\n\n", [("ada", "Ada")]),
        ('id,name\nada,"Lovelace, Ada"\n', [("ada", "Lovelace, Ada")]),
        ("email,username\nx@y,ada\n", [("ada", "ada")]),
    ],
)
def test_rosters_of_many_shapes_are_read(tmp_path, content, found):
    (tmp_path / "r.csv").write_text(content, encoding="utf-8")
    students, problems = read_roster(tmp_path / "r.csv")
    assert [(student.id, student.name) for student in students] == found
    assert not problems


@pytest.mark.parametrize("content", ["", "id,name\n", "\n\n", ",x\n"])
def test_a_roster_without_students_is_one_sentence(tmp_path, content):
    (tmp_path / "r.csv").write_text(content)
    with pytest.raises(PlainError, match="no student"):
        read_roster(tmp_path / "r.csv")


@pytest.mark.parametrize("wrong", [dict(student="ada"), dict(seed=3), dict(out="x.pdf"), dict(key="x")])
def test_a_class_that_makes_no_sense_is_one_sentence(byhand, tmp_path, wrong):
    (tmp_path / "c.csv").write_text("ada\n")
    with pytest.raises(PlainError):
        make_worksheets(roster="c.csv", **wrong)
    assert [file.name for file in tmp_path.iterdir()] == ["c.csv"]
