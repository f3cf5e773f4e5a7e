"""The lessons as executed: whole, stable, and free of numbers that another machine could print differently."""

import contextlib
import io
import json
import math
import re
import time
from fractions import Fraction

import pytest
from course_units import PROJECT, UNITS, WHOLE_PASSES, checks, grading, solution, text_outputs

from helpers import course_run
from helpers.course.execute import execute, to_bytes
from helpers.course.notebooks import solution_path
from helpers.displays.numbers import recording
from helpers.sizes import WEIGHTS
from helpers.steps import decoder_steps, encoder_steps

CLOSE = Fraction(1, 10**12)
# Exact ties among the printed numbers, (value, decimals) → why it comes out the same everywhere.
EXACT_TIES: dict = {}
# Numbers close to an edge for a reason: 1 − x²/2 + x⁴/24 puts cos(0.001) at 0.9999995 + 4.2e-14, some 370 units in
# the last place from the edge, and every library computes a cosine to a few.
NAMED = {(math.cos(0.001), 6)}


@pytest.mark.parametrize("unit", UNITS)
def test_stored_outputs_are_clean(unit):
    counts = []
    for cell in solution(unit).cells:
        assert not {"execution", "collapsed", "scrolled"} & cell.metadata.keys(), cell.id
        counts += [cell.execution_count] if cell.get("execution_count") else []
        for output in cell.get("outputs", []):
            assert output.output_type != "error", cell.id
            assert output.get("name") != "stderr", cell.id
            text = json.dumps(output)
            assert not re.search(r"0x[0-9a-f]{6,}|/home/|/tmp/|site-packages", text), cell.id
        for text in text_outputs(cell):
            assert "-0.000 " not in f"{text} ".replace("\n", " "), cell.id
            assert max(map(len, text.splitlines()), default=0) <= 100, cell.id
    assert counts == list(range(1, len(counts) + 1))


@pytest.mark.parametrize("unit", UNITS)
def test_every_stored_check_is_passed_in_full(unit):
    for name, cell in checks(solution(unit)).items():
        assert float(cell.outputs[-1].data["text/plain"]) == grading(cell).points, name


@pytest.mark.parametrize("unit", UNITS)
def test_two_executions_give_the_same_bytes(unit):
    path = solution_path(PROJECT, unit)
    first = to_bytes(execute(path))
    start = time.perf_counter()
    assert to_bytes(execute(path)) == first
    # 15 s on a quiet machine is what the benchmarks hold; here only a gross slip fails.
    assert time.perf_counter() - start < 60


@pytest.mark.parametrize("unit", UNITS)
def test_numbers_are_printed_by_the_one_formatter(unit):
    """Outside a student's answer no code cell formats a float by itself."""
    for cell in solution(unit).cells:
        if cell.cell_type == "code":
            assert not re.search(r":[+,]?\.[1-9]\d*[feg]|%\.\d+[feg]|set_printoptions", cell.source), cell.id


# Every array of the course run, in the lesson of its stack (tests/test_trace.py holds them against the reference)

WIDEST = 10  # of a wider matrix the lessons print at least this many columns
# 500 probabilities a row: the lesson prints the likeliest. The table's rows appear scaled.
NOT_PRINTED = {"P", "E_rows"}


def printed_arrays():
    """(unit, name) of every matrix of the table, head by head, and of every weight matrix."""
    for unit, steps in (("encoder", encoder_steps), ("decoder", decoder_steps)):
        for step in steps(2):
            if step.kind == "matrix" and step.key not in NOT_PRINTED:
                yield unit, step.key
        yield from ((unit, name) for name, shape in WEIGHTS[unit].items() if len(shape) == 2)


def printed_rows(unit, decimals):
    """The numbers of every line of text that the stored lesson holds."""
    lines = [line for cell in solution(unit).cells for text in text_outputs(cell) for line in text.splitlines()]
    number = rf"[+-]?\d+\.\d{{{decimals}}}(?!\d)|-inf|(?<= )0(?= |$)"
    return [tuple(re.findall(number, line)) for line in lines]


def as_printed(row, decimals):
    """A row as signed numbers, and as weights: without a plus, a blocked one as a bare 0."""
    signed = ["-inf" if value < -1e8 else f"{value:+.{decimals}f}" for value in row]
    signed = ["+" + text[1:] if not float(text) else text for text in signed]
    weights = ["0" if not value else text.lstrip("+") for value, text in zip(row, signed, strict=True)]
    return tuple(signed), tuple(text.lstrip("+") for text in signed), tuple(weights)


def is_printed(row, lines_by_decimals):
    """Whether the numbers stand side by side in one line."""
    return any(
        line[start : start + len(row)] in as_printed(row, decimals)
        for decimals, lines in lines_by_decimals.items()
        for line in lines
        for start in range(len(line) - len(row) + 1)
    )


@pytest.fixture(scope="module")
def lines_of():
    return {unit: {d: printed_rows(unit, d) for d in (3, 4)} for unit in ("encoder", "decoder")}


@pytest.mark.parametrize(("unit", "name"), list(printed_arrays()))
def test_every_array_is_printed(unit, name, lines_of):
    array = getattr(course_run(), unit)[name][:, :WIDEST]
    missing = [index for index, row in enumerate(array) if not is_printed(row, lines_of[unit])]
    assert missing == [], f"rows of {name} that the lesson does not print"


# Rounding edges


def distance_to_edge(value, decimals):
    """How far a double is from the nearest number at which its printed digits change."""
    places = 10**decimals
    scaled = abs(Fraction(value)) * places
    return abs(scaled - (scaled.__floor__() + Fraction(1, 2))) / places


def test_distance_to_edge():
    assert distance_to_edge(0.0005, 3) < CLOSE
    assert distance_to_edge(-2.0015, 3) < CLOSE
    assert distance_to_edge(0.5, 0) == 0
    assert distance_to_edge(0.0, 3) == Fraction(5, 10**4)
    assert distance_to_edge(1.0, 3) == Fraction(5, 10**4)


def printed_numbers(unit, monkeypatch):
    """(value, decimals) of every number that the lesson's cells print, run in this process."""
    monkeypatch.chdir(PROJECT / "solutions" / unit)
    monkeypatch.setenv("MPLBACKEND", "agg")
    namespace = {"__name__": "__main__", "display": print}
    with recording() as numbers, contextlib.redirect_stdout(io.StringIO()):
        for cell in solution(unit).cells:
            if cell.cell_type == "code":
                exec(compile(cell.source, f"<{cell.id}>", "exec"), namespace)
    return numbers


@pytest.mark.parametrize("unit", UNITS)
def test_no_printed_number_could_round_the_other_way(unit, monkeypatch):
    """Another NumPy moves the last bits of a result; no printed digit may hang on them.

    A number within 1e-12 of a rounding edge is listed, and none may be but the ones named above. A number on the
    edge itself, an exact tie, is a value such as 0.5 that every machine holds exactly; each has to be named too.
    """
    numbers = {(value, decimals) for value, decimals in printed_numbers(unit, monkeypatch) if value}
    assert len(numbers) > (1000 if unit in WHOLE_PASSES else 10)
    distances = {number: distance_to_edge(*number) for number in numbers}
    assert {number for number, distance in distances.items() if 0 < distance < CLOSE} <= NAMED
    assert {number for number, distance in distances.items() if distance == 0} == EXACT_TIES.keys()
