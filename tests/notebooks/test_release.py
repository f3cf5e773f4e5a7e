"""The real student release: no answer in it, nothing that breaks when nothing is written."""

import re
import shutil

import pytest
from course_units import (
    HOMEWORKS,
    PROJECT,
    UNITS,
    WHOLE_PASSES,
    answers,
    checks,
    grading,
    practice,
    prose,
    release,
    solution,
    solution_lines,
    text_outputs,
)

from helpers.course.execute import execute
from helpers.points import POINTS

# These show what was found out about the student's answers, and earn nothing.
ALSO_CHECKS = ("progress()", "slip.answer(", "display(check(")

pytestmark = pytest.mark.parametrize("unit", UNITS)


def test_every_task_has_one_check_that_follows_it(unit):
    graded = {**answers(solution(unit)), **checks(solution(unit))}.values()
    cells = [grading(cell) for cell in solution(unit).cells if cell in graded]
    asked, checked = cells[::2], cells[1::2]
    assert [f"check-{task.grade_id}" for task in asked] == [check.grade_id for check in checked]
    assert all(task.solution and not task.grade and not task.locked for task in asked)
    assert all(check.grade and check.locked and not check.solution and check.points > 0 for check in checked)


def test_answers_in_words_earn_three_points(unit):
    found = {name: grading(cell).points for name, cell in prose(solution(unit)).items()}
    assert found == {name: points for name, points in POINTS[unit].items() if name.startswith("prose-")}
    assert set(found.values()) <= {3}


def test_source_and_release_have_the_same_cells(unit):
    assert [cell.id for cell in release(unit).cells] == [cell.id for cell in solution(unit).cells]


def test_the_release_has_no_output(unit):
    for cell in release(unit).cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def test_the_release_has_no_line_of_an_answer(unit):
    """Lines of a solution that say something (a `return x` does not) stand nowhere in the release, prose included."""
    text = "\n".join(cell.source for cell in release(unit).cells)
    squeezed = re.sub(r"\s+", "", text)
    answered = {**answers(solution(unit)), **practice(solution(unit)), **prose(solution(unit))}
    for name, cell in answered.items():
        for line in solution_lines(cell):
            bare = re.sub(r"\s+|#.*", "", line)
            if len(bare) >= 16:
                assert bare not in squeezed, f"{name}: {line.strip()!r} is in the release"


def test_the_release_has_no_hidden_test(unit):
    shown = "\n".join(cell.source for cell in release(unit).cells)
    for name, cell in checks(solution(unit)).items():
        hidden = cell.source.partition("### BEGIN HIDDEN TESTS")[2].partition("### END HIDDEN TESTS")[0].strip()
        # A box holds the student's own numbers: no fresh ones could try it.
        assert bool(hidden) == (unit not in HOMEWORKS), name
        assert not hidden or hidden not in shown
        assert "HIDDEN" not in checks(release(unit))[name].source


def test_every_answer_is_a_stub_or_an_empty_box(unit):
    for name, cell in answers(release(unit)).items():
        assert ("..." in cell.source) == (unit in HOMEWORKS), name
        assert ("# YOUR CODE HERE" in cell.source) == (unit not in HOMEWORKS), name
        assert ('raise NotImplementedError("not written yet")' in cell.source) == (unit not in HOMEWORKS), name
    assert {cell.source for cell in prose(release(unit)).values()} <= {"Write your answer here."}


def test_practice_is_empty_in_the_release(unit):
    boxes = practice(release(unit))
    assert boxes.keys() == ({"slip"} if unit in WHOLE_PASSES else set())
    for cell in boxes.values():
        assert cell.source == 'step = ""  # the key of the step, such as "S0"\nhow = ""  # a letter of the list'
        assert not grading(cell).grade


def test_run_all_of_the_untouched_release_reaches_the_end(unit, tmp_path):
    """Each check says that nothing is there yet and earns 0; no error anywhere; the last cell has run."""
    folder = shutil.copytree(PROJECT / "notebooks" / unit, tmp_path / unit)
    executed = execute(folder / f"{unit}.ipynb")  # raises at the first error or warning
    code = [cell for cell in executed.cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    for name, cell in checks(executed).items():
        assert any(re.search("not (written|filled in) yet", text.lower()) for text in text_outputs(cell)), name
        assert not any("Traceback" in text for text in text_outputs(cell)), name
        assert cell.outputs[-1].output_type == "execute_result", name
        assert float(cell.outputs[-1].data["text/plain"]) == 0, name


def test_displays_do_not_depend_on_unwritten_cells(unit, tmp_path):
    """Outside the checks, the untouched release shows just what the solution shows."""
    folder = shutil.copytree(PROJECT / "notebooks" / unit, tmp_path / unit)
    executed, stored = execute(folder / f"{unit}.ipynb"), solution(unit)
    graded = checks(stored).keys()
    for old, new in zip(stored.cells, executed.cells, strict=True):
        check = grading(old).get("grade_id") in graded or old.source.startswith(ALSO_CHECKS)
        if old.cell_type == "code" and not check:
            assert text_outputs(new) == text_outputs(old), old.id
