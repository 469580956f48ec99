"""The domain model that the values allow, and all pairs of candidates by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isinf
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.domain.dataset_means import fit_dataset_means, fit_incomplete_means
from reportgen.stats.domain.incomplete import fit_incomplete_domain
from reportgen.stats.domain.model import DomainModel, Structure, fit_domain_model
from reportgen.stats.domain.sums import column_means
from reportgen.stats.multiplicity.simultaneous import compare_differences, max_t, tukey
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.own_variances import joint_units

Array = NDArray[np.float64]
Degrees = Literal["exact", "asymptotic"]

ROUNDING = 1e-12  # variances of differences below it, relative to those of means, are 0


def matrix_of_means(values: Sequence[Array]) -> Array:
    """Return the means by data set, shape (M, K); NaN for a candidate that a data set lacks.

    Parameters
    ----------
    values : sequence of ndarray of shape (B_m, K)
    """
    return np.array([column_means(v) for v in values])


def is_balanced(values: Sequence[Array]) -> bool:
    """Return whether no value lacks, and all data sets have the same replications."""
    return len({v.shape for v in values}) == 1 and all(np.isfinite(v).all() for v in values)


def is_of_means(values: Sequence[Array]) -> bool:
    """Return whether each data set has one value a candidate, and no replications."""
    return all(len(v) == 1 for v in values)


def fit_values(values: Sequence[Array], structure: Structure = "interaction") -> DomainModel:
    """Fit a domain model by the method that the values allow.

    Parameters
    ----------
    values : sequence of ndarray of shape (B_m, K)
        By data set, NaN where there is no value. One row each: data sets are
        the blocks of a model without replications.
    structure : {"interaction", "unstructured"}

    Raises
    ------
    NoFreeCovarianceError
        If the data sets do not determine a free covariance.
    ValueError
        If the values do not determine the model.
    """
    if is_of_means(values):
        means = matrix_of_means(values)
        fit = fit_incomplete_means if np.isnan(means).any() else fit_dataset_means
        return fit(means, structure)
    if is_balanced(values):
        return fit_domain_model(np.stack(values), structure)
    return fit_incomplete_domain(values, structure)


def compare_candidates(
    model: DomainModel, values: Sequence[Array], alpha: float, df: Degrees, rng: Generator
) -> PairTable:
    """Compare all pairs: with one variance by their joint law, else each by its own variance.

    Those with their own variances have a joint law only where there are many
    data sets, or where the normal law is requested.

    Parameters
    ----------
    model : DomainModel
    values : sequence of ndarray of shape (B_m, K)
        To which it was fitted.
    alpha : float
    df : {"exact", "asymptotic"}
    rng : Generator
        Draws from the joint law.
    """
    estimates = model.asymptotic if df == "asymptotic" else model.estimates
    if model.differences is not None:
        if df == "asymptotic":
            estimates = replace(model.estimates, df=inf)
        is_joint = df == "asymptotic" or len(model.dataset_effects) >= joint_units(len(model.means))
        lacks = bool(np.isnan(matrix_of_means(values)).any())
        has_one_law = not lacks or model.method == "kenward-roger"
        if is_joint and has_one_law and _all_vary(estimates.covariance):
            return max_t(estimates, alpha, rng)
        own = np.full(len(model.differences.df), inf)
        own = own if isinf(estimates.df) else model.differences.df
        return compare_differences(replace(model.differences, df=own), alpha)
    return tukey(estimates, alpha) if is_balanced(values) else max_t(estimates, alpha, rng)


def _all_vary(covariance: Array) -> bool:
    """Return whether the differences of all pairs have positive variances."""
    own = covariance.diagonal()
    of_pairs = own[:, None] + own - 2 * covariance
    return bool((of_pairs[np.triu_indices(len(own), 1)] > ROUNDING * float(own.max())).all())


def mean_limits(model: DomainModel, alpha: float, df: Degrees) -> tuple[Array, Array]:
    """Return the limits of the interval of every mean alone, each of shape (K,).

    Parameters
    ----------
    model : DomainModel
    alpha : float
    df : {"exact", "asymptotic"}
    """
    own = np.full(len(model.means), inf) if df == "asymptotic" else model.standard_error_df
    half = t_quantile(alpha / 2, own) * model.standard_errors
    return model.means - half, model.means + half
