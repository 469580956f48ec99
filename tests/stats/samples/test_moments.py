"""Moments of samples that are known by mean, standard deviation and number alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from reportgen.stats.samples.comparison import welch_of
from reportgen.stats.samples.moments import SampleMoments

EXACT = 1e-10  # the same formulas
MEANS, DEVIATIONS, N = np.array([5.0, 6.5, 4.0]), np.array([1.0, 2.5, 0.4]), np.array([12, 8, 20])


def test_welch_of_summaries_is_that_of_scipy() -> None:
    table = welch_of(SampleMoments.of_summaries(MEANS, DEVIATIONS, N), 0.05)
    for i, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        expected = stats.ttest_ind_from_stats(
            MEANS[a], DEVIATIONS[a], N[a], MEANS[b], DEVIATIONS[b], N[b], equal_var=False
        )
        assert table.statistic[i] == pytest.approx(expected.statistic, rel=EXACT)
        assert table.adjusted_p_value[i] == pytest.approx(min(1, 3 * expected.pvalue), rel=EXACT)
        decides = table.lower[i] > 0 or table.upper[i] < 0
        assert decides == (3 * expected.pvalue <= 0.05)


def test_one_summary_beside_a_limit_is_students_t() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(5, 1, 9)
    own = SampleMoments.of_summaries(
        np.array([values.mean()]), np.array([values.std(ddof=1)]), np.array([9])
    )
    table = welch_of(own.beside(4.5), 0.05)
    expected = stats.ttest_1samp(values, 4.5)
    interval = expected.confidence_interval(0.95)
    assert table.df[0] == pytest.approx(8, rel=EXACT)
    assert table.p_value[0] == pytest.approx(expected.pvalue, rel=EXACT)
    assert table.lower[0] + 4.5 == pytest.approx(interval.low, rel=EXACT)
    assert table.upper[0] + 4.5 == pytest.approx(interval.high, rel=EXACT)


def test_what_is_not_known_leaves_a_pair_open() -> None:
    deviations, n = np.array([1.0, 0.0, np.nan]), np.array([12, 12, 0])
    table = welch_of(SampleMoments.of_summaries(MEANS, deviations, n), 0.05)
    assert table.is_open.all()
    assert np.isnan(table.lower).all()
    assert table.estimate.tolist() == [-1.5, 1.0, 2.5]
