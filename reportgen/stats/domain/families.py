"""Data sets that candidates do on alike: strongly correlated columns of departures."""

from __future__ import annotations

import numpy as np

from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import two_sided_t
from reportgen.stats.ranking import within_block_ranks

FEWEST_CANDIDATES = 8  # whose departures can be correlated strongly by more than chance
FEWEST_DATASETS = 6  # so that the candidates' levels do not rest on the two themselves
LEAST_CORRELATION = 0.9
LEVEL = 0.01  # of all pairs of data sets together


def correlated_datasets(values: Array) -> list[tuple[int, int]]:
    """Return the pairs of data sets on which candidates depart alike from their own levels.

    Parameters
    ----------
    values : ndarray of shape (M, K)
        One value a data set and candidate; complete.

    Returns
    -------
    list of (int, int)
        Those whose departures from the sum of the levels of data set and candidate have a rank
        correlation (Spearman) of `LEAST_CORRELATION` or more that chance does not explain: its
        p-value times the number of pairs is at most `LEVEL`. Empty with fewer than
        `FEWEST_DATASETS` data sets or `FEWEST_CANDIDATES` candidates, where chance may do that.

    Notes
    -----
    What all data sets have in common, that good candidates are good on most, is subtracted, so that
    only what two data sets share beyond it counts. Ranks keep one candidate that fails on both from
    deciding alone.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(8, 12))
    >>> values[3] = values[0] + 0.1 * rng.normal(size=12)
    >>> correlated_datasets(values)
    [(0, 3)]
    """
    n_datasets, n_candidates = values.shape
    if n_datasets < FEWEST_DATASETS or n_candidates < FEWEST_CANDIDATES:
        return []
    apart = values - values.mean(axis=1, keepdims=True)
    departures = apart - apart.mean(axis=0)
    ranks = within_block_ranks(departures)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    sizes = np.sqrt((centred**2).sum(axis=1))
    sizes = np.where(sizes > 0, sizes, np.inf)
    correlation = (centred @ centred.T) / np.outer(sizes, sizes)
    first, second = np.triu_indices(n_datasets, 1)
    r = np.clip(correlation[first, second], -1.0, 1.0 - 1e-12)
    t = r * np.sqrt((n_candidates - 2) / (1 - r**2).clip(min=1e-12))
    p_value = two_sided_t(t, float(n_candidates - 2)) * len(r)
    found = (r >= LEAST_CORRELATION) & (p_value <= LEVEL)
    return [(int(i), int(j)) for i, j in zip(first[found], second[found], strict=True)]
