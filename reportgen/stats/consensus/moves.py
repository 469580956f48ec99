"""A good order without proof: candidates are moved as long as this makes the order cheaper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.relations import Incidence, OrderClass

Whole = NDArray[np.int64]
Array = NDArray[np.float64]


def improved(costs: Whole, order_class: OrderClass, worths: Array) -> Incidence:
    """Begin with the order of some worths and move single candidates while it helps.

    Parameters
    ----------
    costs : ndarray of shape (K, K), int
        What it costs to put i before j; a tie costs nothing.
    order_class : str
        With `linear` there are no ties; else the order is a weak order, which
        belongs to all other classes.
    worths : ndarray of shape (K,)
        Higher is better.

    Returns
    -------
    ndarray of shape (K, K), bool
        No move of one candidate makes it cheaper.
    """
    groups = [[int(i)] for i in np.argsort(-worths, kind="stable")]
    may_tie = order_class != "linear"
    cost = _cost(costs, groups)
    while True:
        for candidate in range(len(costs)):
            groups = _moved(costs, groups, candidate, may_tie)
        following = _cost(costs, groups)
        if following >= cost:
            return _relation(groups, len(costs))
        cost = following


def _moved(costs: Whole, groups: list[list[int]], candidate: int, may_tie: bool) -> list[list[int]]:
    """Put a candidate where it costs least: between two groups, or into one."""
    others = [[k for k in group if k != candidate] for group in groups]
    others = [group for group in others if group]
    after = np.array([costs[group, candidate].sum() for group in others], dtype=np.int64)
    before = np.array([costs[candidate, group].sum() for group in others], dtype=np.int64)
    # between: all groups above are better than it, all below worse
    between = np.concatenate([[0], np.cumsum(after)]) + np.concatenate(
        [np.cumsum(before[::-1])[::-1], [0]]
    )
    place = int(between.argmin())
    if may_tie and others:
        inside = between[:-1] - before
        if inside.min() <= between[place]:
            place = int(inside.argmin())
            return [[*g, candidate] if number == place else g for number, g in enumerate(others)]
    return [*others[:place], [candidate], *others[place:]]


def _cost(costs: Whole, groups: list[list[int]]) -> int:
    return int(costs[_relation(groups, len(costs))].sum())


def _relation(groups: list[list[int]], n: int) -> Incidence:
    rank = np.zeros(n, dtype=np.int64)
    for place, group in enumerate(groups):
        rank[group] = place
    return np.asarray(rank[:, None] < rank[None, :])
