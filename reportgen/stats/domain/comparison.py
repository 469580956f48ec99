"""The domain model that the values allow, and all pairs of candidates by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isinf
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    SEED,
    Names,
    area_of,
    check_choice,
    check_level,
    domain_of,
    generator_of,
    is_smaller_better,
    refuse,
)
from reportgen.stats.arrays import Area, Array, column_means
from reportgen.stats.blocks.fit_unit import fit_unit, in_unit
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.domain.dataset_means import fit_dataset_means, fit_incomplete_means
from reportgen.stats.domain.incomplete import NO_FREE_COVARIANCE, fit_incomplete_domain
from reportgen.stats.domain.model import DomainModel, Structure, fit_domain_model
from reportgen.stats.frame import Columns, Tabular
from reportgen.stats.multiplicity.simultaneous import compare_differences, max_abs_t_pairs, tukey
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import joint_units

Degrees = Literal["exact", "asymptotic"]

ROUNDING = 1e-12  # variances of differences below it, relative to those of means, are 0


def matrix_of_means(values: Sequence[Array]) -> Array:
    """Return the means by data set, shape (M, K); NaN for a candidate that a data set lacks.

    `values`: each (B_m, K).
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

    `values`: each (B_m, K); by data set, NaN where there is no value. One row each: data sets are
    the blocks of a model without replications.
    Raises ValueError if the values do not determine the model: a free covariance takes a value of
    every candidate on every data set.
    """
    unit = fit_unit(values)
    if unit != 1:
        n_free = sum(int(np.isfinite(x).sum()) for x in values) - values[0].shape[1]
        return in_unit(fit_values([x / unit for x in values], structure), unit, n_free)
    if is_of_means(values):
        means = matrix_of_means(values)
        if not np.isnan(means).any():
            return fit_dataset_means(means, structure)
        if structure == "unstructured":
            raise ValueError(NO_FREE_COVARIANCE)
        return fit_incomplete_means(means)
    if is_balanced(values):
        return fit_domain_model(np.stack(values), structure)
    return fit_incomplete_domain(values, structure)


def compare_candidates(
    model: DomainModel, values: Sequence[Array], alpha: float, df: Degrees, rng: Generator
) -> PairTable:
    """Compare all pairs: with one variance by their joint law, else each by its own variance.

    Those with their own variances have a joint law only where there are many
    data sets, or where the normal law is requested.

    `values`: each (B_m, K); to which it was fitted.
    `rng`: draws from the joint law.
    """
    estimates = model.asymptotic if df == "asymptotic" else model.estimates
    if model.differences is not None:
        if df == "asymptotic":
            estimates = replace(model.estimates, df=inf)
        is_joint = df == "asymptotic" or len(model.dataset_effects) >= joint_units(len(model.means))
        if is_joint and _all_vary(estimates.covariance):
            return max_abs_t_pairs(estimates, alpha, rng)
        own = np.full(len(model.differences.df), inf)
        own = own if isinf(estimates.df) else model.differences.df
        return compare_differences(replace(model.differences, df=own), alpha)
    return (
        tukey(estimates, alpha) if is_balanced(values) else max_abs_t_pairs(estimates, alpha, rng)
    )


def _all_vary(covariance: Array) -> bool:
    """Return whether the differences of all pairs have positive variances."""
    own = covariance.diagonal()
    of_pairs = own[:, None] + own - 2 * covariance
    return bool((of_pairs[np.triu_indices(len(own), 1)] > ROUNDING * float(own.max())).all())


def mean_limits(model: DomainModel, alpha: float, df: Degrees) -> tuple[Array, Array]:
    """Return the limits of the interval of every mean alone, each of shape (K,)."""
    own = np.full(len(model.means), inf) if df == "asymptotic" else model.standard_error_df
    half = t_quantile(alpha / 2, own) * model.standard_errors
    return model.means - half, model.means + half


@dataclass(frozen=True, slots=True, repr=False)
class DomainComparison(Tabular):
    """A domain model and the comparisons of all pairs by it.

    Attributes
    ----------
    model : DomainModel
        Means, variance components, predictions of the data sets' effects, and the test
        `equality` that all candidates have the same mean.
    pairs : PairTable
    candidates : tuple of str
    lower, upper : ndarray of shape (K,)
        Interval of each mean alone, of level 1 - alpha.
    """

    model: DomainModel
    pairs: PairTable
    candidates: tuple[str, ...]
    lower: Array
    upper: Array

    def to_columns(self) -> Columns:
        """Return the columns of the candidates; those of the pairs are in `pairs`.

        Returns
        -------
        dict
            `candidate`, `mean`, `standard_error`, `df`, `lower`, `upper`.
        """
        return {
            "candidate": self.candidates,
            "mean": self.model.means,
            "standard_error": self.model.standard_errors,
            "df": self.model.standard_error_df,
            "lower": self.lower,
            "upper": self.upper,
        }

    def _heading(self) -> str:
        test, n = self.model.equality, len(self.model.dataset_effects)
        shown = "" if test is None else f", F = {test.statistic:.4g}, p = {test.p_value:.3g}"
        return f"{self.model.structure}, {n} data sets{shown}"


def domain_model(
    values: ArrayLike | Sequence[ArrayLike],
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    structure: Structure = "interaction",
    df: Degrees = "exact",
    rng: Generator | int = SEED,
) -> DomainComparison:
    r"""Fit a mixed model over data sets, and compare all pairs of candidates by it.

    Parameters
    ----------
    values : array-like of shape (M, B, K), or sequence of M array-likes of shape (B_m, K)
        Performances of M data sets, B replications of each and K candidates; NaN
        where there is no value. An array-like of shape (M, K) has one value a data
        set and candidate, such as a mean: data sets are then blocks.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Which values are better.
    alpha : float, default 0.05
        Family-wise error probability of the pairs.
    relevance : tuple of two floats, or float, optional
        Area of equivalence (-d, d), or d, in the unit of the values.
    structure : {"interaction", "unstructured"}
        Effects of data set by candidate: independent with one variance, or with
        any covariance over the candidates, which takes a value of each on every data set.
    df : {"exact", "asymptotic"}
        Degrees of freedom: exact (with gaps Kenward and Roger's), or none.
    rng : Generator or int
        Random numbers, or the seed of theirs, for the joint law of pairs where
        there are gaps, or many data sets.

    Returns
    -------
    DomainComparison

    Raises
    ------
    ValueError
        If `values` has another shape, infinite values, a data set or a candidate
        without a value, a single replication beside data sets with more, or does
        not determine the model; or another argument is not what is allowed.

    Notes
    -----
    :math:`p_{mbk} = \kappa_k + \beta_m + \beta_{mk} + \beta_{mb} + \epsilon_{mbk}`
    with fixed :math:`\kappa` and random rest, by REML.

    References
    ----------
    .. [1] M. J. A. Eugster, T. Hothorn and F. Leisch (2012), "Domain-based
       benchmark experiments", Austrian Journal of Statistics 41.
    .. [2] M. G. Kenward and J. H. Roger (1997), "Small sample inference for fixed
       effects from restricted maximum likelihood", Biometrics 53.

    Examples
    --------
    >>> from reportgen import stats
    >>> found = stats.domain_model([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]], ["lda", "svm"])
    >>> found
    DomainComparison: interaction, 3 data sets, F = 12, p = 0.0742
    candidate  mean  standard_error    df    lower  upper
    lda           2          0.8165  2.56  -0.8703   4.87
    svm           4          0.8165  2.56     1.13   6.87
    >>> found.pairs.to_frame()[["first", "second", "estimate"]].values.tolist()
    [['lda', 'svm', -2.0]]
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    area = area_of(relevance)
    check_choice("structure", structure, get_args(Structure))
    check_choice("df", df, get_args(Degrees))
    parts, candidates = domain_of(values, names)
    if len(parts) < 2:
        raise refuse("values", "1 data set", "at least 2")
    single = [m for m, part in enumerate(parts) if len(part) == 1]
    if single and not is_of_means(parts):
        found = f"a single replication of data set {single[0]}"
        raise refuse("values", found, "at least 2 of each data set, or 1 of each")
    model = fit_values(parts, structure)
    pairs = compare_candidates(model, parts, alpha, df, generator_of(rng))
    lower, upper = mean_limits(model, alpha, df)
    named = pairs.counted(matrix_of_means(parts), smaller).named(candidates, "", smaller)
    return DomainComparison(model, named.decided(area), candidates, lower, upper)
