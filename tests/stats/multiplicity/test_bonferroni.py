"""Bonferroni's intervals by hand and against single t tests."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy import stats

from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import bonferroni_pairs, paired_differences

EXACT = 1e-12


def test_against_paired_t_tests():
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(9, 3)) * [1, 2, 3] + [0, 1, 4]
    estimates = ParameterEstimates(rows.mean(axis=0), np.cov(rows, rowvar=False) / 9, 8)
    found = bonferroni_pairs(estimates, 0.05)
    for p, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        single = stats.ttest_rel(rows[:, i], rows[:, j])
        interval = single.confidence_interval(1 - 0.05 / 3)
        assert found.statistic[p] == pytest.approx(single.statistic, rel=1e-9)
        assert found.adjusted_p_value[p] == pytest.approx(min(1, 3 * single.pvalue), rel=1e-9)
        assert found.lower[p] == pytest.approx(interval.low, rel=1e-9)
        assert found.upper[p] == pytest.approx(interval.high, rel=1e-9)
        assert (found.adjusted_p_value[p] < 0.05) == (found.lower[p] > 0 or found.upper[p] < 0)


def test_normal_law():
    found = bonferroni_pairs(ParameterEstimates(np.array([0.0, 1.0]), np.eye(2) / 2, inf), 0.05)
    assert found.critical_value[0] == pytest.approx(stats.norm.isf(0.025), abs=EXACT)
    assert found.adjusted_p_value[0] == pytest.approx(2 * stats.norm.sf(1.0), abs=EXACT)


def test_a_difference_without_variance_is_certain_or_none():
    flat = ParameterEstimates(np.array([1.0, 1.0, 2.0]), np.zeros((3, 3)), 4)
    found = bonferroni_pairs(flat, 0.05)
    assert found.adjusted_p_value.tolist() == [1.0, 0.0, 0.0]
    assert found.statistic.tolist() == [0.0, -inf, -inf]


@pytest.mark.parametrize(("coef", "alpha"), [([1.0], 0.05), ([1.0, 2.0], 0.0), ([1.0, 2.0], 1.0)])
def test_errors(coef, alpha):
    estimates = ParameterEstimates(np.array(coef), np.eye(len(coef)), 4)
    with pytest.raises(ValueError, match=r"two parameters|alpha"):
        bonferroni_pairs(estimates, alpha)


@pytest.mark.parametrize("exponent", [500, -500])
def test_differences_keep_their_digits_beside_a_column_that_dwarfs_them(exponent):
    rows = np.random.default_rng(4).normal(size=(9, 3))
    usual = paired_differences(rows)
    found = paired_differences(np.ldexp(rows, exponent))
    np.testing.assert_array_equal(found.estimates, np.ldexp(usual.estimates, exponent))
    np.testing.assert_array_equal(found.standard_errors, np.ldexp(usual.standard_errors, exponent))
    rows[3, 2], rows[5, 1] = 1e95, np.nan
    beside = paired_differences(rows)
    both = np.isfinite(rows[:, 1])
    single = stats.ttest_rel(rows[both, 0], rows[both, 1])
    t = beside.estimates[0] / beside.standard_errors[0]
    assert (t, beside.df[0]) == (pytest.approx(single.statistic, rel=1e-12), 7)
    assert beside.standard_errors[1] == pytest.approx(1e95 / 9, rel=1e-9)
