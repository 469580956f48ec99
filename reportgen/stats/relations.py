"""Strict relations of candidates: who is best, and whether they form a chain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Incidence = NDArray[np.bool_]


def unbeaten(incidence: Incidence) -> list[int]:
    """Return the candidates that no other is better than.

    Parameters
    ----------
    incidence : ndarray of shape (K, K), bool
        ``incidence[i, j]`` is true when i is better than j.

    Returns
    -------
    list of int

    Examples
    --------
    >>> unbeaten(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    [0, 1]
    """
    return [int(i) for i in np.flatnonzero(~incidence.any(axis=0))]


def chain(incidence: Incidence) -> list[list[int]] | None:
    """Return the classes of a strict weak order, best first.

    Parameters
    ----------
    incidence : ndarray of shape (K, K), bool
        A strict relation; ``incidence[i, j]`` is true when i is better than j.

    Returns
    -------
    list of lists of int, or None
        None when the relation is no weak order: neither better nor worse is
        then not transitive.

    Examples
    --------
    >>> chain(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    [[0, 1], [2]]
    >>> chain(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)) is None
    True
    """
    n_better = incidence.sum(axis=0)
    if not (incidence == (n_better[:, None] < n_better)).all():
        return None
    return [[int(i) for i in np.flatnonzero(n_better == n)] for n in np.unique(n_better)]
