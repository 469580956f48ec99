"""Changes between two runs of items in clusters: `cluster_means` of each cell.

By t, corrected for skewness: the counterpart of `reportgen.stats.pairs.changes` where items share
documents or repositories.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.stats.arrays import Array
from reportgen.stats.items.clusters import Codes, cluster_means
from reportgen.stats.pairs.changes import Changes, change_tests
from reportgen.stats.pairs.paired_max_t import equal_signs


def clustered_changes(
    first: Array,
    second: Array,
    clusters: tuple[Codes, Codes],
    alpha: float,
    n_comparisons: int,
    *,
    is_paired: bool,
) -> Changes:
    """Test changes of cells whose rows are items in clusters.

    Parameters
    ----------
    first, second : ndarray of shape (n_1, C), (n_2, C)
        A column a cell, a row an item; NaN where there is no value.
    clusters : two ndarray of shape (n_1,), (n_2,), int
        The cluster of each item.
    alpha : float
        Error probability of the family, 0 < alpha < 1.
    n_comparisons : int
        Cells of the family.
    is_paired : bool
        Whether a row is the same item in both runs.

    Returns
    -------
    Changes
        A cell with fewer than `FEWEST_UNITS` clusters in a run
        is open. `n_first` and `n_second` count items.

    Examples
    --------
    Clusters of one size are the t test of the changes of their means:

    >>> rng = np.random.default_rng(1)
    >>> first, codes = rng.normal(size=(40, 1)), np.repeat(np.arange(10), 4)
    >>> second = first + rng.normal(size=10)[codes, None] + 0.5
    >>> clustered_changes(first, second, (codes, codes), 0.05, 1, is_paired=True).df
    array([9.])
    """
    rows = [second - first] if is_paired else [first, second]
    samples = [cluster_means(own, codes) for own, codes in zip(rows, clusters, strict=False)]
    estimate = samples[-1].estimate - (0.0 if is_paired else samples[0].estimate)
    errors = np.array([sample.standard_error**2 for sample in samples])
    squared = errors.sum(axis=0)
    varies = squared > 0
    safe = np.where(varies, squared, 1.0)
    parts = np.array([(e / safe) ** 2 / s.df for e, s in zip(errors, samples, strict=True)])
    leans = [(e / safe) ** 1.5 * s.lean for e, s in zip(errors, samples, strict=True)]
    before, after = samples[0], samples[-1]
    n_first, n_second = (x.n_clusters.astype(np.int64) for x in (before, after))
    is_shift = is_paired & (estimate != 0)
    signs = np.where(is_shift, equal_signs(n_first), np.nan)
    found = change_tests(
        estimate,
        np.where(varies, squared, 0.0),
        leans[-1] - (0.0 if is_paired else leans[0]),
        1 / np.where(varies, parts.sum(axis=0), 1.0),
        signs,
        varies,
        n_first,
        n_second,
        alpha,
        n_comparisons,
    )
    n_first, n_second = (x.n.astype(np.int64) for x in (before, after))
    return replace(found, n_first=n_first, n_second=n_second)
