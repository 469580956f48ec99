"""New data of one data set: its rule by hand and by a second algorithm, seeds, and its size."""

from __future__ import annotations

from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t, ttest_rel
from statsmodels.stats.anova import anova_lm

from reportgen.stats.pairs.new_data import (
    MeanLosses,
    complete_part,
    mean_squares,
    new_data_pairs,
    seed_components,
)
from tests.stats import nearest_centroid as example

EXACT = 1e-10  # relative: closed forms
BY_MODEL = 1e-8  # relative: mean squares of a model that is fitted by least squares


def simulated(seed: int, shape: tuple[int, int] = (12, 4)) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + rng.normal(size=(shape[0], 1)) + np.arange(shape[1]) / 2


def test_r() -> None:
    """By hand: differences -1, -3, -2, -2, variance 2/3; p and interval by pt and qt of R 4.2.2."""
    values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]])
    found = new_data_pairs(values, ratio=0.5, test_share=1 / 3)
    assert found.standard_error[0] == pytest.approx(sqrt((1 / 4 + 0.5) * 2 / 3), rel=EXACT)
    assert found.extra["limit_standard_error"][0] == pytest.approx(sqrt(2 / 3 * 2 / 3), rel=EXACT)
    assert found.df[0] == 3
    assert found.p_value[0] == pytest.approx(0.0662756027415, rel=EXACT)
    assert found.upper[0] == pytest.approx(0.250329363228, rel=1e-9)


@pytest.mark.parametrize(
    ("ratio", "n", "expected"),
    [
        (1 / 9, 100, 0.200),  # 10 x 10-fold
        (1.0, 10, 1.10),  # 5 x 2-fold
        (0.5, 100, 0.667),  # subsamples of two thirds
        (0.368 / 0.632, 100, 0.736),  # the bootstrap
        (1 / 9, 10, 1 / 10 + 1 / 9),  # 10-fold once
        (1 / 49, 50, 2 / 50),  # leave-one-out
    ],
)
def test_factors_of_schemes(ratio: float, n: int, expected: float) -> None:
    """The variance of the mean over that of a replication, by statistics 16b."""
    values = simulated(1, (n, 2))
    found = new_data_pairs(values, ratio)
    variance = np.diff(values, axis=1).var(ddof=1)
    assert found.standard_error[0] ** 2 / variance == pytest.approx(expected, abs=5e-4)


@given(st.integers(0, 10_000))
def test_without_sharing_it_is_the_paired_t(seed: int) -> None:
    values = simulated(seed)
    found = new_data_pairs(values, ratio=0.0)
    for p, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        expected = ttest_rel(values[:, i], values[:, j])
        assert found.statistic[p] == pytest.approx(expected.statistic, rel=1e-8)
        assert found.p_value[p] == pytest.approx(expected.pvalue, rel=1e-7)
    assert not found.extra["limit_standard_error"].any()


@given(st.integers(0, 10_000), st.floats(0, 2), st.permutations(range(4)), st.floats(-50, -0.01))
def test_relabelling_and_turning(seed: int, ratio: float, order: list[int], factor: float) -> None:
    values = simulated(seed)
    plain = new_data_pairs(values, ratio)
    moved = new_data_pairs(factor * values[:, order] + 3, ratio)
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
    found = new_data_pairs(simulated(seed), ratio, alpha)
    excludes = (found.lower > 0) | (found.upper < 0)
    np.testing.assert_array_equal(excludes, found.p_value * 6 < alpha)
    np.testing.assert_array_equal(excludes, found.adjusted_p_value < alpha)
    assert (found.extra["limit_standard_error"] <= found.standard_error).all()


def test_missing_values_leave_a_pair_its_own_replications() -> None:
    values = simulated(1)
    values[[0, 3], 0] = np.nan
    values[1:, 3] = np.nan
    found = new_data_pairs(values, 0.5)
    assert found.extra["n"].tolist() == [10, 10, 0, 12, 1, 1]
    alone = new_data_pairs(values[np.isfinite(values[:, 0])][:, :2], 0.5)
    assert found.p_value[0] == pytest.approx(alone.p_value[0], rel=EXACT)
    assert np.isnan(found.p_value).tolist() == [False, False, True, False, True, True]
    assert isnan(found.estimate[2])
    assert found.estimate[4] == pytest.approx(values[0, 1] - values[0, 3])
    # Bonferroni over the three pairs that are tested
    np.testing.assert_allclose(
        new_data_pairs(values[:, :3], 0.5).lower, found.lower[[0, 1, 3]], rtol=EXACT
    )


def test_each_pair_has_the_variance_of_the_replications_that_have_both() -> None:
    values = np.random.default_rng(3).normal(size=(9, 7))
    values[np.random.default_rng(4).random(values.shape) < 0.3] = np.nan
    found = new_data_pairs(values, 0.5, test_share=0.1)
    for place, (i, j) in enumerate(found.pairs):
        d = values[:, i] - values[:, j]
        d = d[np.isfinite(d)]
        assert found.extra["n"][place] == len(d)
        if len(d) > 2:
            error = sqrt(d.var(ddof=1) * max(1 / len(d) + 0.5, 0.2))
            own = (found.estimate[place], found.standard_error[place], found.df[place])
            assert own == pytest.approx((d.mean(), error, len(d) - 1), rel=EXACT)
    assert len(set(found.extra["n"].tolist())) > 3


def test_open_without_variation_and_with_two_replications() -> None:
    """A constant difference of three folds has no interval."""
    column = np.array([0.80, 0.84, 0.76])
    values = np.column_stack([column, column - 0.02, column, [0.1, 0.2, np.nan]])
    found = new_data_pairs(values, 0.5)
    known = ["no-variation"] * 2 + ["too-few-replications"]
    assert found.extra["reason"].tolist() == [*known, known[0], *[known[2]] * 2]
    assert found.is_open.all()
    assert np.isnan([found.lower, found.upper, found.p_value, found.statistic]).all()
    assert found.estimate[:2] == pytest.approx([0.02, 0.0])
    assert not found.significant.any()


def losses(seed: int, n: int = 80) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.binomial(20, 0.3, size=(n, 3)) / 20


@pytest.mark.parametrize(("n_tested", "factor"), [(1, 2), (37, 3)])
def test_losses_by_hand(n_tested: int, factor: int) -> None:
    values, z = simulated(3, (40, 3)) / 10, losses(4)
    found = new_data_pairs(values, 0.1, losses=MeanLosses(z, np.full(z.shape, n_tested)))
    for p, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        variance = factor * (z[:, i] - z[:, j]).var(ddof=1) / 80
        df = 79 if n_tested == 1 else 39
        reach = t.isf(0.05 / 6, df) * sqrt(variance)
        mean = (values[:, i] - values[:, j]).mean()
        bounds = found.lower[p], found.upper[p]
        assert bounds == pytest.approx((mean - reach, mean + reach), rel=1e-9)
        assert found.df[p] == df


def test_new_data_vary_as_the_draws_of_these_replications_at_least() -> None:
    """One replication of many that fails wholly is hardly seen in the means of observations."""
    values, z = simulated(3, (40, 3)) / 10, losses(4)
    values[7, 2] += 5.0
    found = new_data_pairs(values, 0.5, losses=MeanLosses(z, np.full(z.shape, 15.0)))
    for p, (i, j) in enumerate(zip(found.first, found.second, strict=True)):
        of_draws = (values[:, i] - values[:, j]).var(ddof=1) / 40
        of_losses = 3 * (z[:, i] - z[:, j]).var(ddof=1) / 80
        assert found.standard_error[p] == pytest.approx(sqrt(max(of_draws, of_losses)), rel=EXACT)
        assert (of_draws > of_losses) == (j == 2)


def test_losses_never_widen_what_is_tested_several_times() -> None:
    values, z = simulated(3, (30, 3)) / 100, 100 * losses(4)
    plain = new_data_pairs(values, 0.1, n_observations=80)
    found = new_data_pairs(values, 0.1, losses=MeanLosses(z, np.full(z.shape, 5)))
    np.testing.assert_allclose(found.standard_error, plain.standard_error, rtol=EXACT)


def test_fewer_observations_than_replications_limit_the_degrees_of_freedom() -> None:
    values = simulated(3, (100, 2))
    assert new_data_pairs(values, 0.5, n_observations=50).df[0] == 49
    z = losses(1, 40)
    assert new_data_pairs(values, 0.5, losses=MeanLosses(z, np.full(z.shape, 9))).df[0] == 39


def test_five_observations_that_differ_are_too_few() -> None:
    z = np.zeros((60, 2))
    z[:5, 0] = 1.0
    counts = np.full(z.shape, 30)
    found = new_data_pairs(simulated(5, (30, 2)), 0.5, losses=MeanLosses(z, counts))
    assert found.extra["reason"][0] == "no-variation"
    assert found.extra["n_varying"][0] == 5
    z[5, 1] = 0.5
    assert new_data_pairs(simulated(5, (30, 2)), 0.5, losses=MeanLosses(z, counts)).df[0] == 29


def test_observations_that_nobody_tested_do_not_count() -> None:
    z, gaps = losses(6), losses(6)
    gaps[60:, 0] = np.nan
    counts = np.where(np.isfinite(gaps), 4, 0)
    found = new_data_pairs(simulated(7, (9, 3)), 0.5, losses=MeanLosses(gaps, counts))
    fewer = new_data_pairs(simulated(7, (9, 3)), 0.5, losses=MeanLosses(z[:60], counts[:60]))
    np.testing.assert_allclose(found.standard_error[:2], fewer.standard_error[:2], rtol=EXACT)


def test_intervals_stay_inside_what_bounds_allow() -> None:
    values = np.array([[0.0, 1.0], [0.1, 0.7], [0.0, 1.0], [0.4, 0.9]])
    found = new_data_pairs(values, 1.0, bounds=(0.0, 1.0))
    free = new_data_pairs(values, 1.0)
    assert found.lower[0] == -1.0 > free.lower[0]
    assert found.upper[0] == free.upper[0]
    half = new_data_pairs(values, 1.0, bounds=(0.0, None))
    assert half.lower[0] == free.lower[0]


@given(st.integers(0, 10_000))
def test_number_of_observations_that_decides_has_its_power(seed: int) -> None:
    """With errors that go with 1 / sqrt(N): P(|t| > c) = .8 at that N, but for the far tail."""
    found = new_data_pairs(simulated(seed), 0.1, n_observations=500)
    n, c = found.extra["n_deciding"], found.critical_value
    shift = np.abs(found.estimate) / (found.standard_error * np.sqrt(500 / n))
    np.testing.assert_allclose(norm.sf(c - shift), 0.8, rtol=1e-9)


# ------------------------------------------------------------------------------ crossed seeds


def crossed(seed: int, n_splits: int, n_seeds: int, by_seed: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_splits, 1)) + by_seed * rng.normal(size=(1, n_seeds))
    return rows + rng.normal(size=(n_splits, n_seeds))


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 6))
def test_mean_squares_are_those_of_a_two_way_analysis_of_variance(
    seed: int, n_splits: int, n_seeds: int
) -> None:
    d = crossed(seed, n_splits, n_seeds)
    frame = pd.DataFrame(
        [(x, f, s) for f, row in enumerate(d) for s, x in enumerate(row)], columns=["y", "f", "s"]
    )
    table = anova_lm(smf.ols("y ~ C(f) + C(s)", frame).fit())
    expected = (table["sum_sq"] / table["df"]).to_numpy()
    assert tuple(mean_squares(d)) == pytest.approx(tuple(expected), rel=BY_MODEL)


def test_seeds_add_their_component() -> None:
    d = crossed(2, 5, 10)
    squares = mean_squares(d)
    assert squares.seeds > squares.rest
    found = new_data_pairs(np.stack([d, 0 * d], axis=2), 0.25)
    first = max(1 / 5 + 0.25, 2 * 0.2) / 10 * squares.splits
    second = (squares.seeds - squares.rest) / 50
    assert found.standard_error[0] ** 2 == pytest.approx(first + second, rel=EXACT)
    spread = first**2 / 4 + (squares.seeds / 50) ** 2 / 9 + (squares.rest / 50) ** 2 / 36
    assert found.df[0] == pytest.approx((first + second) ** 2 / spread, rel=EXACT)
    assert found.extra["n"].tolist() == [5]


@pytest.mark.parametrize("n_seeds", [1, 2])
def test_fewer_than_three_seeds_are_averaged(n_seeds: int) -> None:
    d = crossed(2, 6, n_seeds)
    found = new_data_pairs(np.stack([d, 0 * d], axis=2), 0.25)
    means = d.mean(axis=1)
    assert found == new_data_pairs(np.column_stack([means, 0 * means]), 0.25)
    assert seed_components(d, 0.25) is None


def test_lost_cells_leave_the_complete_part() -> None:
    d = crossed(8, 6, 8)
    d[2] = np.nan
    d[0, 3] = d[4, 3] = np.nan
    found = new_data_pairs(np.stack([d, 0 * d], axis=2), 0.2)
    assert found.extra["n"].tolist() == [5]
    rows = [0, 1, 3, 4, 5]
    assert complete_part(d[rows]).shape == (5, 7)
    means = np.nanmean(d[rows], axis=1)
    assert found.estimate[0] == pytest.approx(means.mean(), rel=EXACT)


def test_components_say_what_halves_the_interval() -> None:
    d = crossed(11, 10, 4, by_seed=3.0)
    found = seed_components(d, 1 / 9)
    assert found is not None
    g = max(1 / 10 + 1 / 9, 0.2)

    def variance(n_seeds: float) -> float:
        return (found.seeds + found.rest * g) / n_seeds + found.splits * g

    assert found.seeds_to_halve is not None
    assert variance(found.seeds_to_halve) <= variance(4) / 4 < variance(found.seeds_to_halve - 1)
    assert found.split_share == pytest.approx(sqrt(variance(np.inf) / variance(4)), rel=EXACT)
    folds = seed_components(crossed(11, 10, 4, by_seed=0.0) + 9 * crossed(1, 10, 1), 1 / 9)
    assert folds is not None
    assert folds.seeds_to_halve is None
    assert folds.split_share > 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_splits", "n_seeds", "by_split", "by_seed"), [(5, 10, 1, 0), (10, 5, 0, 1), (5, 10, 1, 1)]
)
def test_size_over_seeds_and_folds(
    n_splits: int, n_seeds: int, by_split: float, by_seed: float
) -> None:
    """Equal models, 1,000 studies; with all cells as replications 40 to 77%."""
    rng, n, rejected, naive = np.random.default_rng(12), 1000, 0, 0
    ratio = 1 / (n_splits - 1)
    rho = 1 / n_splits
    for _ in range(n):
        split = sqrt(rho) * rng.normal() + sqrt(1 - rho) * rng.normal(size=(n_splits, 1))
        d = by_split * split + by_seed * rng.normal(size=(1, n_seeds))
        d = d + 0.5 * rng.normal(size=(n_splits, n_seeds))
        found = new_data_pairs(np.stack([d, 0 * d], axis=2), ratio)
        rejected += bool(found.p_value[0] <= 0.05)
        naive += bool(abs(d.mean()) > t.isf(0.025, d.size - 1) * d.std(ddof=1) / sqrt(d.size))
    assert rejected / n <= 0.06 + 2 * sqrt(0.05 * 0.95 / n)
    assert naive / n > 0.35


# -------------------------------------------------------------------------------- its size


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        new_data_pairs(np.ones((4, 1)), 0.5)
    with pytest.raises(ValueError, match="ratio"):
        new_data_pairs(np.ones((4, 2)), -0.1)
    with pytest.raises(ValueError, match="alpha"):
        new_data_pairs(np.ones((4, 2)), 0.1, alpha=1.0)


def sizes(draw, n_runs: int, seed: int) -> dict[str, float]:
    """Return how often a true hypothesis is rejected at 5%: N = 100, B = 50, nearest centroids."""
    rng = np.random.default_rng(seed)
    rejected = []
    for _ in range(n_runs):
        features, classes = example.data_set(100, rng)
        drawn = draw(100, 50, rng)
        values = example.misclassification(features, classes, drawn)
        distinct = (drawn > 0).sum(axis=1)
        ratios = {"naive": 0.0, "distinct": ((100 - distinct) / distinct).mean()}
        rejected.append([new_data_pairs(values, r).p_value[0] <= 0.05 for r in ratios.values()])
    return dict(zip(ratios, np.mean(rejected, axis=0).tolist(), strict=True))


@pytest.mark.slow
def test_size_for_the_generating_process_under_the_bootstrap() -> None:
    """Naive .69; by the rule below .04."""
    found = sizes(example.bootstrap, n_runs=1000, seed=1)
    assert found["naive"] == pytest.approx(0.69, abs=0.06)  # four standard errors
    assert found["distinct"] < 0.04


@pytest.mark.slow
def test_size_for_the_generating_process_under_subsampling() -> None:
    """Two thirds: below .05, where it is .031 to .049 with 1/J + r alone."""
    found = sizes(example.subsamples, n_runs=800, seed=2)
    assert found["naive"] > 0.5
    assert found["distinct"] < 0.05


@pytest.mark.slow
def test_given_the_data_set_replications_are_independent() -> None:
    """The naive t has its size for the resampling expectation, 1,000 runs of B = 50."""
    rng = np.random.default_rng(3)
    features, classes = example.data_set(100, rng)
    values = example.misclassification(features, classes, example.bootstrap(100, 50_000, rng))
    differences = values[:, 0] - values[:, 1]
    steps = np.corrcoef(differences[1:], differences[:-1])[0, 1]
    assert abs(steps) < 4 / sqrt(50_000)
    runs = (values - values.mean(axis=0)).reshape(1000, 50, 2)
    rejected = [new_data_pairs(run, 0.0).p_value[0] <= 0.05 for run in runs]
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
