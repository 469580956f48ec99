"""How few data sets have to go for another candidate to have the best mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.stats.arrays import Array


@dataclass(frozen=True, slots=True)
class Fragility:
    """The fewest data sets without which another candidate has the best mean.

    Attributes
    ----------
    first, successor : int
        The candidate with the best mean, and one that is then before it.
    removed : tuple of int
        Their places, those that speak most for the first before the others.
    """

    first: int
    successor: int
    removed: tuple[int, ...]


def fragility(means: Array) -> Fragility | None:
    """Find the fewest data sets without which the candidate with the best mean is not first.

    Parameters
    ----------
    means : ndarray of shape (M, K)
        Of all candidates on every data set; larger is better.

    Returns
    -------
    Fragility or None
        None where whatever is removed leaves it first, or no worse than the others.

    Notes
    -----
    Exact: for a successor and a number of removals the sum of the remaining differences is
    smallest without the largest ones.

    Examples
    --------
    >>> fragility(np.array([[9.0, 1.0], [1.0, 2.0], [1.0, 3.0]]))
    Fragility(first=0, successor=1, removed=(0,))
    """
    n_datasets, n_candidates = means.shape
    first = int(means.mean(axis=0).argmax())
    found: Fragility | None = None
    for k in range(n_candidates):
        apart = means[:, first] - means[:, k]
        order = np.argsort(-apart, kind="stable")
        left = apart.sum() - np.cumsum(apart[order])
        tolerance = 1e-12 * np.abs(apart).sum()
        lost = np.flatnonzero(left[: n_datasets - 1] < -tolerance)
        if k == first or not len(lost):
            continue
        n = int(lost[0]) + 1
        if found is None or n < len(found.removed):
            found = Fragility(first, k, tuple(order[:n].tolist()))
    return found
