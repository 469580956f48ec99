"""How often known mistakes, and what avoids them, find differences where there are none.

Every measure takes a generator and a number of runs and returns a value with its standard error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import sqrt

import judges
import null_laws
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.distributions.tails import log_f_survival
from reportgen.stats.multiplicity.simultaneous import pair_contrasts
from reportgen.stats.pairs.new_data import new_data_pairs
from reportgen.stats.pairs.paired_tests import signed_rank_pairs
from reportgen.stats.permutation.paired import sign_flip_max_t
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.friedman import compare_rank_sums

Array = NDArray[np.float64]
Measure = Callable[[Generator, int], tuple[float, float] | None]

ALPHA = 0.05
DRAWS = 1999  # from a plugged-in law
FLIPS = 499


def _rate(errors: list[bool]) -> tuple[float, float]:
    """Return the share of errors with its standard error."""
    rate, n = float(np.mean(errors)), len(errors)
    kept = min(max(rate, 1 / n), 1 - 1 / n)
    return rate, sqrt(kept * (1 - kept) / n)


# ------------------------------------------------------------------- one learning problem


def _learnt(rng: Generator, n: int, b: int, draw: Callable[..., Array]) -> tuple[Array, Array]:
    features, classes = null_laws.learning_problem(rng, n, 2)
    drawn = draw(rng, n, b)
    return null_laws.out_of_bag_errors(features, classes, drawn), drawn


def process(
    rng: Generator, n_runs: int, *, n: int, b: int, scheme: str, ratio: str
) -> tuple[float, float]:
    """Return the size for the generating process of a t with a ratio."""
    errors = []
    for _ in range(n_runs):
        values, drawn = _learnt(rng, n, b, getattr(null_laws, scheme))
        kept = 0.0 if ratio == "naive" else null_laws.sharing(drawn, ratio == "distinct")
        errors.append(_resampled_t(values[:, 0] - values[:, 1], kept) <= ALPHA)
    return _rate(errors)


def _resampled_t(differences: Array, ratio: float) -> float:
    """Return the p-value of the corrected resampled t of Nadeau and Bengio (2003), section 4."""
    n = len(differences)
    error = differences.std(ddof=1) * sqrt(1 / n + ratio)
    return float(2 * stdtr(n - 1, -abs(differences.mean()) / error))


def _one_data_set(rng: Generator, n_runs: int) -> Array:
    """Return differences of two candidates on one data set about their expectation, (runs, 50)."""
    values, _ = _learnt(rng, 100, 50 * n_runs, null_laws.bootstrap)
    differences = values[:, 0] - values[:, 1]
    return (differences - differences.mean()).reshape(n_runs, 50)


def conditional(rng: Generator, n_runs: int) -> tuple[float, float]:
    runs = _one_data_set(rng, n_runs)
    zeros = np.zeros(50)
    tests = (new_data_pairs(np.column_stack([run, zeros]), 0.0) for run in runs)
    return _rate([bool(test.p_value[0] <= ALPHA) for test in tests])


def autocorrelation(rng: Generator, n_runs: int) -> tuple[float, float]:
    steps = _one_data_set(rng, n_runs).ravel()
    return float(np.corrcoef(steps[1:], steps[:-1])[0, 1]), 1 / sqrt(len(steps))


def share(rng: Generator, n_runs: int) -> tuple[float, float]:
    """Return the share of the variance that lies between data sets, and its error by batches."""
    batches = []
    for _ in range(20):
        runs = [_learnt(rng, 100, 20, null_laws.bootstrap)[0] for _ in range(n_runs // 20)]
        differences = np.array([values[:, 0] - values[:, 1] for values in runs])
        within = differences.var(axis=1, ddof=1).mean()
        between = differences.mean(axis=1).var(ddof=1) - within / 20
        batches.append(between / (between + within))
    return float(np.mean(batches)), float(np.std(batches, ddof=1) / sqrt(20))


# ------------------------------------------------------------------ all pairs, covariances


def _own(values: Array) -> tuple[float, Array, Array]:
    """Return the largest |t|, the covariance of the means and the contrasts' standard errors."""
    n, k = values.shape
    contrasts = pair_contrasts(k)
    covariance = np.cov(values, rowvar=False) / n
    errors = np.sqrt(np.einsum("pk,kl,pl->p", contrasts, covariance, contrasts))
    return float(np.abs(contrasts @ values.mean(axis=0) / errors).max()), covariance, errors


def _plugged_in(values: Array, rng: Generator, is_normal: bool) -> bool:
    """Whether the law of max |t| with estimated correlations finds a pair different."""
    n, k = values.shape
    largest, covariance, errors = _own(values)
    spread, turn = np.linalg.eigh(covariance)
    root = turn * np.sqrt(np.maximum(spread, 0.0))
    z = rng.normal(size=(DRAWS, k)) @ root.T @ (pair_contrasts(k).T / errors)
    drawn = np.abs(z).max(axis=1)
    if not is_normal:
        drawn /= np.sqrt(rng.chisquare(n - 1, size=DRAWS) / (n - 1))
    return bool((1 + (drawn >= largest).sum()) / (1 + DRAWS) <= ALPHA)


def _errs(values: Array, rng: Generator, method: str) -> bool:
    """Whether a method finds a pair of candidates different."""
    n, k = values.shape
    if method == "pooled":
        return judges.pooled_errs(values)
    if method == "bonferroni":
        return _own(values)[0] > -float(stdtrit(n - 1, ALPHA / (k * (k - 1))))
    if method == "sign flips":
        return bool(sign_flip_max_t(values, rng, FLIPS).single_step.min() <= ALPHA)
    return _plugged_in(values, rng, method == "z")


def _family(
    rng: Generator, n_runs: int, *, n: int, k: int, method: str, kind: str
) -> tuple[float, float]:
    """Return the family-wise error under one covariance."""
    root = null_laws.roots(k)[kind]
    return _rate([_errs(rng.normal(size=(n, k)) @ root.T, rng, method) for _ in range(n_runs)])


def families(n: int, k: int, method: str, kinds: tuple[str, ...] = ()) -> tuple[partial, ...]:
    names = kinds or tuple(null_laws.roots(k))
    return tuple(partial(_family, n=n, k=k, method=method, kind=kind) for kind in names)


def observed_family(
    rng: Generator, n_runs: int, *, file: str, measure: str, middle: Callable[..., float]
) -> tuple[float, float] | None:
    """Return the error of the pooled Tukey at the covariances of real results."""
    rates = []
    for values in null_laws.observed(file, measure):
        spread, turn = np.linalg.eigh(np.cov(values, rowvar=False))
        root = turn * np.sqrt(np.maximum(spread, 0.0))
        shape = (250, values.shape[1])
        rates.append(
            _rate([judges.pooled_errs(rng.normal(size=shape) @ root.T) for _ in range(n_runs)])[0]
        )
    if not rates:
        return None
    value = float(middle(rates))
    return value, sqrt(value * (1 - value) / n_runs)


# ------------------------------------------------------------------------- other mistakes


def exchangeable_pair(rng: Generator, n_runs: int, *, by_signs: bool) -> tuple[float, float]:
    """Compare two of 12 candidates that are alike, and first and last in turn."""
    errors = []
    for _ in range(n_runs):
        values = rng.normal(size=(50, 12))
        values[:, 0] *= 5
        values[:, 1] = rng.normal(size=50) - values[:, 0]
        if by_signs:
            p = 66 * signed_rank_pairs(values[:, :2]).p_values[0]
        else:
            p = compare_rank_sums(within_block_ranks(values)).p_values[0]
        errors.append(bool(p <= ALPHA))
    return _rate(errors)


def literally_aligned(rng: Generator, n_runs: int, *, k: int) -> tuple[float, float]:
    """Take aligned values for K independent samples, Tukey on K (B - 1) degrees of freedom."""
    n, errors = 50, []
    for _ in range(n_runs):
        estimates = judges.aligned_performances(rng.normal(size=(n, k)))
        df = k * (n - 1)
        variance = estimates.covariance[0, 0] * k / (k - 1) * estimates.df / df
        errors.append(
            bool(np.ptp(estimates.coef) / sqrt(2 * variance) > judges.pooled_range(k, df))
        )
    return _rate(errors)


def negative_blocks(rng: Generator, n_runs: int, *, is_exact: bool) -> tuple[float, float]:
    """Test equality where blocks vary less than residuals: F, or REML on 36 degrees of freedom."""
    n, k = 10, 4
    root = np.linalg.cholesky(1.25 * np.eye(k) - 0.25 + 1e-9 * np.eye(k))
    errors = []
    for _ in range(n_runs):
        model = fit_block_model(rng.normal(size=(n, k)) @ root.T)
        p = model.equality.p_value
        if model.is_boundary and not is_exact:
            between = n * float(model.means.var(ddof=1))
            p = float(np.exp(log_f_survival(between / model.variance, k - 1, n * k - k)))
        errors.append(p <= ALPHA)
    return _rate(errors)
