"""Differences of two candidates over the replications that both have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_model import ROUNDING

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Differences:
    """What is counted and summed of first - second.

    Attributes
    ----------
    n_blocks : int
        Replications in which both have a value.
    below, ties, above : int
        Those in which the first has the smaller, an equal, the larger value.
    mean : float
        NaN without a replication.
    deviation : float
        Standard deviation; NaN with fewer than two replications, and 0 where
        differences vary no more than by rounding.
    """

    n_blocks: int
    below: int
    ties: int
    above: int
    mean: float
    deviation: float


def paired_differences(first: Array, second: Array) -> Differences:
    """Count and sum the differences of a pair.

    Parameters
    ----------
    first, second : ndarray of shape (B,)
        NaN where there is no value.

    Returns
    -------
    Differences

    Examples
    --------
    >>> paired_differences(np.array([1.0, 4.0, np.nan]), np.array([3.0, 6.0, 5.0]))
    Differences(n_blocks=2, below=2, ties=0, above=0, mean=-2.0, deviation=0.0)
    """
    is_there = np.isfinite(first) & np.isfinite(second)
    n_blocks = int(is_there.sum())
    if n_blocks == 0:
        return Differences(0, 0, 0, 0, float("nan"), float("nan"))
    first, second = first[is_there], second[is_there]
    below, above = int((first < second).sum()), int((first > second).sum())
    noise = ROUNDING * max(float(np.abs(first).max()), float(np.abs(second).max()))
    mean, deviation = _moments(first - second, noise)
    return Differences(n_blocks, below, n_blocks - below - above, above, mean, deviation)


def _moments(differences: Array, noise: float) -> tuple[float, float]:
    """Return mean and standard deviation; what is not above the noise is 0."""
    mean = float(differences.mean())
    if len(differences) == 1:
        return mean, float("nan")
    if np.abs(differences - mean).max() <= noise:
        return (0.0 if abs(mean) <= noise else mean), 0.0
    return mean, float(differences.std(ddof=1))
