"""Adjustment of p-values: Bonferroni, Holm, Šidák, all pairs; and the false discovery rate.

All but Šidák's, which takes tests for independent, control the probability of one or more false
rejections whatever hypotheses are true (strong control). Bonferroni's and Holm's need nothing but
valid p-values. The closure tests every partial hypothesis, that is,
every partition of the candidates into groups that are alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.stats.arrays import Array

Subset = tuple[int, ...]

MOST_CLOSED = 8  # candidates: 4,140 partitions
NEARLY_SURE = 1 - 1e-16
ADDED_UP = 1e-3  # p-value up to which Šidák's adjustment multiplies


def bonferroni(p_values: ArrayLike, n_hypotheses: int | NDArray[np.intp]) -> Array:
    """Adjust p-values for the number of hypotheses in their family; NaN stays.

    Examples
    --------
    >>> bonferroni(np.array([0.01, 0.4, np.nan]), 3)
    array([0.03, 1.  ,  nan])
    """
    return np.asarray(np.minimum(1.0, n_hypotheses * np.asarray(p_values)))


def sidak(p_values: Array) -> Array:
    """Adjust p-values of independent tests for their number; small ones as Bonferroni does.

    `p_values`: (m,); not numbers for characteristics that were not tested; they do not count.
    Result: (m,); m p up to p = .001, else 1 - (1 - p)^m, as partykit has it.

    Examples
    --------
    >>> sidak(np.array([0.0001, 0.5, np.nan]))
    array([2.0e-04, 7.5e-01,     nan])
    """
    m = int((~np.isnan(p_values)).sum())
    together = -np.expm1(m * np.log1p(-np.minimum(p_values, NEARLY_SURE)))
    return np.where(p_values <= ADDED_UP, bonferroni(p_values, m), together)


def sidak_level(alpha: float, n_hypotheses: int) -> float:
    """Return the p-value that `sidak` adjusts to alpha.

    Examples
    --------
    >>> round(sidak_level(0.05, 2), 4), sidak_level(0.05, 100)
    (0.0253, 0.0005)
    """
    if not n_hypotheses:
        return alpha
    level = float(-np.expm1(np.log1p(-alpha) / n_hypotheses))
    return alpha / n_hypotheses if level <= ADDED_UP else level


def holm(p_values: Array, n_hypotheses: int | None = None) -> Array:
    """Adjust p-values by Holm's method.

    `p_values`: (P, ...); of P hypotheses, at each of several looks. Those that are valid at all
    looks together, such as those of e-processes, stay so.
    `n_hypotheses`: of the family, P or more: those that are not tested count as p-values of 1. Left
    out: P.
    Result: (P, ...).
    Raises ValueError if a p-value does not lie between 0 and 1.

    References
    ----------
    .. [1] S. Holm (1979), "A simple sequentially rejective multiple test
       procedure", Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    if not ((p_values >= 0) & (p_values <= 1)).all():
        raise ValueError("p-values must lie between 0 and 1")
    n = len(p_values) if n_hypotheses is None else n_hypotheses
    order = np.argsort(p_values, axis=0, kind="stable")
    factors = n - np.arange(len(p_values), dtype=np.float64)
    factors = factors.reshape(-1, *(1,) * (p_values.ndim - 1))
    scaled = np.take_along_axis(p_values, order, axis=0) * factors
    adjusted = np.empty(p_values.shape)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(scaled, axis=0), axis=0)
    return np.minimum(1.0, adjusted)


def closed_pairs(p_values: Mapping[Subset, float], n_candidates: int) -> Array:
    """Adjust pairs by the closure of all partial hypotheses.

    `p_values`: one p-value for every subset of two or more columns, ascending: of the hypothesis
    that these are alike, whatever the others are.
    `n_candidates`: k, at most 8.
    Result: (P,); of all pairs in lexical order.
    Raises ValueError if there are too many candidates.
    Raises KeyError if a subset has no p-value.

    Notes
    -----
    A pair is rejected when every hypothesis that implies its equality is: those
    are the partitions of the candidates with both in one group. A partition into
    several groups of two or more is tested by Bonferroni's inequality.

    References
    ----------
    .. [1] R. Marcus, E. Peritz and K. R. Gabriel (1976), "On closed testing
       procedures with special reference to ordered analysis of variance",
       Biometrika 63.

    Examples
    --------
    >>> closed_pairs({(0, 1): 0.01, (0, 2): 0.04, (1, 2): 0.03, (0, 1, 2): 0.02}, 3)
    array([0.02, 0.04, 0.03])
    """
    if n_candidates > MOST_CLOSED:
        raise ValueError(f"closed testing is for up to {MOST_CLOSED} candidates")
    groups, sizes, is_alike = _hypotheses(n_candidates)
    p = np.array([*(p_values[subset] for subset in subsets(n_candidates)), 1.0])
    tested = bonferroni(p[groups].min(axis=1), sizes)
    return np.asarray((tested[:, None] * is_alike).max(axis=0))


@cache
def _hypotheses(n_candidates: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """Return the partial hypotheses: their groups, how many these are, and the pairs in them."""
    # A row a partition. Groups are places in `subsets`, filled up with the place behind the last.
    every = subsets(n_candidates)
    place = {subset: i for i, subset in enumerate(every)}
    large = [
        [place[group] for group in groups if len(group) > 1]
        for groups in partitions(tuple(range(n_candidates)))
    ]
    sizes = np.array([len(own) for own in large], dtype=np.intp)
    groups = np.full((len(large), max(1, int(sizes.max()))), len(every), dtype=np.intp)
    pairs = {pair: i for i, pair in enumerate(combinations(range(n_candidates), 2))}
    is_alike = np.zeros((len(large), len(pairs)), dtype=np.bool_)
    for row, own in enumerate(large):
        groups[row, : len(own)] = own
        for group in own:
            is_alike[row, [pairs[pair] for pair in combinations(every[group], 2)]] = True
    for kept in (groups, sizes, is_alike):
        kept.flags.writeable = False
    return groups, sizes, is_alike


def subsets(n_candidates: int) -> list[Subset]:
    """Return all subsets of two or more columns, small ones first.

    Examples
    --------
    >>> subsets(3)
    [(0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    sizes = range(2, n_candidates + 1)
    return [subset for size in sizes for subset in combinations(range(n_candidates), size)]


def partitions(things: Subset) -> Iterator[list[Subset]]:
    """Return all partitions into groups, each in ascending order.

    Examples
    --------
    >>> list(partitions((0, 1)))
    [[(0,), (1,)], [(0, 1)]]
    """
    if not things:
        yield []
        return
    first, rest = things[0], things[1:]
    for size in range(len(rest) + 1):
        for mates in combinations(rest, size):
            others = tuple(thing for thing in rest if thing not in mates)
            for groups in partitions(others):
                yield [(first, *mates), *groups]


def benjamini_hochberg(p_values: Array) -> Array:
    r"""Return p-values adjusted for the false discovery rate.

    `p_values`: (P,); of tests, each for itself; NaN of those that are no part of the family.
    Result: (P,); with the p-values ascending, :math:`\min_{j \ge i} \min(1, m p_{(j)} / j)`, m of
    them; NaN where there is none. Those at most alpha are decided at the rate alpha.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03, 0.5])).round(4)
    array([0.04  , 0.0533,    nan, 0.0533, 0.5   ])
    """
    known = np.flatnonzero(np.isfinite(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    m = len(order)
    scaled = p_values[order] * m / np.arange(1, m + 1)
    found = np.full(len(p_values), np.nan)
    found[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return found
