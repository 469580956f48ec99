"""Changes between two runs: against the verdicts' kernel, Welch's t, and cases by hand."""

from __future__ import annotations

from math import comb, sqrt

import numpy as np
import pytest
from scipy.stats import skew, ttest_ind

from reportgen.stats.changes import paired_changes, unpaired_changes
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.skewness import t_star

SAME = 1e-9


@pytest.mark.parametrize("noise", ["normal", "exponential"])
def test_pairs_are_compared_as_the_verdicts_compare_them(noise: str) -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=(25, 4))
    second = first + getattr(rng, f"standard_{noise}")(size=(25, 4))
    first[3, 1] = second[7, 2] = np.nan
    found = paired_changes(first, second, 0.05, 9)
    for k in range(4):
        both = np.column_stack([second[:, k], first[:, k]])
        own = paired_max_t(both, 0.05, rng, n_comparisons=9)
        for name in ("estimate", "lower", "upper", "p_value", "adjusted_p_value", "df"):
            expected = getattr(own, name)[0]
            assert getattr(found, name)[k] == pytest.approx(expected, rel=SAME), name
        assert found.n_first[k] == own.extra["n"][0]


def test_symmetric_samples_have_welchs_t() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=15), 3 * rng.normal(size=9)
    first, second = np.concatenate([a, -a]), np.concatenate([b, -b]) + 1.2
    found = unpaired_changes(first[:, None], second[:, None], 0.05, 1)
    expected = ttest_ind(second, first, equal_var=False)
    assert found.p_value[0] == pytest.approx(expected.pvalue, rel=SAME)
    assert found.df[0] == pytest.approx(expected.df, rel=SAME)
    interval = expected.confidence_interval(0.95)
    assert found.lower[0] == pytest.approx(interval.low, rel=SAME)
    assert found.upper[0] == pytest.approx(interval.high, rel=SAME)


def test_skewness_of_two_samples_is_that_of_their_mean_difference() -> None:
    first, second = np.array([0.0, 0, 0, 1, 2, 9]), np.array([1.0, 1, 2, 2, 3, 3, 4, 20])
    found = unpaired_changes(first[:, None], second[:, None], 0.05, 1)
    variances = [x.var(ddof=1) / len(x) for x in (first, second)]
    third = [
        skew(x, bias=False) / len(x) ** 0.5 * v**1.5
        for x, v in zip((first, second), variances, strict=True)
    ]
    lean = (third[1] - third[0]) / sum(variances) ** 1.5
    t = (second.mean() - first.mean()) / sqrt(sum(variances))
    expected = t_star(np.array([t]), np.array([lean]))
    assert found.statistic[0] == pytest.approx(expected[0], rel=SAME)


@pytest.mark.parametrize("kernel", [paired_changes, unpaired_changes])
def test_a_change_is_shown_exactly_where_its_interval_excludes_none(kernel) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.exponential(size=(2, 20, 500))
    found = kernel(first, second + 0.6, 0.05, 3)
    is_outside = (found.lower > 0) | (found.upper < 0)
    assert np.array_equal(found.shown(0.05), is_outside)
    assert 50 < is_outside.sum() < 450


def test_constant_differences_are_tested_by_their_signs() -> None:
    base = np.random.default_rng(4).normal(size=12)
    first = np.column_stack([base, base, base[::-1]])
    second = first + np.array([0.0, 0.5, 0.1 + 0.2 - 0.3])
    found = paired_changes(first, second, 0.05, 4)
    assert np.isnan(found.p_value[[0, 2]]).all()
    assert found.p_value[1] == 2.0**-11
    half = 2 * 0.5 * (1 - (0.05 / 8) ** (1 / 12))
    assert (found.lower[1], found.upper[1]) == pytest.approx((0.5 - half, 0.5 + half))
    assert found.shown(0.05).tolist() == [False, True, False]


def test_runs_without_variation_are_separated() -> None:
    first, second = np.full((7, 2), 0.25), np.full((8, 2), 0.25)
    second[:, 1] += 1
    found = unpaired_changes(first, second, 0.05, 1)
    assert np.isnan(found.p_value[0])
    assert found.p_value[1] == pytest.approx(2 / comb(15, 7), rel=SAME)


def test_few_values_are_open_and_none_are_nothing() -> None:
    first, second = np.arange(10.0).reshape(5, 2), np.full((5, 2), np.nan)
    second[:, 0] = [3, 1, 4, 1, 5]
    for found in (paired_changes(first, second, 0.05, 2), unpaired_changes(first, second, 0.05, 2)):
        assert found.is_open.all()
        assert not found.shown(0.05).any()
        assert np.isfinite(found.estimate[0])
        assert np.isnan(found.estimate[1])


def test_arguments_are_checked() -> None:
    with pytest.raises(ValueError, match="cells"):
        paired_changes(np.zeros((9, 2)), np.zeros((9, 3)), 0.05, 1)
    with pytest.raises(ValueError, match="rows"):
        paired_changes(np.zeros((9, 2)), np.zeros((8, 2)), 0.05, 1)
    with pytest.raises(ValueError, match="alpha"):
        unpaired_changes(np.zeros((9, 2)), np.zeros((8, 2)), 1.0, 1)
