"""nbgrader's own feedback command: it works on what either marked, and shows no hidden test and no solution."""

import base64
import html
import re

import nbformat
import pytest
from round_trip import run_nbgrader
from small_class import UNIT, hand_in, mark_class, small_class, submission
from small_course import CHECK_DOUBLE, DOUBLE

from helpers.term.hide import HideHidden
from helpers.term.verdicts import without_hidden

SECRETS = ("### BEGIN HIDDEN TESTS", "min(earned", "[3, -7]", "[6, -14]", "BEGIN SOLUTION", "Because one is too few.")
ASKING = "return print('asked', x) or x + x"
FAILING = "raise ValueError('asked for ' + str(x))"


def pages(root):
    files = sorted((root / "feedback").glob(f"*/{UNIT}/*.html"))
    return {path.parts[-3]: path.read_text(encoding="utf-8") for path in files}


def told(page):
    """All texts that a page holds: as it stands, without tags, and what is written in base64."""
    plain = html.unescape(re.sub(r"<[^>]*>", "", page))
    coded = [base64.b64decode(one + "=" * (-len(one) % 4)) for one in re.findall(r"base64,([A-Za-z0-9+/]{8,})", page)]
    return "\n".join([page, plain, *(one.decode("latin-1") for one in coded)])


def looked_through(found):
    for student, page in found.items():
        text = told(page)
        for secret in SECRETS:
            assert secret not in text, (student, secret)
            assert html.escape(secret) not in text, (student, secret)


def test_on_what_byhand_marked(tmp_path):
    root = small_class(tmp_path / "course")
    missing = submission(root, "return x + x", "See ![it](attachment:gone.png).")
    hand_in(root, "missing", missing)
    mark_class(root)
    run_nbgrader(root, "generate_feedback", UNIT)
    found = pages(root)
    assert sorted(found) == ["empty", "half", "missing", "right", "wrong"]
    assert "def double(x)" in told(found["right"])
    looked_through(found)


@pytest.mark.slow
def test_on_what_nbgrader_marked(tmp_path):
    root = small_class(tmp_path / "course", {"asks": (ASKING, None), "fails": (FAILING, "No idea.")})
    run_nbgrader(root, "generate_assignment", UNIT)
    run_nbgrader(root, "autograde", UNIT)
    marked = (root / "autograded" / "fails" / UNIT / f"{UNIT}.ipynb").read_text()
    # It is there to be hidden: the hidden lines, and what the student's function was asked below them.
    assert "BEGIN HIDDEN TESTS" in marked
    run_nbgrader(root, "generate_feedback", UNIT)
    found = pages(root)
    assert sorted(found) == ["asks", "fails"]
    looked_through(found)
    for page in found.values():
        assert not re.search(r"asked (for )?-?[37]\b", told(page))


def cell(source, *outputs, **settings):
    made = nbformat.v4.new_code_cell(source, outputs=list(outputs))
    made.metadata.nbgrader = {"grade_id": "t", "grade": True, "solution": False, "points": 2} | settings
    return made


def hidden(made):
    return HideHidden().preprocess_cell(made, {}, 0)[0]


def test_hidden_lines_and_all_that_they_may_show_go():
    stream = nbformat.v4.new_output("stream", text="secret")
    error = nbformat.v4.new_output("error", ename="E", evalue="secret", traceback=["secret"])
    shown = nbformat.v4.new_output("display_data", data={"text/plain": "secret", "image/png": "c2VjcmV0"})
    verdict = nbformat.v4.new_output("display_data", data={"text/html": '<div class="fb off">Off.</div>'})
    points = nbformat.v4.new_output("execute_result", data={"text/plain": "1.5"})
    value = nbformat.v4.new_output("execute_result", data={"text/plain": "'secret'"})
    made = hidden(cell(CHECK_DOUBLE, stream, error, shown, verdict, points, value))
    assert "secret" not in str(made)
    assert "min(" not in made.source
    assert [one.output_type for one in made.outputs] == ["stream", "error", "display_data", "execute_result"]


def test_what_holds_nothing_hidden_stays():
    stream = nbformat.v4.new_output("stream", text="plain")
    made = cell("earned = 2\nearned", stream)
    assert hidden(made.copy()) == made
    answer = cell(DOUBLE, grade=False, solution=True)
    assert hidden(answer.copy()) == answer


def test_regions_without_an_end_go_to_the_end():
    assert without_hidden("a\n### BEGIN HIDDEN TESTS\nb\n### END HIDDEN TESTS\nc") == "a\nc"
    assert without_hidden("a\n  # BEGIN MARK SCHEME\nb") == "a"
    assert without_hidden("a\n### END HIDDEN TESTS\nb") == "a\n### END HIDDEN TESTS\nb"
