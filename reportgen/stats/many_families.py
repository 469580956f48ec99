"""One adjustment for the pairs of many families: several data sets, or measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from reportgen.stats.multiplicity import holm

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairFamily:
    """The pairs of one family, each compared by its own t statistic.

    Attributes
    ----------
    statistics : ndarray of shape (P,)
        Differences in standard errors, not adjusted.
    df : ndarray of shape (P,)
        Degrees of freedom of each; infinite for the normal law.
    """

    statistics: Array
    df: Array

    @property
    def p_values(self) -> Array:
        """Two-sided p-values of the pairs, each for itself, shape (P,)."""
        finite = np.where(np.isinf(self.df), 1.0, self.df)
        t = stdtr(finite, -np.abs(self.statistics))
        normal = ndtr(-np.abs(self.statistics))
        return np.asarray(2 * np.where(np.isinf(self.df), normal, t), dtype=np.float64)


def holm_over_all(families: Sequence[PairFamily]) -> tuple[Array, ...]:
    """Adjust the pairs of all families together, by Holm's method.

    Parameters
    ----------
    families : sequence of PairFamily

    Returns
    -------
    tuple of ndarray
        Adjusted p-values by family. Whatever pairs are alike and however the
        families depend on each other, the probability that one or more pairs
        that are alike have one of at most alpha is at most alpha.

    Notes
    -----
    Between families nothing is known of the joint law (data sets may share
    observations, measures do), so that the inequality of Bonferroni is what
    holds; at the small levels that are left for a pair it costs little against
    the joint law within a family.

    References
    ----------
    .. [1] S. Holm (1979), "A simple sequentially rejective multiple test
       procedure", Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> two = [PairFamily(np.array([4.0, 1.0]), np.full(2, 9.0)),
    ...        PairFamily(np.array([5.0]), np.array([np.inf]))]
    >>> [p.round(6).tolist() for p in holm_over_all(two)]
    [[0.006221, 0.343436], [2e-06]]
    """
    if not families:
        return ()
    adjusted = holm(np.concatenate([family.p_values for family in families]))
    ends = np.cumsum([len(family.statistics) for family in families])
    return tuple(np.split(adjusted, ends[:-1]))


def bonferroni_value(n_pairs: int, df: float, alpha: float) -> float:
    """Return the critical value of |t| for intervals that hold over all pairs of all families.

    Parameters
    ----------
    n_pairs : int
        Of all families together.
    df : float
        Infinite for the normal law.
    alpha : float
        Probability that one or more intervals miss, at most; 0 < alpha < 1.

    Raises
    ------
    ValueError
        If there is no pair, or alpha is not inside (0, 1).

    Examples
    --------
    >>> round(bonferroni_value(315, 1245, 0.05), 4), round(bonferroni_value(1, np.inf, 0.05), 4)
    (3.7886, 1.96)
    """
    if n_pairs < 1 or not 0 < alpha < 1:
        raise ValueError(f"no critical value of {n_pairs} pairs at alpha = {alpha}")
    tail = alpha / (2 * n_pairs)
    return float(-ndtri(tail) if np.isinf(df) else -stdtrit(df, tail))
