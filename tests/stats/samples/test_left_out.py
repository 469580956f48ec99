"""Rank sums of replications that leave an observation out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from reportgen.stats.samples.left_out import FEWEST, left_out_rank_sums

EXACT = 1e-12  # sums in another order


@pytest.mark.parametrize("decimals", [8, 1])  # without ties, with many
def test_scipy_says_the_same(decimals: int) -> None:
    rng = np.random.default_rng(1)
    values = np.round(rng.normal(size=(40, 3)), decimals)
    is_left_out = rng.random((40, 6)) < 0.4
    values[is_left_out[:, 2], 1] += 1.0
    found = left_out_rank_sums(values, is_left_out)
    for i, k in np.ndindex(6, 3):
        out, x = is_left_out[:, i], values[:, k]
        p = mannwhitneyu(x[out], x[~out], method="asymptotic", use_continuity=False).pvalue
        assert found.p_value[i, k] == pytest.approx(p, rel=1e-9)
        larger, equal = x[out][:, None] > x[~out], x[out][:, None] == x[~out]
        share = larger.mean() + equal.mean() / 2
        assert found.superiority[i, k] == pytest.approx(share, abs=EXACT)
        assert np.sign(found.statistic[i, k]) == np.sign(share - 0.5)
    assert found.statistic.argmax() == 2 * 3 + 1


def test_few_replications_and_equal_values_are_not_tested() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.normal(size=20), np.ones(20)])
    is_left_out = np.zeros((20, 3), dtype=bool)
    is_left_out[: FEWEST - 1, 0] = True
    is_left_out[:FEWEST, 1] = True
    is_left_out[FEWEST - 1 :, 2] = True
    found = left_out_rank_sums(values, is_left_out)
    assert np.isfinite(found.statistic).tolist() == [[False, False], [True, False], [False, False]]


def test_an_observation_that_does_not_matter_is_rarely_found() -> None:
    rng = np.random.default_rng(3)
    smallest = [
        left_out_rank_sums(
            rng.lognormal(0, 2, (100, 2)), rng.random((100, 50)) < 0.37
        ).p_value.min()
        for _ in range(300)
    ]
    # By Bonferroni's inequality at most 5%, whose standard error is 1.3 points.
    assert np.mean(np.array(smallest) * 100 < 0.05) <= 0.05 + 2 * 0.013
