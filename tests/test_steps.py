"""The table of steps: well formed, in order, and true to the numbers of a run."""

import keyword
import math
import re

import numpy as np
import pytest
from support import draw_example, plain_error

from helpers.sizes import COURSE, HEAD_WEIGHTS, HOMEWORK, PAPER_BASE, WEIGHTS, shape_in
from helpers.steps import all_steps, decoder_steps, encoder_steps
from helpers.trace import Stack, forward_pass

TABLES = {"encoder": encoder_steps, "decoder": decoder_steps}
HEADS = (1, 2, 3, 12)
ENCODER_KEYS = """
    ids E_rows E_scaled PE X
    Q0 K0 V0 R0 S0 A0 H0 Q1 K1 V1 R1 S1 A1 H1
    C M res1 N1 F_pre F_relu F res2 Z
"""
DECODER_KEYS = """
    ids E_rows E_scaled PE Y0
    Qm0 Km0 Vm0 Rm0 Sm0 Bm0 Am0 Hm0 Qm1 Km1 Vm1 Rm1 Sm1 Bm1 Am1 Hm1 Cm Mm res1 Y1
    Qc0 Kc0 Vc0 Rc0 Sc0 Ac0 Hc0 Qc1 Kc1 Vc1 Rc1 Sc1 Ac1 Hc1 Cc Mc res2 Y2
    F_pre F_relu F res3 Y3
    logits P losses loss next_word
"""
SYMBOLS = {"n_src", "n_tgt", "d_model", "h", "d_k", "d_ff", "V", "N"}


def givens(stack, heads):
    """Names that a step may use without any step having made them."""
    per_head = {f"{name}{i}" for name in HEAD_WEIGHTS[stack] for i in range(heads)}
    own = {"encoder": {"src_words"}, "decoder": {"tgt_words", "labels", "Z", "cross_blocked"}}
    return SYMBOLS | set(WEIGHTS[stack]) | per_head | {"vocabulary", "E", "blocked"} | own[stack]


def tables(heads=HEADS):
    return [pytest.param(stack, h, id=f"{stack}-{h}") for stack in TABLES for h in heads]


@pytest.fixture(scope="module")
def uneven():
    """A run of one layer in which no two sizes are equal: d_model 12, h 3, d_k 4, d_ff 7, n 5 and 6."""
    return forward_pass(draw_example(5, d_model=12, heads=3, d_ff=7, layers=1, n_src=5, n_tgt=6, padded=True))


@pytest.mark.parametrize(("stack", "keys"), [("encoder", ENCODER_KEYS), ("decoder", DECODER_KEYS)])
def test_keys_are_those_of_the_design(stack, keys):
    assert [step.key for step in TABLES[stack](2)] == keys.split()


def test_all_steps_is_both_tables():
    assert all_steps(3) == encoder_steps(3) + decoder_steps(3)


@pytest.mark.parametrize(("stack", "heads"), tables())
def test_keys_are_unique_python_names(stack, heads):
    keys = [step.key for step in TABLES[stack](heads)]
    assert len(set(keys)) == len(keys)
    assert all(key.isidentifier() and not keyword.iskeyword(key) and not key.startswith("_") for key in keys)
    assert not set(keys) & givens(stack, heads)
    assert not set(keys) & set(dir(Stack)), "an attribute of the stack would hide the step"


@pytest.mark.parametrize(("stack", "heads"), tables())
def test_inputs_come_earlier_or_are_given(stack, heads):
    known = givens(stack, heads)
    for step in TABLES[stack](heads):
        assert set(step.inputs) <= known, f"{step.key} reads {set(step.inputs) - known} before it is made"
        known.add(step.key)


@pytest.mark.parametrize("stack", list(TABLES))
def test_every_step_but_the_last_is_read_by_a_later_one(stack):
    steps = TABLES[stack](2)
    read = {name for step in steps for name in step.inputs}
    final = {"encoder": {"Z"}, "decoder": {"loss", "next_word"}}[stack]
    assert {step.key for step in steps} - read == final


@pytest.mark.parametrize(("stack", "heads"), tables())
def test_parts_stand_in_order(stack, heads):
    steps = TABLES[stack](heads)
    order = [step.part for step in steps]
    assert order == sorted(order, key=["input", "layer", "output"].index)
    assert {step.stack for step in steps} == {stack}
    assert set(order) == {"encoder": {"input", "layer"}, "decoder": {"input", "layer", "output"}}[stack]


@pytest.mark.parametrize(("stack", "heads"), tables())
def test_columns_are_filled_in(stack, heads):
    for step in TABLES[stack](heads):
        for column in (step.symbol, step.title, step.formula, step.hint):
            assert column.strip(), f"{step.key} leaves a column empty"
            assert len(column.splitlines()) == 1
        assert step.hint.endswith(".")
        assert re.fullmatch(r"(\d(\.\d){0,2})?", step.paper)
        assert set(step.shape) <= SYMBOLS
        assert step.inner is None or step.inner in SYMBOLS
        assert step.kind in {"ids", "words", "mask", "matrix", "vector", "scalar"}
        if step.kind in ("scalar", "vector", "matrix"):
            assert len(step.shape) == ["scalar", "vector", "matrix"].index(step.kind)


@pytest.mark.parametrize(("stack", "heads"), tables())
def test_head_is_the_end_of_the_key(stack, heads):
    steps = TABLES[stack](heads)
    assert {step.head for step in steps} == {None, *range(heads)}
    for step in steps:
        if step.head is not None:
            assert step.key.endswith(str(step.head))


@pytest.mark.parametrize("stack", list(TABLES))
def test_shapes_are_those_of_the_run(uneven, stack):
    values = getattr(uneven, stack)
    symbols = uneven.sizes.symbols(5, 6)
    for step in TABLES[stack](3):
        assert np.shape(values[step.key]) == shape_in(symbols, step.shape), step.key


@pytest.mark.parametrize("stack", list(TABLES))
def test_weights_have_the_shapes_of_their_table(uneven, stack):
    values, symbols = getattr(uneven, stack), uneven.sizes.symbols()
    for name, shape in WEIGHTS[stack].items():
        assert values[name].shape == shape_in(symbols, shape)
    for name in HEAD_WEIGHTS[stack]:
        assert values[f"{name}0"].shape == (12, 4)


@pytest.mark.parametrize("stack", list(TABLES))
def test_inner_is_the_dimension_that_cancels(uneven, stack):
    """In a product the inner size stands in both factors; in all other steps nothing cancels."""
    values, symbols = getattr(uneven, stack), uneven.sizes.symbols(5, 6)
    products = set()
    for step in TABLES[stack](3):
        if step.inner is None:
            continue
        products.add(step.key.rstrip("0123456789") if step.head is not None else step.key)
        first, second = (np.shape(values[name]) for name in step.inputs[:2])
        inner, outer = symbols[step.inner], shape_in(symbols, step.shape)
        assert first == (outer[0], inner)
        assert set(second) == {inner, outer[1]}
    expected = {
        "encoder": "Q K V R H M F_pre F",
        "decoder": "Qm Km Vm Rm Hm Mm Qc Kc Vc Rc Hc Mc F_pre F logits",
    }
    assert products == set(expected[stack].split())


@pytest.mark.parametrize(("stack", "block"), [("encoder", ""), ("decoder", "m"), ("decoder", "c")])
def test_masks_belong_to_one_step_of_each_block(stack, block):
    mask = "cross_blocked" if block == "c" else "blocked"
    reading = [step.key for step in TABLES[stack](1) if mask in step.inputs]
    assert reading == [f"{'B' if block == 'm' else 'A'}{block}0"]


@pytest.mark.parametrize("heads", [0, -1, 1.5, True, "2"])
@pytest.mark.parametrize("stack", list(TABLES))
def test_a_table_needs_a_whole_number_of_heads(stack, heads):
    with plain_error("heads", repr(heads)):
        TABLES[stack](heads)


# What a student fills in: the homework's boxes are the steps without the raw scores


def boxes(steps):
    return [step for step in steps if step.written]


def entries(steps, symbols):
    return sum(math.prod(shape_in(symbols, step.shape)) for step in steps)


def test_homework_has_26_boxes_and_267_entries():
    steps = boxes(encoder_steps(HOMEWORK.heads))
    assert len(steps) == 26
    assert entries(steps, HOMEWORK.symbols(n_src=3)) == 267


def test_translation_homework_has_610_entries():
    """Its words are chosen among four candidates, so the last two matrices are 4 × 4."""
    symbols = HOMEWORK.symbols(n_src=3, n_tgt=4) | {"V": 4}
    assert entries(boxes(decoder_steps(HOMEWORK.heads)), symbols) == 610


@pytest.mark.parametrize(
    ("key", "this", "paper"), [("S0", (3, 3), (3, 3)), ("H0", (3, 2), (3, 64)), ("F_pre", (3, 8), (3, 2048))]
)
def test_homework_shapes_beside_the_paper(key, this, paper):
    step = next(step for step in encoder_steps(2) if step.key == key)
    assert shape_in(HOMEWORK.symbols(3), step.shape) == this
    assert shape_in(PAPER_BASE.symbols(3), step.shape) == paper


def test_course_shapes():
    shapes = {s.key: shape_in(COURSE.symbols(9, 7), s.shape) for s in decoder_steps(2)}
    assert shapes["Sc0"] == (7, 9)
    assert shapes["Kc1"] == (9, 4)
    assert shapes["Mc"] == (7, 8)
    assert shapes["logits"] == (7, 500)
    assert shapes["loss"] == ()
