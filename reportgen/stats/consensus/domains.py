"""What is still possible for each pair of an order, and what follows for the other pairs.

A domain is a set of answers for a pair (i, j): i is better, j is better, or neither. What three
candidates may look like in a class carries over from the pairs (i, k) and (k, j) to (i, j): path
consistency (Mackworth 1977). It removes only what no order of the class can have.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.relations import Incidence, OrderClass, belongs_to

Domains = NDArray[np.uint8]

FIRST, SECOND, TIED = 1, 2, 4
ANY = FIRST | SECOND | TIED

TURNED = np.array([0, 2, 1, 3, 4, 6, 5, 7], dtype=np.uint8)
"""What a domain of (i, j) is for (j, i)."""


def all_possible(n: int, order_class: OrderClass) -> Domains:
    """Return the domains of all pairs of n candidates before anything is known.

    Returns
    -------
    ndarray of shape (K, K), uint8
        Sums of `FIRST` (i is better), `SECOND` (j is better) and `TIED`. The
        diagonal is without meaning and allows all.
    """
    domains = np.full((n, n), FIRST | SECOND if order_class == "linear" else ANY, dtype=np.uint8)
    np.fill_diagonal(domains, ANY)
    return domains


def propagate(domains: Domains, order_class: OrderClass) -> Domains | None:
    """Remove what no order of a class can have, given the domains of all pairs.

    Parameters
    ----------
    domains : ndarray of shape (K, K), uint8
        ``domains[j, i]`` is ``TURNED[domains[i, j]]``.
    order_class : {"linear", "weak", "semiorder", "interval", "partial"}

    Returns
    -------
    ndarray of shape (K, K), uint8, or None
        Smaller domains, or None when there is no such order.
    """
    follows = _compositions("weak" if order_class in ("linear", "weak") else "partial")
    while True:
        joined = follows[domains[:, :, None], domains[None, :, :]]
        smaller = domains & np.bitwise_and.reduce(joined, axis=1)
        np.fill_diagonal(smaller, ANY)
        if not smaller.all():
            return None
        if np.array_equal(smaller, domains):
            break
        domains = smaller
    return None if _breaks_four(domains, order_class) else domains


def decided(domains: Domains) -> Incidence | None:
    """Return the relation when each pair has one answer left."""
    off = ~np.eye(len(domains), dtype=np.bool_)
    if ((domains & (domains - 1)) != 0)[off].any():
        return None
    return np.asarray((domains == FIRST) & off)


def domains_of(relation: Incidence) -> Domains:
    """Return the domains that only one relation has."""
    domains = np.where(relation, FIRST, np.where(relation.T, SECOND, TIED)).astype(np.uint8)
    np.fill_diagonal(domains, ANY)
    return domains


def _breaks_four(domains: Domains, order_class: OrderClass) -> bool:
    """Whether pairs that are decided hold 2 + 2 or, for a semiorder, 3 + 1."""
    if order_class not in ("interval", "semiorder"):
        return False
    off = ~np.eye(len(domains), dtype=np.bool_)
    better = ((domains == FIRST) & off).astype(np.float64)
    not_better = (((domains & FIRST) == 0) & off).astype(np.float64)
    crossing = better @ not_better.T > 0
    if (crossing & crossing.T & off).any():
        return True
    if order_class == "interval":
        return False
    return bool(((better @ better > 0) & (not_better @ not_better > 0) & off).any())


@cache
def _compositions(order_class: OrderClass) -> NDArray[np.uint8]:
    """Return what (i, k) and (k, j) leave for (i, j), by trying all orders of three."""
    table = np.zeros((8, 8), dtype=np.uint8)
    answers = (FIRST, SECOND, TIED)
    for ik, kj, ij in product(answers, repeat=3):
        relation = np.zeros((3, 3), dtype=np.bool_)
        for (a, b), answer in (((0, 1), ik), ((1, 2), kj), ((0, 2), ij)):
            relation[a, b], relation[b, a] = answer == FIRST, answer == SECOND
        if belongs_to(relation, order_class):
            for first, second in product(range(8), repeat=2):
                if first & ik and second & kj:
                    table[first, second] |= ij
    table.flags.writeable = False
    return table
