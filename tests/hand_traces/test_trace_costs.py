"""What the trace of one token costs, against the counts of whole passes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import lengths, plain_error, widths_and_heads

from helpers.counts import encoder_multiply_adds, model_multiply_adds
from helpers.hand_traces import trace_costs
from helpers.sizes import COURSE, Sizes


def total(costs):
    return sum(cost.count for cost in costs)


def test_the_course_run():
    costs = {cost.product: cost.count for cost in trace_costs(COURSE, 9)}
    assert costs == {"Q": 64, "K": 64, "V": 64, "R": 72, "H": 72, "M": 64, "F_pre": 256, "F": 256}
    assert sum(costs.values()) == 912 == 8208 // 9
    decoder = {cost.product: (cost.step, cost.count) for cost in trace_costs(COURSE, 9, 7, "decoder")}
    assert decoder["Rm"] == ("B.1", 56)
    assert decoder["Kc"] == ("B.4", 576)
    assert decoder["logits"] == ("B.8", 4000)


@given(widths_and_heads, st.integers(1, 40), st.integers(1, 3), lengths, lengths)
def test_all_tokens_together_cost_what_a_pass_costs(shape, d_ff, layers, n_src, n_tgt):
    sizes = Sizes(*shape, d_ff, 30, layers)
    encoder = encoder_multiply_adds(sizes, n_src)
    assert n_src * total(trace_costs(sizes, n_src)) == encoder
    costs = trace_costs(sizes, n_src, n_tgt, "decoder")
    own = [cost for cost in costs if cost.product not in ("Kc", "Vc")]
    shared = [cost for cost in costs if cost.product in ("Kc", "Vc")]
    assert encoder + n_tgt * total(own) + total(shared) == model_multiply_adds(sizes, n_src, n_tgt)


def test_wrong_calls():
    with plain_error("'both'"):
        trace_costs(COURSE, 9, side="both")
    with plain_error("n_tgt"):
        trace_costs(COURSE, 9, side="decoder")
    with pytest.raises(TypeError):
        trace_costs(COURSE)
