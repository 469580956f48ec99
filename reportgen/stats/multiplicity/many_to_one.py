"""Dunnett's comparisons of every parameter with a reference."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.arrays import Array
from reportgen.stats.distributions.dunnett import quantile, survival
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.pair_table import PairTable
from reportgen.stats.permutation.block_sums import Alternative, directed, with_reference

EQUAL = 1e-9  # relative: variances and covariances that differ by less are one


def dunnett(
    estimates: ParameterEstimates,
    reference: int,
    alpha: float,
    alternative: Alternative = "two-sided",
) -> PairTable:
    """Compare every parameter with a reference.

    `estimates`: of K >= 2 parameters; the differences from the reference have one positive variance
    and correlation 1/2, as in a balanced model.
    `reference`: parameter all others are compared with.
    `alpha`: family-wise error probability, 0 < alpha < 1.
    `alternative`: what is looked for in candidate - reference.
    Result: first the candidate, second the reference; exact for the balanced block model and its
    covariance. One-sided intervals end at infinity on the side that is looked for.
    Raises ValueError if variances or correlations are other, there is no such parameter or
    alternative, K < 2, or alpha is not inside (0, 1).

    References
    ----------
    .. [1] C. W. Dunnett (1955), "A multiple comparison procedure for comparing
       several treatments with a control", JASA 50.

    Examples
    --------
    >>> three = ParameterEstimates(np.array([1.0, 2.0, 4.0]), np.eye(3) / 2, df=10)
    >>> compared = dunnett(three, reference=0, alpha=0.05)
    >>> compared.estimate, compared.lower.round(3), compared.adjusted_p_value.round(4)
    (array([1., 3.]), array([-1.568,  0.432]), array([0.5247, 0.0242]))
    """
    n_parameters, fold = len(estimates.coef), directed(alternative)
    others, _ = with_reference(reference, n_parameters)
    if not len(others):
        raise ValueError("a comparison with a reference needs two parameters, got 1")
    error = sqrt(_common_variance(estimates.of_contrasts, others, reference))
    differences = estimates.coef[others] - estimates.coef[reference]
    is_two_sided = alternative == "two-sided"
    critical = quantile(alpha, len(others), estimates.df, is_two_sided)
    no_bound = np.full(len(others), inf)
    p_values = survival(fold(differences / error), len(others), estimates.df, is_two_sided)
    return PairTable.of(
        np.column_stack([others, np.full(len(others), reference)]),
        differences,
        "dunnett",
        alpha,
        standard_error=error,
        lower=-no_bound if alternative == "less" else differences - critical * error,
        upper=no_bound if alternative == "greater" else differences + critical * error,
        statistic=differences / error,
        df=estimates.df,
        adjusted_p_value=p_values,
        critical_value=critical,
    )


def _common_variance(covariance: Array, others: NDArray[np.intp], reference: int) -> float:
    """Return the variance of the differences from the reference; raise an error if they differ."""
    contrasts = np.eye(len(covariance))[others]
    contrasts[:, reference] -= 1
    between: Array = contrasts @ covariance @ contrasts.T
    variance = float(between.diagonal().mean())
    expected = variance * (np.eye(len(others)) + 1) / 2
    if not variance > 0 or np.abs(between - expected).max() > EQUAL * variance:
        raise ValueError(
            "the differences from the reference must have one positive variance and correlation 1/2"
        )
    return variance
