"""The trace of a word: the numbers of the course run, any example, any entry, and what does not agree."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hand_traces.reading import DISAGREES, from_html, numbers, sums, tampered
from hypothesis import given, settings
from hypothesis import strategies as st
from support import draw_example, examples, plain_error, seeds

from helpers.displays.numbers import columns_of, fixed
from helpers.examples import course_example
from helpers.hand_traces import trace_word
from helpers.hand_traces.plan import TRACES
from helpers.trace import forward_pass

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "course_run.json").read_text())
CAT, BY = 1, 6
SIDES = (("encoder", "cat"), ("decoder", "by"))


def text(word, **options):
    return trace_word.build(word, **options).text


def cat(step, **options):
    return text("cat", step=step, **options)


def by(step, **options):
    return text("by", side="decoder", step=step, **options)


# --- the course run ----------------------------------------------------------------------------

PRINTED = {
    "A.1": "id 168;-0.242053;2.828427;-0.684630;-0.953939",
    "A.2": "+0.841471;+0.156841;-1.870270;+0.046060",
    "A.3": "-1.140044;-1.111687;+0.583413;-0.526634;-0.219950;+1.319576;+0.033149;-0.870463",
    "A.4": "-0.563007;-0.281504;-1.268738;-0.634369;+2.864096;+1.432048",
    "A.5": "+1.432048;-1.713551;0.180225;0.059310;3.038680;0.329090;up to 1.000000",
    "A.6": "-1.043069;-0.544660;-0.127629;-0.076856;from -3.081746 to +1.641412;-1.043069 lies between",
    "A.7": "+0.298177;-0.049324;-0.352609",
    "A.8": "+0.156841;+0.298177;+0.455018;-0.306549",
    "A.9": "+1.809535;+0.226192;13.665984;1.708248;1.307003;+0.175077;-0.407605;mean +0.000000;0.999997",
    "A.10": "column 8 of W1;+1.224936;column 24 of W1;-1.451721;15 of 32 units;17 live;-0.286386;-1.103366",
    "A.11": "-0.111309;-0.323212;0.623907;+0.268271;-1.503713",
    "B.0": "id 322;-0.122722;+0.781329",
    "B.1": "hides nothing;+0.258070;0.610869;0.200936;3.040119;0.122562",
    "B.2": "-0.891437;-0.824303",
    "B.3": "+0.226970;+0.028371;1.295811;1.138342;-1.042530;-0.915832",
    "B.4": "+3.709381;+1.854691;-0.208753",
    "B.5": "0.034525;0.271813;-0.124896;+0.227632;+0.206603;0.843587;-0.974226;-0.372971",
    "B.6": "column 8 of W1;+1.738386;column 27 of W1;-1.580555;19 of 32 units;+0.092907",
    "B.7": "-0.881320;-0.259882;0.773338;-0.706660;-0.738319",
    "B.8": "-0.249453;+3.274961;-0.082349;1.071002;+0.885183;1.308069;2.828409",
    "B.9": "+3.274961;29.742343;0.033622;289;-3.524414;0.029469;0.000991;up to 1.000000",
    "B.10": "0.00099081;+3.392572;6.214608;0.000000",
}


@pytest.mark.parametrize(("step", "expected"), list(PRINTED.items()))
def test_numbers_of_the_two_traces(step, expected):
    shown = cat(step) if step[0] == "A" else by(step)
    for part in expected.split(";"):
        assert part in shown
    assert "all agree" in shown


def test_the_loss_is_the_same_both_ways():
    assert by("B.10").count("= 6.916985   agrees with the array") == 2


def rows_of_reference():
    encoder, decoder = REFERENCE["encoder"], REFERENCE["decoder"]
    attention, own, cross = encoder["attention"], decoder["self_attention"], decoder["cross_attention"]
    heads = (0, 1)
    yield "A.1", encoder["scaled_embeddings"][CAT]
    yield "A.2", encoder["PE"][CAT] + encoder["X"][CAT]
    yield "A.3", [value for letter in "QKV" for i in heads for value in attention[letter][i][CAT]]
    yield "A.4", attention["scores"][0][CAT]
    yield "A.6", attention["concat"][CAT]
    yield "A.7", attention["out"][CAT]
    yield "A.8", encoder["residual_1"][CAT]
    yield "A.9", encoder["norm_1"][CAT]
    yield "A.10", encoder["ffn"]["out"][CAT]
    yield "A.11", encoder["residual_2"][CAT] + encoder["output"][CAT]
    yield "B.0", decoder["scaled_embeddings"][BY] + decoder["X"][BY]
    yield "B.0", [value for letter in "QKV" for i in heads for value in own[letter][i][BY]]
    yield "B.1", own["scores"][0][BY]
    yield "B.2", own["concat"][BY] + own["out"][BY]
    yield "B.3", decoder["residual_1"][BY] + decoder["Y1"][BY]
    yield "B.4", cross["Q"][0][BY] + cross["Q"][1][BY] + cross["scores"][0][BY]
    yield "B.5", cross["concat"][BY] + cross["out"][BY] + decoder["residual_2"][BY] + decoder["Y2"][BY]
    yield "B.6", decoder["ffn"]["out"][BY]
    yield "B.7", decoder["residual_3"][BY] + decoder["output"][BY]


@pytest.mark.parametrize(("step", "values"), list(rows_of_reference()))
def test_rows_of_the_independent_program(step, values):
    found = set(numbers(cat(step) if step[0] == "A" else by(step), 6))
    assert {fixed(value, 6) for value in values} <= found


@pytest.mark.parametrize("head", [0, 1])
def test_weights_of_the_independent_program(head):
    found = set(numbers(cat("A.5", head=head), 6))
    assert {fixed(w, 6, sign=False) for w in REFERENCE["encoder"]["attention"]["weights"][head][CAT]} <= found
    for key, step in (("self_attention", "B.1"), ("cross_attention", "B.5")):
        found = set(numbers(by(step, head=head), 6))
        assert {fixed(w, 6, sign=False) for w in REFERENCE["decoder"][key]["weights"][head][BY]} <= found


def test_the_first_row_of_the_decoder_sees_itself_alone():
    shown = text("<sos>", side="decoder", step="B.1")
    assert "hides 6 of 7 keys" in shown
    assert "1.000000" in shown
    assert len(re.findall(r"-inf +-inf +0 +0  agrees", shown)) == 6


@pytest.mark.parametrize(("side", "word"), SIDES)
def test_the_whole_trace_is_its_steps_in_order(side, word):
    whole = text(word, side=side)
    places = [whole.index(text(word, side=side, step=step)) for step in TRACES[side]]
    assert places == sorted(places)
    assert whole.startswith(f"Trace of {word}, position")
    assert whole.endswith("all agree.")


# --- choosing what is opened -------------------------------------------------------------------


def test_one_number_chooses_component_and_head():
    assert "Q[cat, 5] = row cat of X · column 5 of W_Q" in cat("A.3", component=5)
    assert "R1[cat, " in cat("A.4", component=5)
    assert "H1[cat, 1] = row cat of A1 · column 1 of V1" in cat("A.6", component=5)
    assert "M[cat, 5]" in cat("A.7", component=5)
    assert cat("A.6", head=1) == cat("A.6", component=4)


def test_key_unit_and_candidates():
    assert "R0[cat, sat]" in cat("A.4", key="sat")
    assert cat("A.4", key="sat") == cat("A.4", key=2)
    shown = cat("A.10", unit=5)
    assert "F_pre[cat, 5]" in shown
    assert "F_pre[cat, 8]" not in shown
    shown = by("B.8", candidates=["mouse", 7])
    assert "row 57 of E (mouse)" in shown
    assert "row 7 of E\n" in shown
    assert "the label" not in shown


def test_a_position_stands_for_a_word():
    assert text(1, step="A.5") == cat("A.5")
    assert text(np.int64(4), step="A.4").count("the 4") >= 2


def test_decimals():
    assert "* 2.8284\n" in cat("A.1", decimals=4)
    assert "-1.14004379" in cat("A.3", decimals=8)


# --- any example -------------------------------------------------------------------------------


@st.composite
def places(draw):
    """An example, and the arguments of a trace in it."""
    example = draw(examples())
    sizes, side = example.sizes, draw(st.sampled_from(["encoder", "decoder"]))
    n = len(example.src_words if side == "encoder" else example.tgt_words)
    options = {
        "side": side,
        "component": draw(st.integers(0, sizes.d_model - 1)),
        "layer": draw(st.integers(1, sizes.layers)),
        "unit": draw(st.none() | st.integers(0, sizes.d_ff - 1)),
        # A position that is a key of both attentions of the decoder.
        "key": draw(st.none() | st.integers(0, min(len(example.src_words), n) - 1)),
    }
    return example, draw(st.integers(0, n - 1)), options


@settings(max_examples=60, deadline=None)
@given(places())
def test_every_line_of_any_trace_agrees_and_adds_up(place):
    example, word, options = place
    shown = trace_word.build(word, run=forward_pass(example), decimals=9, **options)
    assert DISAGREES not in shown.text
    assert "does" not in shown.text
    assert "nan" not in shown.text
    assert "-0.000000000" not in shown.text
    assert max(columns_of(line) for line in shown.text.splitlines()) <= 100
    written = list(sums(shown.text))
    # At least Q, K, V, a score, a mix, M and two lines of the FFN; twice the attention in a decoder.
    assert len(written) >= (7 if options["side"] == "encoder" else 12)
    for addends, total in written:
        assert sum(addends) == pytest.approx(total, abs=1e-9 * (len(addends) + 1))


@settings(max_examples=20, deadline=None)
@given(places())
def test_text_and_html_hold_the_same_numbers(place):
    example, word, options = place
    shown = trace_word.build(word, run=forward_pass(example), **options)
    assert numbers(shown.text, 6) == numbers(from_html(shown), 6)


def test_sums_with_more_terms_than_fit_are_cut_and_still_add_up():
    example = draw_example(5, d_model=80, heads=1, d_ff=200, layers=1, n_src=3, n_tgt=3, padded=False)
    shown = text(2, run=forward_pass(example))
    assert "the other 16 terms" in shown
    assert "first 40 of 80 lines" in shown
    for addends, total in sums(shown):
        assert sum(addends) == pytest.approx(total, abs=1e-6 * len(addends))


def test_bias_gamma_and_beta_are_written_where_they_do_something():
    example = draw_example(3, d_model=6, heads=3, d_ff=10, layers=1, n_src=4, n_tgt=3, padded=False)
    shown = text(0, run=forward_pass(example))
    assert "gamma1" in shown
    assert "beta2" in shown
    assert ": b1)" in shown
    assert "gamma1" not in cat("A.9")


def test_layers_above_the_first_begin_with_the_row_below():
    example = draw_example(4, d_model=4, heads=2, d_ff=8, layers=3, n_src=4, n_tgt=3, padded=False)
    run = forward_pass(example)
    below = run.encoder.layer(1).Z[2]
    shown = text(2, run=run, layer=2, step="A.2")
    assert "X of layer 2 = Z of layer 1" in shown
    assert {fixed(value, 6) for value in below} <= set(numbers(shown, 6))
    assert "Y0 of layer 3 = Y3 of layer 2" in text(0, run=run, side="decoder", layer=3, step="B.0")
    assert "B.10: " in text(0, run=run, side="decoder", layer=3)
    assert "B.8" not in text(0, run=run, side="decoder", layer=2)
    with plain_error("A.1", "layer 1"):
        trace_word.build(2, run=run, layer=2, step="A.1")
    with plain_error("B.10", "layer 3"):
        trace_word.build(0, run=run, side="decoder", step="B.10")


def test_a_row_that_sees_nothing_shares_out_evenly():
    example = draw_example(1, d_model=4, heads=1, d_ff=8, layers=1, n_src=4, n_tgt=3, padded=False)
    object.__setattr__(example, "src_blocked", np.ones((4, 4), dtype=bool))
    shown = text(0, run=forward_pass(example), step="A.5")
    assert "hides every key" in shown
    assert shown.count("0.250000") == 4


# --- what does not agree -----------------------------------------------------------------------

TRACED = {
    "encoder": "E_rows E_scaled PE X Q0 K0 V0 R0 S0 A0 H0 Q1 K1 V1 R1 S1 A1 H1 C M res1 N1 F_pre F_relu F res2 Z",
    "decoder": "E_rows E_scaled PE Y0 Qm0 Km0 Vm0 Rm0 Sm0 Bm0 Am0 Hm0 Qm1 Km1 Vm1 Rm1 Sm1 Bm1 Am1 Hm1 Cm Mm res1 Y1 "
    "Qc0 Kc0 Vc0 Rc0 Sc0 Ac0 Hc0 Qc1 Kc1 Vc1 Rc1 Sc1 Ac1 Hc1 Cc Mc res2 Y2 F_pre F_relu F res3 Y3 logits P losses",
}


@pytest.mark.parametrize(("side", "key"), [(side, key) for side, keys in TRACED.items() for key in keys.split()])
def test_a_changed_number_is_told(side, key):
    row = CAT if side == "encoder" else BY
    head = int(key[-1]) if key[:-1].rstrip("mc") in list("QKVRSBAH") else 0
    run = tampered(course_example(), side, key, row)
    shown = text(row, run=run, side=side, head=head)
    assert DISAGREES in shown
    assert "numbers do NOT agree with the arrays of the run" in shown.splitlines()[-1]
    assert DISAGREES in text(row, run=tampered(course_example(), side, key, row, by=-1e-3), side=side, head=head)


def test_the_line_and_the_table_name_what_the_array_has():
    run = tampered(course_example(), "encoder", "Q0", CAT)
    shown = text(CAT, run=run, step="A.3")
    assert "= -1.140044   does NOT agree: the array has -1.139044" in shown
    assert "does NOT agree: Q -1.139044" in shown
    assert "2 of 27 numbers do NOT agree" in shown


# --- how it is shown ---------------------------------------------------------------------------


def test_the_flow_marks_one_step_in_text_and_html():
    shown = trace_word.build("cat", step="A.5")
    title, flow, *_ = shown.text.splitlines()
    assert title == "A.5: cat, position 1 of the encoder"
    assert flow == "  word → E_scaled → X → Q, K, V → S → [A] → H → M → X + M → N1 → F → Z"
    assert shown.body.count('aria-current="step"') == shown.body.count("A.5, here") == 1
    assert shown.body.count('class="was"') == 4
    assert shown.body.count('class="to"') == 6


@pytest.mark.parametrize(("side", "word"), SIDES)
def test_text_fits_and_is_the_same_every_time(side, word):
    shown = text(word, side=side)
    assert shown == text(word, side=side)
    assert max(columns_of(line) for line in shown.splitlines()) <= 100
    assert "-0.000000" not in shown


def test_shown_at_once(capsys):
    assert trace_word("cat", step="A.1") is None
    assert capsys.readouterr().out == cat("A.1") + "\n"


# --- wrong calls -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "options", "named"),
    [
        ("the", {}, ["'the'", "0 and 4", "trace_word(0)"]),
        ("dog", {}, ["'dog'", "the encoder's words", "looking"]),
        ("cat", {"side": "decoder"}, ["'cat'", "the decoder's words", "mouse"]),
        (9, {}, ["9", "0 to 8"]),
        (-1, {}, ["-1", "0 to 8"]),
        (True, {}, ["True"]),
        (1.0, {}, ["1.0"]),
        ("cat", {"side": "middle"}, ["'middle'", "encoder", "decoder"]),
        ("cat", {"run": "course"}, ["'course'", "forward_pass"]),
        ("cat", {"step": "A.12"}, ["A.12", "A.1 to A.11"]),
        ("cat", {"step": 5}, ["5", "A.1 to A.11"]),
        ("cat", {"step": "B.1"}, ["B.1", "side='decoder'"]),
        ("by", {"side": "decoder", "step": "A.1"}, ["A.1", "side='encoder'"]),
        ("cat", {"component": 8}, ["component", "8", "0 to 7"]),
        ("cat", {"head": 2}, ["head", "2", "0 to 1"]),
        ("cat", {"head": 1, "component": 0}, ["Component 0", "head 0", "4 to 7"]),
        ("cat", {"layer": 2}, ["layer", "2"]),
        ("cat", {"unit": 32}, ["unit", "32", "0 to 31"]),
        ("cat", {"key": "dog"}, ["'dog'", "the keys"]),
        ("cat", {"key": "the"}, ["'the'", "key=0"]),
        ("cat", {"decimals": -1}, ["decimals", "-1"]),
        ("by", {"side": "decoder", "candidates": ["dog"]}, ["'dog'", "vocabulary"]),
        ("by", {"side": "decoder", "candidates": [500]}, ["500", "0 to 499"]),
        ("by", {"side": "decoder", "candidates": 0.5}, ["0.5", "candidates"]),
    ],
)
def test_a_wrong_call_is_one_plain_sentence(word, options, named):
    with plain_error(*named):
        trace_word.build(word, **options)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_repeated_words_need_a_position_in_any_example(seed):
    example = draw_example(seed, d_model=4, heads=2, d_ff=8, layers=1, n_src=7, n_tgt=4, padded=False)
    run = forward_pass(example)
    for position, word in enumerate(example.src_words):
        if list(example.src_words).count(word) > 1:
            with plain_error(word, "positions"):
                trace_word.build(word, run=run)
        else:
            assert trace_word.build(word, run=run, step="A.1").text == text(position, run=run, step="A.1")
