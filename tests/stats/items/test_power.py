"""Smallest detectable differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import nct
from scipy.stats import t as student

from reportgen.stats.items.comparison import detectable_differences

TAIL = 1e-9  # of a probability: a root against the law of another module


@pytest.mark.parametrize("df", [5.0, 9.3, 200.0])
@pytest.mark.parametrize(("m", "power"), [(1, 0.8), (45, 0.8), (3, 0.95), (1, 0.3)])
def test_power_is_reached(df: float, m: int, power: float) -> None:
    found = detectable_differences(
        np.array([0.02]), np.array([df]), 0.05, n_comparisons=m, power=power
    )
    critical = student.isf(0.05 / (2 * m), df)
    assert nct.sf(critical, df, found[0] / 0.02) == pytest.approx(power, abs=TAIL)


def test_normal_law() -> None:
    found = detectable_differences(np.array([2.0, np.nan]), np.array([np.inf, 9.0]), 0.05)
    assert found[0] == pytest.approx(2 * (ndtri(0.975) + ndtri(0.8)))
    assert np.isnan(found[1])


def test_half_of_the_studies_find_it() -> None:
    """80% of simulated studies with that difference are decided."""
    rng, n, studies = np.random.default_rng(1), 40, 4000
    size = detectable_differences(np.array([n**-0.5]), np.array([n - 1.0]), 0.05)[0]
    x = rng.normal(size, 1, (studies, n))
    t = x.mean(axis=1) / x.std(axis=1, ddof=1) * n**0.5
    share = (t > student.isf(0.025, n - 1)).mean()
    assert share == pytest.approx(0.8, abs=4.5 * (0.16 / studies) ** 0.5)
