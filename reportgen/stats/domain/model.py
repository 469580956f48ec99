"""The mixed models of a domain: many data sets, replications inside them, candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import inf, log, pi
from typing import Literal

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.model import EqualityTest
from reportgen.stats.distributions.tails import log_f_survival, probability
from reportgen.stats.domain.components import Components, criterion_part, reml_components
from reportgen.stats.domain.strata import DomainStrata, domain_strata
from reportgen.stats.domain.unstructured import Unstructured, fit_unstructured
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.linear_algebra import helmert_contrasts, n_nonzero
from reportgen.stats.multiplicity.simultaneous import Differences, paired_differences

Structure = Literal["interaction", "unstructured"]
Zero = Literal["dataset", "interaction", "replication"]


@dataclass(frozen=True, slots=True)
class DomainModel:
    r"""Estimates of a domain model.

    :math:`p_{mbk} = \kappa_k + \beta_m + \beta_{mk} + \beta_{mb} + \epsilon_{mbk}`.

    Attributes
    ----------
    structure : {"interaction", "unstructured"}
    means : ndarray of shape (K,)
        Estimates of the kappa.
    standard_errors, standard_error_df : ndarray of shape (K,)
        Of single means, and their degrees of freedom.
    dataset_variance, interaction_variance : float or None
        Of beta_m and beta_mk; None for "unstructured".
    covariance : ndarray of shape (K, K) or None
        Of beta_m + beta_mk over the candidates; None for "interaction".
    replication_variance, variance : float or None
        Of beta_mb and epsilon; None where there is one value a data set and
        candidate, and they cannot be separated from the rest.
    sigma_rank : int
        Rank of the estimated covariance of beta_m + beta_mk.
    zeros : tuple of str
        Components that are estimated as 0: "dataset", "interaction",
        "replication".
    dataset_effects : ndarray of shape (M,)
        Predictions (BLUP) of beta_m; for "unstructured" the mean over the
        candidates of beta_m + beta_mk.
    interaction_effects : ndarray of shape (M, K)
        Predictions of beta_mk; for "unstructured" what is left of the sum.
    reml_criterion : float or None
        -2 log restricted likelihood at the estimates, constants as in lme4.
    equality : EqualityTest or None
        That all candidates have the same mean; None where there are too few
        data sets for it (M < K with "unstructured").
    method : str
        Of that test: "exact", "hotelling" or "kenward-roger".
    estimates : ParameterEstimates
        The means with the covariance and degrees of freedom under which single
        contrasts of them are exactly t; with gaps, nearly.
    asymptotic : ParameterEstimates
        The means, their covariance as if the variances were known, and infinite
        degrees of freedom.
    differences : Differences or None
        Of all pairs, each with its own variance and degrees of freedom, where the
        covariance is free.
    component_errors : mapping of str to float
        Standard errors of the variances by the expected information, with gaps
        and "interaction"; else empty, as sums of squares are more precise.
    """

    structure: Structure
    means: Array
    standard_errors: Array
    standard_error_df: Array
    dataset_variance: float | None
    interaction_variance: float | None
    covariance: Array | None
    replication_variance: float | None
    variance: float | None
    sigma_rank: int
    zeros: tuple[Zero, ...]
    dataset_effects: Array
    interaction_effects: Array
    reml_criterion: float | None
    equality: EqualityTest | None
    method: str
    estimates: ParameterEstimates
    asymptotic: ParameterEstimates
    component_errors: Mapping[str, float] = field(default_factory=dict)
    differences: Differences | None = None


def fit_domain_model(values: Array, structure: Structure = "interaction") -> DomainModel:
    r"""Fit a domain model to complete, balanced data by REML.

    `values`: (M, B, K); M data sets, B replications of each, K candidates, all at least 2; no gaps.
    `structure`: "interaction": the beta_mk are independent with one variance. "unstructured":
    beta_m + beta_mk has any covariance over the candidates.
    Raises ValueError if `values` is not such an array, or there is no variation to hold the
    differences of the candidates against.

    Notes
    -----
    Estimates are REML under non-negative variances. Tests and covariances of
    the means rest on the mean squares of the strata, also where a variance is
    estimated as 0: with "interaction" on that of data set by candidate,
    (M - 1)(K - 1) degrees of freedom; with "unstructured" on the covariance of
    the M vectors of means, M - 1 degrees of freedom, and Hotelling's test
    [1]_. Both are exact.

    References
    ----------
    .. [1] M. J. A. Eugster, T. Hothorn and F. Leisch (2012), "Domain-based
       benchmark experiments", Austrian Journal of Statistics 41.
    .. [2] S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance
       Components, section 4.6.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> level, taste = rng.normal(size=(8, 1, 1)), rng.normal(size=(8, 1, 3))
    >>> model = fit_domain_model(level + taste + rng.normal(size=(8, 10, 3)) + [0, 0, 4])
    >>> model.equality.df1, model.equality.df2, model.equality.p_value < 0.01
    (2, 14.0, True)
    """
    strata = domain_strata(values)
    if structure == "interaction":
        return _with_interaction(strata, reml_components(strata))
    return _without_structure(strata, fit_unstructured(strata))


def _with_interaction(strata: DomainStrata, found: Components) -> DomainModel:
    """Put the model with independent interactions together."""
    n_datasets, n_replications, n_candidates = strata.shape
    ms_dataset, ms_cross, *_ = strata.mean_squares
    of_mean = (ms_dataset + (n_candidates - 1) * ms_cross) / (
        n_candidates * n_replications * n_datasets
    )
    effects = _interaction_effects(strata, found)
    df = float(strata.df[1])
    common = np.full((n_candidates, n_candidates), (ms_dataset - ms_cross) / n_candidates)
    apart = ms_cross / (n_datasets * n_replications) * np.eye(n_candidates)
    covariance = common / (n_datasets * n_replications) + apart
    return DomainModel(
        structure="interaction",
        means=strata.means,
        standard_errors=np.full(n_candidates, of_mean**0.5),
        standard_error_df=np.full(n_candidates, _single_mean_df(strata)),
        dataset_variance=found.dataset,
        interaction_variance=found.interaction,
        covariance=None,
        replication_variance=found.replication,
        variance=found.residual,
        sigma_rank=n_candidates if found.interaction else int(found.dataset > 0),
        zeros=_zeros(found),
        dataset_effects=effects[0],
        interaction_effects=effects[1],
        reml_criterion=_constant(strata) + criterion_part(strata, found.expectations),
        equality=equality_f(
            strata.candidates / (n_candidates - 1) / ms_cross, n_candidates - 1, df
        ),
        method="exact",
        estimates=ParameterEstimates(strata.means, covariance, df, apart),
        asymptotic=ParameterEstimates(strata.means, covariance, inf, apart),
    )


def _single_mean_df(strata: DomainStrata) -> float:
    """Return Satterthwaite's degrees of freedom of one mean."""
    n_datasets, _, n_candidates = strata.shape
    ms_dataset, ms_cross, *_ = strata.mean_squares
    total = ms_dataset + (n_candidates - 1) * ms_cross
    return float((n_datasets - 1) * total**2 / (ms_dataset**2 + (n_candidates - 1) * ms_cross**2))


def _interaction_effects(strata: DomainStrata, found: Components) -> tuple[Array, Array]:
    """Predict the effects of the data sets and of data set by candidate."""
    _, b, k = strata.shape
    theta_dataset, theta_cross = found.expectations[:2]
    level = strata.dataset_means.mean(axis=1) - strata.means.mean()
    taste = strata.dataset_means - strata.means - level[:, None]
    of_dataset = k * b * found.dataset / theta_dataset * level
    from_level = b * found.interaction / theta_dataset * level[:, None]
    return of_dataset, from_level + b * found.interaction / theta_cross * taste


def _zeros(found: Components) -> tuple[Zero, ...]:
    values: dict[Zero, float] = {
        "dataset": found.dataset,
        "interaction": found.interaction,
        "replication": found.replication,
    }
    return tuple(name for name, value in values.items() if value == 0)


def _without_structure(strata: DomainStrata, found: Unstructured) -> DomainModel:
    """Put the model with a free covariance of the candidates together."""
    n_datasets, _, n_candidates = strata.shape
    total = (strata.dataset_means - strata.means) @ found.shrinkage.T
    df = float(n_datasets - 1)
    covariance = found.sample_covariance / n_datasets
    level = strata.dataset_means.mean(axis=1, keepdims=True)
    apart = np.cov(strata.dataset_means - level, rowvar=False) / n_datasets
    return DomainModel(
        structure="unstructured",
        means=strata.means,
        standard_errors=np.sqrt(covariance.diagonal()),
        standard_error_df=np.full(n_candidates, df),
        dataset_variance=None,
        interaction_variance=None,
        covariance=found.sigma,
        replication_variance=found.replication,
        variance=found.residual,
        sigma_rank=found.rank,
        zeros=("replication",) if found.replication == 0 else (),
        dataset_effects=total.mean(axis=1),
        interaction_effects=total - total.mean(axis=1, keepdims=True),
        reml_criterion=_constant(strata) + found.criterion_part,
        equality=hotelling(strata.dataset_means),
        method="hotelling",
        estimates=ParameterEstimates(strata.means, covariance, df, apart),
        asymptotic=ParameterEstimates(strata.means, covariance, inf, apart),
        differences=paired_differences(strata.dataset_means),
    )


def hotelling(dataset_means: Array) -> EqualityTest | None:
    """Test that all columns have the same mean, whatever their covariance.

    `dataset_means`: (M, K); one row a data set.
    Result: on K - 1 and M - K + 1 degrees of freedom; None where M < K, or the differences of the
    columns have a singular covariance.

    References
    ----------
    .. [1] T. W. Anderson (2003), An Introduction to Multivariate Statistical
       Analysis, section 5.3.5.

    Examples
    --------
    >>> round(hotelling(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]])).statistic, 6)
    12.0
    """
    n_datasets, n_candidates = dataset_means.shape
    if n_datasets < n_candidates:
        return None
    differences = dataset_means @ helmert_contrasts(n_candidates).T
    mean = differences.mean(axis=0)
    _, lengths, axes = np.linalg.svd(differences - mean, full_matrices=False)
    if n_nonzero(lengths, float(np.abs(dataset_means).max())) < n_candidates - 1:
        return None
    t_squared = n_datasets * (n_datasets - 1) * float(((axes @ mean / lengths) ** 2).sum())
    df1, df2 = n_candidates - 1, n_datasets - n_candidates + 1
    return equality_f(t_squared * df2 / (df1 * (n_datasets - 1)), df1, df2)


def equality_f(statistic: float, df1: int, df2: float) -> EqualityTest:
    """Return an F test with its p-value."""
    log_p = log_f_survival(statistic, df1, df2)
    return EqualityTest(float(statistic), df1, df2, probability(log_p), log_p / log(10))


def _constant(strata: DomainStrata) -> float:
    """Return what of lme4's REML criterion depends on the sizes alone."""
    m, b, k = strata.shape
    return (m * b * k - k) * log(2 * pi) + k * log(m * b)
