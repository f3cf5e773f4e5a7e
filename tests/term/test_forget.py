"""`byhand forget`: nothing of a person stays in the course's folder, its gradebook's bytes or the exchange."""

import shutil
import sqlite3
import unicodedata

import pytest
from collecting import OTHER, UNIT, byhand, everything, saved, tree, work
from marked import PEOPLE, by_hand, hand_in, marked
from nbgrader.utils import notebook_hash
from small_class import rows

from helpers.term.forget_traces import Words, without_lines

ID, NAME, MAIL = "qz7-petrosyan", "Anahit Çelik-Petrosyan", "anahit@example.org"
LINE = f"{ID},{NAME},{MAIL},909,S909,{ID},Group 1,1909,,\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A course in which a person left all the traces there are: made once, then copied."""
    from small_class import mark_class

    root = marked(tmp_path_factory.mktemp("forget") / "course")
    (root / "class.csv").write_text(PEOPLE + LINE, encoding="utf-8")
    for unit in (UNIT, OTHER):
        hand_in(root, ID, work("return x + x", unit, f"I am {NAME}."), "2027-03-01 10:00:00 UTC", unit)
        (root / "submitted" / ID / unit / "submission_secret.txt").write_text("s" * 40)
    for report in (mark_class(root), mark_class(root)):
        report.write(root / "reports")
    by_hand(root, ID, 2.5)
    with sqlite3.connect(root / "gradebook.db") as db:
        db.execute("update comment set manual_comment = ? where id in (select c.id from comment c join "
                   "submitted_notebook n on c.notebook_id = n.id join submitted_assignment s on n.assignment_id = s.id "
                   "where s.student_id = ?)", (f"Well done, {NAME}!", ID))  # fmt: skip
        # What was changed and deleted before may stand in free pages.
        db.execute("insert into student (id, first_name) values ('other', ?)", (NAME * 50,))
        db.execute("delete from student where id = 'other'")
    db.close()
    shutil.copyfile(root / "gradebook.db", root / "gradebook.db.2027-03-01-backup")
    shutil.copytree(root / "submitted" / ID / UNIT, root / "submitted-before" / ID / UNIT / "no-time")
    (root / "feedback" / ID / UNIT).mkdir(parents=True)
    (root / "feedback" / ID / UNIT / "tiny.html").write_text(f"<p>{NAME}")
    (root / "reports" / "tiny.html").write_text("<p>" + NAME.encode("ascii", "xmlcharrefreplace").decode())
    (root / "reports" / "more.csv").write_text(f"student,points\nada,1\n{ID},2\n")
    (root / "exports").mkdir()
    (root / "exports" / "canvas-tiny.csv").write_text(f'Student,ID,tiny\n"Lovelace, Ada",501,1\n"{NAME}",909,2\n')
    (root / ".nbgrader.log").write_text(
        f"[INFO] Converting submitted/{ID}/tiny\n[INFO] Converting submitted/ada/tiny\n"
    )
    record = "unit,label,student,how,platform,number,time,late\ntiny,ada,ada,id,plain,,,\n"
    (root / "collected.csv").write_text(f"{record}tiny,{NAME}_9,{ID},name,moodle,9,,\n", encoding="utf-8")
    return root


@pytest.fixture
def root(whole, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(whole, root, symlinks=True)
    exchange = tmp_path / "exchange" / "transformer-by-hand"
    for student in (ID, "ada"):
        folder = exchange / "inbound" / f"{student}+{UNIT}+2027-03-01 10:00:00.000000 UTC+Xy_-"
        folder.mkdir(parents=True)
        (folder / "tiny.ipynb").write_bytes(work())
        (folder / "submission_secret.txt").write_text("s" * 40 if student == ID else "a" * 40)
    (exchange / "feedback" / UNIT).mkdir(parents=True)
    for secret in "sa":
        page = notebook_hash(secret=secret * 40, notebook_id=UNIT)
        (exchange / "feedback" / UNIT / f"{page}.html").write_text("x")
    config = (root / "nbgrader_config.py").read_text()
    (root / "nbgrader_config.py").write_text(f"{config}\nc.Exchange.root = {str(exchange.parent)!r}\n")
    return root


@pytest.fixture
def forget(root, monkeypatch, capsys):
    def call(*argv):
        code = byhand(monkeypatch, "forget", *argv, "--course", root)
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


def traces(top):
    """Files below a folder that hold the id, a name or the address, in any spelling, or are called so."""
    words = {ID, NAME, MAIL, "Çelik", "çelik", "Petrosyan", unicodedata.normalize("NFD", NAME)}
    forms = set()
    for word in words:
        forms |= {word.encode(), word.encode("utf-16-le"), word.encode("unicode_escape")}
        forms |= {word.encode("ascii", "xmlcharrefreplace")}
    forms = {form.lower() for form in forms}
    found = []
    for path in sorted(top.rglob("*")):
        content = path.read_bytes().lower() if path.is_file() else b""
        if any(form in content or form in path.name.lower().encode() for form in forms):
            found.append(path.relative_to(top).as_posix())
    return found


def test_first_everything_is_listed_and_stays(root, forget):
    before = everything(root)
    code, said = forget(ID)
    assert code == 3
    lines = [f"{step}/{ID}/" for step in ("submitted", "submitted-before", "autograded", "feedback")]
    lines += [f"{file}: the lines that name {ID}" for file in ("reports/tiny.csv", ".nbgrader.log")]
    lines += ["reports/tiny.html", "class.csv: one line", "collected.csv: 1 line", f"inbound/{ID}+tiny+"]
    lines += ["1 in student, 2 in grade", "gradebook.db.2027-03-01-backup: 1 in student"]
    for line in lines:
        assert line in said, line
    assert said.endswith(f"Nothing was removed. To remove all this: byhand forget {ID} --yes\n")
    assert forget(ID, "--dry-run") == (0, said)
    assert everything(root) == before


def test_then_nothing_stays(root, forget, tmp_path):
    assert len(traces(root)) > 15
    others = {name: content for name, content in tree(root, "submitted", "autograded").items() if ID not in name}
    marks = rows(root, "select student_id, id from submitted_assignment where student_id != 'qz7-petrosyan' order by 1")
    code, said = forget(ID, "--yes")
    assert (code, said.splitlines()[0]) == (0, f"Gone of {ID}:")
    assert traces(root) == []
    assert traces(tmp_path / "exchange") == []
    # Everybody else's stays.
    assert tree(root, "submitted", "autograded") == others
    assert rows(root, "select student_id, id from submitted_assignment order by 1") == marks
    assert rows(root, "pragma integrity_check") == [("ok",)]
    assert (root / "class.csv").read_text(encoding="utf-8") == PEOPLE
    assert (root / "reports" / "more.csv").read_text() == "student,points\nada,1\n"
    assert (root / ".nbgrader.log").read_text() == "[INFO] Converting submitted/ada/tiny\n"
    assert [path.name.split("+")[0] for path in (tmp_path / "exchange").glob("*/inbound/*")] == ["ada"]
    page = notebook_hash(secret="a" * 40, notebook_id=UNIT)
    assert [path.name for path in (tmp_path / "exchange").glob("*/feedback/*/*")] == [f"{page}.html"]
    code, said = forget(ID, "--yes")
    assert (code, said) == (1, f"byhand: There is nothing of {ID!r} in {root}.\n")


def test_mentions_elsewhere_are_listed_and_left(root, forget):
    (root / "notes.md").write_text(f"Ask {NAME} about it.")
    saved(root, {f"{NAME}_9_assignsubmission_file/tiny.ipynb": b"{}"})
    saved(root, {"çelikpetrosyananahit_909_1_tiny.ipynb": b"{}"}, "canvas.zip")
    (root / "sheets").mkdir()
    (root / "sheets" / f"{ID}.pdf").write_bytes(b"%PDF")
    code, said = forget(ID, "--yes")
    assert code == 3
    tail = said.partition("The id or the name also stands here; look at these yourself:\n")[2]
    assert tail.split() == ["canvas.zip", "in.zip", "notes.md", f"sheets/{ID}.pdf"]
    assert traces(root) == ["canvas.zip", "in.zip", "notes.md", f"sheets/{ID}.pdf"]


def test_who_is_stopped_goes_on(root, forget, monkeypatch):
    real = shutil.rmtree

    def stop(path, *rest, **wishes):
        if "submitted-before" in str(path):
            raise KeyboardInterrupt
        real(path, *rest, **wishes)

    monkeypatch.setattr(shutil, "rmtree", stop)
    assert forget(ID, "--yes")[0] == 130
    monkeypatch.setattr(shutil, "rmtree", real)
    assert forget(ID, "--yes")[0] == 0
    assert traces(root) == []


def test_a_short_id_is_no_reason_to_remove_others(root, forget):
    before = {name: content for name, content in tree(root, "submitted", "autograded").items() if "ada/" not in name}
    code, _ = forget("ada", "--yes")
    assert code in (0, 3)
    assert tree(root, "submitted", "autograded") == before
    assert {row[0] for row in rows(root, "select id from student")} == {"bruno", "carla", "dora", "zoe", ID}


@pytest.mark.parametrize(
    ("argv", "code", "sentence"),
    [
        (["nobody"], 1, "There is nothing of 'nobody'"),
        (["ADA"], 1, "'ADA' is not in class.csv; 'ada' is."),
        (["../submitted"], 1, "'../submitted' cannot be an id"),
        ([ID, "--yes", "--dry-run"], 2, "--dry-run and --yes exclude each other"),
    ],
)
def test_a_wrong_wish_is_one_plain_sentence(root, forget, argv, code, sentence):
    found, said = forget(*argv)
    assert found == code
    assert sentence in said
    assert len(said.splitlines()) == 1


def test_a_number_is_somebody_only_where_people_stand(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("student,points,name\n7,3,Ada\n8,7,Bob\n9,1,Agent 7\n")
    assert without_lines(file, Words(["7"])).decode() == "student,points,name\n8,7,Bob\n"
    assert Words(["ada"]).in_text("(ada)")
    assert not Words(["ada"]).in_text("adam and nada")
