"""Means of items in clusters, against the dense matrices, the t test and enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from reportgen.stats.items import clusters as module
from reportgen.stats.items.clusters import (
    all_cluster_means,
    cluster_means,
    cluster_sign_flips,
    has_shared_clusters,
)

CLOSE = 1e-11  # relative: two computations in double precision, one by eigenvectors
FAR = 4.5  # Monte Carlo standard errors


def dense(
    differences: np.ndarray, clusters: np.ndarray, correlation: float
) -> tuple[float, float, float]:
    """Return mean, CR2 standard error and Satterthwaite df by the definition, in matrices."""
    n = len(differences)
    design = np.ones((n, 1))
    bread = np.linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    rest = np.eye(n) - hat
    estimate = float((bread @ design.T @ differences)[0])
    residuals = differences - estimate
    variance, columns = 0.0, []
    for j in np.unique(clusters):
        own = np.flatnonzero(clusters == j)
        block = rest[np.ix_(own, own)]
        values, vectors = np.linalg.eigh(block)
        adjustment = (vectors / np.sqrt(values)) @ vectors.T
        weights = bread @ design[own].T @ adjustment
        variance += float((weights @ residuals[own])[0]) ** 2
        columns.append((weights @ rest[own])[0])
    working = np.where(clusters[:, None] == clusters, correlation, 0.0)
    np.fill_diagonal(working, 1.0)
    gram = np.array(columns) @ working @ np.array(columns).T
    return estimate, variance**0.5, float(np.trace(gram) ** 2 / (gram**2).sum())


@pytest.mark.parametrize("correlation", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_closed_form_is_the_definition(seed: int, correlation: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 30))
    clusters = rng.integers(0, rng.integers(3, 8), n) * 7 - 3
    differences = rng.normal(size=(n, 4)) + rng.normal(size=(8, 4))[clusters % 8]
    differences[rng.random((n, 4)) < 0.2] = np.nan
    found = cluster_means(differences, clusters, correlation)
    for p, column in enumerate(differences.T):
        known = np.isfinite(column)
        expected = dense(column[known], clusters[known], correlation)
        np.testing.assert_allclose(
            [found.estimate[p], found.standard_error[p], found.df[p]], expected, rtol=CLOSE
        )
        assert found.n[p] == known.sum()
        assert found.n_clusters[p] == len(np.unique(clusters[known]))


@pytest.mark.parametrize("size", [1, 2, 5])
def test_equal_sizes_are_the_t_test_of_cluster_means(size: int) -> None:
    rng = np.random.default_rng(size)
    clusters = rng.permutation(np.repeat(np.arange(9), size))
    differences = rng.normal(size=(9 * size, 1))
    found = cluster_means(differences, clusters)
    means = [differences[clusters == j].mean() for j in range(9)]
    expected = ttest_1samp(means, 0.0)
    np.testing.assert_allclose(found.df, 8, rtol=CLOSE)
    np.testing.assert_allclose(
        found.estimate / found.standard_error, expected.statistic, rtol=CLOSE
    )


def test_independence_has_the_usual_degrees_of_freedom() -> None:
    """1 / df = sum f^2 + (sum u)^2 - sum u^2, u = f^2 / (1 - f): Bell and McCaffrey for a mean."""
    sizes = np.array([1, 2, 3, 5, 8, 13])
    f = sizes / sizes.sum()
    u = f**2 / (1 - f)
    usual = 1 / ((f**2).sum() + u.sum() ** 2 - (u**2).sum())
    differences = np.random.default_rng(1).normal(size=(sizes.sum(), 1))
    clusters = np.repeat(np.arange(6), sizes)
    dfs = [cluster_means(differences, clusters, x).df[0] for x in (0.0, 0.05, 0.5)]
    assert dfs[0] == pytest.approx(usual, rel=CLOSE)
    assert dfs == sorted(dfs, reverse=True)


def test_edges() -> None:
    clusters = np.array([0, 0, 1, 1, 2])
    table = np.array(
        [  # equal; constant; cancels in each cluster; one cluster only; none
            [0.0, 0.3, 1.0, 1.0, np.nan],
            [0.0, 0.3, -1.0, 2.0, np.nan],
            [0.0, 0.3, 1.0, np.nan, np.nan],
            [0.0, 0.3, -1.0, np.nan, np.nan],
            [0.0, 0.3, 0.0, np.nan, np.nan],
        ]
    )
    found = cluster_means(table, clusters)
    np.testing.assert_array_equal(found.estimate[[0, 2, 3]], [0.0, 0.0, 1.5])
    np.testing.assert_array_equal(found.standard_error[:3], 0.0)
    assert np.isnan(found.standard_error[3:]).all()
    assert np.isnan(found.df[3:]).all()
    assert np.isnan(found.estimate[4])
    assert found.n_clusters.tolist() == [3, 3, 3, 1, 0]
    assert found.n_nonzero.tolist() == [0, 3, 0, 1, 0]
    assert found.is_equal.tolist() == [True, False, False, False, True]
    with pytest.raises(ValueError, match="one cluster an item"):
        cluster_means(table, clusters[:4])


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    values, clusters = rng.normal(size=(40, 5)), rng.integers(0, 30, 40)
    whole = all_cluster_means(values, clusters)
    flips = cluster_sign_flips(values, clusters, np.random.default_rng(2))
    monkeypatch.setattr(module, "CHUNK", 90)
    np.testing.assert_array_equal(all_cluster_means(values, clusters).df, whole.df)
    again = cluster_sign_flips(values, clusters, np.random.default_rng(2))
    np.testing.assert_array_equal(again.p_value, flips.p_value)


def test_shared_clusters() -> None:
    assert not has_shared_clusters(None)
    assert not has_shared_clusters(np.array([5, 3, 4]))
    assert has_shared_clusters(np.array([5, 3, 5]))


@pytest.mark.parametrize("seed", range(5))
def test_sign_flips_are_all_flips(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, 9, 30)
    values = rng.integers(0, 3, (30, 2)).astype(float)
    found = cluster_sign_flips(values, clusters, rng)
    totals = [(values[:, 0] - values[:, 1])[clusters == j].sum() for j in np.unique(clusters)]
    sums = [abs(np.dot(signs, totals)) for signs in product([1, -1], repeat=len(totals))]
    assert found.is_exact.all()
    np.testing.assert_allclose(found.p_value, np.mean(np.array(sums) >= abs(sum(totals))))


def test_random_flips_are_near_the_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(60, 4)) + np.array([0, 0, 0.2, 0.5])
    clusters = np.repeat(np.arange(20), 3)
    exact = cluster_sign_flips(values, clusters, rng)
    monkeypatch.setattr(module, "EXACT_UP_TO", 5)
    drawn = cluster_sign_flips(values, clusters, rng)
    assert exact.is_exact.all()
    assert not drawn.is_exact.any()
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 9999) + 1e-4
    assert (np.abs(drawn.p_value - exact.p_value) < FAR * error).all()
    np.testing.assert_allclose(exact.adjusted_p_value, np.minimum(1, 6 * exact.p_value))


def test_flips_of_a_pair_without_differences() -> None:
    values = np.ones((12, 2))
    found = cluster_sign_flips(values, None, np.random.default_rng(1), n_comparisons=3)
    assert found.p_value.tolist() == found.adjusted_p_value.tolist() == [1.0]
