"""Which entries are off: as NumPy's own slower functions tell it, whatever the numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from helpers.checks.compare import ATOL, RTOL, compare, mean
from helpers.checks.variants import _agree_in_numbers

FLOATS = st.floats(width=64) | st.sampled_from([0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e308, -1e308])
SHAPES = arrays.array_shapes(min_dims=0, max_dims=2, max_side=4)


@st.composite
def two(draw, elements=FLOATS, dtype=float):
    """An array and another of its shape that shares some entries, or comes close to them."""
    expected = draw(arrays.arrays(dtype, draw(SHAPES), elements=elements))
    given = draw(arrays.arrays(dtype, expected.shape, elements=elements))
    kept = draw(arrays.arrays(bool, expected.shape))
    with np.errstate(all="ignore"):
        near = expected * (1 + draw(st.sampled_from([0, 1e-10, -1e-8]))) if dtype is float else expected
    return expected, np.where(kept, near, given)


@given(two())
def test_entries_are_off_where_isclose_says_so(pair):
    expected, answer = pair
    with np.errstate(all="ignore"):
        off = ~np.isclose(answer, expected, rtol=RTOL, atol=ATOL)
    finding = compare(expected, answer, ("it",))
    untold = compare(expected, answer, ("it",), told=False)
    assert bool(finding.verdict) == bool(untold.verdict) == bool(off.any())
    assert finding.share == untold.share == (1 - off.mean() if off.any() else 1)
    if off.any() and off.ndim:
        np.testing.assert_array_equal(finding.marked.off, off)


@given(two(st.integers(-3, 3), int))
def test_whole_numbers_are_off_where_they_differ(pair):
    expected, answer = pair
    finding = compare(expected, answer, ("it",))
    assert abs(finding.share - np.mean(expected == answer)) < 1e-15


@given(two())
def test_two_results_agree_where_allclose_says_so(pair):
    made, answer = pair
    with np.errstate(all="ignore"):
        agree = _agree_in_numbers(made, answer)
        finite = np.isfinite(made).all(), np.isfinite(answer).all()
        close = bool(np.allclose(answer, made, RTOL, ATOL, equal_nan=not any(finite)))
        alike = bool(np.allclose(made, answer, RTOL, ATOL, equal_nan=True))
    if all(finite):
        assert agree is close
    elif not any(finite):
        assert bool(agree) is alike
    else:
        assert agree is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_a_mean_of_shares_is_numpys_to_the_last_digit(shares):
    assert mean(shares) == np.mean(shares)
