"""Changes of items in clusters: t tests of cluster means, and errors where items are correlated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from reportgen.stats.changes import clustered_changes, paired_changes, unpaired_changes

EXACT = 1e-12  # the same formulas, other orders of sums


def mirrored(x: np.ndarray) -> np.ndarray:
    """Return values and their mirror images: columns without skewness."""
    return np.concatenate([x, 1 - x])


def drawn(seed: int, n_clusters: int = 30, size: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Return values (n, 200) without a change, of which clusters make half the variance."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(n_clusters), size)
    values = rng.normal(size=(n_clusters, 200))[codes] + rng.normal(size=(len(codes), 200))
    return values, codes


def test_equal_clusters_are_t_tests_of_their_means() -> None:
    before, after = (mirrored(drawn(seed, 6, 5)[0]) for seed in (1, 2))
    codes = np.repeat(np.arange(12), 5)
    means = [x.reshape(12, 5, -1).mean(axis=1) for x in (before, after)]
    paired = clustered_changes(before, after, (codes, codes), 0.05, 1, is_paired=True)
    assert paired.p_value == pytest.approx(stats.ttest_rel(*means[::-1]).pvalue, rel=EXACT)
    alone = clustered_changes(before, after, (codes, codes), 0.05, 1, is_paired=False)
    welch = stats.ttest_ind(*means[::-1], equal_var=False)
    assert alone.p_value == pytest.approx(welch.pvalue, rel=EXACT)
    assert alone.n_first.tolist() == [60] * 200


def test_clusters_hold_the_error_that_single_items_exceed() -> None:
    before, codes = drawn(3)
    after, _ = drawn(4)
    both = (codes, codes)
    for is_paired, naive in ((True, paired_changes), (False, unpaired_changes)):
        found = clustered_changes(before, after, both, 0.05, 1, is_paired=is_paired)
        assert found.shown(0.05).mean() < 0.09  # three standard errors of 5% in 200 cells
        assert naive(before, after, 0.05, 1).shown(0.05).mean() > 0.2


def test_few_clusters_are_open_and_equal_changes_have_the_p_value_of_signs() -> None:
    values, codes = drawn(5, 5)
    found = clustered_changes(values, values + 1, (codes, codes), 0.05, 1, is_paired=True)
    assert found.is_open.all()
    assert not found.shown(0.05).any()
    codes = np.repeat(np.arange(8), 5)
    whole = np.tile([0.0, 1.0], 20)[:, None]
    found = clustered_changes(whole, whole + 1, (codes, codes), 0.05, 1, is_paired=True)
    assert found.p_value == pytest.approx(2.0**-7)
