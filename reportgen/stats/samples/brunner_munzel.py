r"""Brunner and Munzel's test of all pairs of independent samples: which tends to larger values.

It asks of medians and shapes nothing: the hypothesis is :math:`P(X > Y) = P(X < Y)`. scipy has the
statistic and its t approximation, but divides by a variance of 0 where no value of the one is
among those of the other (or all are equal), and then returns no p-value. There, and wherever the
approximation would go below it, the p-value is that of complete separation under exchangeable
values, which no rank test of these sizes can go below. With fewer than ten values the approximation
errs too often all the same (docs/samples-size.md).

References
----------
.. [1] E. Brunner and U. Munzel (2000), "The nonparametric Behrens-Fisher problem: asymptotic theory
   and a small-sample approximation", Biometrical Journal 42.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import brunnermunzel, rankdata

from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.multiplicity.stepdown import holm
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.own_variances import FEWEST_UNITS
from reportgen.stats.samples.comparison import separation_chance

Array = NDArray[np.float64]


def brunner_munzel_pairs(values: Array, alpha: float) -> PairTable:
    """Compare all pairs of independent samples by Brunner and Munzel's test, adjusted by Holm.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        One column a sample, NaN below the values of the shorter ones; K >= 2.
    alpha : float
        Error probability of the family, 0 < alpha < 1.

    Returns
    -------
    PairTable
        Method "brunner-munzel", without intervals. The estimate is Cliff's delta, the share of
        pairs of values in which the first's is larger less that in which it is smaller. A pair
        one of whose samples has fewer than `FEWEST_UNITS` values is open and outside the family;
        two samples all of whose values are equal are not tested. `extra` has `n`, `n_first` and
        `n_second`, as of `compare_samples`.

    Raises
    ------
    ValueError
        If `values` is not such a matrix, or alpha is not inside (0, 1).

    References
    ----------
    .. [1] N. Cliff (1993), "Dominance statistics: ordinal analyses to answer ordinal questions",
       Psychological Bulletin 114.

    Examples
    --------
    >>> seconds = np.column_stack([np.arange(10.0), np.arange(10.0) + 3, np.arange(10.0) + 20])
    >>> table = brunner_munzel_pairs(seconds, 0.05)
    >>> table.estimate, table.adjusted_p_value.round(5)
    (array([-0.51, -1.  , -1.  ]), array([3.14e-02, 3.00e-05, 3.00e-05]))
    """
    check_pairs(values, alpha)
    pairs = all_pairs(values.shape[1])
    samples = [np.sort(column[~np.isnan(column)]) for column in values.T]
    sizes = np.array([len(sample) for sample in samples])
    n_first, n_second = sizes[pairs].T
    found = np.array([_test(samples[i], samples[j]) for i, j in pairs.tolist()])
    delta, statistic, approximation = found.reshape(len(pairs), 3).T
    least = separation_chance(n_first, n_second)
    is_separate = np.abs(delta) == 1
    p_value = np.where(is_separate, least, np.maximum(approximation, least))
    is_open = np.minimum(n_first, n_second) < FEWEST_UNITS
    is_tested = ~is_open & ~np.isnan(p_value)
    adjusted = np.full(len(pairs), np.nan)
    adjusted[is_tested] = _holm(p_value[is_tested], int((~is_open).sum()))
    return PairTable.of(
        pairs,
        delta,
        "brunner-munzel",
        alpha,
        statistic=statistic,
        p_value=p_value,
        adjusted_p_value=adjusted,
        is_open=is_open,
        extra={"n": np.minimum(n_first, n_second), "n_first": n_first, "n_second": n_second},
    )


def _holm(p_values: Array, m: int) -> Array:
    """Adjust by Holm's method; those of the family that are not tested count as 1."""
    return holm(np.append(p_values, np.ones(m - len(p_values))))[: len(p_values)]


def _test(first: Array, second: Array) -> tuple[float, float, float]:
    """Return Cliff's delta, the statistic of first - second, and its p-value."""
    n_first, n_second = len(first), len(second)
    if min(n_first, n_second) == 0:
        return np.nan, np.nan, np.nan
    ranks = rankdata(np.concatenate([first, second]))
    above = ranks[:n_first].sum() - n_first * (n_first + 1) / 2  # with half of the ties
    delta = float(2 * above / (n_first * n_second) - 1)
    if abs(delta) == 1 or min(n_first, n_second) == 1 or ranks[0] == ranks[-1] == ranks.mean():
        return delta, np.nan, np.nan
    found = brunnermunzel(first, second)
    return delta, -float(found.statistic), float(found.pvalue)
