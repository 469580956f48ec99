"""Confidence intervals for the variance components of the domain model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import chdtri

from reportgen.stats.domain_strata import DomainStrata

Array = NDArray[np.float64]
Interval = tuple[float, float]

N_DRAWS = 20_000  # standard error of a bound's probability: .0011
LEAST_DF = 1.0  # below it a chi-squared interval says nothing


def generalised_intervals(
    strata: DomainStrata, alpha: float, rng: Generator, n_draws: int = N_DRAWS
) -> dict[str, Interval]:
    r"""Return intervals for the components of a balanced domain, each by itself.

    Parameters
    ----------
    strata : DomainStrata
    alpha : float
        1 - alpha is the level, 0 < alpha < 1.
    rng : Generator
    n_draws : int, default 20000

    Returns
    -------
    dict of str to tuple of two floats
        Of "dataset", "interaction", "replication" and "residual".

    Raises
    ------
    ValueError
        If alpha is not inside (0, 1).

    Notes
    -----
    The sums of squares over their expectations, :math:`SS_i / \theta_i`, are
    independent chi-squared. The interval of the residual variance follows
    exactly. The others are differences of expectations: their generalised
    intervals are the quantiles of :math:`SS_i / \chi^2_i` put in their place,
    with equal tails, cut at 0. Drawing :math:`\theta_i \chi^2_i / df_i`, a
    parametric bootstrap, has the longer tail on the wrong side: with ten data
    sets its intervals of their variance cover it in 91% where 95% are wanted,
    these in 95 to 97% (400 runs).

    References
    ----------
    .. [1] S. Weerahandi (1993), "Generalized confidence intervals", JASA 88.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    _, b, k = strata.shape
    chi = rng.chisquare(strata.df, size=(n_draws, 4))
    outer, cross, block, rest = (strata.squares / chi).T
    drawn = {
        "dataset": (outer - cross - block + rest) / (k * b),
        "interaction": (cross - rest) / b,
        "replication": (block - rest) / k,
    }
    tails = (alpha / 2, 1 - alpha / 2)
    found = {
        name: tuple(np.maximum(0.0, np.quantile(x, tails)).tolist()) for name, x in drawn.items()
    }
    df, square = float(strata.df[3]), float(strata.squares[3])
    exact = tuple(square / float(chdtri(df, tail)) for tail in tails)
    return {name: (bounds[0], bounds[1]) for name, bounds in (found | {"residual": exact}).items()}


def satterthwaite_intervals(
    variances: Mapping[str, float], errors: Mapping[str, float], alpha: float
) -> dict[str, Interval]:
    r"""Return intervals for components of which only standard errors are known.

    Parameters
    ----------
    variances, errors : mapping of str to float
        Estimates and their standard errors, by the expected information.
    alpha : float
        1 - alpha is the level, 0 < alpha < 1.

    Returns
    -------
    dict of str to tuple of two floats
        Components that are estimated as 0, or with less than one degree of
        freedom, are left out.

    Notes
    -----
    An estimate v with standard error e is taken for a multiple of a chi-squared
    variable on :math:`2 v^2 / e^2` degrees of freedom [1]_; that is exact for
    one mean square, and rough for a difference of several.

    References
    ----------
    .. [1] F. E. Satterthwaite (1946), "An approximate distribution of estimates
       of variance components", Biometrics Bulletin 2.

    Examples
    --------
    >>> found = satterthwaite_intervals({"residual": 2.0}, {"residual": 0.4}, 0.05)
    >>> [round(bound, 2) for bound in found["residual"]]
    [1.4, 3.09]
    """
    df = {name: 2 * (v / errors[name]) ** 2 for name, v in variances.items() if v > 0}
    return {
        name: (
            df[name] * variances[name] / float(chdtri(df[name], alpha / 2)),
            df[name] * variances[name] / float(chdtri(df[name], 1 - alpha / 2)),
        )
        for name in df
        if df[name] >= LEAST_DF
    }
