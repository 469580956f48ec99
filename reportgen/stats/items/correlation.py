"""How alike the differences of items of one cluster are."""

from __future__ import annotations

import numpy as np

from reportgen.stats.arrays import Array
from reportgen.stats.items.clusters import Codes, cluster_totals
from reportgen.stats.multiplicity.simultaneous import all_pairs


def cluster_correlations(values: Array, clusters: Codes) -> Array:
    r"""Return the intra-cluster correlation of the differences of all pairs.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        A row an item, NaN where there is no value.
    clusters : ndarray of shape (n,), int

    Returns
    -------
    ndarray of shape (P,)
        By analysis of variance, :math:`(B - W) / (B + (n_0 - 1) W)` of the mean squares between
        and within clusters; NaN where no two items share a cluster, or nothing varies.

    References
    ----------
    .. [1] A. Donner (1986), "A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model", International Statistical Review 54.

    Examples
    --------
    >>> values = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    >>> cluster_correlations(values, np.array([0, 0, 1, 1, 2, 2]))
    array([1.])
    """
    first, second = all_pairs(values.shape[1]).T
    differences = values[:, first] - values[:, second]
    totals, sizes, _ = cluster_totals(differences, clusters)
    n, j = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
    squares = np.nansum(differences**2, axis=0)
    between = (totals**2 / np.maximum(sizes, 1)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # one cluster, or no two items in one
        size = (n - (sizes**2).sum(axis=0) / n) / (j - 1)
        b = (between - totals.sum(axis=0) ** 2 / n) / (j - 1)
        w = np.maximum(squares - between, 0.0) / (n - j)
        found = (b - w) / (b + (size - 1) * w)
    return np.where((n > j) & (j > 1), found, np.nan)
