"""Bootstrap ratios against laws that are known, enumeration, and cases by hand."""

from __future__ import annotations

from itertools import product
from math import comb, sqrt

import numpy as np
import pytest

from reportgen.stats.samples import bootstrap_ratio
from reportgen.stats.samples.bootstrap_ratio import bootstrap_ratios

ALPHA = 0.05
CLOSE = 1e-9  # relative: logarithms and back


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def seconds(n: int = 30) -> np.ndarray:
    return rng(2).gamma(4.0, size=(n, 3)) * [1.0, 1.1, 4.0] + 4


@pytest.mark.parametrize(("center", "of"), [("mean", np.mean), ("median", np.median)])
def test_estimates_and_order(center: str, of: object) -> None:
    values = seconds()
    found = bootstrap_ratios(values, ALPHA, rng(), center=center)
    middle = of(values, axis=0)
    expected = [middle[i] / middle[j] for i, j in ((0, 1), (0, 2), (1, 2))]
    assert found.estimate == pytest.approx(expected, rel=CLOSE)
    assert (found.lower < found.estimate).all()
    assert (found.estimate < found.upper).all()
    assert found.significant[1:].all()
    assert (found.significant == (found.adjusted_p_value <= ALPHA)).all()
    assert len(set(found.critical_value)) == 1


def test_standard_errors_of_means_by_the_delta_method() -> None:
    values = seconds()
    parts = values.std(axis=0, ddof=1) / values.mean(axis=0) / sqrt(30)
    found = bootstrap_ratios(values, ALPHA, rng())
    assert found.standard_error == pytest.approx(
        [np.hypot(parts[i], parts[j]) for i, j in ((0, 1), (0, 2), (1, 2))], rel=CLOSE
    )


def test_draws_against_all_that_there_are() -> None:
    """Six values against six that do not vary: the law of 6^6 samples drawn anew is enumerated."""
    sample = np.array([1.0, 1.5, 2.0, 2.5, 4.0, 7.0])
    found = bootstrap_ratios(np.column_stack([sample, np.full(6, 2.0)]), ALPHA, rng())
    rows = np.array(list(product(sample, repeat=6)))
    means, spreads = rows.mean(axis=1), rows.std(axis=1, ddof=1) / sqrt(6)
    shift = np.log(means / sample.mean())
    with np.errstate(divide="ignore"):
        t = np.abs(shift) / (spreads / means)
    share = (t > found.critical_value[0]).mean()
    far = 4 * sqrt(ALPHA * (1 - ALPHA) / bootstrap_ratio.N_DRAWS)
    assert share == pytest.approx(ALPHA, abs=far)


def test_normal_samples_have_the_normal_law() -> None:
    """Of large normal samples the critical value is that of max |Z| of three differences."""
    values = rng(3).normal(100, 1, size=(2_000, 3))
    found = bootstrap_ratios(values, ALPHA, rng(), n_draws=4_000)
    assert found.critical_value[0] == pytest.approx(2.344, abs=0.09)  # q(.95; 3, inf) / sqrt(2)


@pytest.mark.slow
@pytest.mark.parametrize("center", ["mean", "median"])
def test_intervals_hold_together(center: str) -> None:
    generator, n_runs, held = rng(4), 400, 0
    sizes = (30, 40, 50)
    for _ in range(n_runs):
        values = np.full((50, 3), np.nan)
        for k, n in enumerate(sizes):
            values[:n, k] = generator.gamma(4.0, size=n) + 2
        found = bootstrap_ratios(values, ALPHA, generator, center=center, n_draws=999)
        held += bool(((found.lower <= 1) & (found.upper >= 1)).all())
    assert held / n_runs >= 0.95 - 3 * sqrt(0.95 * 0.05 / n_runs)


def test_the_seed_decides() -> None:
    assert bootstrap_ratios(seconds(), ALPHA, rng(8)) == bootstrap_ratios(seconds(), ALPHA, rng(8))
    assert bootstrap_ratios(seconds(), ALPHA, rng(8)) != bootstrap_ratios(seconds(), ALPHA, rng(9))


def test_a_unit_changes_nothing() -> None:
    found = bootstrap_ratios(seconds(), ALPHA, rng())
    other = bootstrap_ratios(np.ldexp(seconds(), 300), ALPHA, rng())
    assert other.lower == pytest.approx(found.lower, rel=CLOSE)


def test_no_spread() -> None:
    values = np.column_stack([np.full(6, 2.0), np.full(6, 4.0), np.full(6, 2.0)])
    found = bootstrap_ratios(values, ALPHA, rng())
    chance = 2 / comb(12, 6)
    assert found.estimate == pytest.approx([0.5, 1.0, 2.0])
    assert found.p_value[[0, 2]] == pytest.approx([chance] * 2)
    assert found.lower[[0, 2]] == pytest.approx([0.5, 2.0])
    assert np.isnan([found.p_value[1], found.lower[1]]).all()
    assert found.significant.tolist() == [True, False, True]


def test_a_median_that_does_not_move_has_no_interval() -> None:
    still = np.array([1.0] * 40 + [9.0])
    found = bootstrap_ratios(
        np.column_stack([still, 2 * still]), ALPHA, rng(), center="median", n_draws=999
    )
    assert found.estimate[0] == pytest.approx(0.5)
    assert np.isnan([found.lower[0], found.p_value[0]]).all()
    assert not found.significant.any()


def test_few_values_are_open() -> None:
    values = seconds(10)
    values[5:, 1] = np.nan
    found = bootstrap_ratios(values, ALPHA, rng())
    assert found.is_open.tolist() == [True, False, True]
    assert np.isnan(found.adjusted_p_value[[0, 2]]).all()
    assert np.isfinite(found.upper[[0, 2]]).all()


def test_errors() -> None:
    with pytest.raises(ValueError, match="above 0"):
        bootstrap_ratios(np.array([[1.0, 0.0]]), ALPHA, rng())
