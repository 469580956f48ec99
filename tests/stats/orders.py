"""All strict relations on a few things, and their classes."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np

from reportgen.stats.relations import CLASSES, order_class


@cache
def asymmetric(n: int) -> tuple[np.ndarray, ...]:
    """Return all asymmetric relations on n things."""
    pairs = list(combinations(range(n), 2))
    found = []
    for choice in product((0, 1, 2), repeat=len(pairs)):
        relation = np.zeros((n, n), dtype=bool)
        for (i, j), side in zip(pairs, choice, strict=True):
            relation[i, j], relation[j, i] = side == 1, side == 2
        found.append(relation)
    return tuple(found)


@cache
def orders(n: int, wanted: str) -> np.ndarray:
    """Return all strict orders of a class, shape (number, n, n)."""
    reach = CLASSES[: CLASSES.index(wanted) + 1]  # type: ignore[arg-type]
    return np.array([r for r in asymmetric(n) if order_class(r) in reach])
