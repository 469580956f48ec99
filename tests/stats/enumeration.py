"""All arrangements of small blocks, one by one."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def all_arranged_sums(scores: Array) -> Array:
    """Return the column sums about their mean of all (K!)^B arrangements."""
    rows = [list(permutations(row)) for row in (scores - scores.mean(axis=1, keepdims=True))]
    return np.array([np.sum(arranged, axis=0) for arranged in product(*rows)])
