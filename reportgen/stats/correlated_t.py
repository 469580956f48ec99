"""Corani and Benavoli's Bayesian t test for correlated replications."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.pair_table import PairTable
from reportgen.stats.tails import t_quantile

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DifferencePosterior:
    """Posterior of the mean differences, first - second, one pair an entry.

    Attributes
    ----------
    rho : float
        Correlation of two replications that was assumed.
    area : tuple of two floats
        The region of practical equivalence (ROPE).
    location, scale, df : ndarray of shape (P,)
        The posterior is a Student t with them.
    left, rope, right : ndarray of shape (P,)
        Posterior probabilities that the difference lies below the area, in it
        and above it; their sum is 1.
    lower, upper : ndarray of shape (P,)
        Central credible interval, level 1 - alpha.
    """

    rho: float
    area: tuple[float, float]
    location: Array
    scale: Array
    df: Array
    left: Array
    rope: Array
    right: Array
    lower: Array
    upper: Array


def correlated_t(
    pairs: PairTable, ratio: float, area: tuple[float, float] = (0.0, 0.0)
) -> DifferencePosterior:
    r"""Return the posterior of every pair's mean difference.

    Parameters
    ----------
    pairs : PairTable
        What `corrected_pairs` returned.
    ratio : float
        The ratio r that it had.
    area : tuple of two floats, default (0, 0)
        Differences that mean nothing in practice, d1 <= 0 <= d2.

    Returns
    -------
    DifferencePosterior
        NaN where the pair has fewer than two replications. Without variation
        the posterior is a point.

    Raises
    ------
    ValueError
        If the area does not contain 0.

    Notes
    -----
    The B differences are taken as jointly normal with one mean, one variance
    and one correlation :math:`\rho = r / (1 + r)`, which is given. Under the
    prior :math:`1/\sigma^2` the posterior of the mean is a Student t on B - 1
    degrees of freedom with location :math:`\bar d` and squared scale
    :math:`(1/B + \rho/(1-\rho))\, s_d^2 = (1/B + r)\, s_d^2` [1]_: the credible
    interval is the confidence interval of the corrected t.

    References
    ----------
    .. [1] G. Corani and A. Benavoli (2015), "A Bayesian approach for comparing
       cross-validated algorithms on multiple data sets", Machine Learning 100,
       section 3.

    Examples
    --------
    >>> from reportgen.stats.corrected_t import corrected_pairs
    >>> values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]])
    >>> posterior = correlated_t(corrected_pairs(values, 0.5), 0.5, area=(-1.0, 1.0))
    >>> posterior.left.round(4), posterior.rope.round(4), posterior.right.round(4)
    (array([0.8739]), array([0.1141]), array([0.012]))
    """
    if not (area[0] <= 0 <= area[1]):
        raise ValueError(f"the area must contain 0, got {area}")
    reach = t_quantile(pairs.alpha / 2, pairs.df) * pairs.standard_error
    below, above = _cdf(pairs, area[0]), _cdf(pairs, area[1], is_upper=True)
    return DifferencePosterior(
        rho=ratio / (1 + ratio),
        area=area,
        location=pairs.estimate,
        scale=pairs.standard_error,
        df=pairs.df,
        left=below,
        rope=np.maximum(0.0, 1 - below - above),
        right=above,
        lower=pairs.estimate - reach,
        upper=pairs.estimate + reach,
    )


def _cdf(pairs: PairTable, bound: float, is_upper: bool = False) -> Array:
    """Return the posterior probability below a bound, or above it.

    A posterior that is a point on the bound lies inside the area.
    """
    from scipy.special import stdtr

    sign = -1.0 if is_upper else 1.0
    distance = sign * (bound - pairs.estimate)
    beyond = np.where(distance > 0, np.inf, -np.inf)
    beyond[np.isnan(pairs.standard_error)] = np.nan
    has_scale = ~(pairs.standard_error == 0)
    standardised = np.divide(distance, pairs.standard_error, out=beyond, where=has_scale)
    return np.asarray(stdtr(pairs.df, standardised))
