"""Gaps that count as the worst value of their unit: by hand, and as properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.blocks.gaps import fill_gaps

EXACT = 1e-12  # sums and comparisons only: no more than rounding


def test_a_gap_takes_the_worst_value_of_its_unit():
    values = np.array([[np.nan, 0.4, 0.3], [0.1, np.nan, 0.2], [np.nan, np.nan, np.nan]])
    smaller, larger = fill_gaps(values, True), fill_gaps(values, False)
    assert smaller[:2] == pytest.approx(np.array([[0.4, 0.4, 0.3], [0.1, 0.2, 0.2]]))
    assert larger[:2] == pytest.approx(np.array([[0.3, 0.4, 0.3], [0.1, 0.1, 0.2]]))
    assert np.isnan(smaller[2]).all()


def test_of_two_candidates_the_largest_difference_seen_is_added_within_the_bounds():
    values = np.array([[np.nan, 0.90], [0.5, 0.2], [0.3, 0.35]])
    assert fill_gaps(values, True)[0, 0] == pytest.approx(1.2, abs=EXACT)
    assert fill_gaps(values, True, (0.0, 1.0))[0, 0] == 1.0
    assert fill_gaps(values, False, (0.0, 1.0))[0, 0] == pytest.approx(0.6, abs=EXACT)


def test_what_lacks_by_design_stays_empty():
    values = np.array([[np.nan, 0.4, 0.3], [0.1, 0.2, np.nan]])
    absent = np.isnan(values) & (np.arange(3) == 0)
    found = fill_gaps(values, True, absent=absent)
    assert np.isnan(found[0, 0])
    assert found[1, 2] == 0.2


def test_complete_values_are_themselves():
    values = np.random.default_rng(1).normal(size=(5, 3))
    assert fill_gaps(values, True) is values


@st.composite
def gappy(draw: st.DrawFn) -> np.ndarray:
    """Return shares of some candidates in some units, each unit with a value."""
    shape = draw(st.tuples(st.integers(1, 8), st.integers(2, 5)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.random(shape)
    values[rng.random(shape) < draw(st.floats(0, 0.8))] = np.nan
    values[np.isnan(values).all(axis=1), 0] = 0.5
    return values


@given(gappy(), st.booleans())
def test_filled_means_stay_inside_the_bounds_and_never_flatter(values: np.ndarray, smaller: bool):
    filled = fill_gaps(values, smaller, (0.0, 1.0))
    there = np.isfinite(values)
    assert (filled[there] == values[there]).all()
    assert np.isfinite(filled).all()
    assert (filled >= 0).all()
    assert (filled <= 1).all()
    worst = np.nanmax(values, axis=1) if smaller else np.nanmin(values, axis=1)
    behind = filled - worst[:, None] if smaller else worst[:, None] - filled
    assert (behind[~there] >= 0).all()
