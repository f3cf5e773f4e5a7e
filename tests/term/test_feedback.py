"""One page for each student: what stands on it, what does not, and when it is written."""

import re

import numpy as np
import pytest
from nbgrader.api import Gradebook
from pages import Page, unharmed
from pen_class import UNIT, handed_in, values

from helpers.errors import PlainError
from helpers.term.feedback import write_feedback

STUDENTS = ("ada", "bob", "cyd", "eve", "gus", "ivy", "kim", "leo", "mal")


@pytest.fixture(scope="module")
def pages(marked_class, tmp_path_factory):
    """Student → page of the class, and the course's folder."""
    import shutil

    root = shutil.copytree(marked_class, tmp_path_factory.mktemp("pages") / "course")
    assert write_feedback(root, UNIT).code() == 0
    return {student: file_of(root, student).read_text(encoding="utf-8") for student in STUDENTS}


def file_of(root, student):
    return root / "feedback" / student / UNIT / f"{UNIT}.html"


def open_book(root):
    return Gradebook(f"sqlite:///{root}/gradebook.db", "transformer-by-hand")


# What stands on it


def test_marks_and_what_came_of_each_step(pages):
    page = Page(pages["bob"])
    assert page.row("A0") == ["A0 attention weights, head 0", "off", "0 of 2"]
    assert page.row("H0") == ["H0 output of head 0", "right for your own numbers", "2 of 2"]
    assert page.row("M") == ["M attention output", "right", "2 of 2"]
    assert page.row("prose-1") == ["prose-1 question 1 in words", "waits for a person's marks", "– of 3"]
    assert page.row("paper-shapes-1")[1:] == ["not filled in", "0 of 1"]
    assert page.row("Together")[-1] == "50 of 66"
    assert "50 of 66 points" in page.text
    assert "3 answers wait for a person's marks, so this is not the final mark." in page.text


def test_the_first_step_that_is_off_and_what_was_followed_through(pages):
    text = Page(pages["bob"]).text
    assert "The first step that is off is A0, attention weights, head 0." in text
    assert "H0 is right for your own earlier numbers, and has full points: one slip costs one step." in text
    assert "The first step that is off" not in Page(pages["ada"]).text
    assert "Not filled in: " in Page(pages["kim"]).text


def test_the_diagnosis_as_the_student_saw_it(pages):
    text = Page(pages["bob"]).text
    assert "9 of 9 entries are off" in text
    assert "Question Your columns add up to 1. Which should: a row or a column?" in text
    assert "Right for your numbers: your A0 is still off, so these will change with it." in text
    assert "1 of 6 entries is off" in Page(pages["eve"]).text


def test_remarks_without_the_id_of_another(pages):
    assert "works with the numbers of another id; it was handed in by leo." in Page(pages["leo"]).text


def test_a_person_s_marks_comments_and_extra_credit(own_class):
    with open_book(own_class) as book:
        for name, hand, extra in (("prose-1", 2.5, None), ("check-A0", 1.0, 0.5)):
            grade = book.find_grade(name, UNIT, UNIT, "bob")
            grade.manual_score, grade.extra_credit, grade.needs_manual_grade = hand, extra, False
        book.find_comment("prose-1", UNIT, UNIT, "bob").manual_comment = "Say <why>.\nSecond line."
        book.find_comment("A0", UNIT, UNIT, "bob").manual_comment = "See me."
        book.db.commit()
    write_feedback(own_class, UNIT, ["bob"])
    page = Page(file_of(own_class, "bob").read_text())
    assert page.row("prose-1")[1:] == ["marked by a person", "2.5 of 3"]
    assert page.row("A0")[1:] == ["marked by a person, in place of 0, with 0.5 extra", "1.5 of 2"]
    assert "54 of 66 points" in page.text
    assert "A person wrote Say <why>. Second line." in page.text
    assert "A person wrote See me." in page.text
    assert "2 answers wait" in page.text
    unharmed(page)


def test_late_days_and_their_penalty(own_class):
    from datetime import datetime

    with open_book(own_class) as book:
        book.find_assignment(UNIT).duedate = datetime(2027, 1, 11, 8, 0)
        book.find_submission_notebook(UNIT, UNIT, "gus").late_submission_penalty = 4.0
        book.db.commit()
    write_feedback(own_class, UNIT, ["gus"])
    page = Page(file_of(own_class, "gus").read_text())
    assert "4 points were taken off: it came 1 d 2 h late." in page.text
    assert page.row("Late")[-1] == "−4"
    assert page.row("Together")[-1] == "14 of 66"


def test_limits_and_repairs_are_told(own_class):
    import json
    import sqlite3

    with sqlite3.connect(own_class / "gradebook.db") as db:
        line = json.loads(db.execute("select line from byhand_graded where student = 'cyd'").fetchone()[0])
        line |= {"limits": ["cell 14 (A0) ran longer than 10 s"], "repairs": ["Missing and put back as released: X."]}
        line |= {"remarks": ["check-Z could not be judged: KeyError: 'secret inside'."]}
        db.execute("update byhand_graded set line = ? where student = 'cyd'", [json.dumps(line)])
    db.close()
    write_feedback(own_class, UNIT, ["cyd"])
    text = Page(file_of(own_class, "cyd").read_text()).text
    assert "Limits that were reached Cell 14 (A0) ran longer than 10 s." in text
    assert "What was mended before marking Missing and put back as released: X." in text
    assert "check-Z could not be judged by a fault that is not yours." in text
    assert "secret inside" not in text


# What does not


def test_no_other_student(pages):
    for student, html in pages.items():
        own = {student, "ada"} if student == "leo" else {student}
        shown = Page(html).text if student == "leo" else html
        for other in set(STUDENTS) - own:
            assert not re.search(rf"\b{other}\b", shown, re.IGNORECASE), (student, other)


def test_no_right_number_of_a_box_that_is_not_right(pages):
    looked_for = 0
    for student, html in pages.items():
        page, wrote = Page(html), handed_in(student)
        for key, exact in values(student).items():
            if page.row(key)[1] in ("right", "right for your own numbers"):
                continue
            own = np.atleast_2d(wrote.get(key, np.full(np.shape(exact), np.nan)))
            for row, written in zip(np.atleast_2d(exact), own, strict=True):
                if len(row) > 1 and (row % 1).any() and not np.allclose(row, written, atol=0.001):
                    looked_for += 1
                    assert not re.search(in_a_row(row), page.text), (student, key)
    assert looked_for > 100


def in_a_row(numbers):
    """A pattern for these numbers one after another, in any number of decimals from two on."""

    def one(number):
        text = f"{abs(number):.6f}"
        return rf"{'[-−]' if number < -0.005 else '[+]?'}{re.escape(text[: text.index('.') + 3])}"

    return r"\d*[^\d]{1,4}".join(map(one, numbers))


def test_the_pattern_for_numbers_finds_them():
    assert re.search(in_a_row([0.25, -1.5]), "[+0.250, −1.500]")
    assert re.search(in_a_row([0.25, -1.5]), "+0.250 −1.500")
    assert not re.search(in_a_row([0.25, -1.5]), "+0.250 −1.400")


def test_what_means_harm_becomes_text_or_nothing(pages):
    for html in pages.values():
        unharmed(Page(html))
    page = Page(pages["mal"])
    assert "evil.example" not in "".join(value or "" for _, one in page.tags for value in one.values())
    assert "All points bold x1 <b>" in page.text
    assert "# </pre><script>document.title" in page.text
    kept = [one for tag, one in page.tags if tag == "img"]
    assert [one["alt"] for one in kept] == ["kept"]


def test_a_notebook_that_another_program_marked_shows_only_verdicts(own_class):
    import json

    file = own_class / "autograded" / "bob" / UNIT / f"{UNIT}.ipynb"
    notebook = json.loads(file.read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "check-M":
            cell["source"] = "hw.check(M=M)\n### BEGIN HIDDEN TESTS\nsecret_line\n### END HIDDEN TESTS"
            cell["outputs"] = [
                {"output_type": "stream", "name": "stdout", "text": "told by a secret_test"},
                {"output_type": "error", "ename": "AssertionError", "evalue": "secret_value",
                 "traceback": ["secret_trace"]},
            ]  # fmt: skip
    file.chmod(0o644)
    file.write_text(json.dumps(notebook))
    write_feedback(own_class, UNIT, ["bob"])
    html = file_of(own_class, "bob").read_text()
    assert "secret" not in html
    assert "A test failed." in html
    assert "9 of 9 entries are off" in html


# When it is written


def test_written_again_only_when_something_changed(own_class):
    first = write_feedback(own_class, UNIT)
    assert sorted(first.of("written")) == sorted(STUDENTS)
    before = {student: file_of(own_class, student).stat().st_mtime_ns for student in STUDENTS}
    assert write_feedback(own_class, UNIT).of("unchanged") == list(STUDENTS)
    with open_book(own_class) as book:
        book.find_comment("A0", UNIT, UNIT, "cyd").manual_comment = "Rows."
        book.db.commit()
    assert write_feedback(own_class, UNIT).of("written") == ["cyd"]
    changed = [one for one in STUDENTS if file_of(own_class, one).stat().st_mtime_ns != before[one]]
    assert changed == ["cyd"]
    assert len(write_feedback(own_class, UNIT, force=True).of("written")) == len(STUDENTS)


def test_a_dry_run_writes_nothing(own_class):
    done = write_feedback(own_class, UNIT, ["b*"], dry=True)
    assert done.text() == f"{UNIT}: 1 page would be written, 0 unchanged, in feedback/.\n"
    assert not (own_class / "feedback").exists()


def test_a_page_of_another_program_stays_without_force(own_class):
    place = file_of(own_class, "bob")
    place.parent.mkdir(parents=True)
    place.write_text("<html>nbgrader's</html>")
    done = write_feedback(own_class, UNIT)
    assert done.code() == 3
    assert "--force replaces it" in done.text()
    assert place.read_text() == "<html>nbgrader's</html>"
    assert write_feedback(own_class, UNIT, force=True).code() == 0
    assert "bob" in place.read_text()


def test_what_the_exchange_needs_goes_along_and_nothing_else(own_class):
    write_feedback(own_class, UNIT)
    names = sorted(path.name for path in file_of(own_class, "gus").parent.iterdir())
    assert names == [f"{UNIT}.html", "submission_secret.txt", "timestamp.txt"]
    assert [path.name for path in file_of(own_class, "ada").parent.iterdir()] == [f"{UNIT}.html"]


def test_a_missing_notebook_is_listed(own_class):
    file = own_class / "autograded" / "eve" / UNIT / f"{UNIT}.ipynb"
    file.unlink()
    done = write_feedback(own_class, UNIT)
    assert done.code() == 3
    assert "eve: " in done.text()
    assert len(done.of("written")) == len(STUDENTS) - 1


def test_plain_errors(own_class, tmp_path):
    with pytest.raises(PlainError, match="no marks for homework_encoder of nobody"):
        write_feedback(own_class, UNIT, ["nobody"])
    with pytest.raises(PlainError, match="There is no unit"):
        write_feedback(own_class, "unit")
    with pytest.raises(PlainError, match="There is no course"):
        write_feedback(tmp_path, UNIT)
    (own_class / "gradebook.db").unlink()
    with pytest.raises(PlainError, match="There is no gradebook"):
        write_feedback(own_class, UNIT)
    assert not (own_class / "gradebook.db").exists()
