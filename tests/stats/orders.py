"""All strict relations on a few things, and their classes."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from reportgen.stats.relations.relations import CLASSES, order_class


@cache
def asymmetric(n: int) -> np.ndarray:
    """Return all asymmetric relations on n things, shape (number, n, n)."""
    pairs = list(combinations(range(n), 2))
    sides = np.indices((3,) * len(pairs), dtype=np.int8).reshape(len(pairs), 3 ** len(pairs))
    found = np.zeros((3 ** len(pairs), n, n), dtype=bool)
    for (i, j), side in zip(pairs, sides, strict=True):
        found[:, i, j], found[:, j, i] = side == 1, side == 2
    found.flags.writeable = False
    return found


@cache
def orders(n: int, wanted: str) -> np.ndarray:
    """Return all strict orders of a class, shape (number, n, n)."""
    reach = CLASSES[: CLASSES.index(wanted) + 1]  # type: ignore[arg-type]
    transitive, classes = _partial_orders(n)
    return transitive[np.isin(classes, reach)]


@cache
def _partial_orders(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all strict partial orders, and the class of each."""
    every = asymmetric(n)
    composed = np.einsum("rij,rjk->rik", every, every)
    transitive = every[~(composed & ~every).any(axis=(1, 2))]
    return transitive, np.array([order_class(r) for r in transitive])
