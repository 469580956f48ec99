"""Brunner and Munzel's test against scipy, a count of all pairs, and where scipy has no answer."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import brunnermunzel

from reportgen.stats.samples.brunner_munzel import brunner_munzel_pairs, permutation_p_value

ALPHA = 0.05
CLOSE = 1e-12  # relative: the same sums

# Brunner and Munzel (2000), pain scores: p = .0057862 (R: lawstat, brunner.munzel.test)
YOUNG = np.array([1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1], dtype=float)
OLD = np.array([3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4], dtype=float)


def columns(*samples: np.ndarray) -> np.ndarray:
    values = np.full((max(map(len, samples)), len(samples)), np.nan)
    for k, sample in enumerate(samples):
        values[: len(sample), k] = sample
    return values


def test_the_example_of_the_paper() -> None:
    row = brunner_munzel_pairs(columns(YOUNG, OLD), ALPHA)[0]
    assert row.p_value == pytest.approx(0.005786208666, abs=1e-11)
    assert row.statistic == pytest.approx(-3.1374674823, abs=1e-9)
    above = (YOUNG[:, None] > OLD).mean() - (YOUNG[:, None] < OLD).mean()
    assert row.estimate == pytest.approx(above, rel=CLOSE)
    assert row.estimate == pytest.approx(1 - 2 * 0.788961, abs=2e-6)


def test_all_pairs_by_holm() -> None:
    rng = np.random.default_rng(4)
    samples = [rng.normal(size=n) + shift for n, shift in ((8, 0), (15, 0.9), (30, 1.4))]
    found = brunner_munzel_pairs(columns(*samples), ALPHA)
    alone = [brunnermunzel(samples[i], samples[j]).pvalue for i, j in ((0, 1), (0, 2), (1, 2))]
    assert found.p_value == pytest.approx(alone, rel=CLOSE)
    order, largest = np.argsort(alone), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, (3 - rank) * alone[place])
        assert found.adjusted_p_value[place] == pytest.approx(min(1.0, largest), rel=CLOSE)
    assert np.isnan(found.lower).all()


def test_scipy_has_no_p_value_without_overlap_and_this_has() -> None:
    low, high = np.arange(6.0), np.arange(6.0) + 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(brunnermunzel(low, high).pvalue)
    row = brunner_munzel_pairs(columns(low, high), ALPHA)[0]
    assert row.estimate == -1
    assert row.p_value == pytest.approx(2 / comb(12, 6))
    assert row.favoured == "0"


def test_no_p_value_is_below_that_of_separation() -> None:
    nearly = np.array([1.0] * 9 + [2]), np.array([2] + [3.0] * 9)
    assert brunnermunzel(*nearly).pvalue < 2 / comb(20, 10)
    row = brunner_munzel_pairs(columns(*nearly), ALPHA)[0]
    assert row.p_value == pytest.approx(2 / comb(20, 10))
    assert not row.is_exact


@pytest.mark.parametrize("seed", range(8))
def test_few_values_by_all_partitions(seed: int) -> None:
    """Each partition by scipy; one without overlap has an infinite statistic there."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, size=9).astype(float) if seed % 2 else rng.normal(size=9)
    found = []
    for places in combinations(range(9), 4):
        rest = [i for i in range(9) if i not in places]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found.append(abs(brunnermunzel(values[list(places)], values[rest]).statistic))
    own = found[0]
    expected = np.mean([x >= own * (1 - 1e-9) for x in found])
    assert permutation_p_value(values[:4], values[4:]) == pytest.approx(expected, rel=CLOSE)


@pytest.mark.slow
def test_few_values_of_one_law_keep_the_size() -> None:
    rng, n_runs = np.random.default_rng(6), 500
    wrong = sum(
        bool(brunner_munzel_pairs(rng.exponential(size=(6, 2)), ALPHA).significant[0])
        for _ in range(n_runs)
    )
    assert 0.02 <= wrong / n_runs <= ALPHA + 3 * (ALPHA * (1 - ALPHA) / n_runs) ** 0.5


def test_equal_values_are_not_tested() -> None:
    same, other = np.ones(7), np.arange(7.0)
    found = brunner_munzel_pairs(columns(same, same, other), ALPHA)
    assert found[0].estimate == 0
    assert found[0].p_value is None
    assert found[0].adjusted_p_value is None
    assert not found.significant[0]
    alone = brunner_munzel_pairs(columns(same, other), ALPHA)
    assert found[1].adjusted_p_value == pytest.approx(min(1.0, 3 * alone[0].p_value), rel=CLOSE)


def test_few_values_are_open() -> None:
    found = brunner_munzel_pairs(columns(np.arange(5.0), np.arange(9.0) + 9, np.ones(1)), ALPHA)
    assert found.is_open.all()
    assert np.isnan(found.adjusted_p_value).all()
    assert not found.significant.any()
