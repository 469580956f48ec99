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


def test_where_one_other_alone_has_a_value_their_largest_difference_is_added():
    values = np.array([[0.2, np.nan, np.nan], [0.5, 0.4, 0.1], [0.3, 0.35, np.nan]])
    found = fill_gaps(values, True, (0.0, 1.0))
    assert found[0] == pytest.approx(np.array([0.2, 0.3, 0.6]), abs=EXACT)
    assert found[2] == pytest.approx(np.array([0.3, 0.35, 0.35]), abs=EXACT)  # two have a value
    assert fill_gaps(values, False, (0.0, 1.0))[0] == pytest.approx([0.2, 0.1, 0.0], abs=EXACT)


def test_where_no_unit_has_both_the_largest_difference_of_any_two_is_added():
    values = np.array([[0.2, np.nan, np.nan], [np.nan, 0.4, 0.1], [0.3, 0.35, np.nan]])
    assert fill_gaps(values, True)[0] == pytest.approx([0.2, 0.25, 0.5], abs=EXACT)


def test_who_lacks_where_it_is_easy_gets_no_better_mean_than_a_failure_beside_one_rival_gives():
    """Knn fails where rf alone has a value: rf's value would make its mean better than its own."""
    values = np.array([[0.05, np.nan, np.nan], [0.1, 0.3, 0.2], [0.1, 0.2, 0.1]])
    filled = fill_gaps(values, True, (0.0, 1.0)).mean(axis=0)
    assert filled[1] == pytest.approx((0.25 + 0.3 + 0.2) / 3, abs=EXACT)  # its own mean is .25


def brute_force(values: np.ndarray, smaller: bool, low: float, high: float) -> np.ndarray:
    """Return filled values, cell by cell."""
    (n, K), found = values.shape, values.copy()
    sign = 1 if smaller else -1
    far = [abs(row[i] - row[j]) for row in values for i in range(K) for j in range(i)]
    for u in range(n):
        others = [k for k in range(K) if not np.isnan(values[u, k])]
        for k in set(range(K)) - set(others):
            worst = max(sign * values[u, j] for j in others)
            if len(others) == 1:
                seen = [abs(row[k] - row[others[0]]) for row in values]
                seen = [x for x in seen if not np.isnan(x)] or [x for x in far if not np.isnan(x)]
                worst += max(seen, default=0)
            found[u, k] = min(max(sign * worst, low), high)
    return found


def test_what_lacks_by_design_stays_empty():
    values = np.array([[np.nan, 0.4, 0.3], [0.1, 0.2, np.nan]])
    missing_by_design = np.isnan(values) & (np.arange(3) == 0)
    found = fill_gaps(values, True, missing_by_design=missing_by_design)
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


@given(gappy(), st.booleans())
def test_each_gap_is_filled_as_cell_by_cell(values: np.ndarray, smaller: bool):
    found = fill_gaps(values, smaller, (0.0, 1.0))
    assert found == pytest.approx(brute_force(values, smaller, 0.0, 1.0), abs=EXACT)
