"""The corrected resampled t against R, its definition, and its size for the generating process."""

from __future__ import annotations

from math import inf, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from reportgen.stats.pairs.corrected_t import corrected_pairs
from tests.stats import nearest_centroid as example

EXACT = 1e-10  # relative: closed forms


def simulated(seed: int, shape: tuple[int, int] = (12, 4)) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + rng.normal(size=(shape[0], 1)) + np.arange(shape[1]) / 2


def test_r() -> None:
    """By hand: differences -1, -3, -2, -2, variance 2/3; p and interval by pt and qt of R 4.2.2."""
    values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]])
    found = corrected_pairs(values, ratio=0.5)
    assert found.standard_error[0] == pytest.approx(sqrt((1 / 4 + 0.5) * 2 / 3), rel=EXACT)
    assert found.extra["limit_standard_error"][0] == pytest.approx(sqrt(0.5 * 2 / 3), rel=EXACT)
    assert found.df[0] == 3
    assert found.p_value[0] == pytest.approx(0.0662756027415, rel=EXACT)
    assert found.upper[0] == pytest.approx(0.250329363228, rel=1e-9)
    assert found.upper[0] == found.upper[0]  # one pair


@given(st.integers(0, 10_000))
def test_without_sharing_it_is_the_paired_t(seed: int) -> None:
    values = simulated(seed)
    found = corrected_pairs(values, ratio=0.0)
    for p, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        expected = ttest_rel(values[:, i], values[:, j])
        assert found.statistic[p] == pytest.approx(expected.statistic, rel=1e-8)
        assert found.p_value[p] == pytest.approx(expected.pvalue, rel=1e-7)
    assert not found.extra["limit_standard_error"].any()


@given(st.integers(0, 10_000), st.floats(0, 2), st.permutations(range(4)), st.floats(-50, -0.01))
def test_relabelling_and_turning(seed: int, ratio: float, order: list[int], factor: float) -> None:
    values = simulated(seed)
    plain = corrected_pairs(values, ratio)
    moved = corrected_pairs(factor * values[:, order] + 3, ratio)
    place = {(i, j): p for p, (i, j) in enumerate(zip(plain.first, plain.second, strict=True))}
    for q, (i, j) in enumerate(zip(moved.first, moved.second, strict=True)):
        a, b = order[i], order[j]
        p, sign = place[min(a, b), max(a, b)], 1 if a < b else -1
        assert moved.estimate[q] == pytest.approx(sign * factor * plain.estimate[p], rel=1e-6)
        assert moved.p_value[q] == pytest.approx(plain.p_value[p], rel=1e-5)
        assert moved.adjusted_p_value[q] == pytest.approx(plain.adjusted_p_value[p], rel=1e-5)
        bounds = factor * sign * np.array([plain.lower[p], plain.upper[p]])
        assert (moved.lower[q], moved.upper[q]) == pytest.approx(sorted(bounds), rel=1e-5, abs=1e-9)


@given(st.integers(0, 10_000), st.floats(0, 1), st.floats(0.001, 0.4))
def test_p_values_and_intervals_agree(seed: int, ratio: float, alpha: float) -> None:
    found = corrected_pairs(simulated(seed), ratio, alpha)
    excludes = (found.lower > 0) | (found.upper < 0)
    np.testing.assert_array_equal(excludes, found.p_value * 6 < alpha)
    np.testing.assert_array_equal(excludes, found.adjusted_p_value < alpha)
    assert (found.extra["limit_standard_error"] <= found.standard_error).all()


def test_missing_values_leave_a_pair_its_own_replications() -> None:
    values = simulated(1)
    values[[0, 3], 0] = np.nan
    values[1:, 3] = np.nan
    found = corrected_pairs(values, 0.5)
    assert found.extra["n"].tolist() == [10, 10, 0, 12, 1, 1]
    alone = corrected_pairs(values[np.isfinite(values[:, 0])][:, :2], 0.5)
    assert found.p_value[0] == pytest.approx(alone.p_value[0], rel=EXACT)
    assert np.isnan(found.p_value).tolist() == [False, False, True, False, True, True]
    assert isnan(found.estimate[2])
    assert found.estimate[4] == pytest.approx(values[0, 1] - values[0, 3])
    # Bonferroni over the three pairs that are tested
    np.testing.assert_allclose(
        corrected_pairs(values[:, :3], 0.5).lower, found.lower[[0, 1, 3]], rtol=EXACT
    )


def test_no_variation() -> None:
    column = np.array([0.1, 0.4, 0.2, 0.9])
    found = corrected_pairs(np.column_stack([column, column + 0.3, column]), 0.5)
    assert found.statistic.tolist() == [-inf, 0, inf]
    assert found.p_value.tolist() == [0, 1, 0]
    assert (found.lower == found.upper).all()


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        corrected_pairs(np.ones((4, 1)), 0.5)
    with pytest.raises(ValueError, match="ratio"):
        corrected_pairs(np.ones((4, 2)), -0.1)
    with pytest.raises(ValueError, match="alpha"):
        corrected_pairs(np.ones((4, 2)), 0.1, alpha=1.0)


def sizes(draw, n_runs: int, seed: int) -> dict[str, float]:
    """Return how often a true hypothesis is rejected at 5%: N = 100, B = 50."""
    rng = np.random.default_rng(seed)
    rejected = []
    for _ in range(n_runs):
        features, classes = example.data_set(100, rng)
        drawn = draw(100, 50, rng)
        values = example.misclassification(features, classes, drawn)
        distinct = (drawn > 0).sum(axis=1)
        ratios = {"naive": 0.0, "drawn": 0.0, "distinct": ((100 - distinct) / distinct).mean()}
        ratios["drawn"] = ((100 - distinct) / drawn.sum(axis=1)).mean()
        rejected.append([corrected_pairs(values, r).p_value[0] <= 0.05 for r in ratios.values()])
    return dict(zip(ratios, np.mean(rejected, axis=0).tolist(), strict=True))


@pytest.mark.slow
def test_size_for_the_generating_process_under_the_bootstrap() -> None:
    """Naive .69; with the observations drawn .085 to .1, the distinct ones .025 to .045."""
    found = sizes(example.bootstrap, n_runs=1000, seed=1)
    assert found["naive"] == pytest.approx(0.69, abs=0.06)  # four standard errors
    assert 0.06 < found["drawn"] < 0.13
    assert found["distinct"] < 0.06


def test_size_for_the_generating_process_under_subsampling() -> None:
    """Two thirds, ratio .5: .031 to .049."""
    found = sizes(example.subsamples, n_runs=800, seed=2)
    assert found["naive"] > 0.5
    assert 0.015 < found["distinct"] < 0.075


def test_given_the_data_set_replications_are_independent() -> None:
    """The naive t has its size for the resampling expectation, 1,000 runs of B = 50."""
    rng = np.random.default_rng(3)
    features, classes = example.data_set(100, rng)
    values = example.misclassification(features, classes, example.bootstrap(100, 50_000, rng))
    differences = values[:, 0] - values[:, 1]
    steps = np.corrcoef(differences[1:], differences[:-1])[0, 1]
    assert abs(steps) < 4 / sqrt(50_000)
    runs = (values - values.mean(axis=0)).reshape(1000, 50, 2)
    rejected = [corrected_pairs(run, 0.0).p_value[0] <= 0.05 for run in runs]
    assert np.mean(rejected) == pytest.approx(0.05, abs=4 * sqrt(0.05 * 0.95 / 1000))
    assert abs(differences.mean()) > 10 * differences.std() / sqrt(50_000)  # not 0 on this one


def test_share_of_the_variance_between_data_sets() -> None:
    """About n_test / N = .368 (.349 measured): B to infinity is worth 2.9 replications."""
    rng = np.random.default_rng(4)
    n_datasets, n_replications = 1500, 20
    differences = np.empty((n_datasets, n_replications))
    for m in range(n_datasets):
        features, classes = example.data_set(100, rng)
        values = example.misclassification(
            features, classes, example.bootstrap(100, n_replications, rng)
        )
        differences[m] = values[:, 0] - values[:, 1]
    within = differences.var(axis=1, ddof=1).mean()
    between = differences.mean(axis=1).var(ddof=1) - within / n_replications
    assert between / (between + within) == pytest.approx(0.349, abs=0.04)
