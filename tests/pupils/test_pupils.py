"""The simulated students themselves: right where they are honest, wrong where they slip, and nowhere else.

`forward_pass` serves as an oracle here and nowhere else in this folder.
"""

import math
from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest
from pupils import honest, noise, slips
from pupils.made_up import CANDIDATES, made_up_example
from pupils.paper import BOXES, KINDS, NO_DECIMALS, box, cut, entries, places, round_half_up, shape

from helpers import forward_pass

UNITS = ("encoder", "translation")
EXAMPLES = [made_up_example(seed) for seed in range(8)]
# No product at the homework's sizes: 2 columns, 3 or 4 keys.
NEVER_AT_THESE_SIZES = {"scores.k-not-transposed"}


def one_pass(example, unit, kind="rounds", decimals=3, seed=0, slip=(), typo=(), Z=None):
    rng = np.random.default_rng(seed)
    return honest.Pass(honest.givens(example, unit, Z), kind, decimals, rng).fill(slip, typo)


@lru_cache
def full(number, unit):
    """The pass of full precision through one of the examples."""
    return one_pass(EXAMPLES[number], unit, "full")


def oracle(example, unit):
    """Every box of a unit from the course's own forward pass; the translation starts from the unrounded Z."""
    run = forward_pass(example)
    if unit == "encoder":
        return {b.key: run.encoder[b.key] for b in BOXES[unit]}
    values = {b.key: run.decoder[b.key] for b in BOXES[unit] if b.key in run.decoder and b.family != "B"}
    for b in BOXES[unit]:
        if b.family == "B":
            values[b.key] = np.where(run.decoder[b.key] < -1e8, -math.inf, run.decoder[b.key])
    return values | output(example, run.decoder.Y3)


def output(example, Y3):
    """Logits to the next word over the four candidates."""
    logits = Y3 @ example.E[[example.vocabulary[word] for word in CANDIDATES]].T
    P = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    losses = -np.log(np.diag(P))
    return dict(logits=logits, P=P, losses=losses, loss=losses.mean(), next_word=CANDIDATES[P[-1].argmax()])


def apart(a, b):
    """Largest difference of two boxes of one shape; ∞ when only one of them is blocked at a place."""
    if isinstance(a, str):
        return 0.0 if a == b else math.inf
    gaps = [0.0 if x == y else abs(x - y) for x, y in zip(entries(a), entries(b), strict=True)]
    return max(gaps)


# --- honest students -----------------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS)
def test_full_precision_agrees_with_the_true_run(unit):
    for example in EXAMPLES:
        true = oracle(example, unit)
        Z = forward_pass(example).encoder.Z if unit == "translation" else None
        made = one_pass(example, unit, "full", Z=Z).precise
        assert list(made) == [b.key for b in BOXES[unit]]
        for key, value in made.items():
            if key == "next_word":
                assert value == true[key]
            else:
                assert shape(value) == np.shape(true[key]), key
                assert apart(value, np.asarray(true[key]).tolist()) <= 1e-12, key


def test_the_units_hold_the_boxes_of_the_plan():
    assert len(BOXES["encoder"]) == 26
    counts = [sum(len(entries(value)) for value in one_pass(EXAMPLES[0], unit).written.values()) for unit in UNITS]
    assert counts == [267, 610]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decimals", [2, 3])
def test_every_kind_writes_the_digits_asked_for_and_stays_near_the_truth(kind, decimals):
    for unit in UNITS:
        true = one_pass(EXAMPLES[0], unit, "full", 9).precise
        written = one_pass(EXAMPLES[0], unit, kind, decimals).written
        for key in written:
            if key in NO_DECIMALS:
                continue
            assert all(x == round(x, decimals) for x in entries(written[key])), key
            assert apart(written[key], true[key]) < 60 * 10**-decimals, key


def test_kinds_differ_from_one_another():
    passes = [one_pass(EXAMPLES[0], "translation", kind).written for kind in KINDS]
    for first, second in combinations(passes, 2):
        assert first != second


def test_rounding_and_cutting_as_people_do():
    assert [round_half_up(x, 2) for x in (0.125, -0.125, 2.675, 0.004, -0.004)] == [0.13, -0.13, 2.68, 0.0, 0.0]
    assert [cut(x, 2) for x in (0.129, -0.129, 0.29, 1.15)] == [0.12, -0.12, 0.29, 1.15]
    assert math.copysign(1, round_half_up(-0.001, 2)) == 1
    assert round_half_up(-math.inf, 3) == cut(-math.inf, 3) == -math.inf


def test_the_same_seed_makes_the_same_pass():
    assert one_pass(EXAMPLES[1], "encoder", "mixes").written == one_pass(EXAMPLES[1], "encoder", "mixes").written
    other = honest.fill(EXAMPLES[1], "encoder", "mixes", 3, np.random.default_rng(5))
    assert other != one_pass(EXAMPLES[1], "encoder", "mixes").written


# --- slips ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", UNITS)
def test_every_wrong_rule_differs_from_the_right_one(unit):
    for label, key in slips.pairs(unit):
        if label in slips.WRITING or label in NEVER_AT_THESE_SIZES:
            continue
        gaps = []
        for number in range(len(EXAMPLES)):
            done = full(number, unit)
            for value in slips.variants(label, done.desk(key)):
                if shape(value) != shape(done.precise[key]):
                    gaps.append(math.inf)
                else:
                    gaps.append(apart(value, done.precise[key]))
        if (label, key) in (("mix.weights-transposed", "Hc0"), ("mix.weights-transposed", "Hc1")):
            assert not gaps  # 3 × 4 times 3 × 2 is no product
        else:
            assert max(gaps) > 1e-3, (label, key)


def always_equal(unit):
    """Pairs of wrong rules that make the same box on every example, by key."""
    found = set()
    for b in BOXES[unit]:
        labels = [label for label in slips.RULES if slips.happens_at(label, b)]
        for first, second in combinations(labels, 2):
            if all(same_forms(full(n, unit).desk(b.key), first, second) for n in range(len(EXAMPLES))):
                found.add((b.family, first, second))
    return found


def same_forms(desk, first, second):
    forms = [slips.variants(label, desk) for label in (first, second)]
    return any(a == b or (shape(a) == shape(b) and apart(a, b) < 1e-12) for a in forms[0] for b in forms[1])


def test_rules_that_are_one_at_these_sizes_are_known():
    found = always_equal("encoder") | always_equal("translation")
    assert found == {("S", "scores.divided-by-d_k", "scores.divided-by-root-d_model")}


@pytest.mark.parametrize("unit", UNITS)
def test_a_slip_changes_nothing_before_its_box_and_later_boxes_go_on_from_it(unit):
    order = [b.key for b in BOXES[unit]]
    right = one_pass(EXAMPLES[2], unit, "mixes").written
    for label, key in slips.pairs(unit)[::7]:
        if slips.slipped(label, one_pass(EXAMPLES[2], unit, "mixes").desk(key), right[key], rng()) is None:
            continue
        done = one_pass(EXAMPLES[2], unit, "mixes", slip=[(label, key)])
        before = order[: order.index(key)]
        assert all(done.written[k] == right[k] for k in before), (label, key)
        assert done.honest[key] == right[key]


def rng():
    return np.random.default_rng(0)


def test_one_slip_followed_through():
    done = one_pass(EXAMPLES[0], "encoder", slip=[("scores.not-scaled", "S0")])
    right = one_pass(EXAMPLES[0], "encoder")
    assert done.written["S0"] != right.written["S0"]
    assert done.written["A0"] == done.pen.write(honest.right(done.desk("A0")))
    assert done.written["Z"] != right.written["Z"]
    assert done.written["S1"] == right.written["S1"]


def test_two_slips_and_a_typo_in_one_pass():
    done = one_pass(
        EXAMPLES[0], "encoder", slip=[("scores.not-scaled", "S0"), ("relu.forgotten", "F_relu")], typo=["N1"]
    )
    assert done.written["F_relu"] == done.written["F_pre"]
    moved = [(a, b) for a, b in zip(entries(done.written["N1"]), entries(done.honest["N1"]), strict=True) if a != b]
    assert len(moved) == 1
    assert abs(moved[0][0] - moved[0][1]) >= 0.0199


def test_a_slip_of_the_wrong_shape_is_mended_before_going_on():
    done = one_pass(EXAMPLES[0], "encoder", slip=[("heads.summed", "C")])
    assert shape(done.of_wrong_shape["C"]) == (3, 2)
    assert done.written == one_pass(EXAMPLES[0], "encoder").written
    assert shape(honest.fill(EXAMPLES[0], "encoder", "rounds", 3, rng(), slip=("heads.summed", "C"))["C"]) == (3, 2)


def test_an_impossible_slip_is_refused():
    with pytest.raises(ValueError, match="cannot happen at S0"):
        one_pass(EXAMPLES[0], "encoder", slip=[("scores.k-not-transposed", "S0")])
    desk = one_pass(EXAMPLES[0], "encoder").desk("S0")
    assert slips.slipped("norm.columns", desk, [[0.0]], rng()) is None


def test_a_masked_row_with_nothing_left_has_equal_weights():
    done = one_pass(EXAMPLES[0], "translation", slip=[("mask.diagonal", "Bm0")])
    assert done.written["Bm0"][0] == [-math.inf] * 4
    assert done.written["Am0"][0] == [0.25] * 4
    assert done.written["Am0"][1][1:] == [0.0] * 3


@pytest.mark.parametrize("label", slips.WRITING)
def test_slips_of_writing_change_what_they_say(label):
    written = one_pass(EXAMPLES[0], "encoder").written["S0"]
    made, _ = slips.slipped(label, one_pass(EXAMPLES[0], "encoder").desk("S0"), written, rng())
    off = [place for (place, x), (_, y) in zip(places(made), places(written), strict=True) if x != y]
    if label in ("entry.sign", "entry.typo"):
        assert len(off) == 1
    elif label in ("rows.exchanged", "columns.exchanged", "matrix.transposed"):
        assert sorted(entries(made)) == sorted(entries(written))
    elif label == "row.copied":
        assert len({tuple(row) for row in made}) == 2
    else:
        assert 0.001 <= apart(made, written) <= 0.5
    assert off


# --- noise ---------------------------------------------------------------------------------------


def test_offsets_and_typos_keep_to_their_size():
    written = one_pass(EXAMPLES[0], "translation").written
    for key in ("Qm0", "Bm0", "losses", "loss", "E_scaled"):
        unit = 10.0 ** -noise.written_place(written[key])
        for units in (5, 10, 20):
            moved = noise.offset(written[key], units, rng())
            assert moved is None or apart(moved, written[key]) == pytest.approx(units * unit)
        assert apart(noise.mistype(written[key], 3, rng()), written[key]) >= 0.0199


def test_the_last_written_place_is_read_off_the_digits():
    assert noise.written_place([[0.123, 1.0]]) == 3
    assert noise.written_place(1.23) == 2
    assert noise.written_place([0.5, 2.0]) == 2


def test_a_misread_weight_changes_what_reads_it():
    given = honest.givens(EXAMPLES[0], "encoder")
    for key in ("Q0", "M", "F_pre", "F"):
        other = noise.misread(given, box("encoder", key), rng())
        done = honest.Pass(other, "rounds", 3, rng()).fill()
        assert done.written[key] != one_pass(EXAMPLES[0], "encoder").written[key]
    assert noise.misread(given, box("encoder", "S0"), rng()) is None


@pytest.mark.parametrize("unit", UNITS)
def test_cheating_passes_fill_every_box_with_the_right_shape(unit):
    right = one_pass(EXAMPLES[0], unit).written
    passes = noise.cheats(right, unit, 3, rng())
    assert len(passes) == 6
    for name, boxes in passes.items():
        for b in BOXES[unit]:
            if boxes[b.key] is not None:
                assert shape(boxes[b.key]) == shape(right[b.key]), (name, b.key)
    assert passes["the key with rows reversed"]["ids"] == right["ids"][::-1]
    assert passes["copies of an earlier box"]["PE"] == passes["copies of an earlier box"]["E_rows"]
    assert len({tuple(row) for row in passes["rows all alike"]["F_pre"]}) == 1
