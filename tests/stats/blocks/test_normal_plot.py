"""Normal plots: R's quantiles, the law of order statistics, and the level of the band."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, norm

from reportgen.stats.blocks.diagnostics import normal_plot, shown_places, standardised

EXACT = 1e-10


def simulated(n: int, n_draws: int = 199, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return standardised(rng.normal(size=(n_draws, n)), shown_places(n))


def test_quantiles_of_r() -> None:
    """qnorm(ppoints(7)) and the first four of qnorm(ppoints(12)) of R 4.2.2."""
    rng = np.random.default_rng(1)
    seven = normal_plot(rng.normal(size=7), simulated(7)).theoretical
    expected = [-1.36448874817, -0.758292556991, -0.352933986127, 0]
    np.testing.assert_allclose(seven[:4], expected, atol=1e-11)
    twelve = normal_plot(rng.normal(size=12), simulated(12)).theoretical
    expected = [-1.73166439612, -1.15034938038, -0.8122178015, -0.548522282698]
    np.testing.assert_allclose(twelve[:4], expected, rtol=1e-11)


def test_pointwise_bounds_by_the_law_of_order_statistics() -> None:
    plot = normal_plot(np.random.default_rng(2).normal(size=30), simulated(30), alpha=0.1)
    i = np.arange(1, 31)
    lower = norm.ppf(beta.ppf(0.05, i, 31 - i))
    np.testing.assert_allclose(plot.pointwise_lower, lower, rtol=EXACT)
    np.testing.assert_allclose(plot.pointwise_upper, -lower[::-1], rtol=EXACT)
    assert (plot.lower < plot.pointwise_lower).all()
    assert (plot.upper > plot.pointwise_upper).all()


def test_points_are_the_standardised_sample() -> None:
    sample = np.array([3.0, -4.0, 1.0, 0.5, -2.0])
    plot = normal_plot(sample, simulated(5))
    assert plot.scale == pytest.approx(np.sqrt((sample**2).mean()), rel=EXACT)
    np.testing.assert_allclose(plot.ordered * plot.scale, np.sort(sample), rtol=EXACT)
    scaled = normal_plot(7 * sample, simulated(5))
    np.testing.assert_allclose(scaled.ordered, plot.ordered, rtol=EXACT)
    assert scaled.p_value == plot.p_value


@pytest.mark.parametrize("n", [201, 1500, 100_000])
def test_large_samples_show_some(n: int) -> None:
    places = shown_places(n)
    assert len(places) <= 200
    assert places[:10].tolist() == list(range(10))
    assert places[-10:].tolist() == list(range(n - 10, n))
    assert (np.diff(places) > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "n_draws", "n_samples"), [(40, 99, 400), (300, 99, 150)])
def test_level_of_the_band(n: int, n_draws: int, n_samples: int) -> None:
    """Exact with any number of simulated samples: 10%, four standard errors."""
    rng = np.random.default_rng(3)
    outside = []
    for _ in range(n_samples):
        drawn = standardised(rng.normal(size=(n_draws, n)), shown_places(n))
        plot = normal_plot(rng.normal(size=n), drawn, alpha=0.1)
        assert (plot.n_outside > 0) == (plot.p_value <= 0.1)
        is_out = (plot.ordered < plot.lower) | (plot.ordered > plot.upper)
        assert plot.n_outside == is_out.sum()
        outside.append(plot.n_outside > 0)
    assert np.mean(outside) == pytest.approx(0.1, abs=4 * np.sqrt(0.09 / n_samples))


def test_heavy_tails_are_seen() -> None:
    plot = normal_plot(np.random.default_rng(4).standard_t(2, size=300), simulated(300))
    assert plot.p_value == 1 / 200
    assert plot.n_outside > 3


def test_errors() -> None:
    with pytest.raises(ValueError, match="varies"):
        normal_plot(np.zeros(5), simulated(5))
    with pytest.raises(ValueError, match="too few"):
        normal_plot(np.ones(5), simulated(5, n_draws=10))
