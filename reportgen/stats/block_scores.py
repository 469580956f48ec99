"""Sums of the candidates' scores over complete blocks, and comparisons of them.

A score is whatever stands for a performance within its block: the rank there
(Friedman), the rank of the aligned performance (Hodges and Lehmann), or the
performance itself. What is here knows of no law: `block_permutation` and
`block_asymptotics` have the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.ranks import check_blocks

Array = NDArray[np.float64]
Alternative = Literal["two-sided", "less", "greater"]
Method = Literal["exact", "monte-carlo", "asymptotic"]


@dataclass(frozen=True, slots=True)
class SumEquality:
    """Test that all candidates are alike.

    Attributes
    ----------
    statistic : float
        (K - 1) times the sum of squared sums about their mean over the sum of
        squared scores about the block means: Friedman's with ranks. 0 when
        every block is fully tied.
    p_value : float
        1 when every block is fully tied.
    standard_error : float
        Of the p-value, by Monte Carlo; 0 otherwise.
    method : {"exact", "monte-carlo", "asymptotic"}
    n_draws : int or None
        Number of random arrangements, by Monte Carlo.
    """

    statistic: float
    p_value: float
    standard_error: float
    method: Method
    n_draws: int | None


@dataclass(frozen=True, slots=True)
class SumComparisons:
    """Differences of the sums of candidates, first - second.

    Attributes
    ----------
    first, second : ndarray of shape (P,), int
        Columns.
    differences : ndarray of shape (P,)
        Of the sums.
    statistics : ndarray of shape (P,)
        Divided by their standard deviation; 0 where that is 0.
    p_values : ndarray of shape (P,)
        Single step: each is the probability that the largest of all
        statistics is at least as large. 1 when every block is fully tied.
    standard_errors : ndarray of shape (P,)
        Of the p-values, by Monte Carlo; 0 otherwise.
    variance : float
        Of a difference when all arrangements are equally likely,
        2 / (K - 1) times the sum of squared scores about the block means.
    method : {"exact", "monte-carlo", "asymptotic"}
    n_draws : int or None
        Number of random arrangements, by Monte Carlo.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    differences: Array
    statistics: Array
    p_values: Array
    standard_errors: Array
    variance: float
    method: Method
    n_draws: int | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Sums of scores about their mean.

    Attributes
    ----------
    sums : ndarray of shape (K,)
    within : float
        Sum of squared scores about the block means.
    """

    sums: Array
    within: float

    @property
    def statistic(self) -> float:
        """Friedman's statistic of the scores."""
        return self.scale * float(self.sums @ self.sums)

    @property
    def scale(self) -> float:
        """What turns a sum of squared sums into the statistic; 0 when all is tied."""
        return (len(self.sums) - 1) / self.within if self.within else 0.0

    @property
    def variance(self) -> float:
        """Variance of a difference of two sums."""
        return 2 * self.within / (len(self.sums) - 1)

    def compare(
        self,
        first: NDArray[np.intp],
        second: NDArray[np.intp],
        p_values: Array,
        errors: Array | None = None,
        method: Method = "asymptotic",
        n_draws: int | None = None,
    ) -> SumComparisons:
        """Put comparisons together; without variance every p-value is 1."""
        differences = self.sums[first] - self.sums[second]
        no_errors = np.zeros(len(first))
        errors = no_errors if errors is None else errors
        if self.variance == 0:
            statistics, p_values, errors = no_errors, np.ones(len(first)), no_errors
        else:
            statistics = differences / sqrt(self.variance)
        return SumComparisons(
            first=first,
            second=second,
            differences=differences,
            statistics=statistics,
            p_values=p_values,
            standard_errors=errors,
            variance=self.variance,
            method=method,
            n_draws=n_draws,
        )


def standing(scores: Array) -> Standing:
    """Sum the scores of the candidates, or say what is wrong with them.

    Parameters
    ----------
    scores : ndarray of shape (B, K)
        Complete blocks.

    Returns
    -------
    Standing

    Raises
    ------
    ValueError
        If `scores` is not a complete matrix with a block and two columns.

    Examples
    --------
    >>> standing(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]))
    Standing(sums=array([-2.,  1.,  1.]), within=4.0)
    """
    if check_blocks(scores).shape[0] < 1 or scores.shape[1] < 2:
        raise ValueError(f"tests of blocks need a block and two candidates, got {scores.shape}")
    is_tied = np.ptp(scores, axis=1, keepdims=True) == 0
    within = np.where(is_tied, 0.0, scores - scores.mean(axis=1, keepdims=True))
    return Standing(within.sum(axis=0), float((within**2).sum()))


def column_pairs(n_candidates: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns of all pairs, first < second, in lexical order.

    Examples
    --------
    >>> column_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    """
    first, second = np.array(list(combinations(range(n_candidates), 2)), dtype=np.intp).T
    return first, second


def with_reference(reference: int, n_candidates: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns of all others and, as often, of the reference.

    Raises
    ------
    ValueError
        If there is no such column.

    Examples
    --------
    >>> with_reference(1, 4)
    (array([0, 2, 3]), array([1, 1, 1]))
    """
    if not 0 <= reference < n_candidates:
        raise ValueError(f"the reference must be a column below {n_candidates}, got {reference}")
    others = np.delete(np.arange(n_candidates, dtype=np.intp), reference)
    return others, np.full(len(others), reference, dtype=np.intp)


def directed(alternative: Alternative) -> np.ufunc:
    """Return the function that is large where a difference speaks against equality.

    Raises
    ------
    ValueError
        If there is no such alternative.

    Examples
    --------
    >>> directed("less")(np.array([-2.0, 1.0]))
    array([ 2., -1.])
    """
    folds: dict[str, np.ufunc] = {
        "two-sided": np.absolute,
        "less": np.negative,
        "greater": np.positive,
    }
    if alternative not in folds:
        raise ValueError(f"the alternative must be one of {', '.join(folds)}, got {alternative!r}")
    return folds[alternative]
