"""Two factors of a candidate, by brute force, by hand and by simulation."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest
from scipy.stats import t as student

from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pairs.paired_max_t import paired_max_t
from reportgen.stats.two_factors import (
    N_HALVES,
    best_settings,
    components,
    interaction_effects,
    two_factors,
)

ALPHA = 0.05
CLOSE = 1e-9  # relative: the same sums in another order
FAR = 4.5  # Monte Carlo standard errors


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def values_of(n: int = 12, i: int = 3, j: int = 4, seed: int = 5) -> np.ndarray:
    return rng(seed).normal(size=(n, i, j)) + rng(6).normal(size=(i, j))


def test_main_effects_are_pairs_of_means_over_the_other_factor() -> None:
    values = values_of()
    found = two_factors(values, ALPHA, rng())
    for table, axis in ((found.first, 2), (found.second, 1)):
        wanted = paired_max_t(values.mean(axis=axis), ALPHA, rng())
        assert table == wanted
    assert found.means == pytest.approx(values.mean(axis=0), rel=CLOSE)
    assert found.n == 12


def test_interaction_is_what_sums_of_effects_leave() -> None:
    values = values_of(9)
    own = interaction_effects(values)
    for u, i, j in product(range(9), range(3), range(4)):
        row = sum(values[u, i, m] for m in range(4)) / 4
        column = sum(values[u, k, j] for k in range(3)) / 3
        wanted = values[u, i, j] - row - column + values[u].sum() / 12
        assert own[u, i, j] == pytest.approx(wanted, abs=1e-12)
    table = two_factors(values, ALPHA, rng()).interaction
    assert table.first.tolist() == list(range(12))
    critical = student.isf(ALPHA / 24, 8)
    assert table.critical_value == pytest.approx(np.full(12, critical), rel=CLOSE)
    assert table.estimate == pytest.approx(own.mean(axis=0).ravel(), abs=1e-12)


def test_of_two_levels_one_is_enough() -> None:
    assert two_factors(values_of(i=2, j=2), ALPHA, rng()).interaction.first.tolist() == [0]
    assert two_factors(values_of(i=2, j=3), ALPHA, rng()).interaction.first.tolist() == [0, 1, 2]
    assert two_factors(values_of(i=3, j=2), ALPHA, rng()).interaction.first.tolist() == [0, 2, 4]


def test_interaction_of_two_by_two_is_the_paired_t_of_the_double_difference() -> None:
    values = values_of(10, 2, 2)
    d = values[:, 0, 0] - values[:, 0, 1] - values[:, 1, 0] + values[:, 1, 1]
    t = d.mean() / (d.std(ddof=1) / sqrt(10))
    found = two_factors(values, ALPHA, rng()).interaction
    assert found.estimate[0] == pytest.approx(d.mean() / 4, rel=CLOSE)
    skew = ((d - d.mean()) ** 3).mean() / ((d - d.mean()) ** 2).mean() ** 1.5
    skew *= sqrt(10 * 9) / 8  # of samples
    assert abs(found.statistic[0]) <= abs(t) * (1 + CLOSE)
    assert found.extra["skewness"][0] == pytest.approx(skew, rel=1e-6)


def variance_by_pairs(effects: np.ndarray, size: int) -> float:
    n = len(effects)
    total = sum(float(effects[u] @ effects[v]) for u in range(n) for v in range(n) if u != v)
    return total / (n * (n - 1) * size)


def test_components_are_mean_products_of_two_units() -> None:
    values = values_of(8)
    grand = values.mean(axis=(1, 2))[:, None]
    a, b = values.mean(axis=2) - grand, values.mean(axis=1) - grand
    g = interaction_effects(values).reshape(8, -1)
    found = components(values, ALPHA)
    assert found.first == pytest.approx(variance_by_pairs(a, 2), rel=CLOSE)
    assert found.second == pytest.approx(variance_by_pairs(b, 3), rel=CLOSE)
    assert found.interaction == pytest.approx(variance_by_pairs(g, 6), rel=CLOSE)
    left = [
        variance_by_pairs(np.delete(a, u, 0), 2) - variance_by_pairs(np.delete(b, u, 0), 3)
        for u in range(8)
    ]
    whole = found.first - found.second
    pseudo = 8 * whole - 7 * np.array(left)
    error = pseudo.std(ddof=1) / sqrt(8)
    assert found.difference == pytest.approx(whole, rel=CLOSE)
    assert found.upper - whole == pytest.approx(student.isf(ALPHA / 2, 7) * error, rel=CLOSE)
    assert found.p_value == pytest.approx(2 * student.sf(abs(whole) / error, 7), rel=CLOSE)


def test_components_of_values_without_noise_are_the_variances_of_the_effects() -> None:
    effects = np.add.outer([0.0, 1.0, 5.0], [0.0, 2.0])
    found = components(np.tile(effects, (6, 1, 1)), ALPHA)
    assert found.first == pytest.approx(np.var([0, 1, 5], ddof=1))
    assert found.second == pytest.approx(2.0)
    assert found.interaction == pytest.approx(0.0, abs=1e-12)


def test_honest_means_are_of_the_half_that_has_not_chosen() -> None:
    values = values_of(7, seed=8)
    own = best_settings(values, ALPHA, rng(3), is_smaller_better=True)
    draws = rng(3)
    halves = [np.sort(draws.permutation(7)[:3]) for _ in range(N_HALVES)]
    for i in range(3):
        means = values[:, i].mean(axis=0)
        assert own.chosen[i] == means.argmin()
        assert own.mean[i] == pytest.approx(means.min(), rel=CLOSE)
        judged, same = [], 0
        for half in halves:
            rest = np.setdiff1d(np.arange(7), half)
            for chooses, judges in ((half, rest), (rest, half)):
                pick = values[chooses, i].mean(axis=0).argmin()
                judged.append(values[judges, i, pick].mean())
                same += pick == means.argmin()
        assert own.honest[i] == pytest.approx(np.mean(judged), rel=CLOSE)
        assert own.share[i] == pytest.approx(same / len(judged), rel=CLOSE)


@pytest.mark.parametrize("n", [12, 60])
def test_limits_of_the_best_are_those_of_all_cells(n: int) -> None:
    values = values_of(n, 3, 4, seed=9)
    own = best_settings(values, ALPHA, rng(), is_smaller_better=True)
    pairs = all_pairs(12)
    n_across = sum(a // 4 != b // 4 for a, b in pairs)
    assert n_across == 48
    table = paired_max_t(
        values.reshape(n, 12), ALPHA, rng(), n_comparisons=None if n >= 50 else n_across
    )
    lower = {tuple(p): x for p, x in zip(pairs.tolist(), table.lower, strict=True)}
    upper = {tuple(p): x for p, x in zip(pairs.tolist(), table.upper, strict=True)}
    for row, (i, k) in enumerate(all_pairs(3)):
        # the smaller mean is the better one: some j of i is below every l of k
        high = min(max(upper[4 * i + j, 4 * k + m] for m in range(4)) for j in range(4))
        low = max(min(lower[4 * i + j, 4 * k + m] for j in range(4)) for m in range(4))
        assert own.upper[row] == pytest.approx(high, rel=CLOSE)
        assert own.lower[row] == pytest.approx(low, rel=CLOSE)
        assert own.lower[row] <= own.naive_lower[row] <= own.estimate[row] <= own.naive_upper[row]


def test_larger_is_better_is_the_mirror() -> None:
    values = values_of(10)
    a = best_settings(values, ALPHA, rng(), is_smaller_better=True)
    b = best_settings(-values, ALPHA, rng(), is_smaller_better=False)
    assert (a.chosen == b.chosen).all()
    for name in ("mean", "honest", "estimate"):
        assert getattr(b, name) == pytest.approx(-getattr(a, name), rel=CLOSE)
    assert b.lower == pytest.approx(-a.upper, rel=CLOSE)
    assert b.naive_upper == pytest.approx(-a.naive_lower, rel=CLOSE)


@pytest.mark.slow
def test_the_best_of_alike_is_rarely_called_different_and_often_without_the_price() -> None:
    draws, runs, n, j = rng(12), 250, 20, 30
    priced = naive = 0
    bias = np.zeros(2)
    for _ in range(runs):
        values = draws.normal(size=(n, 2, j))
        values[:, 1] += 3.0 * (np.arange(j) > 0)  # the second has one prompt that works
        own = best_settings(values, ALPHA, draws, is_smaller_better=True)
        priced += bool(own.lower[0] > 0 or own.upper[0] < 0)
        naive += bool(own.naive_lower[0] > 0 or own.naive_upper[0] < 0)
        bias += [own.mean[0], own.honest[0]]
    assert priced / runs < ALPHA + FAR * sqrt(ALPHA * (1 - ALPHA) / runs)
    assert naive / runs > 2 * ALPHA  # who has more prompts to choose from wins
    mean, honest = bias / runs
    assert mean < -0.3
    assert abs(honest) < FAR / sqrt(n * runs)


@pytest.mark.parametrize(
    "values",
    [np.zeros((5, 2, 2)), np.zeros((9, 1, 2)), np.zeros((9, 4)), np.full((9, 2, 2), np.nan)],
)
def test_what_cannot_be_taken_apart_is_refused(values: np.ndarray) -> None:
    with pytest.raises(ValueError, match="allowed"):
        two_factors(values, ALPHA, rng())


def test_values_that_never_differ_give_no_difference() -> None:
    found = two_factors(np.zeros((8, 2, 3)), ALPHA, rng())
    assert (found.best.lower <= 0).all()
    assert (found.best.upper >= 0).all()
    assert found.components.p_value == 1.0
    assert not found.first.significant.any()
