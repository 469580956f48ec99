"""Run times against formulas, enumeration, and restarts one by one."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest

from reportgen.stats.aggregation.run_time import (
    LEAST_RUNS,
    N_RESTARTED,
    Runs,
    budget_distribution,
    expected_run_times,
    restarted,
    run_time_distribution,
)

ALPHA = 0.05
FAR = 4.5  # Monte Carlo standard errors
nan, inf = np.nan, np.inf


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def some_runs(n: int = 8) -> Runs:
    """Return runs that reach two targets, the second at times, and a third never."""
    used = np.linspace(50, 120, n).round()
    first = np.linspace(3, 45, n).round()
    second = np.where(np.arange(n) % 2 == 0, first * 2 - 3, nan)
    return Runs(np.column_stack([first, np.minimum(second, used), np.full(n, nan)]), used)


def test_expected_run_time_by_its_formula() -> None:
    runs = some_runs()
    for k in range(2):
        times = [t for t in runs.reached[:, k] if np.isfinite(t)]
        missed = [u for t, u in zip(runs.reached[:, k], runs.used, strict=True) if np.isnan(t)]
        found = expected_run_times(runs, ALPHA, rng()).values[k]
        assert found == pytest.approx((sum(times) + sum(missed)) / len(times))
        p = len(times) / len(runs.used)
        if missed:
            assert found == pytest.approx(np.mean(times) + (1 - p) / p * np.mean(missed))
    assert expected_run_times(runs, ALPHA, rng()).values[2] == inf


def test_intervals_of_expected_run_times() -> None:
    runs = some_runs()
    found = expected_run_times(runs, ALPHA, rng(), n_draws=2_000)
    assert found.lower is not None
    assert found.upper is not None
    assert (found.lower[:2] < found.values[:2]).all()
    assert (found.values[:2] < found.upper[:2]).all()
    assert found.lower[2] == found.upper[2] == inf
    rare = Runs(np.array([[5.0], *[[nan]] * 5]), np.full(6, 10.0))  # 33% of draws have none
    assert expected_run_times(rare, ALPHA, rng()).upper == [inf]


def test_few_runs_have_no_intervals() -> None:
    runs = some_runs(LEAST_RUNS - 1)
    assert expected_run_times(runs, ALPHA, rng()).lower is None
    assert run_time_distribution([runs], np.array([9.0]), ALPHA, rng()).lower is None
    assert budget_distribution([runs, some_runs()], 9.0, ALPHA, rng()).lower is None
    none = Runs(np.empty((0, 2)), np.empty(0))
    assert np.isnan(expected_run_times(none, ALPHA, rng()).values).all()


def test_the_mean_of_restarts_is_the_expected_run_time() -> None:
    runs, n = some_runs(), 40_000
    times = restarted(runs, rng(), n)
    expected = expected_run_times(runs, ALPHA, rng()).values
    error = times[:, :2].std(axis=0) / sqrt(n)
    assert (np.abs(times[:, :2].mean(axis=0) - expected[:2]) < FAR * error).all()
    assert np.isinf(times[:, 2]).all()


def test_the_law_of_restarts_by_enumeration() -> None:
    """All sequences of up to six runs, weighted by their probability."""
    reached, used = np.array([4.0, nan, 7.0]), np.array([10.0, 5.0, 8.0])
    budgets, law = np.array([3.0, 4.0, 9.0, 12.0, 17.0, 22.0]), np.zeros(6)
    for length in range(1, 7):
        for order in product(range(3), repeat=length):
            if all(i == 1 for i in order[:-1]) and order[-1] != 1:
                total = sum(used[i] for i in order[:-1]) + reached[order[-1]]
                law += 3.0**-length * (budgets >= total)
    times = restarted(Runs(reached[:, None], used), rng(), 40_000, most=22.0)[:, 0]
    share = (times[:, None] <= budgets).mean(axis=0)
    assert share == pytest.approx(law, abs=FAR * 0.5 / sqrt(40_000))
    assert set(times[times > 22]) == {inf}


def test_restarts_end() -> None:
    runs = Runs(np.array([[1.0], *[[nan]] * 9_999]), np.ones(10_000))
    times = restarted(runs, rng(), 50)
    assert (np.isinf(times) | (times <= 1_000)).all()
    assert np.isinf(times).any()


def test_without_misses_the_distribution_is_that_of_the_runs() -> None:
    values = rng(3).integers(1, 100, size=(40, 3)).astype(float)
    runs = Runs(values, np.full(40, 100.0))
    budgets = np.array([0.5, 20.0, 60.0, 100.0])
    found = run_time_distribution([runs], budgets, ALPHA, rng())
    exact = (values.ravel()[:, None] <= budgets).mean(axis=0)
    assert found.values == pytest.approx(exact, abs=FAR * 0.5 / sqrt(N_RESTARTED))
    assert found.values[[0, 3]].tolist() == [0.0, 1.0]
    assert found.lower is not None
    assert found.upper is not None
    assert (found.lower <= exact).all()
    assert (exact <= found.upper).all()


def test_data_sets_count_alike() -> None:
    fast = Runs(np.full((30, 1), 2.0), np.full(30, 9.0))
    slow = Runs(np.full((6, 1), 8.0), np.full(6, 9.0))
    budgets = np.array([5.0, 9.0])
    assert run_time_distribution([fast, slow], budgets, ALPHA, rng()).values.tolist() == [0.5, 1.0]
    assert budget_distribution([fast, slow], 5.0, ALPHA, rng()).values.tolist() == [0.5]


def test_distribution_at_a_budget_by_counting() -> None:
    parts = [some_runs(), some_runs(10)]
    found = budget_distribution(parts, 40.0, ALPHA, rng())
    expected = [
        np.mean([np.mean([t <= 40 for t in part.reached[:, k]]) for part in parts])
        for k in range(3)
    ]
    assert found.values == pytest.approx(expected)
    assert found.lower is not None
    assert (found.lower <= found.values).all()
    assert found.lower[2] == 0.0


def test_intervals_hold() -> None:
    """Of the distribution at a budget the law is known: exponential run times, cut at the end."""
    generator, held, n_runs, budget = rng(4), 0, 300, 40.0
    rates = (20.0, 60.0)
    truth = np.mean([1 - np.exp(-budget / rate) for rate in rates])
    for _ in range(n_runs):
        parts = []
        for rate in rates:
            times = generator.exponential(rate, size=(25, 1)) + 1e-9
            parts.append(Runs(np.where(times <= 100, times, nan), np.full(25, 100.0)))
        found = budget_distribution(parts, budget, ALPHA, generator)
        assert found.lower is not None
        assert found.upper is not None
        held += bool(found.lower[0] <= truth <= found.upper[0])
    assert held / n_runs >= 0.95 - 4 * sqrt(0.95 * 0.05 / n_runs)


def test_what_is_no_run() -> None:
    with pytest.raises(ValueError, match="shapes"):
        Runs(np.ones((3, 1)), np.ones(2))
    with pytest.raises(ValueError, match="reached within their runs"):
        Runs(np.array([[5.0]]), np.array([4.0]))
