"""What it does to a performance whether an observation is learnt from: rank sums.

Resampling leaves each observation out of some learning samples. Where an observation does not
matter, a performance is as large with it as without it, whatever the law of performances; the rank
sum of the replications that leave it out is then that of a random part of all [1]_.

References
----------
.. [1] H. B. Mann and D. R. Whitney (1947), "On a test of whether one of two random variables is
   stochastically larger than the other", Annals of Mathematical Statistics 18.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

FEWEST = 5  # replications with and without an observation, below which it is not tested


@dataclass(frozen=True, slots=True, eq=False)
class ObservationRankSums:
    """Each observation's rank sums of each candidate."""

    n_without: NDArray[np.int64]  # (n,); replications that leave the observation out
    # (n, K); standardised, above 0 where values are larger without the observation; NaN where not
    # tested
    statistic: Array
    # (n, K); how probable it is that a replication without it has the larger value, ties counted
    # half
    superiority: Array
    # (n, K); two-sided, by the normal law with the correction for ties; not adjusted
    p_value: Array


def left_out_rank_sums(values: Array, is_left_out: NDArray[np.bool_]) -> ObservationRankSums:
    """Compare replications that leave an observation out with those that learn from it.

    `values`: (B, K); finite.
    `is_left_out`: (B, n).
    """
    from scipy.special import ndtr
    from scipy.stats import rankdata, tiecorrect

    n_rows, n_without = len(values), is_left_out.sum(axis=0)
    n_with = n_rows - n_without
    is_tested = (n_without >= FEWEST) & (n_with >= FEWEST)
    ranks = rankdata(values, axis=0) if n_rows else values
    ties = np.array([tiecorrect(column) for column in ranks.T]) if n_rows > 1 else 0.0
    variance = np.outer(n_without * n_with * (n_rows + 1) / 12, ties)
    excess = is_left_out.T.astype(np.float64) @ ranks - (n_without * (n_rows + 1) / 2)[:, None]
    known = is_tested[:, None] & (variance > 0)
    statistic = np.full(excess.shape, np.nan)
    statistic[known] = excess[known] / np.sqrt(variance[known])
    n_pairs = np.maximum(n_without * n_with, 1)[:, None]
    superiority = np.where(is_tested[:, None], 0.5 + excess / n_pairs, np.nan)
    return ObservationRankSums(n_without, statistic, superiority, 2 * ndtr(-np.abs(statistic)))
