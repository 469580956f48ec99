"""Repeated runs: unbiased variances by simulation, the definition by loops, what stays open."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind

from reportgen.stats.items.runs import (
    FEWEST_NONZERO,
    VarianceParts,
    compare_these_items,
    item_means,
    run_noise,
    units_for_half,
    variance_parts,
)
from reportgen.stats.items.tasks import task_means

ALPHA = 0.05
CLOSE = 1e-11  # relative: two computations in double precision
FAR = 4.5  # Monte Carlo standard errors


def binary(n: int, r: int, models: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.5, 0.5, (n, 1, models))
    return (rng.random((n, r, models)) < chances).astype(float)


def test_variance_is_the_sum_by_items() -> None:
    rng = np.random.default_rng(1)
    runs = rng.normal(size=(12, 5, 2))
    runs[rng.random(runs.shape) < 0.3] = np.nan
    runs[:, :2] = rng.normal(size=(12, 2, 2))
    found = run_noise(runs)
    parts = []
    for item in runs:
        for column in item.T:
            own = column[np.isfinite(column)]
            parts.append((own.var(ddof=1) / len(own) / 12**2, len(own) - 1))
    total = sum(v for v, _ in parts)
    assert found.variance[0] == pytest.approx(total, rel=CLOSE)
    assert found.df[0] == pytest.approx(total**2 / sum(v**2 / f for v, f in parts), rel=CLOSE)
    assert found.n_runs[0] == pytest.approx(np.isfinite(runs).sum() / 24)
    assert found.estimate[0] == pytest.approx(np.subtract(*item_means(runs).mean(axis=0)))


def test_one_item_is_welch() -> None:
    runs = np.random.default_rng(2).normal(size=(1, 9, 2)) * np.array([1.0, 3.0])
    table = compare_these_items(runs, ALPHA)
    expected = ttest_ind(runs[0, :, 0], runs[0, :, 1], equal_var=False)
    assert table.p_value[0] == pytest.approx(expected.pvalue, rel=1e-9)
    assert table.df[0] == pytest.approx(expected.df, rel=1e-9)
    interval = expected.confidence_interval(1 - ALPHA)
    assert (table.lower[0], table.upper[0]) == pytest.approx(tuple(interval), rel=1e-9)


def test_single_runs_have_the_pooled_variance() -> None:
    rng = np.random.default_rng(3)
    runs = rng.normal(size=(10, 3, 2))
    runs[:4, 1:, 0] = np.nan
    found = run_noise(runs)
    own = runs.var(axis=1, ddof=1)
    pooled = own[4:, 0].mean()
    expected = (own[4:, 0].sum() / 3 + 4 * pooled + own[:, 1].sum() / 3) / 100
    assert found.variance[0] == pytest.approx(expected, rel=CLOSE)
    weights = np.r_[np.full(6, (1 / 3 + 4 / 6) / 100), np.full(10, 1 / 300)]
    variances = weights * np.r_[own[4:, 0], own[:, 1]]
    assert found.df[0] == pytest.approx(expected**2 / (variances**2 / 2).sum(), rel=CLOSE)
    runs[:6, 1:, 0] = np.nan
    table = compare_these_items(runs, ALPHA)
    assert table.is_open.tolist() == [True]
    assert np.isnan([table.lower[0], table.standard_error[0]]).all()
    assert np.isfinite(table.estimate[0])


def test_one_run_has_no_noise() -> None:
    table = compare_these_items(binary(50, 1, 3), ALPHA)
    assert table.is_open.all()
    assert np.isnan(table.standard_error).all()


def test_runs_that_agree_are_open() -> None:
    runs = np.repeat(binary(50, 1, 2), 4, axis=1)
    table = compare_these_items(runs, ALPHA)
    assert (table.standard_error[0], table.extra["n_nonzero"][0]) == (0, 0)
    assert table.is_open.tolist() == table.extra["is_constant"].tolist() == [True]
    for n_odd in (FEWEST_NONZERO - 1, FEWEST_NONZERO):
        odd = runs.copy()
        odd[:n_odd, 0, 0] = 1 - odd[:n_odd, 0, 0]
        table = compare_these_items(odd, ALPHA)
        assert table.extra["n_nonzero"].tolist() == [n_odd]
        assert table.is_open.tolist() == [n_odd < FEWEST_NONZERO]
        assert np.isnan(table.upper).tolist() == [n_odd < FEWEST_NONZERO]


def test_scores_that_agree_but_for_rounding() -> None:
    runs = np.full((20, 3, 2), 0.1 + 0.2)
    runs[:, 0] = 0.3
    assert run_noise(runs).variance.tolist() == [0.0]


def test_bonferroni() -> None:
    runs = binary(60, 4, 3)
    table, larger = compare_these_items(runs, ALPHA), compare_these_items(runs, ALPHA / 4)
    np.testing.assert_allclose(table.adjusted_p_value, np.minimum(1, 3 * table.p_value))
    twelve = compare_these_items(runs, ALPHA, n_comparisons=12)
    np.testing.assert_allclose(twelve.lower, larger.lower, rtol=CLOSE)
    np.testing.assert_array_equal(
        table.significant, ~table.is_open & (table.adjusted_p_value <= ALPHA)
    )


def test_wins_are_those_of_means() -> None:
    runs = binary(60, 4, 2)
    table, means = compare_these_items(runs, ALPHA), item_means(runs)
    assert table.extra["wins"].tolist() == [(means[:, 0] > means[:, 1]).sum()]
    turned = compare_these_items(runs, ALPHA, is_smaller_better=True)
    assert turned.extra["losses"].tolist() == table.extra["wins"].tolist()
    assert turned.is_smaller_better


def test_order_changes_no_bit() -> None:
    rng = np.random.default_rng(4)
    runs = rng.normal(size=(50, 3, 3))
    runs[rng.random(runs.shape) < 0.1] = np.nan
    turned = runs[rng.permutation(50)][:, [2, 0, 1]]
    assert compare_these_items(turned, ALPHA) == compare_these_items(runs, ALPHA)


def test_missing_models() -> None:
    runs = binary(30, 3, 3)
    runs[:, :, 2] = np.nan
    table = compare_these_items(runs, ALPHA)
    assert table.is_open.tolist() == [False, True, True]
    assert np.isnan(table.estimate[1:]).all()
    with pytest.raises(ValueError, match="items, runs, models"):
        compare_these_items(runs[:, 0], ALPHA)


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [None, 25])
def test_parts_are_unbiased(n_clusters: int | None) -> None:
    """Means over 600 draws of 100 items, whose variances are known."""
    rng, noise, spread, r = np.random.default_rng(4), 0.8, 1.5, 3
    clusters = None if n_clusters is None else np.repeat(np.arange(n_clusters), 4)
    found = []
    for _ in range(600):
        of_cluster = rng.normal(size=(25, 1, 2))[np.repeat(np.arange(25), 4)]
        items = spread * (rng.normal(size=(100, 1, 2)) if clusters is None else of_cluster)
        parts = variance_parts(items + noise * rng.normal(size=(100, r, 2)), clusters)
        found.append([parts.noise[0], parts.items[0]])
    expected = [2 * noise**2 / r / 100, 2 * spread**2 / (100 if clusters is None else 25)]
    error = np.std(found, axis=0) / len(found) ** 0.5
    assert (np.abs(np.mean(found, axis=0) - expected) < FAR * error).all()


def test_parts_sum_to_the_squared_standard_error() -> None:
    runs, clusters = binary(60, 3, 3), np.repeat(np.arange(20), 3)
    parts = variance_parts(runs, clusters)
    found = task_means(item_means(runs), clusters)
    np.testing.assert_allclose(parts.total, found.standard_error**2)
    np.testing.assert_allclose(parts.items, np.maximum(parts.total - parts.noise, 0))
    assert parts.n_units.tolist() == [20, 20, 20]


def test_units_that_halve_the_width() -> None:
    columns = ([4.0, 1.0, 2.0, 4.0], [3.5, 1.0, np.nan, 2.0], [0.5, 0.0, np.nan, 2.0])
    parts = VarianceParts(*map(np.array, columns), n_units=np.full(4, 50), n_runs=np.full(4, 2.0))
    runs, units = units_for_half(parts)
    assert runs[[0, 1, 3]].tolist() == [14, 8, np.inf]
    assert np.isnan(runs[2])
    assert (units == 200).all()
    halved = 3.5 / (runs[0] / 2) + 0.5
    assert halved == pytest.approx(4.0 / 4)


@pytest.mark.slow
def test_these_items_err_as_often_as_is_promised() -> None:
    """Two models of equal mean on the fixed items, whose chances differ in each."""
    rng, studies = np.random.default_rng(5), 2000
    chances = rng.beta(0.5, 0.5, (60, 1, 1)) * np.ones(2)
    chances[:, 0, 1] = rng.permutation(chances[:, 0, 1])
    wrong = tested = 0
    for _ in range(studies):
        table = compare_these_items((rng.random((60, 3, 2)) < chances).astype(float), ALPHA)
        wrong, tested = wrong + table.n_significant, tested + int(~table.is_open[0])
    assert tested == studies
    assert wrong / studies < 0.06
