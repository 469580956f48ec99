"""Trends along time, against enumeration of all orders and cases by hand."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

from reportgen.stats.samples.drift import drifts

ALPHA = 0.05


def concordance(sample: tuple[float, ...]) -> int:
    return int(sum(np.sign(b - a) for a, b in combinations(sample, 2)))


def test_p_value_by_all_orders() -> None:
    sample = (3.0, 1.0, 2.0, 6.0, 4.0, 7.0, 5.0)
    own = abs(concordance(sample))
    sizes = [abs(concordance(order)) for order in permutations(sample)]
    found = drifts(np.array(sample)[:, None], ALPHA)[0]
    assert found.p_value == pytest.approx(np.mean(np.array(sizes) >= own))
    assert found.tau == pytest.approx(concordance(sample) / 21)


def test_holm_over_samples_and_change() -> None:
    rng = np.random.default_rng(1)
    steady, slower = rng.normal(10, 0.1, size=(2, 40))
    slower = slower + np.linspace(0, 5, 40)
    found = drifts(np.column_stack([steady, slower, -slower]), ALPHA)
    assert [d.is_significant for d in found] == [False, True, True]
    assert found[1].adjusted_p_value == pytest.approx(3 * found[1].p_value)
    assert found[1].change == pytest.approx(np.median(slower[-10:]) / np.median(slower[:10]) - 1)
    assert found[2].tau == pytest.approx(-found[1].tau)
    assert np.isnan(found[2].change)


def test_samples_that_say_nothing() -> None:
    values = np.full((8, 3), np.nan)
    values[:5, 0], values[:, 1], values[:, 2] = np.arange(5), 4.0, np.arange(8) + 1
    few, same, rising = drifts(values, ALPHA)
    for drift in (few, same):
        assert np.isnan([drift.tau, drift.p_value, drift.adjusted_p_value, drift.change]).all()
        assert not drift.is_significant
    assert (few.n, same.n) == (5, 8)
    assert rising.adjusted_p_value == rising.p_value  # those not tested take no share


def test_steady_samples_keep_the_size() -> None:
    rng = np.random.default_rng(2)
    found = drifts(rng.exponential(size=(20, 400)), ALPHA)
    share = np.mean([d.p_value <= ALPHA for d in found])
    assert 0.02 <= share <= 0.08  # four standard errors
    assert sum(d.is_significant for d in found) <= 2


def test_errors() -> None:
    with pytest.raises(ValueError, match="shape"):
        drifts(np.ones(3), ALPHA)
    with pytest.raises(ValueError, match="alpha"):
        drifts(np.ones((3, 1)), 0.0)
