"""Two to five data sets: by hand, by a second formula, and by a small simulation of the size."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import t

from reportgen.stats.domain.sources import (
    SourceErrors,
    adverse_sources,
    compare_sources,
    own_statistics,
    partial_conjunction,
    shown_sources,
)
from reportgen.stats.multiplicity.simultaneous import all_pairs

EXACT = 1e-10  # quantiles of t by two programs
N_STUDIES = 20_000  # simulated: standard error of a rate of 5% is .15 points
RATE = 0.6  # points: four standard errors
ONE = np.array([[0, 1]])


def errors(d, v, df=99.0) -> SourceErrors:
    """Return differences (M, P) with squared errors."""
    d = np.atleast_2d(np.asarray(d, dtype=float))
    return SourceErrors(d, np.broadcast_to(v, d.shape).astype(float), np.full(d.shape, df))


def test_mean_error_and_degrees_of_freedom_are_those_of_satterthwaite():
    d, v, df = np.array([[3.0], [1.0], [2.0]]), np.array([[1.0], [4.0], [0.25]]), 9.0
    found = compare_sources(SourceErrors(d, v, np.full((3, 1), df)), ONE, 0.05)
    variance = v.sum() / 9
    nu = variance**2 / ((v / 9) ** 2 / df).sum()
    half = t.isf(0.025, nu) * variance**0.5
    assert found.estimate == pytest.approx([2.0], abs=EXACT)
    assert found.standard_error == pytest.approx([variance**0.5], abs=EXACT)
    assert found.df == pytest.approx([nu], abs=EXACT)
    assert (found.lower[0], found.upper[0]) == pytest.approx((2 - half, 2 + half), abs=1e-8)
    assert found.p_value == pytest.approx([2 * t.sf(2 / variance**0.5, nu)], abs=EXACT)


def test_one_source_alone_cannot_be_seen_behind_wild_ones():
    found = compare_sources(
        errors([[1], [0.1], [0.1], [0.1], [0.1]], [[0.01], *[[1.0]] * 4]), ONE, 0.05
    )
    assert found.statistic == pytest.approx([0.7], abs=0.01)  # section 16e: .7 against 10
    assert own_statistics(errors([[1]], [[0.01]])) == pytest.approx(np.array([[10.0]]))
    assert not found.significant.any()


def test_partial_conjunction_by_brute_force():
    rng = np.random.default_rng(1)
    for n in (2, 3, 5):
        p = rng.random((n, 1)) ** 3
        for u, found in enumerate(partial_conjunction(p)[:, 0], start=1):
            # at least u of n: every set of n - u + 1 sources must reject its intersection
            sets = combinations(p[:, 0], n - u + 1)
            expected = max(min(1.0, (n - u + 1) * min(own)) for own in sets)
            assert found >= expected - 1e-12  # Bonferroni, made monotone
        ascending = np.sort(p[:, 0])
        products = [(n - v) * ascending[v] for v in range(n)]
        expected = np.minimum(1, np.maximum.accumulate(products))
        assert partial_conjunction(p)[:, 0] == pytest.approx(expected)


def test_on_all_and_on_at_least_some():
    level = 0.025
    assert shown_sources(np.array([[1e-3] * 5]).T, level).tolist() == [5]
    assert shown_sources(np.array([[1e-3, 1e-3, 1e-3, 0.3, 0.4]]).T, level).tolist() == [3]
    assert shown_sources(np.array([[0.3, 0.4]]).T, level).tolist() == [0]


def test_a_reversal_is_of_a_source_by_itself():
    d = np.array([[3.0], [3], [3], [3], [-4]])
    found = compare_sources(errors(d, 1.0), ONE, 0.05)
    assert found.significant.tolist() == [True]
    assert found.extra["n_reversed"].tolist() == [1]
    milder = compare_sources(errors(np.where(d < 0, -2.0, d), 1.0), ONE, 0.05)
    assert milder.extra["n_reversed"].tolist() == [0]  # t(.995, 99) = 2.6


def test_all_pairs_share_the_error_probability():
    d = np.array([[2.0, 1.0, 0.5]] * 3)
    found = compare_sources(errors(d, 1.0), all_pairs(3), 0.05)
    assert found.adjusted_p_value == pytest.approx(np.minimum(1, 3 * found.p_value))
    assert found.critical_value == pytest.approx(t.isf(0.05 / 6, found.df), abs=1e-8)


@pytest.mark.parametrize("without", ["variance", "df"])
def test_a_source_that_tells_nothing_leaves_the_pair_open(without):
    d, v, df = np.array([[2.0], [2.0]]), np.ones((2, 1)), np.full((2, 1), 9.0)
    v, df = (np.array([[1.0], [0.0]]), df) if without == "variance" else (v, df * [[1], [np.nan]])
    found = compare_sources(SourceErrors(d, v, df), ONE, 0.05)
    assert found.is_open.tolist() == [True]
    assert np.isnan(found.lower).all()
    assert found.estimate == pytest.approx([2.0])


def test_gaps_of_the_one_ahead_count_against_it():
    d = np.array([[-3.0], [-3.0], [np.nan], [np.nan]])
    there = np.array([[True, True], [True, True], [False, True], [False, True]])
    one = errors(d, np.where(np.isnan(d), np.nan, 0.01))
    table = compare_sources(one, ONE, 0.05)
    held = table.held_against(adverse_sources(one, ONE, there, True))
    assert table.significant.tolist() == [True]
    assert held.significant.tolist() == [False]
    assert adverse_sources(one, ONE, there, True, ~there) is None


@pytest.mark.parametrize("n_sources", [2, 3, 5])
def test_equal_candidates_are_told_apart_in_five_of_a_hundred_studies(n_sources):
    rng = np.random.default_rng(n_sources)
    d = rng.normal(size=(n_sources, N_STUDIES))
    v = rng.chisquare(60, size=(n_sources, N_STUDIES)) / 60
    pairs = np.zeros((N_STUDIES, 2), dtype=int)
    found = compare_sources(SourceErrors(d, v, np.full_like(d, 60.0)), pairs, 0.05, n_comparisons=1)
    assert 100 * found.significant.mean() == pytest.approx(5.0, abs=RATE)
    shown = found.extra["n_shown"]
    assert (shown == n_sources).mean() < 0.01
