"""Consensus orders of relations or rankings."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better
from reportgen.stats.consensus_relations import nearest
from reportgen.stats.consensus_relations.orders import Coding
from reportgen.stats.interface.arguments import (
    Names,
    check_choice,
    check_count,
    is_smaller_better,
    names_of,
    numbers_of,
    refuse,
)
from reportgen.stats.relations.relations import CLASSES, OrderClass, of_statistic


def consensus(
    relations: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    weights: ArrayLike | None = None,
    order_class: OrderClass = "weak",
    coding: Coding = "strict",
    limit: int | None = None,
) -> nearest.Consensus:
    r"""Find the orders of a class that are nearest to relations or rankings.

    Parameters
    ----------
    relations : array-like of shape (M, K, K) or (M, K)
        M relations of K candidates, ``relations[m, i, j]`` being 1 where i is
        better than j and 0 otherwise; or M rankings: ranks, or other numbers by
        which candidates are ranked, NaN for a candidate that is not.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Of rankings: which numbers are better; 1 is the best rank by default.
    weights : array-like of shape (M,), optional
        Of the members, not negative, not all 0; equal when left out.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}
        The class in which the consensus is sought.
    coding : {"strict", "relations"}
        Of ties: strict, or as R's package relations.
    limit : int, optional
        How many optima are listed at most; left out: 1000, and 20 of more than 12
        candidates.

    Returns
    -------
    Consensus
        All orders with the least sum of distances, the most even first: that whose
        largest distance from a member is smallest.

    Raises
    ------
    ValueError
        If `relations` has another shape, numbers other than 0 and 1 in a relation,
        or a pair that is better both ways; or another argument is not what is
        allowed.

    Notes
    -----
    Minimises :math:`\sum_m w_m d(R_m, R)`, d the number of ordered pairs in exactly
    one of the two relations, exactly: by branch and bound with the prices of a
    linear program.

    References
    ----------
    .. [1] J. G. Kemeny and J. L. Snell (1962), Mathematical models in the social
       sciences, chapter 2.
    .. [2] K. Hornik and D. Meyer (2007), "Deriving consensus rankings from
       benchmarking experiments", in Advances in Data Analysis, Springer.
    .. [3] M. J. A. Eugster (2011), Benchmark experiments, section 2.5.

    Examples
    --------
    >>> from reportgen import stats
    >>> rankings = [[1, 2, 3], [1, 2, 3], [2, 3, 1]]
    >>> found = stats.consensus(rankings, ["lda", "svm", "rf"], order_class="linear")
    >>> found
    Consensus: linear order, criterion 4 (proven), 1 optimal
    order  candidate  level
        1  lda            1
        1  svm            2
        1  rf             3
    >>> found.orders
    ((('lda',), ('svm',), ('rf',)),)
    """
    smaller = is_smaller_better(better)
    check_choice("order_class", order_class, CLASSES)
    check_choice("coding", coding, get_args(Coding))
    if limit is not None:
        check_count("limit", limit)
    given = numbers_of(relations, "relations")
    is_square = given.ndim == 3 and given.shape[1] == given.shape[2]
    if 0 in given.shape or not (given.ndim == 2 or is_square):
        raise refuse("relations", f"shape {given.shape}", "(M, K, K), or (M, K) of ranks")
    candidates = names_of(names, relations, given.shape[1])
    incidences = _incidences(given, smaller)
    weight = None if weights is None else numbers_of(weights, "weights")
    members = nearest.checked_weights(incidences, weight, coding) > 0
    found = nearest.consensus(
        incidences,
        weight,
        order_class,
        limit=limit or nearest.usual_limit(len(candidates)),
        coding=coding,
        most_work=nearest.MOST_WORK,
    )
    orders = nearest.most_even_first(found.relations, incidences[members])
    return replace(found, relations=orders, candidates=candidates)


def _incidences(given: NDArray[np.float64], is_smaller_better: bool) -> NDArray[np.bool_]:
    """Return relations, of shape (M, K, K), as they are or of rankings."""
    if given.ndim == 2:
        if np.isinf(given).any():
            raise refuse("relations", "an infinite rank", "finite numbers, nan where there is none")
        return np.array([of_statistic(row, is_smaller_better) for row in given])
    if not np.isin(given, (0, 1)).all():
        other = given[~np.isin(given, (0, 1))][0]
        raise refuse("relations", f"{other:g} in a relation", "0 and 1")
    return given.astype(np.bool_)
