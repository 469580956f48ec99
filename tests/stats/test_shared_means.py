"""Means over what both of a pair have, against loops; kernels of them, a pair at a time."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.adverse_differences import adverse_differences, adverse_within
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pairs import leave_one_out
from reportgen.stats.pairs.leave_one_out import statistics_without_each
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.pairs.wins import compare_wins
from reportgen.stats.shared_means import SharedMeans, shared_means

ROUNDING = 1e-12  # sums in another order
WITHOUT = 1e-9  # relative: a sum without a unit is a difference of two
N, K = 12, 4


def samples_of(seed: int) -> list[np.ndarray]:
    """Return the replications of 12 units, of which candidates lack some."""
    rng = np.random.default_rng(seed)
    found = [rng.normal(size=(n, K)) for n in rng.integers(3, 9, N)]
    for own in found:
        own[rng.random(own.shape) < 0.3] = np.nan
    return found


def means_of(samples: list[np.ndarray]) -> np.ndarray:
    return np.array([[x[np.isfinite(x)].mean() if np.isfinite(x).any() else np.nan for x in own.T]
                     for own in samples])  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_means_are_those_of_the_shared_values(seed: int) -> None:
    samples, pairs = samples_of(seed), all_pairs(K)
    found = shared_means(samples, means_of(samples), pairs)
    assert found is not None
    for m, own in enumerate(samples):
        for p, (i, j) in enumerate(pairs):
            both = own[np.isfinite(own[:, i]) & np.isfinite(own[:, j])]
            if not np.isfinite(own[:, [i, j]]).any(axis=0).all():
                continue  # one lacks the unit: nothing is compared
            expected = both[:, [i, j]].mean(axis=0) if len(both) else [np.nan, np.nan]
            for x, y in zip((found.first, found.second), expected, strict=True):
                np.testing.assert_allclose(x[m, p], y, atol=ROUNDING)


def test_means_of_all_say_the_same() -> None:
    samples = [np.ones((3, 2)), np.array([[1.0, 2.0], [np.nan, np.nan]])]
    assert shared_means(samples, means_of(samples), all_pairs(2)) is None
    lacking = [np.array([[1.0, np.nan], [2.0, np.nan]])]
    assert shared_means(lacking, means_of(lacking), all_pairs(2)) is None


@pytest.mark.parametrize("seed", range(6))
def test_a_family_of_pairs_is_that_of_each_alone(seed: int) -> None:
    """Two columns of means over shared values are values as any others."""
    rng, samples, pairs = np.random.default_rng(0), samples_of(seed), all_pairs(K)
    means = means_of(samples)
    shared = shared_means(samples, means, pairs)
    assert shared is not None
    within = adverse_within(samples, pairs, True)
    table = paired_max_t(means, 0.05, rng, n_comparisons=6, shared=shared)
    wins = compare_wins(means, 0.05, True, n_comparisons=6, within=within, shared=shared)
    adverse = adverse_differences(means, pairs, True, within=within, shared=shared)
    counts = table.counted(means, True, shared).extra
    assert within is not None
    assert adverse is not None
    for p, (i, j) in enumerate(pairs):
        own = np.column_stack([shared.first[:, p], shared.second[:, p]])
        alone = paired_max_t(own, 0.05, rng, n_comparisons=6)
        inside = adverse_within([x[:, [i, j]] for x in samples], all_pairs(2), True)
        ahead = compare_wins(own, 0.05, True, n_comparisons=6, within=inside)
        gaps = adverse_differences(
            means[:, [i, j]],
            all_pairs(2),
            True,
            within=inside,
            shared=SharedMeans(*own.T[..., None]),
        )
        for name in ("estimate", "lower", "upper", "p_value"):
            for one, other in ((alone, table), (ahead, wins)):
                x, y = getattr(one, name)[0], getattr(other, name)[p]
                np.testing.assert_allclose(x, y, atol=ROUNDING, err_msg=name)
        np.testing.assert_allclose(gaps.mean[:, 0], adverse.mean[:, p], atol=ROUNDING)
        assert counts["wins"][p] == (own[:, 0] < own[:, 1]).sum()


def test_the_order_of_units_changes_no_bit() -> None:
    samples, pairs = samples_of(3), all_pairs(K)
    order = np.random.default_rng(1).permutation(N)
    found = []
    for own in (samples, [samples[m] for m in order]):
        means = means_of(own)
        shared = shared_means(own, means, pairs)
        found.append(paired_max_t(means, 0.05, np.random.default_rng(0), shared=shared))
    for name in ("estimate", "lower", "upper", "p_value"):
        np.testing.assert_array_equal(*(getattr(table, name) for table in found))


@pytest.mark.parametrize("at_once", [leave_one_out.AT_ONCE, 2 * N])
def test_statistics_without_each_are_of_shared_values(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leave_one_out, "AT_ONCE", at_once)  # two pairs at a time
    samples, pairs = samples_of(5), all_pairs(K)
    means = means_of(samples)
    shared = shared_means(samples, means, pairs)
    assert shared is not None
    found = np.hstack([*statistics_without_each(means, shared)])
    for m in range(N):
        left = np.delete(np.arange(N), m)
        rng = np.random.default_rng(0)
        table = paired_max_t(means[left], 0.05, rng, shared=shared.of_units(left))
        np.testing.assert_allclose(found[m], table.statistic, rtol=WITHOUT, atol=WITHOUT)
