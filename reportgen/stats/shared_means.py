"""Means of the values that two candidates share, for units of which means are compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.ranking import levelled

AT_ONCE = 2**19  # values of pairs at a time: all pairs of many candidates fill the memory


@dataclass(frozen=True, slots=True)
class SharedMeans:
    """Means of the first and the second of P pairs on n units, over the values that both have."""

    # first, second: (n, P); NaN where the two share no value of the unit
    first: Array
    second: Array

    def of_units(self, rows: NDArray[np.intp] | slice) -> SharedMeans:
        """Return those of some of the units."""
        return SharedMeans(self.first[rows], self.second[rows])

    def of_pairs(self, places: NDArray[np.intp] | slice) -> SharedMeans:
        """Return those of some of the pairs."""
        return SharedMeans(self.first[:, places], self.second[:, places])


def shared_means(
    samples: Sequence[Array], means: Array, pairs: NDArray[np.intp]
) -> SharedMeans | None:
    """Take the means of each pair over the values of a unit that both have.

    A candidate that fails on the hard replications of a data set has a good mean there; on those
    that both have, two are compared under the same conditions.

    `samples`: sequence of n ndarrays of shape (B_n, K); the values of each unit, such as the
    replications of a data set; NaN where there is none.
    `means`: (n, K); their means, which stand for a pair that lacks the same values.
    `pairs`: (P, 2).
    Result: None where no two candidates differ in what they lack: the means say the same.

    Examples
    --------
    >>> sample = np.array([[1.0, 2.0], [2.0, 5.0], [np.nan, 9.0]])
    >>> found = shared_means([sample], np.array([[1.5, 16 / 3]]), np.array([[0, 1]]))
    >>> found.first, found.second
    (array([[1.5]]), array([[3.5]]))
    """
    if all(np.isfinite(values).all() for values in samples):
        return None  # no need of a number for each pair
    one, other = pairs.T
    first, second = means[:, one], means[:, other]
    is_alone = False
    for m, values in enumerate(samples):
        there = np.isfinite(values)
        gaps = there[there.any(axis=1) & ~there.all(axis=1)]  # mostly none: pairs are many
        if not len(gaps):
            continue
        apart = np.flatnonzero((gaps[:, one] != gaps[:, other]).any(axis=0))
        has_any: NDArray[np.bool_] = np.asarray(there.any(axis=0))
        apart = apart[has_any[one[apart]] & has_any[other[apart]]]
        if not len(apart):
            continue
        is_alone = True
        a, b = values[:, one[apart]], values[:, other[apart]]
        both = np.isfinite(a) & np.isfinite(b)
        own = np.stack([column_means(np.where(both, x, np.nan)) for x in (a, b)], axis=1)
        first[m, apart], second[m, apart] = levelled(own).T
    return SharedMeans(first, second) if is_alone else None


def pair_blocks(n_units: int, n_pairs: int, at_once: int = 0) -> list[slice]:
    """Return the places of pairs of which so many are looked at together as fit in memory.

    `at_once`: so many numbers, in place of those that stay near the processor.
    Result: of about the same size each, as a column alone would be summed in another order.

    Examples
    --------
    >>> pair_blocks(60, 10), len(pair_blocks(60, 499_500))
    ([slice(0, 10, None)], 58)
    """
    n_blocks = max(1, -(-n_units * n_pairs // (at_once or AT_ONCE)))
    ends = [round(n_pairs * i / n_blocks) for i in range(n_blocks + 1)]
    return [slice(a, b) for a, b in pairwise(ends)]


def pair_columns(
    values: Array, pairs: NDArray[np.intp], shared: SharedMeans | None = None
) -> tuple[Array, Array]:
    """Return what is compared of the first and the second of each pair, shape (n, P) each.

    `values`: (n, K).
    `pairs`: (P, 2).
    `shared`: in place of the values, where these are means.
    """
    if shared is not None:
        return shared.first, shared.second
    return values[:, pairs[:, 0]], values[:, pairs[:, 1]]
