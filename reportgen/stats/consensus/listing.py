"""All orders of a few candidates, where listing them is quicker than any search."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.relations import OrderClass

MOST_CANDIDATES = {"linear": 7, "weak": 6}
"""Up to which 5,040 linear and 4,683 weak orders are listed; other classes are too many."""


def listed_orders(n: int, order_class: OrderClass) -> NDArray[np.bool_] | None:
    """Return all orders of a class.

    Returns
    -------
    ndarray of shape (N, n, n), bool, or None
        None for more candidates than `MOST_CANDIDATES`.

    Examples
    --------
    >>> len(listed_orders(3, "linear")), len(listed_orders(3, "weak"))
    (6, 13)
    """
    if n > MOST_CANDIDATES.get(order_class, 0):
        return None
    places = _distinct(n) if order_class == "linear" else _dense(n)
    return np.asarray(places[:, :, None] < places[:, None, :])


@cache
def _distinct(n: int) -> NDArray[np.int8]:
    """Return the places of n candidates in all linear orders."""
    return np.array(list(permutations(range(n))), dtype=np.int8)


@cache
def _dense(n: int) -> NDArray[np.int8]:
    """Return the places of n candidates in all weak orders: none between two is empty."""
    every = np.indices((n,) * n, dtype=np.int8).reshape(n, -1).T
    taken = np.stack([(every == place).any(axis=1) for place in range(n)], axis=1)
    has_gap = (taken[:, 1:] & ~taken[:, :-1]).any(axis=1)
    return np.ascontiguousarray(every[taken[:, 0] & ~has_gap])
