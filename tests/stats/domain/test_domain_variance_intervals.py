"""Intervals of variance components: an exact one, their coverage, and chi-squared by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from reportgen.stats.domain.components import generalised_intervals, satterthwaite_intervals
from reportgen.stats.domain.strata import domain_strata

CLOSED_FORM = 1e-12
RUNS = 300
ERRORS = 3.5 * (0.95 * 0.05 / RUNS) ** 0.5  # standard errors of a coverage

TRUE = {"dataset": 1.0, "interaction": 0.5, "replication": 0.2, "residual": 1.0}


def drawn(rng: np.random.Generator, m: int = 10, b: int = 6, k: int = 4) -> np.ndarray:
    sd = {name: v**0.5 for name, v in TRUE.items()}
    return (
        sd["dataset"] * rng.normal(size=(m, 1, 1))
        + sd["interaction"] * rng.normal(size=(m, 1, k))
        + sd["replication"] * rng.normal(size=(m, b, 1))
        + sd["residual"] * rng.normal(size=(m, b, k))
    )


def test_residual_is_exact():
    rng = np.random.default_rng(1)
    strata = domain_strata(drawn(rng))
    low, high = generalised_intervals(strata, 0.1, rng)["residual"]
    df = 10 * 5 * 3
    assert low == pytest.approx(strata.residual / chi2.ppf(0.95, df), rel=CLOSED_FORM)
    assert high == pytest.approx(strata.residual / chi2.ppf(0.05, df), rel=CLOSED_FORM)


def test_intervals_cover():
    rng = np.random.default_rng(2)
    held = dict.fromkeys(TRUE, 0)
    for _ in range(RUNS):
        found = generalised_intervals(domain_strata(drawn(rng)), 0.05, rng, n_draws=1000)
        for name, (low, high) in found.items():
            held[name] += low <= TRUE[name] <= high
    for name, n in held.items():
        assert 0.95 - ERRORS < n / RUNS <= 0.95 + ERRORS + 0.015, name


def test_satterthwaite():
    variances = {"residual": 2.0, "dataset": 1.0, "interaction": 0.0, "replication": 0.1}
    errors = {"residual": 0.4, "dataset": 0.5, "interaction": 0.1, "replication": 1.0}
    found = satterthwaite_intervals(variances, errors, 0.05)
    assert set(found) == {"residual", "dataset"}
    assert found["dataset"] == pytest.approx(
        (8 / chi2.ppf(0.975, 8), 8 / chi2.ppf(0.025, 8)), rel=CLOSED_FORM
    )


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_level(alpha):
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="alpha"):
        generalised_intervals(domain_strata(drawn(rng)), alpha, rng)
