"""Parts of a consensus that can be found one after the other.

Where every candidate of a set A is best put strictly before every one of a set B, pair by pair, all
optima put A before B: take any order of the class, keep what it says inside A and inside B, and
put A before B. The result is an order of the class (each class here is closed under restriction and
under putting one order before another, since 2 + 2, 3 + 1 and a tie beside a tie that is none are
connected by ties), and every pair between A and B now costs the least it can, so the order costs
less unless it was such an order before. For linear orders this is the extended Condorcet
criterion (Truchon 1998).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.relations import OrderClass, closure

Whole = NDArray[np.int64]


def blocks(costs: Whole, order_class: OrderClass) -> tuple[NDArray[np.int64], ...]:
    """Cut candidates into the smallest blocks that stand one before the other in all optima.

    Parameters
    ----------
    costs : ndarray of shape (K, K), int
        What it costs to put i before j; a tie costs nothing.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}

    Returns
    -------
    tuple of ndarray of int
        Candidates of each block, the best block first.

    Examples
    --------
    >>> [b.tolist() for b in blocks(np.array([[0, 1, 1], [-1, 0, 0], [-1, 0, 0]]), "weak")]
    [[1, 2], [0]]
    """
    is_first = costs < costs.T
    if order_class != "linear":
        is_first &= costs < 0
    # i may come before j in an optimum unless j is best put first: cycles of this are the blocks
    reach = closure(~is_first.T | np.eye(len(costs), dtype=np.bool_))
    place = reach.sum(axis=1)  # who reaches more stands before
    order = np.unique(-place, return_inverse=True)[1]
    found = [np.flatnonzero(order == block) for block in range(int(order.max()) + 1)]
    return tuple(found)
