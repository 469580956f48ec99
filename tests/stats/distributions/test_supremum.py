"""Law of the largest score statistic."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtrc

from reportgen.stats.distributions.supremum import grid_p_value, max_p_value, sup_p_value

DRAWS = 20_000
SIMULATED = 4 * 0.5 / np.sqrt(DRAWS)  # four standard errors at the worst
# Critical values of Andrews (2003), 5 %, 15 % trimmed: simulated on 3,600 times, so that they lie
# below those of the process at all times.
ANDREWS = {1: 8.68, 2: 11.72, 3: 14.13, 5: 18.28}


def largest(n_parameters: int, fractions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Simulate the largest statistic over fractions of a Brownian bridge."""
    steps = np.diff(np.concatenate([[0.0], fractions, [1.0]]))
    draws = rng.standard_normal((DRAWS, len(steps), n_parameters)) * np.sqrt(steps)[:, None]
    walk = np.cumsum(draws, axis=1)
    bridge = walk[:, :-1] - fractions[:, None] * walk[:, -1:]
    return ((bridge**2).sum(axis=2) / (fractions * (1 - fractions))).max(axis=1)


@pytest.mark.parametrize("n_parameters", [1, 2, 6])
def test_the_law_at_chosen_fractions_is_that_of_simulated_bridges(n_parameters: int) -> None:
    fractions = np.array([0.1, 0.15, 0.3, 0.5, 0.55, 0.9])
    drawn = largest(n_parameters, fractions, np.random.default_rng(1))
    for quantile in np.quantile(drawn, [0.1, 0.5, 0.9, 0.99]):
        share = (drawn >= quantile).mean()
        found = max_p_value(float(quantile), n_parameters, fractions)
        assert found == pytest.approx(share, abs=SIMULATED)


@pytest.mark.parametrize("n_parameters", [1, 8])
def test_all_times_are_the_limit_of_many(n_parameters: int) -> None:
    statistic, ends = 6.0 + 2 * n_parameters, np.log(0.8 / 0.2) / 2
    distances = []
    for n in (10, 40, 160):
        times = np.linspace(-ends, ends, n)
        fractions = 1 / (1 + np.exp(-2 * times))
        distances.append(
            sup_p_value(statistic, n_parameters, 16.0)
            - max_p_value(statistic, n_parameters, fractions)
        )
    assert min(distances) > 0
    # What is missed between times shrinks with the root of their distance.
    assert distances[0] / distances[1] == pytest.approx(1.7, abs=0.1)
    assert distances[1] / distances[2] == pytest.approx(1.8, abs=0.1)


@pytest.mark.parametrize("n_parameters", ANDREWS)
def test_published_critical_values_are_near_their_level(n_parameters: int) -> None:
    found = sup_p_value(ANDREWS[n_parameters], n_parameters, (0.85 / 0.15) ** 2)
    assert 0.050 < found < 0.056


def test_without_any_span_the_law_is_chi_squared() -> None:
    assert sup_p_value(5.0, 3, 1.0) == pytest.approx(chdtrc(3, 5.0), rel=1e-9)
    assert max_p_value(5.0, 3, np.array([0.3])) == pytest.approx(chdtrc(3, 5.0))


@pytest.mark.parametrize("n_parameters", [1, 2, 6, 15])
def test_the_far_tail_joins_the_expansion(n_parameters: int) -> None:
    statistics = np.linspace(40, 140, 400)
    p_values = np.array([sup_p_value(x, n_parameters, 81.0) for x in statistics])
    assert (np.diff(p_values) < 0).all()
    assert np.abs(np.diff(np.log(p_values), n=2)).max() < 0.02


def test_probabilities_stay_probabilities() -> None:
    for x in (0.0, 1e-12, 0.01, 1.0, 1e4):
        assert 0 <= sup_p_value(x, 4, 81.0) <= 1
        assert 0 <= max_p_value(x, 4, np.array([0.2, 0.5])) <= 1
    assert sup_p_value(0.0, 4, 81.0) == 1


def test_many_fractions_are_corrected_to_what_integration_gives() -> None:
    fractions = np.arange(10, 91) / 100
    for statistic in (7.0, 12.0, 20.0):
        exact = max_p_value(statistic, 3, fractions)
        assert grid_p_value(statistic, 3, fractions) == pytest.approx(exact, rel=0.02)
        assert sup_p_value(statistic, 3, 81.0) > 1.05 * exact


def test_what_is_no_statistic_is_refused() -> None:
    with pytest.raises(ValueError, match="statistic"):
        sup_p_value(-1.0, 2, 4.0)
    with pytest.raises(ValueError, match="span"):
        sup_p_value(1.0, 2, 0.5)
    with pytest.raises(ValueError, match="fractions"):
        max_p_value(1.0, 2, np.array([0.5, 0.5]))
