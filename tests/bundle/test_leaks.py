"""Nothing that is given out gives an answer away: every file is searched, whatever it is packed in."""

import base64
import binascii
import io
import json
import math
import re
import zipfile

import pytest
from course_units import HOMEWORKS, LESSONS, PROJECT, UNITS, answers, checks, practice, prose, solution, solution_lines
from pypdf import PdfReader

from helpers.worksheets.ready_made import SHEETS

CODED = re.compile(r"[A-Za-z0-9+/]{120,}={0,2}")
NUMBER = re.compile(r"[+−-]?\d+[.,]\d+")
LONG_ENOUGH = 16


def pieces(name, content, seen=None):
    """(name, content) of a file, and of everything packed or coded in it, at any depth; of twins only the first."""
    seen = set() if seen is None else seen
    if content in seen:
        return
    seen.add(content)
    yield name, content
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for inner in archive.namelist():
                yield from pieces(f"{name}!{inner}", archive.read(inner), seen)
        return
    if content.startswith(b"%PDF"):
        return
    for found in CODED.finditer(content.decode("utf-8", "ignore")):
        coded = found[0]
        if coded in seen:
            continue
        seen.add(coded)
        try:
            inner = base64.b64decode(coded + "=" * (-len(coded) % 4))
        except binascii.Error:
            continue
        yield from pieces(f"{name}#{found.start()}", inner, seen)


def read(content):
    """A piece as text: a notebook's cells, a PDF's pages, anything else as it is."""
    if content.startswith(b"%PDF"):
        return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    text = content.decode("utf-8", "ignore")
    if text.startswith("{"):
        try:
            return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"]) + text
        except (ValueError, KeyError, TypeError):
            return text
    return text


def bare(text):
    return re.sub(r"\s+", "", text)


def code(line):
    return bare(line.partition("#")[0])


def told(lines):
    return {line for line in map(code, lines) if len(line) >= LONG_ENOUGH}


@pytest.fixture(scope="module")
def found(made):
    """Name → text, of every piece of everything that is written."""
    seen = set()
    return {name: read(inner) for file, content in made.items() for name, inner in pieces(file, content, seen)}


@pytest.fixture(scope="module")
def squeezed(found):
    """Name → text without blanks."""
    return {name: bare(text) for name, text in found.items()}


def is_engine(name):
    """A source file of the package, which ships and may be read: a rule's line stands in it as in an answer."""
    return re.search(r"helpers/[\w/]+\.py$", name) is not None


def nowhere(squeezed, lines, but=lambda name: False):
    for name, text in squeezed.items():
        if not but(name):
            there = [line for line in lines if line in text]
            assert not there, f"{name} holds {there[:3]}"


def test_the_search_reaches_what_is_packed_and_coded(found, made):
    carried = re.search(rb'make_ready\(\\"([^"\\]+)', made["stand-alone/encoder.ipynb"])[1]
    names = "\n".join(found)
    assert re.search(r"hand\.zip!.*\.whl!helpers/steps\.py$", names, re.M)
    assert len(re.findall(r"alone/\w+\.ipynb$", names, re.M)) == 5
    assert any(name.startswith("a#0!helpers/steps.py") for name, _ in pieces("a", carried))
    assert re.search(r"model\.npz!\w+\.npy$", names, re.M)
    text = next(text for name, text in found.items() if name.endswith("homework-encoder.pdf"))
    assert "the cat sat" in " ".join(text.split())
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.txt", "F_pre = secret_of_a_test @ W1")
    hidden = json.dumps({"x": base64.b64encode(inner.getvalue() * 1).decode()}).encode()
    assert any("secret_of_a_test" in read(piece) for _, piece in pieces("a", hidden))


@pytest.mark.parametrize("unit", LESSONS)
def test_no_line_of_an_answer_outside_the_engine(squeezed, unit):
    cells = {**answers(solution(unit)), **practice(solution(unit))}.values()
    nowhere(squeezed, told(line for cell in cells for line in solution_lines(cell)), but=is_engine)


@pytest.mark.parametrize("unit", LESSONS)
def test_no_whole_answer_in_the_engine(squeezed, unit):
    """An answer of one line may be the engine's own; of a longer one only single lines are."""
    for cell in answers(solution(unit)).values():
        lines = [code(line) for line in solution_lines(cell) if code(line)]
        if len(lines) > 1:
            nowhere(squeezed, ["".join(lines)])


@pytest.mark.parametrize("unit", HOMEWORKS)
def test_no_filled_box_anywhere(squeezed, unit):
    cells = {**answers(solution(unit)), **practice(solution(unit))}.values()
    nowhere(squeezed, told(line for cell in cells for line in solution_lines(cell)))


@pytest.mark.parametrize("unit", UNITS)
def test_no_answer_in_words_and_no_scheme_of_marks_anywhere(squeezed, unit):
    lines = [bare(line) for cell in prose(solution(unit)).values() for line in cell.source.splitlines()]
    lines = [line for line in lines if len(line) >= LONG_ENOUGH]
    assert lines
    nowhere(squeezed, lines)


@pytest.mark.parametrize("unit", LESSONS)
def test_no_hidden_test_anywhere(squeezed, unit):
    hidden = set()
    for cell in checks(solution(unit)).values():
        inside = cell.source.partition("### BEGIN HIDDEN TESTS")[2].partition("### END HIDDEN TESTS")[0]
        hidden |= told(inside.splitlines())
    assert hidden
    nowhere(squeezed, hidden)


# Keys


def numbers(text):
    return [one.replace(",", ".").replace("−", "-").lstrip("+") for one in NUMBER.findall(text)]


def runs(text, length=3):
    """Every so many numbers that follow one another in a text."""
    of = numbers(text)
    return {tuple(of[n : n + length]) for n in range(len(of) - length + 1)}


# Sines and cosines of positions are the same on every sheet, and stand in tables.
WAVES = {
    f"{wave(position / 10000 ** (pair / d_model)):.3f}"
    for wave in (math.sin, math.cos) for position in range(8) for d_model in (2, 4, 6) for pair in range(0, d_model, 2)
}  # fmt: skip


@pytest.fixture(scope="module")
def rows(found):
    return {name: runs(text) for name, text in found.items()}


def test_no_file_is_a_key(found):
    assert not [name for name in found if "-key" in name.lower().rpartition("/")[2] or "/reference/" in name]
    assert not [name for name, text in found.items() if name.endswith((".md", ".html")) and "key.pdf" in text]


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_row_of_a_key_is_in_a_file(rows, sheet):
    """No three different numbers in a row of a key, those apart that its own sheet gives, stand in a row anywhere."""
    key, given = (
        runs(read((PROJECT / "worksheets" / f"{sheet}{end}.pdf").read_bytes())) for end in ("-key", "")
    )  # fmt: skip
    secret = {row for row in key - given if len(set(row)) == 3 and not WAVES.issuperset(row)}
    # Numbers of one decimal are weights.
    secret = {row for row in secret if all(len(one.partition(".")[2]) == 3 for one in row)}
    assert len(secret) > 5
    for name, there in rows.items():
        assert not secret & there, f"{name} holds {sorted(secret & there)[:3]} of the key of {sheet}"
