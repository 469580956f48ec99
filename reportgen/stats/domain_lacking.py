"""Tests with a free covariance of the candidates where data sets lack whole candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_model import EqualityF
from reportgen.stats.bonferroni import Differences, paired_differences
from reportgen.stats.domain_model import equality_f, hotelling
from reportgen.stats.free_means import LARGEST, NoFreeCovarianceError, fit_free_means
from reportgen.stats.kenward_roger import FixedEffects, contrast_df, scaled_f
from reportgen.stats.simultaneous import pair_contrasts

Array = NDArray[np.float64]

# Complete data sets a candidate, from which Kenward and Roger's tests are at their level.
ENOUGH = 2
FEWEST_SHARED = 2  # data sets with both candidates of a pair: for a variance of their difference


@dataclass(frozen=True, slots=True)
class FreeTests:
    """What is known of means whose covariance is free.

    Attributes
    ----------
    covariance : ndarray of shape (K, K)
        Of the means.
    df : ndarray of shape (K,)
        Degrees of freedom of single means.
    pairs : Differences
    equality : EqualityF or None
    method : {"kenward-roger", "hotelling"}
        Of that test.
    """

    covariance: Array
    df: Array
    pairs: Differences
    equality: EqualityF | None
    method: str


def check_shared(observed: NDArray[np.bool_]) -> None:
    """Raise where two candidates share too few data sets for a variance of their difference.

    Parameters
    ----------
    observed : ndarray of shape (M, K), bool
        Which data sets have a value of which candidate.

    Raises
    ------
    NoFreeCovarianceError
    """
    if shared_datasets(observed).min() < FEWEST_SHARED:
        raise NoFreeCovarianceError("two candidates share fewer than two data sets")


def shared_datasets(observed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return on how many data sets two candidates both have values, shape (K, K)."""
    found: NDArray[np.int64] = observed.T.astype(np.int64) @ observed
    return found


def has_enough(observed: NDArray[np.bool_]) -> bool:
    """Whether data sets enough have all candidates for tests by a free covariance of all means.

    Parameters
    ----------
    observed : ndarray of shape (M, K), bool
    """
    n_complete, k = int(observed.all(axis=1).sum()), observed.shape[1]
    return bool(n_complete >= ENOUGH * k and k <= LARGEST)


def free_tests(means: Array, kappa: Array) -> FreeTests:
    """Test means of which data sets lack some.

    Parameters
    ----------
    means : ndarray of shape (M, K)
        Of the data sets, NaN where a candidate lacks.
    kappa : ndarray of shape (K,)
        Estimates of what they vary about.

    Returns
    -------
    FreeTests

    Raises
    ------
    NoFreeCovarianceError
        If two candidates share fewer than two data sets.

    Notes
    -----
    Where at least twice as many data sets as there are candidates have all of
    them, tests are Kenward and Roger's under REML of the free covariance. With
    fewer their law is not known well enough: with 8 data sets of 4 candidates,
    5 of 32 means lacking, they reject a true pair in up to a fifth where 5% are
    wanted. Each pair then has Student's test on the data sets that it shares,
    and equality Hotelling's on the complete ones, both of which are exact.

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0], [4.0, np.nan]])
    >>> free_tests(rows, np.array([2.5 , 4.75])).pairs.df
    array([2.])
    """
    observed = np.isfinite(means)
    check_shared(observed)
    if has_enough(observed):
        try:
            return _by_likelihood(fit_free_means(means).effects, kappa, float(len(means) - 1))
        except NoFreeCovarianceError:  # candidates that go along with one another
            pass
    return _by_shared(means, observed)


def _by_likelihood(effects: FixedEffects, kappa: Array, most_df: float) -> FreeTests:
    """Test by Kenward and Roger; no test has more degrees of freedom than complete data give it."""
    contrasts = pair_contrasts(len(kappa))
    variances = np.einsum("pk,kl,pl->p", contrasts, effects.adjusted, contrasts)
    df = np.minimum(contrast_df(effects, contrasts), most_df)
    own_df = np.minimum(contrast_df(effects, np.eye(len(kappa))), most_df)
    found = scaled_f(effects, contrasts[: len(kappa) - 1])
    return FreeTests(
        effects.adjusted,
        own_df,
        Differences(contrasts @ kappa, np.sqrt(variances), df),
        None if found is None else equality_f(found.statistic, found.df1, found.df2),
        "kenward-roger",
    )


def _by_shared(means: Array, observed: NDArray[np.bool_]) -> FreeTests:
    """Test each pair on the data sets that have both candidates."""
    shared = shared_datasets(observed)
    return FreeTests(
        pair_covariance(means) * shared / np.outer(shared.diagonal(), shared.diagonal()),
        (shared.diagonal() - 1).astype(np.float64),
        paired_differences(means),
        hotelling(means[observed.all(axis=1)]) if observed.all(axis=1).any() else None,
        "hotelling",
    )


def pair_covariance(means: Array) -> Array:
    """Return covariances of the columns, each from the data sets that have both.

    Parameters
    ----------
    means : ndarray of shape (M, K)
        NaN where a candidate lacks.

    Returns
    -------
    ndarray of shape (K, K)
        Not always positive.
    """
    observed = np.isfinite(means)
    centred = np.where(observed, means - np.nanmean(means, axis=0), 0.0)
    found: Array = (centred.T @ centred) / np.maximum(shared_datasets(observed) - 1, 1)
    return found
