"""The law of the largest |t| against plain draws, the t law, and Dunnett's independent case."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.special import stdtr

from reportgen.stats.distributions import max_abs_t as kernel
from reportgen.stats.distributions.max_abs_t import RARE, max_abs_t
from reportgen.stats.distributions.tails import t_quantile, two_sided_t

FAR = 4.5  # Monte Carlo standard errors
N_PLAIN = 100_000  # draws whose counts are less exact
TAILS = [0.2, 0.05, 0.01, 0.001, 1e-5]


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def pair_correlations(k: int, n: int = 60) -> np.ndarray:
    values = rng(k).normal(size=(n, k)) * np.linspace(0.5, 2, k)
    first, second = np.triu_indices(k, 1)
    return np.corrcoef((values[:, first] - values[:, second]).T)


@pytest.mark.parametrize("df", [5.0, 49.0, 400.0])
def test_one_t(df: float) -> None:
    law = max_abs_t(np.ones((1, 1)), np.array([df]), rng())
    t = t_quantile(np.array(TAILS) / 2, df)
    assert law.survival(t[:3]) == pytest.approx(TAILS[:3], rel=0.03)
    if df > 5:
        assert law.survival(t) == pytest.approx(two_sided_t(t, df) + RARE, rel=0.1)


def test_independent_t() -> None:
    df = np.array([20.0, 60.0, 300.0])
    law = max_abs_t(np.eye(3), df, rng())
    t = np.array([1.5, 2.5, 3.5])
    inside = np.prod([1 - 2 * stdtr(nu, -t) for nu in df], axis=0)
    errors = np.sqrt(inside * (1 - inside) / N_PLAIN)
    assert (np.abs(law.survival(t) - (1 - inside)) < FAR * errors).all()


@pytest.mark.parametrize("k", [3, 6])
def test_plain_draws(k: int) -> None:
    correlations, n = pair_correlations(k), 400_000
    df = np.linspace(49, 249, len(correlations))
    z = rng(2).multivariate_normal(np.zeros(len(df)), correlations, n, check_valid="ignore")
    largest = np.max(np.abs(z) / np.sqrt(rng(3).chisquare(df, z.shape) / df), axis=1)
    law = max_abs_t(correlations, df, rng())
    for t in (2.0, 2.5, 3.0, 3.5, 4.0):
        plain = float((largest > t).mean())
        error = sqrt(plain * (1 - plain) * (1 / n + 1 / N_PLAIN))
        assert abs(float(law.survival(np.array([t]))[0]) - plain) < FAR * error


def test_seeds_differ_less_than_those_of_plain_draws() -> None:
    correlations, t = pair_correlations(6), np.array([2.9])
    df = np.full(len(correlations), 59.0)
    found = [float(max_abs_t(correlations, df, rng(i)).survival(t)[0]) for i in range(40)]
    p = float(np.mean(found))
    assert np.std(found) < 0.8 * sqrt(p * (1 - p) / N_PLAIN)


def test_quantiles_and_their_ends() -> None:
    law = max_abs_t(np.eye(2), np.array([30.0, 30.0]), rng())
    t = law.quantile(0.05, 2.0, 3.0)
    assert float(law.survival(np.array([t]))[0]) == pytest.approx(0.05, rel=1e-9)
    assert law.quantile(0.05, 2.6, 3.0) == 2.6
    assert law.quantile(0.05, 1.0, 2.0) == 2.0
    assert law.survival(np.array([0.0, 50.0])).tolist() == [1.0, pytest.approx(RARE)]


def test_gaps_leave_more_rank_than_there_are_candidates() -> None:
    law = max_abs_t(np.array([[1.0, 0.4], [0.4, 1.0]]), np.array([50.0, 60.0]), rng())
    assert law.rank == 2
    dependent = max_abs_t(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([50.0, 60.0]), rng())
    assert dependent.rank == 1


@pytest.mark.parametrize("n", [50, 1000])
def test_denominators_that_cannot_matter_are_not_drawn(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many t the law is that with all denominators, and each t of few may be the largest."""
    correlations = pair_correlations(12, 200)
    df = np.linspace(n - 1, 1.2 * n, len(correlations))
    t = np.array([2.5, 3.0, 3.5, 4.0])
    found = {}
    for many in (len(df) + 1, len(df)):
        monkeypatch.setattr(kernel, "MANY_T", many)
        found[many] = [max_abs_t(correlations, df, rng(i)).survival(t) for i in range(30)]
    every, some = (np.array(rows) for rows in found.values())
    error = np.sqrt((every.var(axis=0, ddof=1) + some.var(axis=0, ddof=1)) / len(every))
    assert (error < 0.02 * every.mean(axis=0)).all()
    assert (np.abs(every.mean(axis=0) - some.mean(axis=0)) < FAR * error).all()


def test_a_law_of_so_many_t_keeps_the_size() -> None:
    """P(max |t| > c) of 1,035 pairs of 46 means against plain draws of these."""
    k, n_draws, df = 46, 20_000, 199.0
    first, second = np.triu_indices(k, 1)
    assert len(first) >= kernel.MANY_T
    contrasts = np.eye(k)[first] - np.eye(k)[second]
    law = max_abs_t(contrasts @ contrasts.T / 2, np.full(len(first), df), rng())
    c = law.quantile(0.05, 1.0, 9.0)
    generator, beyond = rng(5), 0
    for _ in range(20):
        z = generator.normal(size=(n_draws // 20, k)) @ contrasts.T / sqrt(2)
        chi = generator.chisquare(df, z.shape) / df
        beyond += int((np.abs(z) > c * np.sqrt(chi)).any(axis=1).sum())
    assert abs(beyond / n_draws - 0.05) < FAR * sqrt(2 * 0.05 * 0.95 / n_draws)
