"""The homework object: what a student sees after each box, in the order in which things happen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import plain_error

from helpers import homework, personal_example
from helpers.checks.homework import Homework
from helpers.points import POINTS

UNITS = ["encoder", "translation"]


def true_values(hw):
    return hw._marker.exact


def written_right(hw, decimals=3):
    """Every box as a person writes it who never slips: worked out exactly and rounded."""
    values = {key: np.round(true_values(hw)[key], decimals) for key in (box.key for box in hw.boxes)}
    if "next_word" in values:
        values["next_word"] = hw.example.candidates[int(values["next_word"])]
    return values


def filled(unit="encoder"):
    hw = homework(unit)
    answers = written_right(hw)
    for key, answer in answers.items():
        hw.check(**{key: answer})
    return hw, answers


@pytest.mark.parametrize("unit", UNITS)
def test_right_answers_earn_every_point(unit):
    hw = homework(unit)
    for key, answer in written_right(hw).items():
        feedback = hw.check(**{key: answer})
        assert (feedback.kind, feedback.points) == ("right", POINTS[hw.unit][key]), feedback.text
        assert feedback.labels == ()
        assert not feedback.followed
    assert hw.first_slip() == ""


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("empty", [None, ..., "", [[None, None], [None, None]], [[..., ...]] * 3])
def test_empty_boxes_are_not_wrong(unit, empty):
    hw = homework(unit)
    for box in hw.boxes:
        if box.key == "next_word" and isinstance(empty, list):
            continue
        feedback = hw.check(**{box.key: empty})
        assert (feedback.kind, feedback.points, feedback.verdict) == ("empty", 0, "Not filled in yet.")


def test_a_box_that_is_begun_says_what_is_missing_and_keeps_what_is_right():
    hw, answers = filled()
    H0 = answers["H0"].tolist()
    H0[2] = [None, ...]
    feedback = hw.check(H0=H0)
    assert feedback.kind == "empty"
    assert feedback.remark == "4 of 6 entries have a number. Fill in row sat, every column."
    assert feedback.points == pytest.approx(2 * 0.5 * 4 / 6, abs=0.01)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([[1, 2], [3, "four"], [5, 6]], "Row cat, column 1 holds 'four', which is no number."),
        ([[1, 2], [3], [5, 6]], "Row cat has 1 entry, but row the has 2 entries."),
        ([[1, 2], [3, float("nan")], [5, 6]], "Row cat, column 1 holds NaN, which is no number."),
        ([[1, 2], [3, 4]], "It should be 3 × 2; yours is 2 × 2."),
        ([1, 2, 3, 4, 5, 6], "It should be 3 × 2; yours is 6 numbers in a row."),
        (5, "It should be 3 × 2; yours is a single number."),
        ("a word", "The box holds 'a word', which is no number."),
    ],
)
def test_what_cannot_be_read_is_one_sentence(answer, said):
    feedback = homework("encoder").check(Q0=answer)
    assert (feedback.kind, feedback.points, feedback.verdict) == ("off", 0, said)


def test_a_decimal_comma_outside_of_quotation_marks_is_explained():
    feedback = homework("encoder").check(Q0=[[0, 67, 1, 20], [0, 5, 0, 25], [1, 1, 2, 2]])
    assert feedback.verdict == 'It should be 3 × 2; yours is 3 × 4. A decimal comma needs quotation marks: "0,67".'


def test_every_way_of_writing_a_number_is_read():
    hw = homework("encoder")
    right = np.round(true_values(hw)["PE"], 3).tolist()
    right[1][0], right[2][1], right[1][2] = "0,841", "\u22120.416", "1/100"
    assert hw.check(PE=right).kind == "right"


# One slip costs one box


def test_an_early_slip_is_named_and_followed_through():
    hw = homework("encoder")
    values = written_right(hw)
    hw.check(ids=values["ids"], E_rows=values["E_rows"])
    slip = hw.check(E_scaled=values["E_rows"] * 4)
    assert slip.kind == "off"
    assert slip.labels == ("embedding.times-d_model",)
    assert ("Question", "You multiplied by d_model itself. What is √d_model?") in slip.details
    hw.check(PE=values["PE"])
    X = np.round(values["E_rows"] * 4 + values["PE"], 3)
    follows = hw.check(X=X)
    assert (follows.kind, follows.points, follows.followed) == ("right", 2, True)
    assert follows.remark == "Right for your numbers: your E_scaled is still off, so these will change with it."
    Q0 = hw.check(Q0=np.round(X @ hw.given.Wq0, 3))
    assert "your E_scaled is still off" in Q0.remark
    assert hw.first_slip() == "E_scaled"
    assert "The first step to mend is E_scaled." in hw.progress().text


def test_the_true_numbers_are_right_after_a_slip_too():
    hw = homework("encoder")
    values = written_right(hw)
    hw.check(E_scaled=values["E_rows"])
    feedback = hw.check(X=values["X"])
    assert (feedback.kind, feedback.followed) == ("right", False)


def test_nearly_the_true_numbers_after_a_slip_are_off_where_they_are_off():
    hw = homework("encoder")
    values = written_right(hw)
    hw.check(ids=values["ids"], E_rows=values["E_rows"], PE=values["PE"], E_scaled=values["E_rows"] * 4)
    hw.check(X=np.round(values["E_rows"] * 4 + values["PE"], 3))
    Q0 = values["Q0"].copy()
    Q0[1, 0] += 0.002
    feedback = hw.check(Q0=Q0)
    assert feedback.verdict == "1 of 6 entries is off."
    assert ("Where", "row cat, column 0") in feedback.details


def test_mending_an_early_box_does_not_condemn_a_later_one():
    hw = homework("encoder")
    values = written_right(hw)
    wrong = np.round(values["Q0"] + 0.3, 3)
    hw.check(Q0=wrong, K0=values["K0"])
    S0 = np.round(wrong @ values["K0"].T / np.sqrt(2), 3)
    assert hw.check(S0=S0).followed
    hw.check(Q0=values["Q0"])
    feedback = hw.check(S0=S0)
    assert feedback.kind == "stale"
    assert feedback.verdict == "Right for your earlier Q0: redo it with the new one."
    assert feedback.labels == ()
    assert hw.check(S0=values["S0"]).kind == "right"


def test_progress_tells_how_later_boxes_stand_after_a_change():
    hw, answers = filled()
    wrong = np.round(answers["Q0"] + 0.3, 3)
    hw.check(Q0=wrong, S0=np.round(wrong @ answers["K0"].T / np.sqrt(2), 3))
    assert "1 to look at again (Q0)" in hw.progress().text
    hw.check(Q0=answers["Q0"])
    assert "1 to look at again (S0)" in hw.progress().text
    assert "The first step to mend is S0." in hw.progress().text
    hw.check(S0=answers["S0"])
    assert "26 of 31 steps right. 5 not filled in." in hw.progress().text


def test_ids_without_a_row_stop_no_later_check():
    hw, answers = filled("translation")
    hw.check(ids=answers["ids"] + 3)
    for box in hw.boxes:
        wrong = answers[box.key] if isinstance(answers[box.key], str) else np.asarray(answers[box.key]) + 1
        assert hw.check(**{box.key: wrong}).kind in ("off", "right", "stale")


def test_two_slips_are_two_boxes():
    hw, answers = filled()
    hw.check(S0=np.round(answers["S0"] * np.sqrt(2), 3))
    hw.check(A0=answers["A0"], H0=answers["H0"], N1=answers["N1"] * 0.866)
    kinds = {key: feedback.kind for key, feedback in hw.report().items()}
    assert {key for key, kind in kinds.items() if kind == "off"} == {"S0", "N1"}


@pytest.mark.parametrize(
    ("unit", "key", "wrong", "label"),
    [
        ("encoder", "S0", lambda v, g: v["Q0"] @ v["K0"].T, "scores.not-scaled"),
        ("encoder", "A1", lambda v, g: np.exp(v["S1"]) / np.exp(v["S1"]).sum(axis=0), "softmax.columns"),
        ("encoder", "Q1", lambda v, g: v["X"] @ g.Wq[:, 1::2], "heads.interleaved"),
        ("encoder", "C", lambda v, g: np.hstack([v["H1"], v["H0"]]), "heads.swapped"),
        ("encoder", "C", lambda v, g: v["H0"] + v["H1"], "heads.summed"),
        ("encoder", "M", lambda v, g: v["C"], "output.no-wo"),
        ("encoder", "res2", lambda v, g: v["X"] + v["F"], "residual.wrong-stream"),
        ("encoder", "F_relu", lambda v, g: v["F_pre"], "relu.forgotten"),
        ("encoder", "F", lambda v, g: v["F_relu"] @ g.W2, "ffn.bias-forgotten"),
        ("translation", "ids", lambda v, g: [g.vocabulary[w] for w in g.label_words], "ids.not-shifted"),
        ("translation", "Am0", lambda v, g: np.tril(np.exp(v["Sm0"])) / np.exp(v["Sm0"]).sum(axis=1, keepdims=True),
         "mask.after-softmax"),
        ("translation", "Kc0", lambda v, g: v["Y1"] @ g.Wkc0, "cross.sources-swapped"),
        ("translation", "losses", lambda v, g: v["losses"] / np.log(10), "loss.log10"),
        ("translation", "loss", lambda v, g: v["losses"].sum(), "loss.sum"),
    ],
)  # fmt: skip
def test_a_slip_is_named(unit, key, wrong, label):
    hw, _ = filled(unit)
    answer = np.round(wrong(true_values(hw), hw.given), 3)
    feedback = hw.check(**{key: answer})
    assert feedback.kind == "off"
    assert feedback.labels[0] == label
    assert any(term == "Question" for term, _ in feedback.details)


def test_two_questions_that_begin_alike_say_it_once():
    hw, answers = filled()
    assert dict(hw.check(S0=np.transpose(answers["S0"])).details)["Question"] == (
        "Rows and columns are exchanged. Who asks: the word of the row or of the column? Or: What does a row stand for?"
    )


def test_numbers_with_one_decimal_ask_for_more_digits():
    hw, _ = filled()
    assert hw.check(PE=np.round(true_values(hw)["PE"], 1)).labels == ("rounding.early",)


def test_an_entry_is_placed_by_the_words_of_its_row_and_column():
    assert homework("encoder").check(S0=[[1, 2, 3], [4, "x", 5], [6, 7, 8]]).verdict.startswith("Row cat, column cat")


def test_an_id_with_a_fraction_is_shown_as_it_was_written():
    hw = homework("encoder")
    assert "6.500*" in hw.check(ids=[6.5, 8, 5]).text


def test_two_mistakes_that_give_the_same_numbers_are_both_named():
    hw, _ = filled()
    v = true_values(hw)
    feedback = hw.check(S0=np.round(v["Q0"] @ v["K0"].T / 2, 3))
    assert set(feedback.labels) == {"scores.divided-by-d_k", "scores.divided-by-root-d_model"}
    (question,) = [said for term, said in feedback.details if term == "Question"]
    assert " Or: " in question


@given(st.integers(0, 2**32 - 1), st.sampled_from(["S0", "N1", "F", "M"]))
def test_the_key_is_never_shown(seed, key):
    hw = homework("encoder")
    values = written_right(hw)
    rng = np.random.default_rng(seed)
    answer = np.round(values[key] + rng.uniform(0.1, 0.9, values[key].shape), 3)
    text = hw.check(**{key: answer}).text
    own = {f"{number:+.3f}" for number in answer.ravel()}
    names = [key, *(name for name in hw._marker.boxes[key].inputs if name in hw._marker.boxes)]
    shown = {f"{number:+.3f}" for name in names for number in np.ravel(true_values(hw)[name])}
    assert not [number for number in shown - own if number in text]


@pytest.mark.parametrize("unit", UNITS)
def test_no_box_shows_what_an_earlier_one_should_hold(unit):
    """A box whose inputs are not written yet is judged on the true ones, which the worked entry must not print."""
    for box in homework(unit).boxes:
        made_of = [name for name in box.inputs if name in homework(unit)._marker.boxes]
        hw = homework(unit, student="ada")
        wrong = np.round(np.asarray(true_values(hw)[box.key], dtype=float), 3) + 7
        feedback = hw.check(**{box.key: 1 if box.key == "next_word" else wrong})
        if feedback.kind == "right":
            continue
        terms = [term for term, _ in feedback.details]
        assert ("One entry" in terms) == (not made_of), box.key
        assert (f"on the true {' and '.join(made_of)}: yours" in feedback.remark) == bool(made_of), box.key


def test_a_box_checked_before_its_inputs_says_so():
    hw = homework("encoder")
    values = written_right(hw)
    wrong = np.round(values["S0"] + 1, 3)
    hw.check(Q0=values["Q0"])
    assert hw.check(S0=wrong).remark == (
        "This is judged on the true K0: yours is not complete, or not checked yet. "
        "Check it first, and your own numbers count."
    )
    hw.check(K0=values["K0"])
    feedback = hw.check(S0=wrong)
    assert feedback.remark == ""
    assert "One entry" in dict(feedback.details)


# Passes that do not deserve points


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "cheat",
    [
        lambda right, rng: np.zeros_like(right),
        lambda right, rng: np.ones_like(right),
        lambda right, rng: np.broadcast_to(right[:1] if np.ndim(right) else right + 1, np.shape(right)),
        lambda right, rng: right[::-1] if np.ndim(right) else right + 1,
        lambda right, rng: np.round(rng.normal(0, 1, np.shape(right)), 3),
    ],
    ids=["zeros", "ones", "rows alike", "rows reversed", "random"],
)
def test_no_points_without_work(unit, cheat):
    hw = homework(unit)
    rng = np.random.default_rng(5)
    for box in hw.boxes:
        right = np.asarray(np.round(true_values(hw)[box.key], 3), dtype=float)
        answer = cheat(right, rng)
        hw.check(**{box.key: int(abs(answer)) % 4 if box.key == "next_word" else answer})
    earned = sum(feedback.points for feedback in hw.report().values())
    assert earned <= 2.5, {key: f.points for key, f in hw.report().items() if f.points}


# The rest of the object


def test_the_paper_has_its_own_shapes():
    hw = homework("encoder")
    assert hw.paper_shape("S0") == (3, 3)
    assert hw.paper_shape("H1") == (3, 64)
    assert hw.paper_shape("F_pre") == (3, 2048)
    assert homework("translation").paper_shape("logits") == (4, 37000)
    right = hw.check_shapes(ids="3", E_rows="3 × 512", E_scaled=(3, 512), PE="3 x 512", X=[3, 512])
    assert (right.kind, right.points, right.possible) == ("right", 1, 1)
    off = hw.check_shapes(ids=3, E_rows="512 × 3", E_scaled="3,512", PE=None, X="3 by 512")
    assert (off.kind, off.points, off.verdict) == ("off", 0.6, "1 of 5 shapes is off.")
    assert ("Where", "E_rows") in off.details
    assert hw.check_shapes(ids=None, E_rows=...).kind == "empty"
    # One of five is a fifth, whatever else is left out.
    assert hw.check_shapes(ids="3").points == 0.2
    # What is a digit to Python, and no number; what would take long to read.
    for odd in ("²", "9" * 5000, np.zeros(8_000_000, bool)):
        assert hw.check_shapes(ids=odd, X="3 × 512").verdict == "1 of 5 shapes is off."


def test_of_words_that_share_the_largest_probability_each_is_right():
    hw, answers = filled("translation")
    P = np.round(answers["P"], 2)
    P[-1] = [0.36, 0.36, 0.2, 0.08]
    hw.check(P=P)
    assert [hw.check(next_word=word).kind for word in hw.example.candidates] == ["right", "right", "off", "off"]
    assert hw.check(next_word=...).kind == "empty"


def test_own_z_replaces_the_printed_one():
    hw = homework("translation")
    Z = hw.given.Z + 0.25
    K = np.round(Z @ hw.given.Wkc0, 3)
    assert hw.check(Kc0=K).kind == "off"
    assert hw.start(Z=Z).check(Kc0=K).kind == "right"
    np.testing.assert_array_equal(hw.given.Z, Z)
    refused = {
        "3 × 4; this is 2 × 2": [[1, 2], [3, 4]],
        "3 × 4; this is 4 × 3": Z.T,
        "filled in": [[1, 2, 3, ...]] * 3,
        "'x'": "x",
        "same row": np.zeros((3, 4)),
        "-inf": np.where(np.eye(3, 4), -np.inf, Z),
    }
    for said, given_z in refused.items():
        with plain_error(said):
            hw.start(Z=given_z)
    np.testing.assert_array_equal(hw.given.Z, Z)
    with plain_error("encoder"):
        homework("encoder").start(Z=Z)


def test_a_student_gets_numbers_of_their_own():
    mine = homework("encoder", student="ada")
    assert not np.array_equal(mine.given.E, homework("encoder").given.E)
    assert np.array_equal(mine.given.E, homework("translation", student="ada").given.E)
    assert np.array_equal(homework("encoder", student="").given.E, homework("encoder").given.E)


def test_the_printed_z_is_the_encoders_answer():
    example = personal_example("ada")
    np.testing.assert_array_equal(
        Homework("translation", example).given.Z, np.round(true_values(Homework("encoder", example))["Z"], 3)
    )


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda hw: hw.check(Q7=1), "Q7"),
        (lambda hw: hw.check(), "check"),
        (lambda hw: hw.check([[1, 2]]), "by name"),
        (lambda hw: hw.check_shapes(Q7=1), "Q7"),
        (lambda hw: hw.check_shapes(), "check_shapes"),
        (lambda hw: hw.check_shapes(ids="3", Q0="3 × 64"), "Q0 is no shape that is asked for beside ids"),
        (lambda hw: hw.hint("q0"), "Q0"),
        (lambda hw: hw.template("Zz"), "Zz"),
        (lambda hw: hw.given.Wq9, "Wq9"),
        (lambda hw: homework("decoder"), "decoder"),
    ],
)
def test_a_call_that_makes_no_sense_is_one_plain_error(call, named):
    with plain_error(named):
        call(homework("encoder"))


def test_several_boxes_at_once():
    hw, answers = filled()
    both = hw.check(Q0=answers["Q0"], K0=answers["K0"] + 1)
    assert (both.points, both.possible) == (2, 4)
    assert "Q0, queries" in both.text
    assert "K0, keys" in both.text
    assert both.display.html.count('class="fb') == 2


def test_templates_and_hints(capsys):
    hw = homework("encoder")
    hw.template("Q0")
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "Q0 = [",
        "    [ ... , ... ],  # the",
        "    [ ... , ... ],  # cat",
        "    [ ... , ... ],  # sat",
        "]",
    ]
    hw.template("ids")
    assert capsys.readouterr().out == "ids = [ ... , ... , ... ]\n"
    assert "Q0 · K0ᵀ / √d_k" in hw.hint("S0").text
    assert "<details" in hw.hint("S0").html


def test_nothing_is_written_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hw, _ = filled()
    hw.progress()
    assert list(tmp_path.iterdir()) == []
