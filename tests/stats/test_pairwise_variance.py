"""Pairs with a variance of their own: exact single tests, the joint law, coverage."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel

from reportgen.stats.aligned import aligned_performances
from reportgen.stats.multiplicity import holm
from reportgen.stats.pairwise_variance import compare_pairwise, is_joint_law_known
from reportgen.stats.simultaneous import all_pairs, tukey

FOUR = 4.0  # standard errors of a simulation
RNG = np.random.default_rng(0)


def test_few_units_are_paired_t_tests() -> None:
    values = np.random.default_rng(1).normal(size=(11, 4)) * [1, 2, 3, 4] + np.array([0, 1, 2, 5])
    found = compare_pairwise(values, 0.05, RNG)
    tests = [ttest_rel(values[:, i], values[:, j]) for i, j in all_pairs(4)]
    np.testing.assert_allclose(found.comparisons.statistics, [t.statistic for t in tests])
    p = np.array([t.pvalue for t in tests])
    np.testing.assert_allclose(found.comparisons.p_values, np.minimum(1, 6 * p), rtol=1e-9)
    np.testing.assert_allclose(found.holm, holm(p), rtol=1e-9)
    assert not found.is_joint
    assert found.comparisons.critical_value == pytest.approx(student.isf(0.05 / 12, 10))
    interval = tests[0].confidence_interval(1 - 0.05 / 6)
    assert (found.comparisons.lower[0], found.comparisons.upper[0]) == pytest.approx(interval)


def test_many_units_use_the_joint_law() -> None:
    values = np.random.default_rng(2).normal(size=(250, 5))
    found = compare_pairwise(values, 0.05, np.random.default_rng(1))
    assert found.is_joint
    assert found.comparisons.df == 249
    pooled = tukey(aligned_performances(values), 0.05).critical_value
    bonferroni = student.isf(0.05 / 20, 249)
    assert found.comparisons.critical_value == pytest.approx(pooled, abs=0.03)
    assert found.comparisons.critical_value < bonferroni
    assert 0 < found.comparisons.critical_error < 0.01
    again = compare_pairwise(values, 0.05, np.random.default_rng(1))
    assert again.comparisons.critical_value == found.comparisons.critical_value


def test_joint_law_where() -> None:
    assert [is_joint_law_known(n, k) for n, k in ((49, 3), (50, 3), (51, 13), (52, 13))] == [
        False,
        True,
        False,
        True,
    ]


def test_a_difference_that_does_not_vary() -> None:
    values = np.random.default_rng(3).normal(size=(60, 3))
    values[:, 1] = values[:, 0]
    found = compare_pairwise(values, 0.05, RNG)
    assert not found.is_joint
    assert found.comparisons.p_values[0] == found.holm[0] == 1


@pytest.mark.parametrize(("n_units", "k"), [(5, 4), (5, 12), (10, 6), (21, 6)])
def test_family_wise_error_with_few_units(n_units: int, k: int) -> None:
    """Unequal variances, singular S too: Bonferroni .005-.045 where 5% are nominal."""
    rng = np.random.default_rng(n_units + k)
    n = 400
    spread = np.linspace(0.3, 3, k)
    wrong = np.zeros(2)
    for _ in range(n):
        found = compare_pairwise(rng.normal(size=(n_units, k)) * spread, 0.05, rng)
        wrong += [(p <= 0.05).any() for p in (found.comparisons.p_values, found.holm)]
    assert wrong[0] == wrong[1]  # the first step of Holm is Bonferroni
    assert 0 < wrong[0] / n < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)


def test_joint_law_of_unequal_variances() -> None:
    """Standard deviations 1, 2, 5: the largest |t| exceeds the critical value in 5%."""
    rng = np.random.default_rng(5)
    spread = np.array([1, 2, 5])
    found = compare_pairwise(rng.normal(size=(4000, 3)) * spread, 0.05, rng).comparisons
    n = 100_000
    x = rng.normal(size=(n, 3)) * spread
    i, j = all_pairs(3).T
    largest = np.abs((x[:, i] - x[:, j]) / np.hypot(spread[i], spread[j])).max(axis=1)
    rate = float((largest > found.critical_value).mean())
    assert rate == pytest.approx(0.05, abs=FOUR * sqrt(0.05 * 0.95 / n))
    assert found.method == "max-t"


def test_errors() -> None:
    with pytest.raises(ValueError, match="two units"):
        compare_pairwise(np.ones((1, 3)), 0.05, RNG)
    with pytest.raises(ValueError, match="alpha"):
        compare_pairwise(np.random.default_rng(0).normal(size=(9, 3)), 0, RNG)
