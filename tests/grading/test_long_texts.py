"""What the marker reads before anything runs: no text keeps it busy for longer than its length explains."""

import time

import pytest
from handing_in import answered, code, raw, unit

from helpers.grading.marking import _numbers
from helpers.grading.needs import needed_cells
from helpers.grading.repair import read_submission
from helpers.grading.texts import harmless_text

LETTERS = 200_000
SOURCES = {
    "names without a value": "a,\n",
    "names in a line": "a,",
    "a call in a call": "homework(",
    "a name of a student": "student = ",
    "a definition": "def\n",
    "blanks": "a \n",
    "lambdas": "lambda:",
    "signs": "-",
    "attributes": "a.",
    "brackets": "(",
    "statements": "x=1\n",
}


@pytest.mark.parametrize("piece", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("name", ["encoder", "homework_encoder"])
def test_code(name, piece):
    notebook = answered(name)
    notebook["cells"].insert(5, code("x = " + piece * (LETTERS // len(piece))))
    content, known = raw(notebook), unit(name)
    started = time.process_time()
    repaired = read_submission(content, known.release)
    _numbers(repaired, known, "ada")
    needed_cells(repaired, known)
    assert time.process_time() - started < 4


@pytest.mark.parametrize(
    "piece", ["![", "](", "]( ", "![a](", "<a ", "<!--", "&#x", "\\href", "<div>", "<style>(", "<a b='", "[", "`"]
)
def test_text(piece):
    started = time.process_time()
    harmless_text(piece * (LETTERS // len(piece)))
    assert time.process_time() - started < 2


def test_much_code_is_read_less_closely_and_marked_the_same():
    notebook = answered("encoder")
    notebook["cells"].insert(5, code("x = 1\n" * 100_000))
    plain, long = (read_submission(raw(one), unit("encoder").release) for one in (answered("encoder"), notebook))
    few = {plain.places[n] for n in needed_cells(plain, unit("encoder"))}
    assert few <= {long.places[n] for n in needed_cells(long, unit("encoder"))}
